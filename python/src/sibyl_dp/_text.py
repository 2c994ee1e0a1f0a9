"""Writes values as the texts that the command reads.

The text of a value depends on the value alone, never on other values of its column: integers are
digits, decimals all digits of their scale, and floating-point numbers the shortest decimal that
rounds to them, without an exponent and without a trailing ``.0``. These are the texts that Sibyl
gives to the values of Parquet files, and that an exported model reads.
"""

from __future__ import annotations

import datetime
import math
import numbers
from decimal import Decimal
from typing import Any, List

import numpy as np
import pandas as pd


def is_number(value: Any) -> bool:
    """Report whether a value is a number, and neither a text nor a boolean."""
    return isinstance(value, (numbers.Number, Decimal)) and not isinstance(value, (bool, np.bool_))


def decimal(value: Any) -> str:
    """Return a number as a plain decimal."""
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, Decimal):
        digits = format(value, "f")
        return digits.rstrip("0").rstrip(".") if "." in digits else digits
    return "0" if value == 0 else str(np.format_float_positional(value, trim="-"))


def text(value: Any) -> str:
    """Return a value as text; a missing value is the empty text."""
    if isinstance(value, str):
        return value
    if value is None or value is pd.NA or value is pd.NaT:
        return ""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if is_number(value):
        if isinstance(value, (complex, np.complexfloating)):
            raise TypeError("a complex number has no text")
        if value != value:
            return ""
        if value in (math.inf, -math.inf):
            return "+Inf" if value > 0 else "-Inf"
        return format(value, "f") if isinstance(value, Decimal) else decimal(value)
    if isinstance(value, (datetime.date, datetime.datetime, np.datetime64)):
        stamp = pd.Timestamp(value)
        return str(stamp.strftime("%Y-%m-%d") if stamp == stamp.normalize() else stamp.isoformat())
    if isinstance(value, bytes):
        raise TypeError("bytes have no text; decode them")
    return str(value)


def texts(column: Any) -> List[str]:
    """Return the texts of the values of a column, a Series or a one-dimensional array."""
    values = column if isinstance(column, pd.Series) else np.asarray(column)
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "iu":
        return [str(v) for v in values.tolist()]
    if values.dtype == np.float64:
        return [_float(v) for v in values.tolist()]
    return [text(v) for v in values]


def _float(value: float) -> str:
    """Return what `text` returns, faster."""
    usual = repr(value)
    if usual.endswith(".0") and value != 0:
        return usual[:-2]
    return text(value) if "e" in usual or "n" in usual or value == 0 else usual
