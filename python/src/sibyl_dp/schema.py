"""Schemas: the public domain of the data."""

from __future__ import annotations

import math
import numbers
import os
import re
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import pandas as pd

from . import _command, _toml
from ._frame import to_csv
from ._text import decimal, is_number, text
from .account import Account, Location
from .errors import ParameterError
from .guarantee import Guarantee

Column = Union[str, Tuple[Any, Any], Sequence[Any], Mapping[str, Any]]
"""The domain of one column in the argument `columns`; see `SibylSchema.from_columns`."""

INTERVALS = 8
"""The number of intervals of a column that is given by its range."""

_KINDS = ("number", "category")


class SibylSchema:
    """The public domain of a table: its columns, how values map to categories, and the label.

    A schema is public. It must come from public knowledge, such as a questionnaire or a code book,
    or from `profile`, which consumes budget. It never comes from the dtypes or categories of a
    DataFrame, because these are computed from the values.

    Schemas are immutable and compare by their text.

    Parameters
    ----------
    toml
        The schema as TOML, as docs/reference/formats.md describes it.

    Raises
    ------
    ParameterError
        If the text is not TOML. The command checks the rest when it reads the schema.
    """

    def __init__(self, toml: str) -> None:
        self._text = toml
        self._keys()

    def __repr__(self) -> str:
        return f"SibylSchema({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SibylSchema) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    @property
    def text(self) -> str:
        """The schema as TOML."""
        return self._text

    def to_dict(self) -> Dict[str, Any]:
        """Return the keys of the schema."""
        return self._keys()

    def _keys(self) -> Dict[str, Any]:
        try:
            # Exact decimals, as the command reads them.
            return tomllib.loads(self._text, parse_float=Decimal)
        except tomllib.TOMLDecodeError as e:
            raise ParameterError(f"the schema is not TOML: {e}") from None

    @property
    def label(self) -> Optional[str]:
        """The column to predict; None if there is none."""
        label: Optional[str] = self._keys().get("label", {}).get("column")
        return label

    @property
    def person(self) -> Optional[str]:
        """The column that identifies persons; None if each row is one person."""
        person: Optional[str] = self._keys().get("person", {}).get("column")
        return person

    @property
    def columns(self) -> List[str]:
        """The columns of the attributes, each once, in the order of the schema."""
        return list(dict.fromkeys(a["column"] for a in self._keys().get("attribute", [])))

    # Making schemas

    @classmethod
    def from_columns(
        cls,
        columns: Mapping[str, Column],
        *,
        label: Optional[str] = None,
        classes: Optional[Sequence[Any]] = None,
        person: Optional[Tuple[str, int]] = None,
        name: Optional[str] = None,
        public: Optional[str] = None,
    ) -> SibylSchema:
        """Return a schema with these columns. Everything in it is an argument.

        Parameters
        ----------
        columns
            For each column one of:

            - a tuple ``(least, most)``: numbers in this range. It is cut into 8 intervals of equal
              width, or for at most 8 integers into one for each; numbers beyond the ends belong
              to the first and the last one.
            - a list of numbers: the cuts between intervals. ``[40, 60]`` gives the intervals <40,
              [40,60) and ≥60.
            - a list of texts or booleans: the categories.
            - a dict with the keys of an attribute in a schema, such as
              ``{"values": [0, 1, 2], "missing": ["?"]}`` or
              ``{"groups": {"yes": ["y", "Y"], "no": ["n"]}}``.
            - ``"number"`` or ``"category"``: a column whose cuts or categories `profile` chooses.

            Except in the last two forms, all other values, missing values included, form a
            category of their own.
        label
            The name of the column to predict.
        classes
            The classes of the label. Of two classes, the second one is positive.
        person
            The column that identifies persons, and the maximum number of rows counted per person, 1 to 10.
        name
            A title.
        public
            Who asserts that these facts are public, for the record.

        Raises
        ------
        ParameterError
            If a column or the classes are none of these.
        """
        if not isinstance(columns, Mapping) or not columns:
            raise ParameterError(
                "columns must be a dict from the names of columns to their ranges, cuts or "
                'categories, such as {"age": (18, 99), "sex": ["f", "m"]}; Sibyl never takes them '
                "from the data"
            )
        keys: Dict[str, Any] = {}
        for key, value in (("name", name), ("public", public)):
            if value is not None:
                keys[key] = value
        if label is not None:
            keys["label"] = {"column": label, **_label(classes)}
        if person is not None:
            keys["person"] = {"column": person[0], "most": person[1]}
        keys["attribute"] = [{"column": c, **_attribute(c, s)} for c, s in columns.items()]
        return cls.from_dict(keys)

    @classmethod
    def from_dict(cls, keys: Mapping[str, Any]) -> SibylSchema:
        """Return a schema with these keys, which are those of the TOML."""
        return cls(_toml.dumps(keys))

    @classmethod
    def read(cls, path: Union[str, os.PathLike[str]]) -> SibylSchema:
        """Read a schema from a TOML file."""
        try:
            return cls(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as e:
            raise ParameterError(f"the schema cannot be read: {e}") from None

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Write the schema to a TOML file. A schema is public, so all users may read the file."""
        Path(path).write_text(self._text, encoding="utf-8", newline="\n")

    @classmethod
    def new(
        cls,
        columns: Sequence[str],
        *,
        label: Optional[str] = None,
        classes: Optional[Sequence[Any]] = None,
        number: Sequence[str] = (),
        category: Sequence[str] = (),
        date: Sequence[str] = (),
        others: Optional[str] = None,
        drop: Sequence[str] = (),
        person: Optional[Tuple[str, int]] = None,
        name: Optional[str] = None,
        public: Optional[str] = None,
    ) -> SibylSchema:
        """Draft a schema from the names of the columns (``sibyl schema new``).

        Columns whose kind is a number or a category stay open until `profile` completes them.

        Parameters
        ----------
        columns
            The names, which whoever calls this declares to be public.
        label, classes
            The column to predict, and its classes; of two classes, the second one is positive.
        number, category, date
            The columns of each kind.
        others
            The kind of all other columns.
        drop
            Columns that the schema leaves out.
        person
            The column that identifies persons, and the maximum number of rows counted per person.
        name, public
            A title, and who asserts that these facts are public.
        """
        outcome = label
        if label is not None and classes is not None:
            # The command names the positive value first.
            order = list(classes)[::-1] if len(classes) == 2 else list(classes)
            outcome = f"{label}={'/'.join(text(c) for c in order)}"
        drafted = _command.run(
            ["schema", "new"],
            options={
                "columns": _names(columns),
                "label": outcome,
                "number": _names(number),
                "category": _names(category),
                "date": _names(date),
                "others": others,
                "drop": _names(drop),
                "person": None if person is None else f"{person[0]}:{person[1]}",
                "name": name,
                "public": public,
            },
        )
        return cls(drafted["text"])

    @classmethod
    def import_(
        cls,
        location: str,
        *,
        table: Optional[str] = None,
        label: Optional[str] = None,
        person: Optional[Tuple[str, int]] = None,
        lookups: Sequence[str] = (),
    ) -> SibylSchema:
        """Draft a schema from published metadata (``sibyl schema import``). It reads no row.

        Parameters
        ----------
        location
            A Table Schema or datapackage.json, a REDCap data dictionary, a Parquet file, or the
            URL of a database. The URL must not contain a password, because other users can see
            the arguments of a process.
        table
            The name of the table, where the metadata describes several.
        label
            The column to predict, with its positive and its negative value: ``died=yes/no``.
        person
            The column that identifies persons, and the maximum number of rows counted per person.
        lookups
            Tables of a database whose rows are public categories: ``ward=wards:code:name``.
        """
        if re.match(r"\w+://[^/@]*:[^/@]*@", location):
            raise ParameterError(
                "the URL has a password, which other users could see in the list of processes; "
                "leave it out and give it in PGPASSWORD or a password file"
            )
        drafted = _command.run(
            ["schema", "import", location],
            options={
                "table": table,
                "label": label,
                "person": None if person is None else f"{person[0]}:{person[1]}",
                "lookup": list(lookups),
            },
        )
        return cls(drafted["text"])

    def profile(
        self,
        X: pd.DataFrame,
        epsilon: Any,
        *,
        delta: Any = 0,
        account: Optional[Union[Account, Location]] = None,
        relation: str = "replace",
        rows: Optional[int] = None,
        most_categories: Optional[int] = None,
        insecure_seed: Optional[int] = None,
    ) -> SibylSchema:
        """Choose missing cuts and categories from private data. This consumes budget.

        The result states the guarantee, and every release with it from data of the same people
        adds to this guarantee (``total_guarantee_``).

        Parameters
        ----------
        X
            The private table, with the columns of the schema; the label may be missing.
        epsilon, delta
            The guarantee: one record changes the probability of any result by a factor of at most
            e^ε, apart from δ. Categories need a δ above 0, such as 1e-9.
        account
            The ledger to charge; None charges the one that SIBYL_ACCOUNT names, or none.
        relation
            How neighbouring tables differ: ``"replace"`` or ``"add-remove"``.
        rows
            The public number of rows or persons; None uses the number of rows of X if the
            relation makes it public.
        most_categories
            The maximum number of categories of a column.
        insecure_seed
            For tests: derives the randomness from this number, which voids the guarantee.

        Returns
        -------
        SibylSchema
            The completed schema.

        Raises
        ------
        ParameterError, DataError, BudgetExhausted, NothingReleased
        """
        keys = self.to_dict()
        label = None if self.label in X.columns else keys.pop("label", None)
        if label is not None:  # the cuts and categories of the others do not depend on it
            alone = SibylSchema.from_dict(keys).profile(
                X, epsilon, delta=delta, account=account, relation=relation, rows=rows,
                most_categories=most_categories, insecure_seed=insecure_seed,
            )
            return SibylSchema.from_dict({**alone.to_dict(), "label": label})
        needed = self.columns + [c for c in (self.person, self.label) if c is not None]
        data = to_csv(X, keys, needed)
        with _command.directory() as d:
            self.save(d / "open.toml")
            _command.run(
                ["schema", "profile", "--data", "-", "--schema", "open.toml", "--out", "full.toml"],
                data=data,
                account=location_of(account),
                cwd=str(d),
                options={
                    "epsilon": epsilon,
                    "delta": delta,
                    "relation": relation,
                    "rows": self.public_rows(len(X), relation, rows),
                    "most-categories": most_categories,
                    "insecure-seed": insecure_seed,
                },
            )
            return SibylSchema.read(d / "full.toml")

    @property
    def profiles(self) -> List[Optional[Guarantee]]:
        """The guarantees of the releases that completed the schema; None for one without."""
        return [
            None if p.get("not_private") else Guarantee.of({"assumes": (), **p})
            for p in self._keys().get("profile", [])
        ]

    def public_rows(self, n: int, relation: str, stated: Optional[int]) -> Optional[int]:
        """Return the number of rows that may be stated in public; None if there is none.

        Under the relation ``"replace"`` all neighbouring tables have the same number of rows. The
        number of persons is not known here.
        """
        if stated is not None:
            return stated
        return n if relation == "replace" and self.person is None and n > 0 else None


def location_of(account: Optional[Union[Account, Location]]) -> Optional[str]:
    """Return the location of a ledger."""
    if account is None:
        return None
    return account.location if isinstance(account, Account) else Account(account).location


def schema_of(schema: Any) -> SibylSchema:
    """Return a schema that is given as such, as a dict of its keys, or as the path of a file."""
    if isinstance(schema, SibylSchema):
        return schema
    if isinstance(schema, Mapping):
        return SibylSchema.from_dict(schema)
    if isinstance(schema, (str, os.PathLike)):
        return SibylSchema.read(schema)
    raise ParameterError(
        "schema must be a SibylSchema, a dict with the keys of a schema, or the path of a TOML file"
    )


def _names(names: Sequence[str]) -> Optional[str]:
    """Return names as one value of a flag."""
    if isinstance(names, str):
        raise ParameterError("names of columns must be a list")
    quoted = ('"' + n.replace('"', '""') + '"' for n in names)
    return ",".join(quoted) or None


def _label(classes: Optional[Sequence[Any]]) -> Dict[str, Any]:
    """Return the keys of a label with these classes."""
    if classes is None or isinstance(classes, str) or not hasattr(classes, "__len__"):
        raise ParameterError(
            "classes is missing: a list of the classes of the label, such as [0, 1] or "
            '["no", "yes"], of which the second is positive; Sibyl never takes them from the data'
        )
    names = [text(c) for c in classes]
    if len(names) < 2 or len(set(names)) < len(names) or "" in names:
        raise ParameterError(
            f"classes has {len(names)} classes, and a label needs at least two distinct ones that "
            "are not missing values"
        )
    if len(names) == 2:
        return {"positive": [names[1]], "negative": [names[0]]}
    return {"values": names}


def _attribute(name: str, spec: Column) -> Dict[str, Any]:
    """Return the keys of an attribute."""
    if not isinstance(name, str):
        raise ParameterError(f"columns: the name {name!r} is not a text; rename the column of X")
    if isinstance(spec, str):
        if spec in _KINDS:
            return {"kind": spec}
    elif isinstance(spec, Mapping):
        keys = dict(spec)
        if "values" in keys:
            keys["values"] = [text(v) for v in keys["values"]]
        if "groups" in keys:
            keys["groups"] = {g: [text(v) for v in of] for g, of in keys["groups"].items()}
        return keys
    elif isinstance(spec, tuple) and len(spec) == 2 and all(is_number(v) for v in spec):
        return _range(name, *spec)
    elif isinstance(spec, list) and spec:
        if all(is_number(v) for v in spec):
            return {"cuts": list(spec), "other": "missing"}
        values = [text(v) for v in spec]
        return {"values": values, "other": "other" if "other" not in values else "(other)"}
    raise ParameterError(
        f"columns: column {name!r} must be a range (least, most), a list of cuts or categories, "
        'a dict with the keys of an attribute, or "number" or "category"'
    )


def _range(name: str, least: Any, most: Any) -> Dict[str, Any]:
    """Return the keys of a column of numbers in a range, with cuts of equal distances."""
    low, high = Decimal(decimal(least)), Decimal(decimal(most))
    if not (low.is_finite() and high.is_finite() and low < high):
        raise ParameterError(f"columns: column {name!r}: the range {spec_text(least, most)} is empty")
    width = high - low
    if isinstance(least, numbers.Integral) and isinstance(most, numbers.Integral):
        integers = width + 1
        n = min(INTERVALS, int(integers))
        cuts = [low + math.ceil(integers * i / n) for i in range(1, n)]
        return {"cuts": cuts, "draw": "integer", "least": low, "most": high, "other": "missing"}
    places = min(max(0, 3 - width.adjusted()), 9)
    grid = Decimal(1).scaleb(-places)
    cuts = [(low + width * i / INTERVALS).quantize(grid) for i in range(1, INTERVALS)]
    return {
        "cuts": cuts, "draw": "uniform", "places": places,
        "least": low.quantize(grid), "most": high.quantize(grid), "other": "missing",
    }


def spec_text(least: Any, most: Any) -> str:
    """Return a range as text."""
    return f"({least}, {most})"
