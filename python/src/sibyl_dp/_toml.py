"""Writes the keys of a schema as TOML."""

from __future__ import annotations

import datetime
import json
import re
from typing import Any, List, Mapping

from ._text import decimal, is_number
from .errors import ParameterError


def dumps(document: Mapping[str, Any]) -> str:
    """Return a document whose tables and arrays of tables are at its top level."""
    lines = [f"{_key(k)} = {_value(v)}" for k, v in document.items() if not _table(v)]
    for key, value in document.items():
        if isinstance(value, Mapping):
            lines += ["", f"[{_key(key)}]", *_pairs(value)]
        elif _table(value):
            for item in value:
                lines += ["", f"[[{_key(key)}]]", *_pairs(item)]
    return "\n".join(lines).lstrip("\n") + "\n"


def _table(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, (list, tuple)) and len(value) > 0 and isinstance(value[0], Mapping)
    )


def _pairs(table: Mapping[str, Any]) -> List[str]:
    return [f"{_key(k)} = {_value(v)}" for k, v in table.items()]


def _key(key: Any) -> str:
    bare = re.fullmatch(r"[A-Za-z0-9_-]+", str(key))
    return str(key) if bare else _text(str(key))


def _text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ParameterError("a text of the schema has a lone surrogate") from None
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if is_number(value):
        return decimal(value)
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    if isinstance(value, Mapping):
        return "{ " + ", ".join(_pairs(value)) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    raise ParameterError(
        f"a schema has texts, numbers, dates, lists and tables, and no {type(value).__name__}"
    )
