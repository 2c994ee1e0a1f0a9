"""The common parts of estimators: the domain of their data, their releases, and warnings."""

from __future__ import annotations

import json
import os
import sys
import warnings
from decimal import Decimal
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Union

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, check_is_fitted

from . import _command
from ._frame import frame
from .errors import ParameterError, PrivacyWarning
from .guarantee import Guarantee
from .schema import SibylSchema, schema_of

_RESERVED = frozenset(
    "data query schema class mechanism epsilon delta total relation rows account out model force "
    "json insecure-seed private-log progress".split()
)
"""Flags that options must not set, as parameters or the package itself set them."""

_releases: List[Any] = []
"""The ε of the releases of this process that no account records."""


class Releasing(BaseEstimator):  # type: ignore[misc]
    """An estimator whose fit is a release."""

    epsilon: Any
    delta: Any
    total: bool
    account: Any
    relation: str
    schema: Any
    columns: Any
    options: Optional[Mapping[str, Any]]
    insecure_seed: Optional[int]

    model_: str
    schema_: SibylSchema
    guarantee_: Optional[Guarantee]
    total_guarantee_: Optional[Guarantee]

    def _more_tags(self) -> Dict[str, Any]:
        return {"allow_nan": True, "non_deterministic": self.insecure_seed is None, "X_types": ["2darray", "string"]}

    # The domain

    def _names(self, X: Any) -> Optional[List[str]]:
        """Return the names of the columns of an array, in their order."""
        if self.schema is not None:
            return schema_of(self.schema).columns
        if isinstance(self.columns, Mapping):
            return list(self.columns)
        return [f"x{j}" for j in range(X.shape[1])]

    def _columns(self, X: Optional[pd.DataFrame]) -> Mapping[str, Any]:
        """Return the domain of each column, by name. Only the names of columns are read from X."""
        if self.schema is not None:
            raise ParameterError("columns and schema exclude each other; leave one of them out")
        if isinstance(self.columns, tuple):
            if X is None:
                raise ParameterError(
                    "columns is one range for all columns, whose names are known only with X; give "
                    "a dict, or fit first"
                )
            return {name: self.columns for name in X.columns}
        if self.columns is None:
            raise ParameterError(
                "the domain is missing: give schema=, or columns= with the range, cuts or "
                'categories of each column, such as {"age": (18, 99), "sex": ["f", "m"]}; Sibyl '
                "never takes them from the data"
            )
        columns: Mapping[str, Any] = self.columns
        return columns

    def _table(self, X: Any, reset: bool) -> pd.DataFrame:
        """Check X as scikit-learn does, and return it with named columns."""
        if not isinstance(X, pd.DataFrame):
            X = check_array(X, dtype=None, estimator=self, **_ANY_VALUES)
            if X.dtype.kind == "c":
                raise ValueError("Complex data not supported")
        elif 0 in X.shape:
            raise ValueError(
                f"Found array with {X.shape[0]} sample(s) and {X.shape[1]} feature(s) "
                f"(shape={X.shape}) while a minimum of 1 is required."
            )
        _check_features(self, X, reset)
        if isinstance(X, pd.DataFrame) and not all(isinstance(c, str) for c in X.columns):
            X = X.to_numpy(dtype=object)
        return frame(X, None if isinstance(X, pd.DataFrame) else self._names(X))

    # The release

    def _flags(self, domain: SibylSchema, n: Optional[int], rows: Optional[int]) -> Dict[str, Any]:
        """Return the flags of the guarantee."""
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "total": self.total,
            "relation": self.relation,
            "rows": rows if n is None else domain.public_rows(n, self.relation, rows),
        }

    def _checked_options(self) -> Dict[str, Any]:
        """Return the options, after a check of their names."""
        options = {k.replace("_", "-"): v for k, v in (self.options or {}).items()}
        for name in options:
            if name in _RESERVED or not name.replace("-", "").isalnum():
                raise ParameterError(
                    f"options must not have {name!r}; they are flags of a class or a mechanism, "
                    "such as depth"
                )
        return options

    def _caution(self) -> None:
        """Warn that guarantees add up, in model selection and without an account."""
        if self.insecure_seed is not None:
            return
        if _in_model_selection():
            warnings.warn(
                "each fold of a cross-validation, and each candidate of a search, is a release "
                f"that consumes ε = {self.epsilon} again; their privacy losses add up. Give "
                "account= to limit the sum, or choose parameters on public data",
                PrivacyWarning,
                stacklevel=3,
            )
        elif _releases and not self._charged():
            warnings.warn(
                "several calls of fit in this process are several releases; about the same "
                "people their privacy losses add up. Give account= to record and limit the sum",
                PrivacyWarning,
                stacklevel=3,
            )

    def _keep(self, model: str, domain: SibylSchema, out: Mapping[str, Any]) -> None:
        """Keep what a command released."""
        self.model_ = model
        self.schema_ = domain
        self.guarantee_ = Guarantee.of(out["guarantee"])
        self.total_guarantee_ = Guarantee.of(out.get("total_guarantee") or out["guarantee"])
        if out.get("total_not_private"):
            self.total_guarantee_ = None

    def _count(self) -> None:
        """Count a release that no account records."""
        if self.insecure_seed is None and not self._charged():
            _releases.append(self.epsilon)

    def _charged(self) -> bool:
        """Report whether an account is charged."""
        return self.account is not None or bool(os.environ.get(_command.ACCOUNT_VARIABLE))

    # The model

    def _model(self) -> Dict[str, Any]:
        """Return the keys of the model, with exact decimals."""
        keys: Dict[str, Any] = json.loads(self.model_, parse_float=Decimal)
        return keys

    def save(self, path: Union[str, os.PathLike[str]], *, force: bool = False) -> None:
        """Write the released model, which is public, to a file that the command reads too.

        Parameters
        ----------
        path
            The file, usually ``model.json``.
        force
            Replace an existing file.
        """
        check_is_fitted(self, "model_")
        with open(path, "w" if force else "x", encoding="utf-8", newline="\n") as f:
            f.write(self.model_)

    def show(self) -> str:
        """Return the released model as text for people, with its guarantee."""
        check_is_fitted(self, "model_")
        with _command.directory() as d:
            _command.write(d / "model.json", self.model_)
            return _command.text_of(["show", "model.json"], cwd=str(d))

    def describe(self) -> Dict[str, Any]:
        """Return the keys of ``sibyl show --json``."""
        check_is_fitted(self, "model_")
        described: Dict[str, Any] = self._on_model(["show", "model.json"])
        return described

    def _on_model(self, arguments: List[str], **more: Any) -> Any:
        """Run a command on the model, which is the file model.json in its directory."""
        with _command.directory() as d:
            _command.write(d / "model.json", self.model_)
            return _command.run(arguments, cwd=str(d), **more)


