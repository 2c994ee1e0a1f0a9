"""Builds the command with Go, and puts it into the wheel.

GOOS and GOARCH select another platform, as for ``go build``.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Dict

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The command is linked statically, so it needs no C library on Linux; the versions of macOS are
# those that Go 1.26 needs.
PLATFORMS = {
    "linux/amd64": "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}


class CustomBuildHook(BuildHookInterface):  # type: ignore[misc]
    """Adds the command to a wheel."""

    def initialize(self, version: str, build_data: Dict[str, Any]) -> None:
        """Build the command, unless the package is installed for editing."""
        if version == "editable":
            return
        module = Path(self.root).parent
        if not (module / "go.mod").exists():
            raise RuntimeError(
                "the Go module is not beside this package; build a wheel from a checkout with "
                "python3 -m build --wheel"
            )
        environment = {**os.environ, "CGO_ENABLED": "0"}
        told = subprocess.run(
            ["go", "env", "-json", "GOOS", "GOARCH"],
            cwd=module, env=environment, check=True, capture_output=True,
        ).stdout
        target = json.loads(told)
        platform = f"{target['GOOS']}/{target['GOARCH']}"
        if platform not in PLATFORMS:
            raise RuntimeError(f"no wheels for {platform}; known are {', '.join(PLATFORMS)}")
        name = "sibyl.exe" if target["GOOS"] == "windows" else "sibyl"
        self._directory = tempfile.TemporaryDirectory()
        binary = Path(self._directory.name) / name
        subprocess.run(
            ["go", "build", "-trimpath", "-ldflags=-s -w", "-o", str(binary), "./cmd/sibyl"],
            cwd=module, env=environment, check=True,
        )
        build_data["tag"] = f"py3-none-{PLATFORMS[platform]}"
        build_data["pure_python"] = False
        build_data["force_include"][str(binary)] = f"sibyl_dp/_bin/{name}"
        for text in ("LICENSE", "NOTICE"):
            build_data["force_include"][str(module / text)] = f"sibyl_dp/_bin/{text}"

    def finalize(self, version: str, build_data: Dict[str, Any], artifact_path: str) -> None:
        """Remove the command that was built."""
        if hasattr(self, "_directory"):
            self._directory.cleanup()
