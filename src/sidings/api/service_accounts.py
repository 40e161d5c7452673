"""What every namespace and every pod has of service accounts, in the names that clients know it by."""

DEFAULT_ACCOUNT = "default"
"""The account of a pod that names none."""
ROOT_CA = "kube-root-ca.crt"
"""The ConfigMap with the certificate authority behind the API server."""
TOKEN_DIRECTORY = "/var/run/secrets/kubernetes.io/serviceaccount"
"""Where client libraries look for ``token``, ``ca.crt`` and ``namespace``."""
