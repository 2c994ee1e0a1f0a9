"""The example on census data."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest
from conftest import adult


def test_adult(tmp_path, monkeypatch, capsys):
    example = Path(__file__).parents[1] / "examples" / "adult.py"
    monkeypatch.setattr(sys, "argv", [str(example), str(adult()), str(tmp_path)])
    end = runpy.run_path(str(example))
    assert end["card"].score(end["test"], end["test"]["income"]) > 0.8
    assert len(end["account"].show()["entries"]) == 2
    assert "The threshold is" in capsys.readouterr().out
