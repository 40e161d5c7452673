"""CronJobs: their schedules and rules, as pure functions."""
