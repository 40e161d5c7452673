"""Whether a training script that is interrupted ends as one that was not, tried out: `sidings train verify-resume`.

`verification` runs the script once in peace and once interrupted as `interruptions` drew it; `attempt` is one start in
one of the `places`, as processes here (`torchrun`) or as pods of an engine (`pods`, `job_set`). `requirements` says
what can be judged, `comparison` of `losses` and `weights` judges. Checkpoints may be in a `bucket`, and the way there
out of order (`outage`). The script is any that resumes by itself; nothing of it is imported.
"""
