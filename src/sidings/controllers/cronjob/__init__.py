"""``batch/v1`` CronJobs: Jobs by a schedule (kube-controller-manager 1.36, pkg/controller/cronjob).

``due`` says which time of the schedule waits for its Job, ``plan`` decides on the whole pass, ``controller`` carries it
out.
"""
