"""Install what an extra of pyproject.toml names, in the pinned versions, unless it is there.

.venv/bin/python tools/extra.py NAME
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def wanted(name: str, root: Path = ROOT) -> list[str]:
    """The packages of an extra, as ``name==version``. Raises KeyError where there is no such extra, or a package is not pinned."""
    extras = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    pins = dict(
        re.findall(r"^([\w.-]+)==(\S+)$", (root / "constraints.txt").read_text("utf-8"), re.MULTILINE)
    )
    packages = [re.split(r"[<>=!~\[ ]", requirement)[0] for requirement in extras[name]]
    return [f"{package}=={pins[package]}" for package in packages]


def missing(packages: list[str]) -> list[str]:
    """Those that are not installed, or in another version."""

    def is_there(package: str) -> bool:
        name, _, pinned = package.partition("==")
        try:
            return version(name) == pinned
        except PackageNotFoundError:
            return False

    return [package for package in packages if not is_there(package)]


def main(name: str) -> int:
    if not (packages := missing(wanted(name))):
        return 0
    print(f"Installing {', '.join(packages)}, once", flush=True)
    options = [
        "--quiet",
        "--no-input",
        "--disable-pip-version-check",
        "--constraint",
        str(ROOT / "constraints.txt"),
    ]
    return subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, *packages], check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
