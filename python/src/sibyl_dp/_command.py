"""Runs the command ``sibyl``, and reads its JSON interface.

Data goes to the command through a pipe. Arguments, which other users of the machine can see,
contain public parameters only. Files with released or public contents (schemas, models) lie in a
temporary directory that only the user can read, and that is deleted.
"""

from __future__ import annotations

import contextlib
import functools
import json
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, NoReturn, Optional, Sequence, Tuple, Type

from ._text import decimal, is_number
from .errors import (
    BudgetExhausted,
    DataError,
    NothingReleased,
    ParameterError,
    PrivacyWarning,
    SibylError,
)

INTERFACE = 1
"""The version of the JSON interface that this package reads."""

COMMAND_VARIABLE = "SIBYL_COMMAND"
"""The environment variable that names another command than the one in this package."""

ACCOUNT_VARIABLE = "SIBYL_ACCOUNT"

_ERRORS: Dict[str, Type[SibylError]] = {
    "parameter": ParameterError,
    "data": DataError,
    "budget": BudgetExhausted,
    "nothing": NothingReleased,
}

_FLAG = re.compile(r"(?<![\w\"-])--(?!help\b)([a-z][a-z-]*[a-z])\b")

_OTHER_NAMES = {"class": "hypothesis_class"}
"""The parameters of this package whose names are not those of the flags."""

_CAUTIONS = ("CAUTION: ", "NOT PRIVATE: ")

_log = logging.getLogger("sibyl_dp")


def command() -> str:
    """Return the path of the command, after a check of its version.

    It is the one that the environment variable ``SIBYL_COMMAND`` names, or else the one in this
    package, or else the one on ``PATH``.

    Raises
    ------
    SibylError
        If there is no command, or its JSON interface has another version.
    """
    path = os.environ.get(COMMAND_VARIABLE)
    if not path:
        name = "sibyl.exe" if sys.platform == "win32" else "sibyl"
        own = Path(__file__).parent / "_bin" / name
        path = str(own) if own.exists() else shutil.which("sibyl")
    if not path:
        raise SibylError(
            "the command sibyl is missing; install a wheel of this package, put sibyl on PATH, "
            f"or name it in {COMMAND_VARIABLE}"
        )
    _check_version(path)
    return path


@functools.lru_cache(maxsize=None)
def _check_version(path: str) -> None:
    try:
        out = subprocess.run([path, "version", "--json"], capture_output=True, check=True).stdout
        version = json.loads(out)["json"]
    except (OSError, subprocess.CalledProcessError, ValueError, KeyError) as e:
        raise SibylError(f"{path} is not a command sibyl with a JSON interface: {e}") from e
    if version != INTERFACE:
        raise SibylError(
            f"{path} has version {version} of the JSON interface, but this package needs version "
            f"{INTERFACE}; install both from the same release"
        )


def run(
    arguments: Sequence[str],
    *,
    data: Optional[bytes] = None,
    options: Optional[Mapping[str, Any]] = None,
    account: Optional[str] = None,
    cwd: Optional[str] = None,
) -> Any:
    """Run a command and return its JSON output.

    Parameters
    ----------
    arguments
        The words of the command and its arguments. They are public.
    data
        What the command reads from standard input.
    options
        Flags, without dashes, with their values; see `flags`.
    account
        The privacy budget ledger. It is passed in the environment, as its URL may have a password.
        None leaves the environment as it is.
    cwd
        The working directory.

    Raises
    ------
    SibylError
        With the command's sentence.
    KeyboardInterrupt
        After the interrupt was passed on to the command and the command has ended.
    """
    line = [command(), *arguments, "--json", *flags(options or {})]
    environment = dict(os.environ)
    if account is not None:
        environment[ACCOUNT_VARIABLE] = account
    code, out, err = _communicate(line, data, environment, cwd)
    if code != 0:
        _fail(code, out, err)
    _report(err)
    return json.loads(out)


def text_of(arguments: Sequence[str], cwd: Optional[str] = None) -> str:
    """Run a command without ``--json`` and return its standard output."""
    code, out, err = _communicate([command(), *arguments], None, dict(os.environ), cwd)
    if code != 0:
        _fail(code, b"", err)
    return out.decode()


def _communicate(
    line: List[str], data: Optional[bytes], environment: Dict[str, str], cwd: Optional[str]
) -> Tuple[int, bytes, bytes]:
    """Run a process, and pass interrupts on to it."""
    # In a group of its own it receives exactly one signal: a second one would end it at once.
    own: Dict[str, Any] = {} if sys.platform == "win32" else {"start_new_session": True}
    with subprocess.Popen(
        line,
        stdin=subprocess.PIPE if data is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=cwd,
        **own,
    ) as process:
        try:
            out, err = process.communicate(data)
        except BaseException:
            if sys.platform == "win32":
                process.terminate()
            else:
                process.send_signal(signal.SIGINT)
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
            raise
    return process.returncode, out, err


def _fail(code: int, out: bytes, err: bytes) -> NoReturn:
    """Raise the exception of a command that failed."""
    lines = err.decode(errors="replace").strip().splitlines()
    message = lines[-1] if lines else f"the command ended with exit code {code}"
    if message.startswith("sibyl: "):
        message = message[len("sibyl: ") :]
    error: Dict[str, Any] = {}
    try:
        error = json.loads(out).get("error", {})
    except (ValueError, AttributeError):
        pass
    kind = error.get("kind")
    if kind is None and code == 3:  # a command that printed its guarantee before it failed
        kind = "nothing"
    raise _ERRORS.get(kind or "", SibylError)(
        in_python(error.get("message", message)), kind=kind, parameter=error.get("parameter")
    )


def in_python(value: Any) -> Any:
    """Return JSON in whose texts parameters have their names in Python: depth instead of --depth."""
    if isinstance(value, str):
        return _FLAG.sub(lambda m: _OTHER_NAMES.get(m[1], m[1].replace("-", "_")), value)
    if isinstance(value, list):
        return [in_python(v) for v in value]
    if isinstance(value, dict):
        return {k: in_python(v) for k, v in value.items()}
    return value


def _report(err: bytes) -> None:
    """Warn of cautions, and log other notes."""
    for note in in_python(err.decode(errors="replace").splitlines()):
        if note.startswith(_CAUTIONS):
            warnings.warn(note, PrivacyWarning, stacklevel=4)
        elif note:
            _log.info("%s", note)


def flags(options: Mapping[str, Any]) -> List[str]:
    """Return flags as arguments.

    An option that is None or False is left out, and True gives the flag alone. A list gives the
    flag several times.
    """
    words: List[str] = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
        elif isinstance(value, (list, tuple)):
            words += [f"{flag}={_word(v)}" for v in value]
        else:
            words.append(f"{flag}={_word(value)}")
    return words


def _word(value: Any) -> str:
    return decimal(value) if is_number(value) else str(value)


@contextlib.contextmanager
def directory() -> Iterator[Path]:
    """Return a temporary directory that only the user can read."""
    with tempfile.TemporaryDirectory(prefix="sibyl-") as name:
        yield Path(name)


def write(path: Path, text: str) -> None:
    """Write a public file."""
    path.write_text(text, encoding="utf-8", newline="\n")
