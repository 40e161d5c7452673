import json
import logging

from sidings.host import log_format


def record(message: str, *values: object, error: BaseException | None = None) -> logging.LogRecord:
    info = (type(error), error, error.__traceback__) if error else None
    made = logging.LogRecord("sidings.x", logging.WARNING, "x.py", 1, message, values, info)
    made.created = 1_700_000_000.25
    return made


def test_json_is_one_object_a_line() -> None:
    line = log_format.formatter("json").format(record("%s\nund %s", "größer", '"x"', error=ValueError("bad")))
    assert "\n" not in line
    told = json.loads(line)
    assert told.pop("err").endswith("ValueError: bad")
    assert told == {"ts": 1_700_000_000_250.0, "level": "warning", "logger": "sidings.x", "msg": 'größer\nund "x"'}


def test_text_is_for_people() -> None:
    assert log_format.formatter("text").format(record("said")).endswith(" WARNING sidings.x: said")
