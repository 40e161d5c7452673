"""Names, uids, versions and times of a recording, and what they are in this run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from sidings.api.objects import Object
from tests.conformance.senders import Answer

YOUNGEST_RECORDED_VERSION = 1000
"""Smaller resource versions in requests are meant as they stand: long gone in any server."""
FOREVER = "999999999"
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_UID = re.compile(r"<uid[^>]*>|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_YAML_VERSION = re.compile(r'(?<=resourceVersion: )"\d+"')
_VERSIONS = re.compile(r"(?<=too old resource version: )\d+ \(\d+\)|(?<=current: )\d+|(?<=in record )\(\d+\)")
_EVENT = re.compile(r"\.[0-9a-f]{16}\b")
"""What makes the name of an event unique."""
_LONGEST_PREFIX = 58
_GENERATED_LENGTH = 5
_HASH = re.compile(r"(?<=\?hash=)[0-9A-F]+")


class Names:
    """What this run calls what the recording calls otherwise."""

    def __init__(self) -> None:
        self._generated: dict[str, str] = {}
        """name here -> name in the recording."""
        self._counts: dict[str, int] = {}
        self._versions: dict[str, str] = {}
        self._token = ""

    def learn(self, answer: Answer, recorded: Object | None) -> None:
        try:
            body = json.loads(answer.body)
        except ValueError:
            return
        metadata = body.get("metadata") if isinstance(body, dict) else None
        if not isinstance(metadata, dict):
            return
        prefix, name = metadata.get("generateName"), metadata.get("name")
        if prefix and name and name not in self._generated and name[:-_GENERATED_LENGTH] == prefix[:_LONGEST_PREFIX]:
            prefix = prefix[:_LONGEST_PREFIX]
            number = self._counts[prefix] = self._counts.get(prefix, 0) + 1
            self._generated[name] = f"{metadata['generateName']}r{number}"
        self._token = metadata.get("continue") or self._token
        recorded_body = (recorded or {}).get("body")
        if isinstance(recorded_body, dict):
            version = (recorded_body.get("metadata") or {}).get("resourceVersion")
            if version and metadata.get("resourceVersion"):
                self._versions[version] = metadata["resourceVersion"]

    def of_this_run(self, text: str) -> str:
        for here, recorded in self._generated.items():
            text = text.replace(recorded, here)
        return text

    def query(self, key: str, value: str, current: Mapping[str, str]) -> str:
        if key == "continue" and value.startswith("ey"):
            return self._token
        return self._version(value, current) if key == "resourceVersion" else value

    def body(self, value: Any, current: Mapping[str, str]) -> Any:
        """``value`` with this run's uid and resourceVersion in its metadata and preconditions."""
        if isinstance(value, list):
            return [self.body(item, current) for item in value]
        if not isinstance(value, dict):
            return value
        changed = {key: self.body(item, current) for key, item in value.items()}
        for holder in ("metadata", "preconditions"):
            named = changed.get(holder)
            if isinstance(named, dict):
                if isinstance(named.get("resourceVersion"), str):
                    named["resourceVersion"] = self._version(named["resourceVersion"], current)
                if _UID.fullmatch(str(named.get("uid"))) and not str(named["uid"]).startswith("00000000"):
                    named["uid"] = current.get("uid", named["uid"])
        return changed

    def _version(self, recorded: str, current: Mapping[str, str]) -> str:
        if not recorded.isdigit() or int(recorded) < YOUNGEST_RECORDED_VERSION or recorded == FOREVER:
            return recorded
        # A version that was not seen in an answer is that of the object when it is first named.
        return self._versions.setdefault(recorded, current.get("resourceVersion", recorded))

    def normalised(self, value: Any) -> Any:
        """``value`` with times, uids and generated names as the recording has them."""
        if isinstance(value, dict):
            return {key: self.normalised(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.normalised(item) for item in value]
        if not isinstance(value, str):
            return value
        for here, recorded in self._generated.items():
            value = value.replace(here, recorded)
        value = _YAML_VERSION.sub('"<rv>"', _TIME.sub("<time>", _UID.sub("<uid>", _HASH.sub("<hash>", value))))
        return _EVENT.sub(".<event>", _VERSIONS.sub("<rv>", value))
