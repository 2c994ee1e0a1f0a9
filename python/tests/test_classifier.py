"""Classifiers: releases, predictions, exports, refusals."""

from __future__ import annotations

import pickle
import re
import sqlite3
import subprocess
import warnings
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import CLASSES, COLUMNS, LABEL
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from sibyl_dp import (
    BudgetExhausted,
    Account,
    DataError,
    Guarantee,
    ParameterError,
    PrivacyWarning,
    SibylClassifier,
    SibylError,
    SibylSchema,
    _command,
)


def card(**more):
    return SibylClassifier(columns=COLUMNS, classes=CLASSES, hypothesis_class="scorecard", **more)


def test_release(patients):
    X, y = patients
    c = card(epsilon="0.5").fit(X, y)
    assert c.guarantee_ == Guarantee(Decimal("0.5"), Decimal(0), "replace")
    assert c.total_guarantee_ == c.guarantee_
    assert c.score(X, y) > 0.6
    p = c.predict_proba(X)
    assert p.shape == (len(X), 2) and np.allclose(p.sum(axis=1), 1)
    assert "The threshold is" in c.show() and c.describe()["label"] == LABEL


def test_same_as_the_command(patients, clinic, tmp_path):
    """The client adds nothing to the command and takes nothing away."""
    X, y = patients
    c = SibylClassifier(
        schema=clinic / "hospital.toml", hypothesis_class="tree", options={"depth": 2}, insecure_seed=7
    )
    with pytest.warns(PrivacyWarning, match="NOT PRIVATE"):
        c.fit(X, y)
    assert c.guarantee_ is None
    line = f"learn tree --depth 2 --data {clinic}/hospital.csv --schema {clinic}/hospital.toml"
    more = f"--epsilon 1 --rows 2000 --insecure-seed 7 --out {tmp_path}/m.json"
    subprocess.run([_command.command(), *line.split(), *more.split()], check=True, capture_output=True)
    assert c.model_ == (tmp_path / "m.json").read_text()


def test_more_than_two_classes(patients):
    X, _ = patients
    rest = {k: v for k, v in COLUMNS.items() if k != "admission"}
    c = SibylClassifier(columns=rest, classes=["planned", "emergency", "transfer"], epsilon=5,
        hypothesis_class="tree", options={"depth": 2},
    )
    c.fit(X, X["admission"])
    assert c.classes_.tolist() == ["emergency", "planned", "transfer"]
    p = c.predict_proba(X)
    assert p.shape == (len(X), 3) and np.allclose(p.sum(axis=1), 1)
    assert set(c.predict(X)) <= set(c.classes_)


LABELS = {
    "values": ({"values": ["0", "1", "é"]}, ["0", "1", "é"]),
    "groups": ({"groups": {"few": ["0"], "some": ["1"], "many": ["é"]}}, ["few", "some", "many"]),
    "cuts": ({"cuts": [1, 2]}, ["<1", "[1,2)", "≥2"]),
}


@pytest.mark.parametrize("label, names", LABELS.values(), ids=LABELS)
def test_more_than_two_classes_without_risks(label, names):
    """A model of several classes that states no risks predicts, in this process and after load."""
    X = pd.DataFrame({"a": [0, 1, 2] * 40})
    schema = {"label": {"column": "y", **label}, "attribute": [{"column": "a", "cuts": [1, 2]}]}
    values = ["0", "1", "2"] if "cuts" in label else ["0", "1", "é"]
    y = np.array(values)[X["a"]]
    tree = SibylClassifier(epsilon=50, schema=schema, hypothesis_class="tree", options={"risk": 0})
    tree.fit(X, y)
    assert list(tree.classes_) == sorted(names)
    assert np.mean(tree.predict(X) == np.array(names)[X["a"]]) > 0.9
    with pytest.raises(SibylError, match="states no risks"):
        tree.predict_proba(X)


