"""Where checkpoints lie: a directory or a bucket, behind one small interface."""
