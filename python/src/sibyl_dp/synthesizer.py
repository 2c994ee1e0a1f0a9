"""Synthetic data with differential privacy."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import pandas as pd
from sklearn.utils.validation import check_is_fitted

from . import _command
from ._base import Releasing, number, read_model
from ._frame import from_csv, to_csv
from ._text import text
from .account import Account, Location
from .errors import ParameterError
from .schema import Column, SibylSchema, location_of, schema_of


class SibylSynthesizer(Releasing):
    """A model of a table, from which synthetic rows are sampled.

    ``fit`` is a release: it runs ``sibyl synth``, which measures all columns and pairs of columns,
    and the marginals that the fitted model predicts worst, with exact discrete Gaussian noise.
    Rows and answers from the model cost nothing more.

    Parameters
    ----------
    epsilon, delta
        The guarantee of one fit; δ must be above 0, well below 1 over the number of rows.
    total
        Whether ε and δ are for the fit and the profiles of the schema (`SibylSchema.profile`)
        together, so that the fit gets what the profiles left.
    account
        The ledger that each fit is charged to; it must have a δ. None charges the one that the
        environment variable SIBYL_ACCOUNT names, or none.
    relation
        The neighbour relation: ``"replace"`` or ``"add-remove"``.
    schema
        The public domain: a `SibylSchema`, a dict with its keys, or the path of a TOML file. A
        label is a column as any other. Columns of numbers need ``draw``, ``least`` and ``most``,
        which state how numbers within an interval are written.
    columns
        Instead of a schema: a dict from columns to their range, categories, or keys, as
        `SibylSchema.from_columns` describes. A range of integers gives integers, and a range of
        floats gives decimals.
    target
        The column whose pairs with all others are measured with less noise.
    pairs
        Pairs of columns that are measured with less noise.
    pairwise
        Measure columns and pairs of columns only, which takes less time.
    rows
        The public number of rows or persons; None uses the number of rows of X if the relation
        makes it public.
    insecure_seed
        For tests: derives the randomness from this number, which voids the guarantee.

    Attributes
    ----------
    guarantee_ : Guarantee or None
        The guarantee of the release.
    total_guarantee_ : Guarantee or None
        The guarantee together with the profiles of the schema.
    card_ : dict
        What was measured, and with how much noise (``card`` of ``sibyl synth --json``).
    schema_ : SibylSchema
        The schema of the data.
    model_ : str
        The released model as JSON.

    Examples
    --------
    >>> model = SibylSynthesizer(
    ...     epsilon=1, delta=1e-9, columns={"age": (18, 99), "ward": ["a", "b"]}
    ... ).fit(X)                            # doctest: +SKIP
    >>> rows = model.sample(1000)           # doctest: +SKIP
    """

    card_: Dict[str, Any]
    n_features_in_: int

    def __init__(
        self,
        epsilon: Any = 1.0,
        delta: Any = 1e-9,
        total: bool = False,
        account: Optional[Union[Account, Location]] = None,
        relation: str = "replace",
        schema: Optional[Union[SibylSchema, Mapping[str, Any], Location]] = None,
        columns: Optional[Union[Mapping[str, Column], Tuple[Any, Any]]] = None,
        target: Optional[str] = None,
        pairs: Sequence[Tuple[str, str]] = (),
        pairwise: bool = False,
        rows: Optional[int] = None,
        insecure_seed: Optional[int] = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.total = total
        self.account = account
        self.relation = relation
        self.schema = schema
        self.columns = columns
        self.target = target
        self.pairs = pairs
        self.pairwise = pairwise
        self.rows = rows
        self.insecure_seed = insecure_seed

    def fit(self, X: Any, y: Any = None) -> SibylSynthesizer:
        """Release a model of the private table. Each call consumes the budget again.

        Parameters
        ----------
        X : DataFrame or array
            The private table.
        y
            Not used.

        Raises
        ------
        ParameterError, DataError, BudgetExhausted, NothingReleased
            As for `SibylClassifier.fit`.
        """
        number(self.epsilon, "epsilon")
        number(self.delta, "delta")
        table = self._table(X, reset=True)
        domain = self._domain(table)
        options = {**self._wanted(), **self._flags(domain, len(table), self.rows)}
        data = to_csv(table, domain.to_dict(), _needed(domain))
        self._caution()
        with _command.directory() as d:
            domain.save(d / "schema.toml")
            line = ["synth", "--data", "-", "--schema", "schema.toml", "--model", "model.json"]
            out = _command.run(
                [*line, "--out", "rows.csv"],
                data=data,
                account=location_of(self.account),
                cwd=str(d),
                options={**options, "insecure-seed": self.insecure_seed},
            )
            model = read_model(d / "model.json")
        self._keep(model, domain, out)
        self._count()
        self.card_ = out["card"]
        return self

    def _wanted(self) -> Dict[str, Any]:
        """Return the flags that say what is measured."""
        return {
            "target": self.target,
            "pair": [f"{a},{b}" for a, b in self.pairs],
            "pairwise": self.pairwise,
        }

    def _domain(self, table: Optional[pd.DataFrame] = None) -> SibylSchema:
        """Return the public domain. It does not depend on the values of the table."""
        if self.schema is not None and self.columns is None:
            return schema_of(self.schema)
        return SibylSchema.from_columns(self._columns(table))

    def sample(
        self, n: Optional[int] = None, seed: int = 0, where: Optional[str] = None
    ) -> pd.DataFrame:
        """Return synthetic rows, which keep the guarantee and cost nothing.

        Parameters
        ----------
        n
            The number of rows; None means that of the table, or with ``where`` the model's estimate
            of the number of rows that satisfy it.
        seed
            A public number that selects the rows; the same seed gives the same rows.
        where
            A condition that all rows satisfy, as in `ask`; None means no condition.

        Returns
        -------
        DataFrame
            Columns of numbers have numbers; the others have the categories of ``columns``, or
            texts. Missing values stand for the category ``other``, unless the schema lists texts
            or numbers that mean a missing value: the first of them then stands for it.
        """
        return self._sample(n, seed, where)[1]

    def _sample(
        self, n: Optional[int], seed: int, where: Optional[str] = None
    ) -> Tuple[bytes, pd.DataFrame]:
        """Return synthetic rows as the command writes them, and as a table."""
        check_is_fitted(self, "model_")
        with _command.directory() as d:
            _command.write(d / "model.json", self.model_)
            _command.run(
                ["synth", "--model", "model.json", "--out", "rows.csv"],
                options={"rows": n, "seed": seed, "where": where},
                cwd=str(d),
            )
            rows = (d / "rows.csv").read_bytes()
        return rows, from_csv(rows, self.schema_.to_dict(), self._values())

    def _values(self) -> Dict[str, Dict[str, Any]]:
        """Return the values of ``columns`` by their texts."""
        values: Dict[str, Dict[str, Any]] = {}
        for name, spec in (self.columns if isinstance(self.columns, Mapping) else {}).items():
            known = spec.get("values", []) if isinstance(spec, Mapping) else spec
            if isinstance(known, list):
                values[name] = {text(v): v for v in known}
        return values

    def ask(self, *questions: str) -> pd.DataFrame:
        """Estimate how many rows of the private table satisfy conditions. This consumes no budget.

        Parameters
        ----------
        questions
            Conjunctions of conditions such as ``"age ≥ 60 and ward = a"`` (``sibyl ask --help``).

        Returns
        -------
        DataFrame
            A row for each question, with the keys of ``answers`` of ``sibyl ask --json``.
        """
        check_is_fitted(self, "model_")
        out = self._on_model(["ask", "--model", "model.json", *questions])
        return pd.DataFrame(out["answers"])

    def plan(self, rows: Optional[int] = None) -> Dict[str, Any]:
        """Estimate the error of the synthetic data before data is read. This consumes no budget.

        Parameters
        ----------
        rows
            The approximate public number of rows; None means the parameter ``rows``.

        Returns
        -------
        dict
            The keys of ``sibyl plan synth --json``. Texts name parameters as Python does.
        """
        domain = self.schema_ if hasattr(self, "schema_") else self._domain()
        rows = rows if rows is not None else self.rows
        if rows is None:
            raise ParameterError("rows is missing: a plan needs the approximate number of rows")
        with _command.directory() as d:
            domain.save(d / "schema.toml")
            planned = _command.run(
                ["plan", "synth", "--schema", "schema.toml"],
                options={**self._flags(domain, None, rows), **self._wanted()},
                cwd=str(d),
            )
        said: Dict[str, Any] = _command.in_python(planned)
        return said

    def quality(
        self, X: Optional[Any] = None, n: Optional[int] = None, seed: int = 0
    ) -> Dict[str, Any]:
        """Describe how well the synthetic data resembles the table.

        Parameters
        ----------
        X
            None describes the measurements and their noise, which is public. With the private
            table, the comparison is exact and NOT private: it is for the curator.
        n, seed
            Which synthetic rows are compared with X; see `sample`.

        Returns
        -------
        dict
            The keys of ``sibyl show --json`` for synthetic data, or those of
            ``sibyl compare --json``.
        """
        if X is None:
            return self.describe()
        rows, _ = self._sample(n, seed)
        data = to_csv(self._table(X, reset=False), self.schema_.to_dict(), _needed(self.schema_))
        with _command.directory() as d:
            self.schema_.save(d / "schema.toml")
            (d / "rows.csv").write_bytes(rows)
            line = ["compare", "--real", "-", "--synthetic", "rows.csv", "--schema", "schema.toml"]
            compared: Dict[str, Any] = _command.run(line, data=data, cwd=str(d))
        return compared

    @classmethod
    def load(cls, path: Location) -> SibylSynthesizer:
        """Return a synthesizer with a model that `save` or ``sibyl synth`` wrote."""
        loaded = cls()
        loaded.model_ = read_model(path)
        out = loaded._on_model(["show", "model.json"])
        loaded.schema = SibylSchema.from_dict(loaded._model()["schema"])
        loaded._keep(loaded.model_, loaded.schema, out)
        loaded.card_ = {
            k: v for k, v in out.items() if "guarantee" not in k and k != "expected_errors"
        }
        if loaded.guarantee_ is not None:
            loaded.epsilon, loaded.delta = loaded.guarantee_.epsilon, loaded.guarantee_.delta
        return loaded


def _needed(domain: SibylSchema) -> List[str]:
    """Return the columns that synth reads."""
    return domain.columns + [c for c in (domain.label, domain.person) if c is not None]