def test_wrong_classes_consume_no_budget(tmp_path):
    """Classes that differ from those of the schema are refused before the release."""
    account = Account.open(tmp_path / "a.db", epsilon=1, of="test")
    label = {"column": "y", "values": ["a", "b", "c"]}
    schema = {"label": label, "attribute": [{"column": "a", "cuts": [1]}]}
    wrong = SibylClassifier(account=account, schema=schema, classes=["a", "b"])
    with pytest.raises(ParameterError, match="must be the classes of the schema's label"):
        wrong.fit(pd.DataFrame({"a": [1, 2]}), ["a", "b"])
    assert not account.show()["entries"]



@pytest.mark.parametrize(
    "classes, values", [([0, 1], [0, 1]), ([False, True], [False, True]), ([1.0, 2.0], [1.0, 2.0])]
)
def test_classes_keep_their_type(patients, classes, values):
    X, y = patients
    y = y.map(dict(zip(CLASSES, values)))
    c = SibylClassifier(columns=COLUMNS, classes=classes, epsilon=10).fit(X, y)
    assert c.classes_.tolist() == classes and c.predict(X).dtype == c.classes_.dtype
    assert c.score(X, y) > 0.65  # predicting one class for all has 0.57


def test_arrays_have_the_order_of_the_columns(patients):
    X, y = patients
    numbers = {"age": (18, 99), "days": (1, 60)}
    c = SibylClassifier(columns=numbers, classes=CLASSES, insecure_seed=1, epsilon=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        array = clone(c).fit(X[list(numbers)].to_numpy(), y.to_numpy())
        table = clone(c).fit(X[list(numbers)], pd.Series(y.to_numpy()))
    assert array.model_ == table.model_


def test_values_of_a_frame_are_never_a_domain(patients):
    X, y = patients
    X = X.astype({"admission": "category"})
    for columns in (None, {}, X.dtypes):
        with pytest.raises(ParameterError, match="never takes them from the data"):
            SibylClassifier(columns=columns, classes=CLASSES).fit(X, y)
    with pytest.raises(ParameterError, match="never takes them from the data"):
        SibylClassifier(columns=COLUMNS).fit(X, y.astype("category"))
    c = card(insecure_seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert clone(c).fit(X, y).schema_ == clone(c).fit(X[:3], y[:3]).schema_


def test_refusals(patients):
    X, y = patients
    for make, sentence in {
        lambda: card(epsilon=-1): "epsilon .-1. is not a plain non-negative decimal",
        lambda: card(epsilon=True): "epsilon must be a number",
        lambda: card(relation="swap"): "unknown neighbour relation",
        lambda: card(options={"depth": 3}): "(?<!-)depth",
        lambda: card(options={"no_such": 3}): "unknown flag: no_such",
        lambda: card(options={"account": "x.db"}): "options must not have 'account'",
        lambda: card(options={"a=b": "x.db"}): "options must not have",
        lambda: SibylClassifier(hypothesis_class="oracle", columns=COLUMNS, classes=CLASSES): "oracle",
        lambda: SibylClassifier(schema="none.toml"): "cannot be read",
        lambda: SibylClassifier(schema="none.toml", columns=COLUMNS): "exclude each other",
        lambda: SibylClassifier(columns=COLUMNS, classes=["yes"]): "at least two",
        lambda: SibylClassifier(columns=COLUMNS, classes=[0, 2]).fit(X, y == "yes"): "booleans",
        lambda: SibylClassifier(columns={"weight": (0, 9)}, classes=CLASSES): "no column 'weight'",
        lambda: SibylClassifier(columns={"age": 9}, classes=CLASSES): "column 'age' must be",
        lambda: SibylClassifier(columns={"age": (9, 9)}, classes=CLASSES): "is empty",
        lambda: SibylClassifier(columns={0: (0, 9)}, classes=CLASSES): "the name 0 is not a text",
    }.items():
        with pytest.raises(ParameterError, match=sentence):
            make().fit(X, y)


def test_no_flag_is_shown(patients, caplog):
    """Errors, notes and plans name parameters as Python does."""
    X, y = patients
    caplog.set_level("INFO", logger="sibyl_dp")
    shown = []
    for options in ({"depth": 99}, {"false_positive": 0}, {"no_such": 1}, {"depth": 9, "risk": 2}):
        with pytest.raises(ParameterError) as e:
            SibylClassifier(columns=COLUMNS, classes=CLASSES, hypothesis_class="tree", options=options).fit(X, y)
        shown.append(str(e.value))
    for c in (None, "tree", "conjunction", "naive-bayes", "sparse", "scorecard"):
        shown.append(str(SibylClassifier(columns=COLUMNS, classes=CLASSES, hypothesis_class=c).plan(rows=2000)))
    with warnings.catch_warnings(record=True) as cautions:
        warnings.simplefilter("always")
        for c in (None, "conjunction"):
            SibylClassifier(
                columns=COLUMNS, classes=CLASSES, hypothesis_class=c, insecure_seed=1, epsilon=3
            ).fit(X[:50], y[:50])
    assert cautions and caplog.records
    shown += [str(w.message) for w in cautions] + [r.getMessage() for r in caplog.records]
    for text in shown:
        assert not re.search(r"--[a-z]", text.replace("--help", "")), text


def test_errors_name_the_parameter(patients):
    with pytest.raises(ParameterError) as e:
        SibylClassifier(columns=COLUMNS, classes=CLASSES, hypothesis_class="tree", options={"depth": 99}).fit(*patients)
    assert e.value.parameter == "class" and e.value.kind == "parameter"


def test_rows_without_a_prediction(patients, clinic):
    X, y = patients
    c = SibylClassifier(schema=clinic / "hospital.toml").fit(X, y)
    with pytest.raises(DataError, match="^8 of 2000 rows have no prediction"):
        c.predict(X)
    # A category for other values, which columns= gives by itself, leaves no such row.
    X = X.assign(age=None, admission="boat")
    assert len(card().fit(X, y).predict(X)) == len(X)


def test_no_risks(patients):
    X, y = patients
    c = SibylClassifier(columns=COLUMNS, classes=CLASSES, hypothesis_class="conjunction").fit(X, y)
    with pytest.raises(SibylError, match="states no risks"):
        c.predict_proba(X)


def test_account(patients, tmp_path, monkeypatch):
    X, y = patients
    account = Account.open(tmp_path / "a.db", 1, of="patients")
    c = card(epsilon="0.7", account=account).fit(X, y)
    assert account.remaining.epsilon == Decimal("0.3") and account.spent.epsilon == Decimal("0.7")
    with pytest.raises(BudgetExhausted, match="budget does not suffice"):
        c.fit(X, y)
    c.evaluate(X, y, epsilon="0.2")
    assert account.remaining.epsilon == Decimal("0.1")
    # The environment, and a path instead of an Account.
    monkeypatch.setenv("SIBYL_ACCOUNT", str(tmp_path / "a.db"))
    with pytest.raises(BudgetExhausted):
        card().fit(X, y)
    monkeypatch.delenv("SIBYL_ACCOUNT")
    card(epsilon="0.1", account=tmp_path / "a.db").fit(X, y)
    assert account.remaining.epsilon == 0 and len(account.show()["entries"]) == 3
    assert account.verify(account.verify()).startswith("6:")
    assert str(tmp_path) not in repr(account)
    with pytest.raises(ParameterError):
        Account.open(tmp_path / "a.db", 1, of="patients")


def test_plan(clinic):
    c = SibylClassifier(schema=SibylSchema.read(clinic / "hospital.toml"), hypothesis_class="scorecard")
    assert c.plan(2000)["choice"] == "exponential"
    assert [p["epsilon"] for p in c.plan(2000, epsilon="0.1,1")["plans"]] == ["0.1", "1"]
    assert card(rows=100).plan()["rows"] == 100
    with pytest.raises(ParameterError, match="rows is missing"):
        c.plan()
    with pytest.raises(ParameterError, match="fit first"):
        SibylClassifier(columns=(0, 1), classes=[0, 1]).plan(5)


def test_save_and_load(patients, tmp_path):
    X, y = patients
    c = card(epsilon=1).fit(X, y)
    c.save(tmp_path / "m.json")
    with pytest.raises(FileExistsError):
        c.save(tmp_path / "m.json")
    again = SibylClassifier.load(tmp_path / "m.json")
    X = X[again.schema_.columns]
    assert again.model_ == c.model_ and (again.predict_proba(X) >= 0).all()
    assert again.guarantee_ == c.guarantee_ and again.classes_.tolist() == CLASSES
    mapped = SibylClassifier.load(tmp_path / "m.json", classes=["no", "yes"])
    assert (mapped.predict(X) == again.predict(X)).all()
    with pytest.raises(ParameterError, match="must be the classes"):
        SibylClassifier.load(tmp_path / "m.json", classes=[0, 1])


def test_sql_agrees(patients):
    X, y = patients
    c = card().fit(X, y)
    db = sqlite3.connect(":memory:")
    X.to_sql("patients", db, index=False)
    predicted = pd.read_sql_query(c.to_sql(table="patients").rstrip().rstrip(";"), db)["prediction"]
    assert (predicted.map({0: "no", 1: "yes"}) == c.predict(X)).all()
    with pytest.raises(ParameterError, match="unknown"):
        c.export("cobol")


def test_evaluate(patients):
    X, y = patients
    c = card().fit(X, y)
    with pytest.warns(PrivacyWarning, match="curator"):
        exact = c.evaluate(X, y)
    assert exact["accuracy"] == pytest.approx(c.score(X, y))
    assert c.evaluate(X, y, epsilon=1)["guarantee"]["epsilon"] == "1"


def test_evaluation_file(patients, tmp_path):
    X, y = patients
    c = card().fit(X, y)
    out, html = tmp_path / "e.json", tmp_path / "e.html"
    released = c.evaluate(X, y, epsilon=1, out=out, html=html)
    assert c.evaluation(out) == released
    assert "</html>" in html.read_text(encoding="utf-8")
    with pytest.raises(ParameterError, match="exists already"):
        c.evaluate(X, y, epsilon=1, out=out)


@pytest.mark.parametrize("classes", [["no", "yes"], ["yes", "no"]])
@pytest.mark.parametrize("name", ["scorecard", "naive-bayes"])
def test_decision_function(patients, name, classes):
    """It is positive for classes_[1], and orders rows as the totals of the card do."""
    X, y = patients
    c = SibylClassifier(columns=COLUMNS, classes=classes, hypothesis_class=name, epsilon=3).fit(X, y)
    above = c.decision_function(X)
    assert above.shape == (len(X),) and len(set(above)) > 2
    assert (c.classes_[(above > 0).astype(int)] == c.predict(X)).all()
    assert roc_auc_score(y == "yes", above) > 0.7
    again = pickle.loads(pickle.dumps(c))
    assert (again.decision_function(X) == above).all()


def test_no_decision_function(patients):
    """Only models that add up points have one."""
    X, y = patients
    c = SibylClassifier(columns=COLUMNS, classes=CLASSES, hypothesis_class="tree", options={"depth": 2}).fit(X, y)
    assert not hasattr(c, "decision_function")
    c.set_params(hypothesis_class="scorecard", options=None).fit(X, y)
    assert hasattr(c, "decision_function")
    assert not hasattr(card(), "decision_function")


def test_evaluate_charges_an_account(patients, tmp_path):
    X, y = patients
    account = Account.open(tmp_path / "a.db", 1, of="patients")
    c = card().fit(X, y)
    c.evaluate(X, y, epsilon="0.4", account=account)
    assert account.remaining.epsilon == Decimal("0.6")
    with pytest.raises(BudgetExhausted):
        c.evaluate(X, y, epsilon="0.7", account=tmp_path / "a.db")