def read_model(path: Union[str, os.PathLike[str]]) -> str:
    """Read the text of a model."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise ParameterError(f"the model cannot be read: {e}") from None


def number(value: Any, name: str) -> Any:
    """Check that a parameter is a number or the text of one; the command checks the rest."""
    if isinstance(value, (int, float, str, Decimal, np.number)) and not isinstance(value, bool):
        return value
    raise ParameterError(f"{name} must be a number, or the text of a decimal", parameter=name)


def _in_model_selection() -> bool:
    """Report whether scikit-learn's model selection calls this."""
    at = sys._getframe(1)
    while at is not None:
        if at.f_globals.get("__name__", "").startswith("sklearn.model_selection"):
            return True
        at = at.f_back  # type: ignore[assignment]
    return False


def _any_values() -> Dict[str, Any]:
    """Return the argument of check_array that permits missing values; it was renamed in 1.6."""
    import inspect

    known = inspect.signature(check_array).parameters
    return {"ensure_all_finite" if "ensure_all_finite" in known else "force_all_finite": False}


_ANY_VALUES = _any_values()


def _check_features(estimator: BaseEstimator, X: Any, reset: bool) -> None:
    """Check, or with reset keep, the number and the names of features."""
    if hasattr(estimator, "_check_feature_names"):
        estimator._check_feature_names(X, reset=reset)
        estimator._check_n_features(X, reset=reset)
        return
    from sklearn.utils import validation

    validation._check_feature_names(estimator, X, reset=reset)
    validation._check_n_features(estimator, X, reset=reset)
