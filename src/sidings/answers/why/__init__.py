"""Why a job does not run, stage by stage: each module looks at one stage and gives the findings of it."""
