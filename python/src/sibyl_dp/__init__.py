"""Sibyl for Python: models and synthetic data with differential privacy.

The estimators follow scikit-learn. They run the command ``sibyl``, so each release takes the one
way that exists: public inputs are checked, the account is charged, the data is read, a result is
sampled and published.
"""

from .account import Account, Amount
from .classifier import SibylClassifier
from .errors import (
    BudgetExhausted,
    DataError,
    NothingReleased,
    ParameterError,
    PrivacyWarning,
    SibylError,
)
from .guarantee import Guarantee
from .schema import SibylSchema
from .synthesizer import SibylSynthesizer

__version__ = "0.1.0"

__all__ = [
    "Account",
    "Amount",
    "BudgetExhausted",
    "DataError",
    "Guarantee",
    "NothingReleased",
    "ParameterError",
    "PrivacyWarning",
    "SibylClassifier",
    "SibylError",
    "SibylSchema",
    "SibylSynthesizer",
]
