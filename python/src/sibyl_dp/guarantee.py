"""The guarantee of a release."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Mapping, Optional, Tuple


@dataclass(frozen=True)
class Guarantee:
    """A differential privacy guarantee.

    Replacing one record of the data (``relation="replace"``), or adding or removing one
    (``"add-remove"``), changes the probability of every result by a factor of at most e^ε, apart
    from δ. If the schema states that at most k rows are counted per person, the relation ends in
    ``-person-k``, and the guarantee covers all rows of a person.

    Attributes
    ----------
    epsilon, delta
        Exact decimals.
    relation
        How neighbouring tables differ.
    assumes
        The names of assumptions that the guarantee rests on, such as ``exact-oracle``.
    """

    epsilon: Decimal
    delta: Decimal
    relation: str
    assumes: Tuple[str, ...] = ()

    @classmethod
    def of(cls, statement: Optional[Mapping[str, Any]]) -> Optional[Guarantee]:
        """Return the guarantee that the command states; None if it states none."""
        if statement is None:
            return None
        return cls(
            Decimal(statement["epsilon"]),
            Decimal(statement["delta"]),
            statement["relation"],
            tuple(statement["assumes"]),
        )
