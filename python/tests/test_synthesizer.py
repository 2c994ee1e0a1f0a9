"""Synthetic data, drafts of schemas, and schemas that a profile completes."""

from __future__ import annotations

from decimal import Decimal

import pandas as pd
import pytest
from conftest import CLASSES, LABEL

from sibyl_dp import (
    Account,
    ParameterError,
    PrivacyWarning,
    SibylClassifier,
    SibylSchema,
    SibylSynthesizer,
)

COLUMNS = {
    "age": (18, 99), "days": (0.0, 60.0), "admission": ["planned", "emergency", "transfer"],
    "earlier_stays": {"values": [0, 1, 2, 3], "other": "more"},
}


def test_synthetic_rows(patients, tmp_path):
    X, _ = patients
    s = SibylSynthesizer(epsilon=1, delta="1e-6", columns=COLUMNS, pairwise=True)
    assert s.plan(2000)["columns"] == 4
    s.fit(X)
    assert s.guarantee_.epsilon == 1 and s.guarantee_.delta == Decimal("1e-6")
    rows = s.sample(500)
    assert list(rows) == list(COLUMNS) and len(rows) == 500
    assert rows["age"].dropna().between(18, 99).all() and rows["days"].dropna().between(0, 60).all()
    assert set(rows["admission"].dropna()) <= set(COLUMNS["admission"])
    assert set(rows["earlier_stays"].dropna()) <= {0, 1, 2, 3}
    assert rows.equals(s.sample(500)) and not rows.equals(s.sample(500, seed=1))
    old = s.sample(50, where="age ≥ 59 and admission = planned")
    assert len(old) == 50 and (old["age"] >= 59).all() and (old["admission"] == "planned").all()
    with pytest.raises(ParameterError, match="agee"):
        s.sample(50, where="agee ≥ 59")
    assert s.quality()["rows"] == 2000 == s.card_["rows"]
    with pytest.warns(PrivacyWarning, match="curator"):
        assert 0 <= s.quality(X)["max_error"] < 0.2
    share = s.ask("age ≥ 59", "admission = planned")["share"]
    assert abs(share[0] - (X["age"] >= 59).mean()) < 0.2
    s.save(tmp_path / "s.json")
    again = SibylSynthesizer.load(tmp_path / "s.json")
    assert again.guarantee_ == s.guarantee_ and again.card_ == s.card_
    assert again.sample(500)["age"].equals(rows["age"])


def test_refusals(patients):
    X, _ = patients
    with pytest.raises(ParameterError, match="never takes them"):
        SibylSynthesizer().fit(X)
    with pytest.raises(ParameterError, match="delta"):
        SibylSynthesizer(columns=COLUMNS, delta=0).fit(X)
    with pytest.raises(ParameterError, match="draw"):
        SibylSynthesizer(columns={"age": [40]}).fit(X)


def test_profile(patients, tmp_path):
    X, y = patients
    drafted = SibylSchema.new(
        list(X.columns) + [LABEL], label=LABEL, classes=CLASSES, number=["age", "days", "earlier_stays"],
        others="category", public="A. Lee",
    )
    assert drafted.columns == list(X.columns) and drafted.label == LABEL
    with pytest.raises(ParameterError):
        SibylClassifier(schema=drafted).fit(X, y)
    account = Account.open(tmp_path / "a.db", 3, of="patients", delta=1e-6)
    full = drafted.profile(X, "0.5", delta=1e-9, account=account)
    assert full.profiles[0].epsilon == Decimal("0.5") and len(account.show()["entries"]) == 1
    c = SibylClassifier(schema=full, account=account, epsilon="0.5").fit(X, y)
    assert c.guarantee_.epsilon == Decimal("0.5") and c.total_guarantee_.epsilon == 1
    with pytest.warns(PrivacyWarning, match="NOT PRIVATE"):
        assert drafted.profile(X, 1, delta=1e-9, insecure_seed=1).profiles == [None]


