"""Tables as the delimited text that a schema describes, and back."""

from __future__ import annotations

import csv
import io
from typing import Any, Dict, List, Mapping, Optional, Sequence

import numpy as np
import pandas as pd

from ._text import is_number, texts
from .errors import DataError, ParameterError


def frame(X: Any, names: Optional[Sequence[str]]) -> pd.DataFrame:
    """Return a table whose columns have these names.

    A DataFrame is returned as it is. The columns of an array get the names by position.
    """
    if isinstance(X, pd.DataFrame):
        return X
    X = np.asarray(X)
    if names is None or X.ndim != 2 or len(names) != X.shape[1]:
        wanted = "names for its columns" if names is None else f"{len(names)} columns"
        raise ParameterError(
            f"X is an array of shape {X.shape} and needs {wanted}; pass a DataFrame, or give "
            "columns= in the order of the array"
        )
    return pd.DataFrame({name: X[:, j] for j, name in enumerate(names)})


def to_csv(X: pd.DataFrame, schema: Mapping[str, Any], columns: Sequence[str]) -> bytes:
    """Return the columns as the delimited text that the schema's ``[file]`` describes.

    Parameters
    ----------
    X
        The table. Columns that are not listed are left out.
    schema
        The keys of the schema.
    columns
        The columns that the command reads.

    Raises
    ------
    ParameterError
        If a column is missing, or the encoding is not supported.
    DataError
        If a value cannot be written.
    """
    file = schema.get("file", {})
    listed = list(file.get("columns", []))
    order = listed + [c for c in columns if c not in listed]
    _require(X, columns)
    marks = _decimal_marks(schema)
    wanted, empty = set(columns), [""] * len(X)
    cells: List[List[str]] = []
    for name in order:
        cells.append(
            _cells(X[name], name, marks.get(name, "."), file.get("trim", False))
            if name in wanted
            else empty
        )
    out = io.StringIO(newline="")
    # With quotes around all fields no line looks like a comment.
    w = csv.writer(
        out, delimiter=file.get("delimiter", ","), quoting=csv.QUOTE_ALL, lineterminator="\n"
    )
    if file.get("header", True):
        w.writerow(order)
    w.writerows(zip(*cells))
    encoding = file.get("encoding", "utf-8")
    try:
        return out.getvalue().encode(encoding)
    except LookupError:
        raise ParameterError(
            f"the encoding {encoding} of the schema is not one that Python knows; use utf-8"
        ) from None
    except UnicodeEncodeError:
        raise DataError(f"a value has a character that {encoding} does not have") from None


def _require(X: pd.DataFrame, columns: Sequence[str]) -> None:
    """Check that the table has each column once."""
    missing = [c for c in columns if c not in X.columns]
    if missing:
        raise ParameterError(
            f"X has no column {missing[0]!r}, which the schema has; rename the columns of X, or "
            "leave it out of the schema"
        )
    for c in columns:
        if not isinstance(X[c], pd.Series):
            raise ParameterError(f"X has several columns {c!r}; rename them")


def _cells(column: pd.Series, name: str, mark: str, trim: bool) -> List[str]:
    try:
        cells = texts(column)
    except TypeError as e:
        raise DataError(f"column {name!r}: {e}") from None
    if mark != ".":
        cells = [c.replace(".", mark) if is_number(v) else c for c, v in zip(cells, column)]
    # The command does not trim inside quotes, and every field has quotes.
    return [c.strip(" \t") for c in cells] if trim else cells


def _decimal_marks(schema: Mapping[str, Any]) -> Dict[str, str]:
    """Return the decimal mark of each column of numbers."""
    usual = schema.get("file", {}).get("decimal", ".")
    fields = [*schema.get("attribute", []), *([schema["label"]] if "label" in schema else [])]
    return {f["column"]: f.get("decimal", usual) for f in fields if is_numeric(f)}


def is_numeric(field: Mapping[str, Any]) -> bool:
    """Report whether an attribute or a label has numbers, by its keys."""
    return "format" not in field and (
        field.get("kind") == "number"
        or any(key in field for key in ("cuts", "at_least", "draw", "least"))
    )


def from_csv(
    text: bytes, schema: Mapping[str, Any], values: Mapping[str, Mapping[str, Any]]
) -> pd.DataFrame:
    """Return the rows of delimited text that the command wrote.

    Columns of numbers have numbers, by the keys of the schema. Other columns have texts, or the
    values that ``values`` gives for the texts of a column. Empty texts are missing values.
    """
    file = schema.get("file", {})
    header = file.get("header", True)
    rows: pd.DataFrame = pd.read_csv(
        io.StringIO(text.decode(file.get("encoding", "utf-8"))),
        sep=file.get("delimiter", ","),
        header=0 if header else None,
        names=None if header else list(file["columns"]),
        dtype=str,
        keep_default_na=False,
        na_values=[""],
    )
    marks = _decimal_marks(schema)
    for name in rows.columns:
        if name in marks:
            plain = rows[name].str.replace(marks[name], ".", regex=False)
            rows[name] = pd.to_numeric(plain, errors="coerce")
        elif name in values:
            known = values[name]
            rows[name] = rows[name].map(lambda t, known=known: known.get(t, t))
    return rows


