"""What the tests share: a private table, and its public domain."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterator, Tuple

import pandas as pd
import pytest

from sibyl_dp import _base, _command

COLUMNS: Dict[str, Any] = {
    "age": [40, 60, 75],
    "days": (1, 60),
    "admission": ["planned", "emergency", "transfer"],
    "lives_alone": ["no", "yes"],
}
CLASSES = ["no", "yes"]
LABEL = "back_within_month"


@pytest.fixture(scope="session")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory that ``sibyl demo`` writes: a table of 2,000 patients and its schema."""
    directory = tmp_path_factory.mktemp("demo") / "clinic"
    line = [_command.command(), "demo", "--directory", str(directory)]
    subprocess.run(line, check=True, capture_output=True)
    return directory


@pytest.fixture(scope="session")
def patients(clinic: Path) -> Tuple[pd.DataFrame, pd.Series]:
    """The patients, and whether they are back within a month."""
    table = pd.read_csv(clinic / "hospital.csv")
    return table.drop(columns=LABEL), table[LABEL]


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No ledger from outside, and no releases of other tests."""
    monkeypatch.delenv(_command.ACCOUNT_VARIABLE, raising=False)
    monkeypatch.setattr(_base, "_releases", [])
    yield


def adult() -> Path:
    """The directory of the Adult data; the test skips, or fails in CI, without it."""
    usual = Path(__file__).parents[3] / "shared" / "data"
    directory = Path(os.environ.get("SIBYL_DATA", usual)) / "adult"
    if not directory.exists():
        if os.environ.get("CI") == "true":
            pytest.fail(f"no data in {directory}")
        pytest.skip(f"no data in {directory}")
    return directory
