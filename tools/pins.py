"""Write the versions installed in this environment to constraints.txt, one exact pin a line and no addresses."""

import re
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEAD = """\
# The exact version of everything `make` installs, with what it brings along. After changing pyproject.toml:
# install into .venv what it needs, then `make pins` writes what is installed there.
"""
# pip comes with Python, and the product is not a pin of its own.
NOT_PINNED = {"pip", "stageboard"}


def canonical(name: str) -> str:
    """Spell a distribution's name the one way in which all spellings are equal (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def installed() -> dict[str, str]:
    """Map the canonical name of every installed distribution to its version, those of the house left out."""
    found = {canonical(one.metadata["Name"]): one.version for one in distributions()}
    return {name: version for name, version in sorted(found.items()) if name not in NOT_PINNED}


def main() -> None:
    lines = [f"{name}=={version}\n" for name, version in installed().items()]
    (ROOT / "constraints.txt").write_text(HEAD + "".join(lines))
    print(f"constraints.txt: {len(lines)} pins")


if __name__ == "__main__":
    main()
