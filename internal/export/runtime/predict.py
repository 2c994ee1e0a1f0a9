"""Predictions of a released model, without dependencies.

GUARANTEE_OF_THE_EXPORT
The module reveals no more than the model.
"""

from __future__ import annotations

import datetime
import decimal
import re
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

MODEL: Dict[str, Any] = MODEL_OF_THE_EXPORT


def predict(record: Mapping[str, Any]) -> Dict[str, Any]:
    """Predict the label of a record.

    The record has a value for each column of the model: a text as it stands in the data, a number, or None if the value is
    missing. The result has the keys "prediction" and "risk", and "points", "rule" or "leaf" if the model has these. All are None
    if a value is outside the domain of the model. If the label has more than two outcomes, the risk is a dict with the risk of
    each. A KeyError is raised if the record lacks a column.
    """
    outcomes: List[str] = MODEL["label"]["outcomes"]
    codes = [column.code(record) for column in _COLUMNS]
    inside = all(code >= 0 for code in codes)
    out: Dict[str, Any] = {"prediction": None}
    if MODEL["measure"]:
        out[MODEL["measure"]] = None
    out["risk"] = None
    if not inside:
        return out
    grade = _value(MODEL["rule"], codes)
    result = [r for i, r in enumerate(MODEL["results"]) if i == 0 or r["from"] <= grade][-1]
    out["prediction"] = outcomes[result["prediction"]] if outcomes else result["prediction"]
    if MODEL["measure"]:
        out[MODEL["measure"]] = grade
    if MODEL["risks"]:
        out["risk"] = dict(zip(outcomes, result["risk"])) if outcomes else result["risk"][0]
    return out


def _value(node: Dict[str, Any], codes: List[int]) -> int:
    """Return the grade of a rule, or whether a formula holds."""
    kind = node["is"]
    if kind in ("points", "points_with_bonus"):
        total = node["start"] + sum(own[codes[j]] for j, own in enumerate(node["points"]) if own)
        return total + (node["bonus"] if kind == "points_with_bonus" and _value(node["of"][0], codes) else 0)
    if kind == "leaf":
        return node["number"]
    if kind == "in":
        return codes[node["attribute"]] in node["codes"]
    if kind == "tree":
        return _value(node["of"][1 if _value(node["of"][0], codes) else 2], codes)
    holds = (bool(_value(part, codes)) for part in node["of"])
    if kind == "list":
        return next((i for i, held in enumerate(holds, 1) if held), 0)
    if kind == "decision":
        return 1 if next(holds) else 0
    if kind == "not":
        return not next(holds)
    if kind == "all":
        return all(holds)
    if kind == "any":
        return any(holds)
    if kind == "odd":
        return sum(holds) % 2 == 1
    return sum(holds) >= node["count"]  # at_least


class _Number(NamedTuple):
    """The number sign·0.digits·10^magnitude, without zeros at either end of the digits. Numbers are compared exactly."""

    sign: int
    magnitude: int
    digits: str

    def compare(self, other: _Number) -> int:
        if self.sign != other.sign:
            return -1 if self.sign < other.sign else 1
        a, b = (self.magnitude, self.digits), (other.magnitude, other.digits)
        return 0 if a == b else self.sign * (-1 if a < b else 1)


_MOST_EXPONENT = 2**40  # no text has as many digits
_PLAIN = re.compile(MODEL["plain"])


def _number(text: str, pattern: re.Pattern[str]) -> Optional[_Number]:
    found = pattern.fullmatch(text)
    if found is None:
        return None
    whole = re.sub("[^0-9]", "", found[2] or "")
    fraction = found[3] or found[4] or ""
    significant = (whole + fraction).lstrip("0")
    digits = significant.rstrip("0")
    if not digits:
        return _Number(0, 0, "")
    exponent = found[5] or "0"
    size = exponent.lstrip("+-").lstrip("0")
    power = _MOST_EXPONENT if len(size) > 12 else min(int(size or "0"), _MOST_EXPONENT)
    if exponent[0] == "-":
        power = -power
    return _Number(-1 if found[1] == "-" else 1, len(significant) - len(fraction) + power, digits)


_BLANKS = "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


