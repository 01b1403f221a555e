"""The extras that `make docs`, `make app` and training need: pinned, and only where they are missing."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest

from tests.test_setup import tool

extra = tool("extra")


@pytest.mark.parametrize("name", ["docs", "app", "learn"])
def test_extras_are_pinned(name: str) -> None:
    packages = extra.wanted(name)
    assert packages and all("==" in package for package in packages)


def test_what_is_there_in_its_version_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    here = f"numpy=={version('numpy')}"
    assert extra.missing([here, "numpy==0.1", "no-such-package==1"]) == ["numpy==0.1", "no-such-package==1"]
    monkeypatch.setattr(extra, "wanted", lambda name: [here])
    monkeypatch.setattr(extra.subprocess, "run", lambda *_, **__: pytest.fail("it called pip"))
    assert extra.main("docs") == 0


def test_an_extra_without_a_pin_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project.optional-dependencies]\nnew = ["something>=1"]\n')
    (tmp_path / "constraints.txt").write_text("numpy==1.0\n")
    with pytest.raises(KeyError):
        extra.wanted("new", tmp_path)
