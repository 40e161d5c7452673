"""Whether a training script that is interrupted ends as one that was not, tried out: `sidings train verify-resume`.

`verification` runs the script under torchrun, once in peace and once interrupted as `interruptions` drew it; `attempt`
is one such start in one of the `places`. `losses` and `weights` compare. The script is any that resumes by itself;
nothing of it is imported.
"""
