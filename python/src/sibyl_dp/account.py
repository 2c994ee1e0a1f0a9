"""The privacy budget ledger."""

from __future__ import annotations

import os
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Dict, Mapping, Optional, Union

from . import _command
from .errors import ParameterError

Location = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Amount:
    """A part of a budget: of ε if the budget has no δ, and otherwise of ρ and δ.

    Attributes
    ----------
    epsilon
        None if the ledger adds up ρ.
    rho, delta
        None if the ledger adds up ε. ρ is the parameter of zero-concentrated differential privacy.
    """

    epsilon: Optional[Decimal] = None
    rho: Optional[Decimal] = None
    delta: Optional[Decimal] = None

    @classmethod
    def of(cls, amount: Mapping[str, str]) -> Amount:
        """Return the amount that the command prints."""
        return cls(**{k: Decimal(v) for k, v in amount.items()})


class Account:
    """The privacy budget ledger of one table (``sibyl account``).

    It records each release before the data is read, and refuses releases that exceed the budget,
    even if each release is chosen after the earlier ones were seen.

    Parameters
    ----------
    location
        A SQLite file, or the URL of a PostgreSQL database. It is passed to the command in the
        environment, and never as an argument.

    Examples
    --------
    >>> account = Account.open("patients.db", epsilon=2, of="patients 2026")  # doctest: +SKIP
    >>> SibylClassifier(epsilon=0.5, account=account, ...)                    # doctest: +SKIP
    >>> account.remaining.epsilon                                             # doctest: +SKIP
    Decimal('1.5')
    """

    def __init__(self, location: Location) -> None:
        if not isinstance(location, (str, os.PathLike)) or not os.fspath(location):
            raise ParameterError("an account is a SQLite file, or a URL such as postgres://host/name")
        path = os.fspath(location)
        # Commands run in other directories.
        self.location: str = path if "://" in path or path.startswith("sqlite:") else os.path.abspath(path)

    def __repr__(self) -> str:
        return "Account(…)"  # the URL may have a password

    @classmethod
    def open(
        cls,
        location: Location,
        epsilon: Any,
        *,
        of: str,
        delta: Any = 0,
        relation: str = "replace",
    ) -> Account:
        """Create a ledger with a budget for all releases about the same people.

        Parameters
        ----------
        location
            A SQLite file that does not exist yet, or the URL of a PostgreSQL database.
        epsilon, delta
            The budget. With δ = 0 the ledger adds up ε; with a δ such as 1e-9 it adds up ρ, which
            allows more releases if there are many, and synthetic data.
        of
            A description of the data, in words.
        relation
            How neighbouring tables differ, for all releases: ``"replace"``, ``"add-remove"``, or
            for persons with at most three rows ``"replace-person-3"`` or ``"add-remove-person-3"``.

        Raises
        ------
        ParameterError
            If the ledger exists already, or a parameter is invalid.
        """
        account = cls(location)
        _command.run(
            ["account", "open"],
            account=account.location,
            options={"epsilon": epsilon, "delta": delta, "of": of, "relation": relation},
        )
        return account

    def show(self) -> Dict[str, Any]:
        """Return the statement of the ledger: terms, sums and entries.

        The keys are those of ``sibyl account show --json``.
        """
        statement: Dict[str, Any] = _command.run(["account", "show"], account=self.location)
        return statement

    @property
    def remaining(self) -> Amount:
        """The remaining budget; reserved releases count as spent."""
        return Amount.of(self.show()["left"])

    @property
    def spent(self) -> Amount:
        """The part of the budget that settled releases consumed."""
        return Amount.of(self.show()["spent"])

    def verify(self, head: Optional[str] = None) -> str:
        """Check all hashes, charges and sums, and return the head.

        Parameters
        ----------
        head
            A head that was returned earlier; no event up to it may have changed.
        """
        checked = _command.run(["account", "verify"], account=self.location, options={"head": head})
        return str(checked["head"])
