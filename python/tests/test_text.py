"""The texts of values, and tables as delimited text."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from sibyl_dp import DataError, ParameterError, PrivacyWarning, SibylClassifier, SibylSchema
from sibyl_dp._frame import from_csv, to_csv
from sibyl_dp._text import decimal, text, texts
from sibyl_dp._toml import dumps


@pytest.mark.parametrize(
    "value, written",
    [
        ("a", "a"), (None, ""), (math.nan, ""), (pd.NA, ""), (pd.NaT, ""), (Decimal("NaN"), ""),
        (True, "true"), (np.False_, "false"), (3, "3"), (np.int8(-3), "-3"), (1.0, "1"),
        (-0.0, "0"), (0.1, "0.1"), (np.float32(0.1), "0.1"), (1e-7, "0.0000001"), (1e22, "1" + "0" * 22),
        (Decimal("1.50"), "1.50"), (Decimal("1E+3"), "1000"), (datetime.date(2020, 1, 31), "2020-01-31"),
        (pd.Timestamp("2020-01-31 12:00"), "2020-01-31T12:00:00"), (math.inf, "+Inf"), (np.float32("-inf"), "-Inf"),
    ],
)
def test_text(value, written):
    assert text(value) == written


def test_the_text_of_a_value_does_not_depend_on_its_column():
    values = [1.0, 2.5, 1e-7, 0.0, -0.0, math.nan, 1e300, 123456789.125, 1e16]
    alone = [text(v) for v in values]
    assert texts(np.array(values)) == texts(pd.Series(values, dtype=object)) == alone
    assert texts(pd.Series([1, None], dtype="Int64")) == ["1", ""]
    assert texts(pd.Series(["b", None], dtype="category")) == ["b", ""]
    assert texts(np.array([1, 2], dtype=np.uint8)) == ["1", "2"]


def test_decimals():
    assert decimal(1e-9) == "0.000000001" and decimal("0.1" and 0.1) == "0.1"


HOSTILE = ['"', ",", ";", "\n", "\r\n", "a,b", '=1+1', "|x", " blank ", "é", "\u202e", "", "'", "#", "\\"]


def test_hostile_texts_and_names(tmp_path):
    """Each text reaches the command as it is, in values, in names of columns and of the label."""
    for name in ('a"b', "a,b", "a;b", " a ", "[a]", "#", "é'\\"):
        values = [v for v in HOSTILE if v]
        X = pd.DataFrame({name: values * 40})
        y = pd.Series((["u", 'v"']) * (len(X) // 2) if len(X) % 2 == 0 else None, name="label")
        c = SibylClassifier(
            columns={name: {"values": values}}, classes=["u", 'v"'], epsilon=1, hypothesis_class="tree",
            options={"depth": 1},
        )
        assert len(c.fit(X, y).predict(X)) == len(X)


def test_dialect_of_the_schema():
    """The text has the form that [file] describes, so that models fit the same files."""
    keys = {
        "file": {"delimiter": ";", "decimal": ",", "header": False, "columns": ["note", "w", "c"], "encoding": "iso-8859-15"},
        "label": {"column": "y", "positive": ["1"], "negative": ["0"]},
        "attribute": [{"column": "w", "cuts": [1.5]}, {"column": "c", "values": ["é", "€"]}],
    }
    X = pd.DataFrame({"w": [1.25, None], "c": ["é", "€"], "y": [0, 1], "note": ["private", "p"]})
    written = to_csv(X, keys, ["w", "c", "y"])
    assert written.decode("iso-8859-15") == '"";"1,25";"é";"0"\n"";"";"€";"1"\n'
    keys["file"]["columns"] = ["note", "w", "c", "y"]
    back = from_csv(written, keys, {"y": {"0": False, "1": True}})
    assert back["w"].tolist()[0] == 1.25 and back["y"].tolist() == [False, True]
    with pytest.raises(DataError, match="does not have"):
        to_csv(X.assign(c="\u4e00"), keys, ["w", "c"])
    keys["file"]["encoding"] = "klingon"
    with pytest.raises(ParameterError, match="klingon"):
        to_csv(X, keys, ["w"])


def test_numbers_with_a_decimal_comma():
    """Numbers have the decimal mark of the schema in columns of any dtype; texts are unchanged."""
    values = [Decimal("1.25"), 1.5, "1,75", "2.25", None]
    for keys in ({"cuts": [1]}, {"kind": "number"}):
        schema = {"file": {"decimal": ","}, "attribute": [{"column": "w", **keys}]}
        written = to_csv(pd.DataFrame({"w": values}, dtype=object), schema, ["w"])
        assert written == b'"w"\n"1,25"\n"1,5"\n"1,75"\n"2.25"\n""\n'


def test_trim():
    """With trim, blanks around texts are removed, as by an exported model."""
    X = pd.DataFrame({"c": [" a", "a\t", "\u00a0a", "a b"]})
    for trim, want in ((True, '"a"\n"a"\n"\u00a0a"\n"a b"\n'), (False, '" a"\n"a\t"\n"\u00a0a"\n"a b"\n')):
        written = to_csv(X, {"file": {"trim": trim}, "attribute": [{"column": "c", "values": ["a"]}]}, ["c"])
        assert written.decode() == '"c"\n' + want


def test_line_breaks_of_values():
    """Values may differ in their line breaks alone."""
    values = ["a\r\nb", "a\nb"]
    X, y = pd.DataFrame({"c": values * 100}), pd.Series(["u", "v"] * 100)
    model = SibylClassifier(columns={"c": values}, classes=["u", "v"], epsilon=50, hypothesis_class="tree")
    assert (model.fit(X, y).predict(X) == y).all()


def test_predictions_in_the_dialect_of_the_schema():
    """A schema with semicolons and decimal commas gives the same release and predictions."""
    plain = {
        "label": {"column": "y", "values": ["low", "mid;", "high"]},
        "attribute": [{"column": "w", "cuts": [1.5, 2.5], "other": "none"}],
    }
    X = pd.DataFrame({"w": [1.25, 2.0, 3.75, None] * 50})
    y = pd.Series(["low", "mid;", "high", "low"] * 50)
    probabilities = []
    for file in ({}, {"delimiter": ";", "decimal": ","}):
        c = SibylClassifier(schema={"file": file, **plain}, insecure_seed=3, epsilon=20, hypothesis_class="tree")
        with pytest.warns(PrivacyWarning):
            c.fit(X, y)
        assert c.score(X, y) > 0.7
        probabilities.append(c.predict_proba(X))
    assert (probabilities[0] == probabilities[1]).all()
    from sibyl_dp.classifier import _numbers, _read_predictions

    read = _read_predictions('prediction;risk\n1;"0,25"\n0;\n')
    assert read["prediction"].tolist() == ["1", "0"] and _numbers(read["risk"])[0] == 0.25
    assert _read_predictions("prediction\n1\n")["prediction"].tolist() == ["1"]


def test_ranges_of_integers():
    """At most 8 integers have an interval each, and more have intervals of equal width."""
    for ends, cuts in {
        (0, 1): [1], (1, 5): [2, 3, 4, 5], (np.int64(0), np.int64(2)): [1, 2], (0, 7): [1, 2, 3, 4, 5, 6, 7],
        (0, 15): [2, 4, 6, 8, 10, 12, 14], (18, 99): [29, 39, 49, 59, 70, 80, 90],
    }.items():
        keys = SibylSchema.from_columns({"a": ends}).to_dict()["attribute"][0]
        assert keys["cuts"] == cuts and keys["draw"] == "integer"


def test_values_and_groups_are_written_as_texts():
    schema = SibylSchema.from_columns({"a": {"values": [1, 2.0]}, "b": {"groups": {"low": [1, 2.0], "high": [True]}}})
    values, groups = schema.to_dict()["attribute"]
    assert values["values"] == ["1", "2"] and groups["groups"] == {"low": ["1", "2"], "high": ["true"]}


def test_toml():
    keys = {
        "name": 'a "b"\n\x7f', "label": {"column": "y", "positive": ["1"], "negative": ["0"]},
        "attribute": [{"column": "a b", "cuts": [Decimal("0.1"), 2]}, {"column": "c", "groups": {"x y": ["1"]}, "other": "é"}],
    }
    assert SibylSchema(dumps(keys)).to_dict() == keys
    with pytest.raises(ParameterError):
        dumps({"name": {1, 2}})
    with pytest.raises(ParameterError):
        dumps({"name": "\ud800"})