def _number_with_unit(text: str, pattern: re.Pattern[str], units: List[str]) -> Optional[_Number]:
    """Read a number. A unit may precede it, stand between its sign and its digits, or follow it."""
    x = _number(text, pattern)
    if x is not None or not text:
        return x
    for unit in units:
        if text.endswith(unit):
            x = _number(text[: -len(unit)].rstrip(_BLANKS), pattern)
        elif text.startswith(unit):
            x = _number(text[len(unit) :].lstrip(_BLANKS), pattern)
        elif text[0] in "+-" and text.startswith(unit, 1):
            bare = text[1 + len(unit) :].lstrip(_BLANKS)
            x = None if bare[:1] in ("+", "-") else _number(text[0] + bare, pattern)
        if x is not None:
            return x
    return None


def _text(value: Any) -> Tuple[str, bool]:
    """Return the text of a value, and whether the value is a text."""
    if value is None:
        return "", True
    if isinstance(value, str):
        return (value.strip(" \t") if MODEL["trim"] else value), True
    if isinstance(value, bool):
        return ("true" if value else "false"), False
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            return ("NaN" if value != value else "+Inf" if value > 0 else "-Inf"), False
        text = format(decimal.Decimal(float.__repr__(value)), "f")
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return ("0" if text == "-0" else text), False
    if isinstance(value, decimal.Decimal):
        return format(value, "f"), False
    return str(value), False


class _Column:
    """Maps the values of a column to the codes of categories."""

    def __init__(self, attribute: Dict[str, Any]) -> None:
        self.attribute = attribute
        self.number = re.compile(attribute.get("number", ""))
        self.cuts = [_number(cut, _PLAIN) for cut in attribute.get("cuts", [])]
        self.missing = [_number(m, _PLAIN) for m in attribute.get("missing", [])]
        self.codes = {text: code for code, values in enumerate(attribute.get("values", [])) for text in values}

    def code(self, record: Mapping[str, Any]) -> int:
        """Return the code of a record's category, or -1 if the value is outside the domain."""
        other: int = self.attribute["other"]
        text, is_text = _text(record[self.attribute["column"]])
        date = self.attribute.get("date")
        if date:
            days = _days(text, date["format"])
            if days is None or days in date["missing_days"] or text in date["missing"]:
                return other
            text, is_text = str(_derived(days, date)), False
        if not self.cuts:
            return self.codes.get(text, other)
        x = _number_with_unit(text, self.number, self.attribute["units"]) if is_text else _number(text, _PLAIN)
        if x is None or any(x == m for m in self.missing):
            return other
        return sum(1 for cut in self.cuts if x.compare(cut) >= 0)


_CLOCK = "(?:(?:, | |T)([0-9][0-9:.,+\\-ZAPMapm ]{3,}))?"
_ISO = re.compile("([0-9]{4})(-)([0-9]{2})(-)([0-9]{2})" + _CLOCK)
_OTHER_DATE = re.compile("([0-9]{1,2})([./-])([0-9]{1,2})([./-])([0-9]{4})" + _CLOCK)
_EPOCH = re.compile("(-?)0*([0-9]+)(?:[.]([0-9]+))?")
_ORIGIN = datetime.date(1970, 1, 1).toordinal()


def _days(text: str, written: str) -> Optional[int]:
    """Read a date as days since 1970-01-01."""
    found, order = _ISO.fullmatch(text), (1, 3, 5)
    if found is None and written == "epoch":
        return _epoch(text)
    if found is None and written != "iso":
        found, order = _OTHER_DATE.fullmatch(text), ((5, 3, 1) if written == "d.m.y" else (5, 1, 3))
    if found is None or found[2] != found[4] or (found[6] is not None and ":" not in found[6]):
        return None
    try:
        return datetime.date(*(int(found[group]) for group in order)).toordinal() - _ORIGIN
    except ValueError:
        return None


def _epoch(text: str) -> Optional[int]:
    found = _EPOCH.fullmatch(text)
    if found is None or len(found[2]) > 12:
        return None
    seconds = -int(found[2]) if found[1] else int(found[2])
    days = seconds // 86400
    if seconds % 86400 == 0 and found[1] and (found[3] or "").strip("0"):
        days -= 1
    return days if 1 <= days + _ORIGIN <= datetime.date.max.toordinal() else None


def _derived(days: int, date: Dict[str, Any]) -> int:
    """Return the number of a day that is divided into categories."""
    day = datetime.date.fromordinal(days + _ORIGIN)
    part = date["part"]
    if part == "weekday":
        return day.isoweekday()
    if part:
        return getattr(day, part)
    if not date["age_at"]:
        return days
    at = datetime.date.fromisoformat(date["age_at"])
    return at.year - day.year - ((at.month, at.day) < (day.month, day.day))


_COLUMNS = [_Column(attribute) for attribute in MODEL["attributes"]]
