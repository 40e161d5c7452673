"""Object storage in the box: a folder served as S3, for pods that keep data and checkpoints where a cluster has MinIO.

``python -m sidings.s3`` runs alone beside the engine: one folder a bucket, one file an object, so that what pods wrote
is read with ``ls`` and what lies there is found by pods. Of S3 it has what training needs (docs/s3.md); no versions, no
policies, one pair of keys. It knows nothing of Kubernetes.
"""
