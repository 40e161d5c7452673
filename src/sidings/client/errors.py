"""What can go wrong on the way to an API server, before it answers.

::

    SidingsError
    └── ClientError
        ├── KubeconfigError       the kubeconfig cannot be read, or names something that it does not have
        ├── CredentialError       an exec plug-in, token file or client certificate gives no usable credential
        └── ServerUnreachable     nobody answers at the address, or the answer is not HTTP
            └── ServerUntrusted   somebody answers whose certificate the kubeconfig does not vouch for

An answer that says no is an ``api.status.ApiError`` instead.
"""

from __future__ import annotations

from sidings.errors import SidingsError


class ClientError(SidingsError):
    code = "CLIENT_ERROR"


class KubeconfigError(ClientError):
    code = "KUBECONFIG_INVALID"


class CredentialError(ClientError):
    code = "CREDENTIAL_UNUSABLE"


class ServerUnreachable(ClientError):
    code = "SERVER_UNREACHABLE"


class ServerUntrusted(ServerUnreachable):
    code = "SERVER_UNTRUSTED"
