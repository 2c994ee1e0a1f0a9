"""The command: what it is given, what it leaves, interrupts, versions."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import CLASSES, COLUMNS

from sibyl_dp import SibylClassifier, SibylError, _command


@pytest.fixture
def recorder(tmp_path, monkeypatch):
    """A command that records its arguments, environment and the files around it, and runs sibyl."""
    real, log = _command.command(), tmp_path / "log"
    fake = tmp_path / "sibyl"
    fake.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" >>{log}\nenv >>{log}\nls -l >>{log}\ncat * >>{log} 2>/dev/null </dev/null\n'
        f'"{real}" "$@"\nstatus=$?\nls -l >>{log}\nexit $status\n'
    )
    fake.chmod(0o700)
    monkeypatch.setenv(_command.COMMAND_VARIABLE, str(fake))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "t"))
    (tmp_path / "t").mkdir()
    monkeypatch.setattr("tempfile.tempdir", None)
    return log


@pytest.mark.skipif(sys.platform == "win32", reason="the recorder is a shell script")
def test_private_values_stay_in_pipes(recorder, patients, tmp_path):
    """No value of the table is in arguments, the environment or a file when the command starts."""
    X, y = patients
    canary = "canary-5309"
    X = X.assign(admission=canary)
    c = SibylClassifier(columns=COLUMNS, classes=CLASSES).fit(X, y)
    c.predict(X)
    c.evaluate(X, y, epsilon=1)
    recorded = recorder.read_text(errors="replace")
    assert "learn" in recorded and "predict" in recorded and canary not in recorded
    assert "-rw-------" in next(l for l in recorded.splitlines() if "private.csv" in l and l[0] == "-")
    assert os.listdir(tmp_path / "t") == []


def test_version_is_checked(tmp_path, monkeypatch):
    fake = tmp_path / "sibyl"
    fake.write_text('#!/bin/sh\necho \'{"version": "9", "json": 99}\'\n')
    fake.chmod(0o700)
    monkeypatch.setenv(_command.COMMAND_VARIABLE, str(fake))
    with pytest.raises(SibylError, match="version 99 of the JSON interface"):
        _command.command()
    monkeypatch.setenv(_command.COMMAND_VARIABLE, str(tmp_path / "none"))
    with pytest.raises(SibylError, match="not a command sibyl"):
        _command.command()


def test_interrupts_are_passed_on(tmp_path):
    """The command ends by itself, and says that it was interrupted."""
    marker = tmp_path / "ended"
    script = f"""
import os, sys
from sibyl_dp import _command
real = _command.command()
fake = {str(tmp_path / "sibyl")!r}
with open(fake, "w") as f:
    f.write('#!/bin/sh\\ntrap "echo interrupted >{marker}; exit 130" INT\\ntouch {tmp_path}/started\\nwhile :; do sleep 0.05; done\\n')
os.chmod(fake, 0o700)
_command._check_version = lambda path: None
os.environ["SIBYL_COMMAND"] = fake
try:
    _command.run(["learn"], data=b"")
except KeyboardInterrupt:
    sys.exit(7)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        # A shell that started the tests in the background made them ignore interrupts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while not (tmp_path / "started").exists():
        assert process.poll() is None
        time.sleep(0.02)
    time.sleep(1)  # the process that started it waits for it now
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 7 and marker.read_text() == "interrupted\n"
