"""Classifiers that are released with differential privacy."""

from __future__ import annotations

import io
import json
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from . import _command
from ._base import Releasing, number, read_model
from ._frame import to_csv
from ._text import is_number, text
from .account import Account, Location
from .errors import DataError, ParameterError, SibylError
from .schema import Column, SibylSchema, location_of, schema_of

_LABEL = "label"

_PUBLIC = "the classes are an argument, so labels that are not among them have no influence"

EXPECTED_FAILURES = {
    "check_classifiers_classes": f"{_PUBLIC}; classes_ are those of the argument",
    "check_classifiers_train": f"{_PUBLIC}; predict_proba has a column for each of them",
    "check_classifiers_regression_target": f"{_PUBLIC}, and numbers are not an error",
    "check_supervised_y_no_nan": f"{_PUBLIC}, and infinite numbers are not an error",
}
"""The checks of scikit-learn's `check_estimator` that must fail, with the reasons.

They assume that a classifier takes its classes from the labels, which are private. All of them
pass in a subclass that declares the labels of the checks to be public.
"""


class SibylClassifier(ClassifierMixin, Releasing):  # type: ignore[misc]
    """A readable classifier, released with differential privacy.

    ``fit`` is a release: it runs ``sibyl learn``, which samples a scorecard, a tree or another
    rule. The released model, its predictions for other people, and everything computed from it
    keep the guarantee. Predictions for the private table itself are private, as its rows are.

    Parameters
    ----------
    epsilon
        The privacy loss ε of one fit: a number, or the text of an exact decimal.
    delta
        The δ of an (ε, δ) guarantee; 0 gives a pure guarantee.
    total
        Whether ε and δ are for the fit and the profiles of the schema (`SibylSchema.profile`)
        together, so that the fit gets what the profiles left.
    account
        The ledger that each fit is charged to. None charges the one that the environment variable
        SIBYL_ACCOUNT names, or none.
    relation
        The neighbour relation: ``"replace"`` (one record is replaced; the number of rows is
        public), or ``"add-remove"`` (one record is added or removed).
    schema
        The public domain: a `SibylSchema`, a dict with its keys, or the path of a TOML file.
    columns
        Instead of a schema: a dict from columns to their range, cuts or categories, as
        `SibylSchema.from_columns` describes; or one range ``(least, most)`` for all columns.
    classes
        With ``columns``, the classes of the label; of two, the second one is positive. With a
        schema, optionally the values that predictions have, in place of the schema's texts.
    hypothesis_class
        The class of the model, such as ``"scorecard"`` or ``"tree"`` (docs/reference/classes.md).
        None lets public facts choose it: the schema, ε, δ and the number of rows.
    mechanism
        The mechanism; None means the default of the class.
    options
        Flags of the class and the mechanism, such as ``{"depth": 3}`` or
        ``{"false_positive": 5}``.
    rows
        The number of rows, or of persons if the schema has a person; it is public. None uses the
        number of rows of X if the relation makes it public.
    insecure_seed
        For tests: derives the randomness from this number, which voids the guarantee.

    Attributes
    ----------
    guarantee_ : Guarantee or None
        The guarantee of the release; None if it has none.
    total_guarantee_ : Guarantee or None
        The guarantee together with the profiles of the schema (`SibylSchema.profile`).
    classes_ : ndarray
        The classes, sorted.
    schema_ : SibylSchema
        The schema of the data.
    model_ : str
        The released model as JSON (docs/reference/formats.md).
    n_features_in_, feature_names_in_
        The number and the names of the columns of X in fit.

    Examples
    --------
    >>> card = SibylClassifier(
    ...     epsilon=1,
    ...     columns={"age": [40, 60, 75], "days": (1, 60), "ward": ["a", "b"]},
    ...     classes=["no", "yes"],
    ... ).fit(X, y)                     # doctest: +SKIP
    >>> card.guarantee_.epsilon         # doctest: +SKIP
    Decimal('1')
    """

    classes_: npt.NDArray[Any]
    n_features_in_: int

    def __init__(
        self,
        epsilon: Any = 1.0,
        delta: Any = 0,
        total: bool = False,
        account: Optional[Union[Account, Location]] = None,
        relation: str = "replace",
        schema: Optional[Union[SibylSchema, Mapping[str, Any], Location]] = None,
        columns: Optional[Union[Mapping[str, Column], tuple[Any, Any]]] = None,
        classes: Optional[Sequence[Any]] = None,
        hypothesis_class: Optional[str] = None,
        mechanism: Optional[str] = None,
        options: Optional[Mapping[str, Any]] = None,
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
        self.classes = classes
        self.hypothesis_class = hypothesis_class
        self.mechanism = mechanism
        self.options = options
        self.rows = rows
        self.insecure_seed = insecure_seed

    def _more_tags(self) -> Dict[str, Any]:
        return {**super()._more_tags(), "_xfail_checks": EXPECTED_FAILURES}

    def fit(self, X: Any, y: Any = None) -> SibylClassifier:
        """Release a model of the private table. Each call consumes the budget again.

        Parameters
        ----------
        X : DataFrame or array
            The private table. The columns of an array have the order of ``columns`` or of the
            schema. Missing values are those of the schema's category ``other``, if it has one;
            rows with other values outside the domain have no influence.
        y : array
            The labels. Labels that are not among the classes have no influence.

        Returns
        -------
        SibylClassifier
            This object.

        Raises
        ------
        ParameterError
            If the domain is missing, or a parameter is invalid. Nothing was read or consumed.
        DataError
            If the data cannot be written as text or is malformed.
        BudgetExhausted
            If the account does not allow the release.
        NothingReleased
            If the release failed after the data was read, which consumes the budget.
        """
        number(self.epsilon, "epsilon")
        number(self.delta, "delta")
        if y is None:
            raise ValueError(
                "This SibylClassifier estimator requires y to be passed, but the target y is None."
            )
        table = self._table(X, reset=True)
        name = y.name if isinstance(y, pd.Series) and isinstance(y.name, str) else _LABEL
        y = column_or_1d(y, warn=True)
        check_consistent_length(table, y)
        domain = self._domain(table, y, name)
        label = domain.label
        if label is None:
            raise ParameterError("the schema has no label; add [label] with the column to predict")
        self._check_classes(domain, y)
        columns = [*domain.columns, *([domain.person] if domain.person else []), label]
        data = to_csv(table.assign(**{label: y}), domain.to_dict(), columns)
        options = {
            "class": self.hypothesis_class,
            "mechanism": self.mechanism,
            "insecure-seed": self.insecure_seed,
            **self._flags(domain, len(table), self.rows),
            **self._checked_options(),
        }
        self._caution()
        with _command.directory() as d:
            domain.save(d / "schema.toml")
            line = ["learn", "--data", "-", "--schema", "schema.toml", "--out", "model.json"]
            out = _command.run(
                line, data=data, account=location_of(self.account), cwd=str(d), options=options
            )
            model = read_model(d / "model.json")
        self._keep(model, domain, out)
        self._count()
        self._set_classes(self._public_classes(y))
        return self

    def _domain(
        self,
        table: Optional[pd.DataFrame] = None,
        y: Optional[npt.NDArray[Any]] = None,
        label: str = _LABEL,
    ) -> SibylSchema:
        """Return the public domain. It does not depend on the values of the table or of y."""
        if self.schema is not None and self.columns is None:
            return schema_of(self.schema)
        columns = self._columns(table)
        while label in columns:
            label += "_"
        domain = SibylSchema.from_columns(columns, label=label, classes=self._public_classes(y))
        if y is not None:
            _check_types(y.dtype, self.classes)
        return domain

    def _public_classes(self, y: Optional[npt.NDArray[Any]]) -> Optional[Sequence[Any]]:
        """Return the classes, which are an argument; a subclass may know them otherwise."""
        return self.classes

    def _check_classes(self, domain: SibylSchema, y: npt.NDArray[Any]) -> None:
        """Check that the classes are those of a schema, before budget is consumed."""
        try:
            _classes_of(domain.to_dict()["label"], self._public_classes(y))
        except (IndexError, KeyError, TypeError):
            pass  # the schema is invalid, and the command refuses it

    def _set_classes(self, classes: Optional[Sequence[Any]]) -> None:
        """Set the classes, and the predictions of the command that mean each of them."""
        label = self._model()["schema"]["label"]
        names = _classes_of(label, classes) or _matched({n: n for n in self._outcomes()}, classes)
        self.classes_ = np.unique(np.asarray(list(names.values())))
        order = {c: i for i, c in enumerate(self.classes_.tolist())}
        self._index = {p: order[np.asarray(c).item()] for p, c in names.items()}

    def _outcomes(self) -> List[str]:
        """Return the names of the classes as the command predicts them, if they are more than two."""
        names: List[str] = json.loads(self.export("json"))["label"]["outcomes"]
        return names

    def _predictions(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the output of ``sibyl predict`` for each row."""
        keys = self._model()["schema"]
        data = to_csv(table, keys, self.schema_.columns)
        with _command.directory() as d:
            _command.write(d / "model.json", self.model_)
            # The command gives this file the mode 0600.
            line = ["predict", "--model", "model.json", "--data", "-", "--out", "private.csv"]
            _command.run(line, data=data, cwd=str(d))
            written = (d / "private.csv").read_text(encoding="utf-8")
        return _read_predictions(written)

    def _predict(self, X: Any) -> pd.DataFrame:
        check_is_fitted(self, "model_")
        predictions = self._predictions(self._table(X, reset=False))
        null = int((predictions["prediction"] == "").sum())
        if null > 0:
            raise DataError(
                f"{null} of {len(predictions)} rows have no prediction, because a value lies "
                "outside the domain; give the attributes a category with the key other"
            )
        return predictions

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the predicted class of each row.

        Raises
        ------
        DataError
            If rows have no prediction, because a value lies outside the schema's domain.
        """
        codes = self._predict(X)["prediction"].map(self._index).to_numpy(dtype=int)
        result: npt.NDArray[Any] = self.classes_[codes]
        return result

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the released risk of each class for each row, in the order of ``classes_``.

        Risks come from noisy counts, as the model states them with four decimals. Where the
        counts of a group of rows give no estimate, all classes have the same probability.

        Raises
        ------
        SibylError
            If the model states no risks; scorecards and trees do, unless the option ``risk`` is 0.
        DataError
            If rows have no prediction, because a value lies outside the schema's domain.
        """
        predictions = self._predict(X)
        p = np.full((len(predictions), len(self.classes_)), np.nan)
        if "risk" in predictions:
            risk = _numbers(predictions["risk"])
            p[:, self._index["1"]] = risk
            p[:, self._index["0"]] = 1 - risk
        else:
            for prediction, at in self._index.items():
                if f"risk of {prediction}" not in predictions:
                    raise SibylError(
                        "this model states no risks; choose a hypothesis_class that does, such as "
                        "scorecard or tree, and do not set the option risk to 0"
                    )
                p[:, at] = _numbers(predictions[f"risk of {prediction}"])
            p /= p.sum(axis=1, keepdims=True)
        p[np.isnan(p).any(axis=1)] = 1 / len(self.classes_)
        return p

    def _threshold(self) -> Optional[int]:
        """Return the total from which a fitted card predicts the second class; None for others."""
        check_is_fitted(self, "model_")
        model, threshold = getattr(self, "_described", (None, None))
        if model != self.model_:
            threshold = self.describe().get("threshold")
            self._described = self.model_, threshold
        return threshold

    @available_if(lambda self: self._threshold() is not None)  # type: ignore[misc]
    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Return how many points each row is above the threshold of the card.

        The number is positive where `predict` returns ``classes_[1]``: a total at the threshold
        is half a point above it. Only models that add up points have this method: scorecards,
        halfspaces and naive Bayes, and of a union those that it chose.

        Raises
        ------
        DataError
            If rows have no prediction, because a value lies outside the schema's domain.
        """
        total = _numbers(self._predict(X)["points"])
        above = total - float(self._threshold() or 0) + 0.5
        return above if self._index["1"] == 1 else -above

    def evaluate(
        self,
        X: Any,
        y: Any,
        epsilon: Any = None,
        account: Optional[Union[Account, Location]] = None,
        *,
        out: Optional[Location] = None,
        html: Optional[Location] = None,
        force: bool = False,
    ) -> Dict[str, Any]:
        """Compare predictions with labels, exactly for the curator, or privately.

        Parameters
        ----------
        X, y
            The private table and its labels.
        epsilon
            None gives exact numbers, which are NOT private. Otherwise the numbers are estimates
            with this ε, which is charged to the account, under the relation of the model.
        account
            The ledger to charge; None means the parameter ``account``.
        out, html
            Files for the private evaluation, as JSON and as a page for publication.
        force
            Replace existing files.

        Returns
        -------
        dict
            The keys of ``sibyl evaluate --json``.
        """
        check_is_fitted(self, "model_")
        keys = self._model()["schema"]
        table = self._table(X, reset=False)
        label = keys["label"]["column"]
        person = keys.get("person", {}).get("column")
        columns = [*self.schema_.columns, *([person] if person else []), label]
        data = to_csv(table.assign(**{label: column_or_1d(y)}), keys, columns)
        result: Dict[str, Any] = self._on_model(
            ["evaluate", "--model", "model.json", "--data", "-"],
            data=data,
            account=location_of(account if account is not None else self.account)
            if epsilon is not None
            else None,
            options={
                "epsilon": epsilon,
                "out": None if out is None else os.path.abspath(out),
                "html": None if html is None else os.path.abspath(html),
                "force": force,
            },
        )
        return result

    def evaluation(self, path: Location) -> Dict[str, Any]:
        """Return the evaluation of this model in a file that `evaluate` wrote.

        Parameters
        ----------
        path
            The file.

        Returns
        -------
        dict
            The dict that `evaluate` returned.
        """
        check_is_fitted(self, "model_")
        result: Dict[str, Any] = self._on_model(
            ["show", os.path.abspath(path), "--model", "model.json"]
        )
        return result

    def plan(self, rows: Optional[int] = None, epsilon: Any = None) -> Dict[str, Any]:
        """Bound the error due to privacy before any data is read. This consumes no budget.

        Parameters
        ----------
        rows
            The approximate public number of rows; None means the parameter ``rows``.
        epsilon
            Another ε than the parameter, or several as a text: ``"0.1,0.3,1"``.

        Returns
        -------
        dict
            The keys of ``sibyl plan --json``. Texts name parameters as Python does.
        """
        domain = self.schema_ if hasattr(self, "schema_") else self._domain()
        rows = rows if rows is not None else self.rows
        if rows is None:
            raise ParameterError("rows is missing: a plan needs the approximate number of rows")
        options = {
            "class": self.hypothesis_class,
            **self._flags(domain, None, rows),
            **self._checked_options(),
        }
        if epsilon is not None:
            options["epsilon"] = epsilon
        with _command.directory() as d:
            domain.save(d / "schema.toml")
            planned = _command.run(
                ["plan", "--schema", "schema.toml"], options=options, cwd=str(d)
            )
        said: Dict[str, Any] = _command.in_python(planned)
        return said

    def export(
        self, format: str, path: Optional[Location] = None, **options: Any
    ) -> Union[str, bytes]:
        """Return the model as a program in another language (``sibyl export``).

        Parameters
        ----------
        format
            The name of the format, such as ``"sql"`` (docs/reference/classes.md).
        path
            Also write it to this file, which must not exist.
        options
            Flags of the command, such as ``table="patients"``.

        Returns
        -------
        str or bytes
            The program; bytes if it is not text.
        """
        check_is_fitted(self, "model_")
        with _command.directory() as d:
            _command.write(d / "model.json", self.model_)
            _command.run(
                ["export", "model.json"],
                options={"format": format, "out": "program", **options},
                cwd=str(d),
            )
            program = (d / "program").read_bytes()
        if path is not None:
            with open(path, "xb") as f:
                f.write(program)
        try:
            return program.decode()
        except UnicodeDecodeError:
            return program

    def to_sql(
        self, table: str = "data", dialect: str = "sqlite", id: Optional[str] = None
    ) -> str:
        """Return a SELECT statement that predicts in a database.

        Parameters
        ----------
        table
            The table or view that the statement reads, in SQL.
        dialect
            The SQL dialect: ``"sqlite"``, ``"postgresql"``, ``"mariadb"`` or ``"duckdb"``.
        id
            A column of the table that becomes the first column of the result.
        """
        return str(self.export("sql", table=table, dialect=dialect, id=id))

    @classmethod
    def load(cls, path: Location, classes: Optional[Sequence[Any]] = None) -> SibylClassifier:
        """Return a classifier with a model that `save` or ``sibyl learn`` wrote.

        Parameters
        ----------
        path
            The file.
        classes
            The values that predictions have; None means the texts of the schema.
        """
        loaded = cls(classes=classes)
        loaded.model_ = read_model(path)
        out = loaded._on_model(["show", "model.json"])
        loaded.schema = SibylSchema.from_dict(loaded._model()["schema"])
        loaded._keep(loaded.model_, loaded.schema, out)
        loaded._set_classes(classes)
        loaded.feature_names_in_ = np.asarray(loaded.schema_.columns, dtype=object)
        loaded.n_features_in_ = len(loaded.schema_.columns)
        if loaded.guarantee_ is not None:
            loaded.epsilon, loaded.delta = loaded.guarantee_.epsilon, loaded.guarantee_.delta
        return loaded


def _classes_of(
    label: Mapping[str, Any], classes: Optional[Sequence[Any]]
) -> Optional[Dict[str, Any]]:
    """Return the predictions of the command for a label of the schema, and the class that each means.

    The classes are those of the schema, or the given ones that have the same texts. The result is
    None if the classes are intervals, whose names only the command knows.
    """
    if "at_least" in label and classes is not None and len(classes) == 2:
        return dict(zip("01", classes))
    if "at_least" in label:
        return _matched({"0": 0, "1": 1}, classes)
    if "positive" in label:
        return _matched({"0": label["negative"][0], "1": label["positive"][0]}, classes)
    names = label.get("values", label.get("groups"))
    return None if names is None else _matched({n: n for n in names}, classes)


def _matched(names: Mapping[str, Any], classes: Optional[Sequence[Any]]) -> Dict[str, Any]:
    """Return names with the given class that has the same text in place of each value."""
    if classes is None:
        return dict(names)
    given = {text(c): c for c in classes}
    if any(text(n) not in given for n in names.values()) or len(given) != len(names):
        raise ParameterError(
            "classes must be the classes of the schema's label: "
            + ", ".join(repr(n) for n in names.values())
        )
    return {prediction: given[text(n)] for prediction, n in names.items()}


def _read_predictions(written: str) -> pd.DataFrame:
    """Return predictions as texts, whatever delimiter follows the name of their first column."""
    first = "prediction"
    delimiter = written[len(first) : len(first) + 1].strip("\r\n") or ","
    return pd.read_csv(io.StringIO(written), sep=delimiter, dtype=str, keep_default_na=False)


def _numbers(column: pd.Series) -> npt.NDArray[np.float64]:
    """Return numbers that may have a decimal comma; empty texts are NaN."""
    result: npt.NDArray[np.float64] = pd.to_numeric(
        column.str.replace(",", ".", regex=False)
    ).to_numpy(dtype=float)
    return result


def _check_types(dtype: np.dtype[Any], classes: Optional[Sequence[Any]]) -> None:
    """Refuse labels whose type has no text among the classes; values are not read."""
    kinds = {"b": "booleans", "i": "numbers", "u": "numbers", "f": "numbers"}
    if classes is None or dtype.kind not in kinds:
        return
    names = [text(c) for c in classes]
    fits = all(n in ("true", "false") for n in names)
    if dtype.kind != "b":
        fits = any(is_number(c) or _numeric(n) for c, n in zip(classes, names))
    if not fits:
        raise ParameterError(f"y has {kinds[dtype.kind]}, but the classes are {list(classes)!r}")


def _numeric(name: str) -> bool:
    try:
        float(name)
        return True
    except ValueError:
        return False
