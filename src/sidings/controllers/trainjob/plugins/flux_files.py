"""What the pods of a Flux job are handed: two scripts and a certificate.

The scripts are ours; names and places are Trainer 2.3's. A pod finds Flux in the view that the init container copied,
else among the programs that it has anyway.
"""

from __future__ import annotations

import base64
import hashlib

_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
"""ZeroMQ's alphabet of base 85 (RFC 32)."""
_INIT = """#!/bin/bash
# Copies Flux into the shared volume and writes the configuration of its brokers.
set -euo pipefail
view=/mnt/flux
[ -d /opt/view ] && cp -RL /opt/view "$view/"
[ -d /opt/software ] && cp -R /opt/software "$view/"
mkdir -p "$view/config/etc/flux/system/conf.d" "$view/config/run" "$view/config/lib"
cat > "$view/config/etc/flux/system/conf.d/broker.toml" <<'EOF'
[access]
allow-guest-user = true
allow-root-owner = true

[bootstrap]
curve_cert = "/mnt/flux/config/curve.cert"
default_port = 8050
default_bind = "tcp://{device}:%p"
default_connect = "tcp://%h.{subdomain}:%p"
hosts = [{{ host = "{hosts}" }}]

[resource]
path = "/mnt/flux/config/etc/flux/system/R"
noverify = true

[queues]
[job-manager]
inactive-num-limit = 1000
[sched-fluxion-qmanager]
queue-policy = "{policy}"
EOF
export PATH="$view/view/bin:$PATH"
command -v flux >/dev/null || {{ echo "flux is not installed in this image" >&2; exit 127; }}
flux R encode --hosts='{hosts}' --cores=0-$(($(nproc) - 1)) > "$view/config/etc/flux/system/R"
touch "$view/flux-operator-done.txt"
"""
_ENTRY_POINT = """#!/bin/bash
# Starts the broker of this node; the first node submits the command, waits for it and ends the instance.
set -uo pipefail
command="$1"
view=/mnt/flux
export PATH="$view/view/bin:$PATH"
install -m 0400 /curve/curve.cert "$view/config/curve.cert"
options="--config=$view/config/etc/flux/system/conf.d -Stbon.fanout=256 -Srundir=$view/config/run \\
  -Sstatedir=$view/config/lib -Slocal-uri=local://$view/config/run/local"
if [ "$(hostname)" = "{lead}" ]; then
  exec flux start -o "$options" -- flux submit --wait --watch {flags} bash -c "$command"
fi
until flux start -o "$options"; do
  [ "${{tries:=0}}" -ge 30 ] && exit 1
  tries=$((tries + 1))
  sleep 2
done
"""


def init_script(hosts: str, subdomain: str, device: str, policy: str) -> str:
    """``init.sh``: of the hosts ``hosts``, which find each other under ``subdomain`` over ``device``."""
    return _INIT.format(hosts=hosts, subdomain=subdomain, device=device, policy=policy)


def entry_point(lead: str, flags: str) -> str:
    """``entrypoint.sh``: ``lead`` is the host that submits, with the options ``flags``."""
    return _ENTRY_POINT.format(lead=lead, flags=flags)


def certificate(uid: str) -> str:
    """``curve.cert`` as base64 for a Secret: a ZeroMQ CURVE key pair that follows from the TrainJob's uid alone."""
    # 60 ms of import that only Flux jobs pay.
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    secret = hashlib.sha256(uid.encode()).digest()
    public = (
        X25519PrivateKey.from_private_bytes(secret)
        .public_key()
        .public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    )
    text = (
        'metadata\n    name = "flux-cert-generator"\n'
        f'curve\n    public-key = "{z85(public)}"\n    secret-key = "{z85(secret)}"\n'
    )
    return base64.b64encode(text.encode()).decode()


def z85(data: bytes) -> str:
    """Base 85 in ZeroMQ's alphabet; the length of ``data`` is a multiple of 4."""
    text = ""
    for start in range(0, len(data), 4):
        number = int.from_bytes(data[start : start + 4])
        digits = ""
        for _ in range(5):
            number, digit = divmod(number, 85)
            digits = _Z85[digit] + digits
        text += digits
    return text
