"""What scikit-learn asks of estimators."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from conftest import CLASSES, COLUMNS
from sklearn.base import clone
from sklearn.exceptions import SkipTestWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.multiclass import check_classification_targets

from sibyl_dp import PrivacyWarning, SibylClassifier, SibylSynthesizer
from sibyl_dp.classifier import EXPECTED_FAILURES


class PublicLabels(SibylClassifier):
    """Declares that the labels of the checks are public."""

    def _public_classes(self, y):
        check_classification_targets(y)
        return np.unique(y).tolist()

    def _more_tags(self):
        return {**super()._more_tags(), "_xfail_checks": {}}


class Strict(SibylClassifier):
    """Runs the checks that are expected to fail too."""

    def _more_tags(self):
        return {**super()._more_tags(), "_xfail_checks": {}}


UNIT = {
    "columns": (-10.0, 10.0), "epsilon": 10, "insecure_seed": 1, "hypothesis_class": "tree",
    "options": {"depth": 2},
}


@pytest.mark.filterwarnings("ignore")
def test_check_estimator_passes():
    """All checks, where the labels are public."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", SkipTestWarning)
        check_estimator(PublicLabels(**UNIT))


@pytest.mark.filterwarnings("ignore")
def test_expected_failures_are_exact():
    """With classes as an argument, the documented checks fail, and no others do."""
    failed = set()
    for estimator, check in check_estimator(Strict(classes=[-1, 0, 1, 2, 3, 4], **UNIT), generate_only=True):
        try:
            check(estimator)
        except Exception:
            failed.add(check.func.__name__)
    assert failed == set(EXPECTED_FAILURES)


def test_parameters_and_clones(patients):
    c = SibylClassifier(columns=COLUMNS, classes=CLASSES, epsilon="0.25")
    again = clone(c)
    assert again.get_params() == c.get_params() and again.set_params(epsilon=2).epsilon == 2
    fitted = pickle.loads(pickle.dumps(c.fit(*patients)))
    assert (fitted.predict(patients[0]) == c.predict(patients[0])).all()
    assert clone(SibylSynthesizer(delta="1e-6")).delta == "1e-6"


def test_pipeline(patients):
    X, y = patients
    p = make_pipeline(FunctionTransformer(lambda X: X.assign(age=X["age"] + 1)), SibylClassifier(columns=COLUMNS, classes=CLASSES))
    assert p.fit(X, y).score(X, y) > 0.6


def test_cross_validation_warns(patients):
    X, y = patients
    c = SibylClassifier(columns=COLUMNS, classes=CLASSES, hypothesis_class="scorecard", epsilon=5)
    with pytest.warns(PrivacyWarning, match="each fold .* consumes ε = 5 again"):
        scores = cross_val_score(c, X, y, cv=2, scoring="roc_auc")
    assert min(scores) > 0.6
    search = GridSearchCV(c, {"options": [{"points": "-1..1"}, {"points": "-2..2"}]}, cv=2, error_score="raise")
    with pytest.warns(PrivacyWarning, match="each candidate"):
        search.fit(X, y)
    assert search.best_estimator_.guarantee_.epsilon == 5


def test_several_releases_warn(patients, tmp_path):
    from sibyl_dp import Account

    c = SibylClassifier(columns=COLUMNS, classes=CLASSES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        c.fit(*patients)
        account = Account.open(tmp_path / "a.db", 5, of="patients")
        for _ in range(2):
            clone(c).set_params(account=account).fit(*patients)
    with pytest.warns(PrivacyWarning, match="several releases"):
        c.fit(*patients)