@pytest.mark.filterwarnings("ignore")
def test_total(patients, tmp_path):
    """A fit with total gets what the profiles of the schema left, as its plan says."""
    X, y = patients
    path = tmp_path / "schema.toml"
    path.write_text(
        f'''
        [label]
        column = "{LABEL}"
        positive = ["yes"]
        negative = ["no"]
        [[attribute]]
        column = "age"
        draw = "integer"
        least = 0
        most = 120
        cuts = [40, 60]
        [[profile]]
        columns = ["age"]
        epsilon = "0.5"
        delta = "0.000000001"
        rho = "0.003"
        relation = "replace"
        release = "0123456789abcdef0123456789abcdef"
        '''
    )
    whole = {"schema": path, "epsilon": 1, "total": True}
    c = SibylClassifier(**whole, delta=1e-9, hypothesis_class="tree")
    planned = c.plan(rows=len(X))
    c.fit(X, y)
    assert planned["epsilon"] == "0.5" and Decimal(planned["total_guarantee"]["epsilon"]) <= 1
    assert c.guarantee_.epsilon == Decimal("0.5") and c.guarantee_.delta == 0
    assert c.total_guarantee_.epsilon <= 1 and c.total_guarantee_.delta == Decimal("1e-9")
    s = SibylSynthesizer(**whole, delta="1e-6")
    planned = s.plan(rows=len(X))
    s.fit(X.assign(**{LABEL: y}))
    assert Decimal(planned["epsilon"]) == s.guarantee_.epsilon > Decimal("0.8")
    assert s.guarantee_.delta == Decimal("0.000000999")
    assert s.total_guarantee_.epsilon <= 1 and s.total_guarantee_.delta == Decimal("1e-6")
    for refused, what in (
        (SibylClassifier(**{**whole, "epsilon": "0.25"}, delta=1e-9), "consumed ε = 0.5"),
        (SibylClassifier(**whole, delta=0), "consumed δ = 0.000000001"),
        (SibylSynthesizer(**whole, delta=1e-9), "consumed all"),
        (SibylSynthesizer(**whole, delta="1e-6", relation="add-remove"), "the relation of a"),
    ):
        with pytest.raises(ParameterError, match=what):
            refused.fit(X.assign(**{LABEL: y}), y)
    with pytest.raises(ParameterError, match="total"):
        SibylClassifier(**{**whole, "total": "both"}).fit(X, y)


def test_schemas(clinic, tmp_path):
    read = SibylSchema.read(clinic / "hospital.toml")
    assert SibylSchema.from_dict(read.to_dict()).to_dict() == read.to_dict()
    assert SibylSchema.from_columns({"a": (0, 1)}, person=("id", 3)).person == "id"
    (tmp_path / "t.json").write_text(
        '{"fields": [{"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 120}}]}'
    )
    assert SibylSchema.import_(str(tmp_path / "t.json")).columns == ["age"]
    with pytest.raises(ParameterError, match="has a password"):
        SibylSchema.import_("postgres://ann:secret@host/clinic")
    with pytest.raises(ParameterError, match="not TOML"):
        SibylSchema("a = ")
    read.save(tmp_path / "s.toml")
    assert SibylSchema.read(tmp_path / "s.toml") == read


def test_persons():
    """All rows of a person are covered; the number of persons is not taken from the data."""
    X = pd.DataFrame({"id": [f"p{i // 3}" for i in range(300)], "a": ["x", "y"] * 150})
    schema = SibylSchema.from_columns({"a": ["x", "y"]}, label="b", classes=[0, 1], person=("id", 3))
    c = SibylClassifier(schema=schema, epsilon=2, hypothesis_class="tree").fit(X, (X["a"] == "y").astype(int))
    assert c.guarantee_.relation == "replace-person-3"
    assert len(c.predict(X)) == len(X)
