"""Exceptions and warnings.

Every exception carries the sentence that the command printed, with parameters instead of flags:
``depth``, not ``--depth``. It states what is wrong and how to fix it, and quotes no value of the
data.
"""

from __future__ import annotations

from typing import Optional


class SibylError(Exception):
    """A command failed.

    Attributes
    ----------
    kind : str or None
        The kind of the error in the JSON interface, such as ``"nothing"``; None if the error does
        not come from the command.
    parameter : str or None
        The parameter that the error is about, as the command names it, if it names one.
    """

    def __init__(
        self, message: str, *, kind: Optional[str] = None, parameter: Optional[str] = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.parameter = parameter


class ParameterError(SibylError, ValueError):
    """A parameter, schema, model or another public input is invalid.

    No data was read, and no budget was consumed.
    """


class DataError(SibylError, ValueError):
    """The data is malformed, or has no prediction.

    Budget may have been consumed if rows were read before the error was found. The message says
    where the error is, and quotes no value.
    """


class BudgetExhausted(SibylError):
    """The account does not allow the release. No data was read, and no budget was consumed."""


class NothingReleased(SibylError):
    """The data was read and the budget is consumed, but nothing was released.

    The cause may depend on the data, so it is private.
    """


class PrivacyWarning(UserWarning):
    """A caution about privacy: a weak or missing guarantee, or several releases that add up."""
