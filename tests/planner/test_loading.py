"""Loading modules in small steps."""

from __future__ import annotations

import pickle
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from planner.loading import Named, _needed, first_step, load

FILES = {
    "__init__": "",
    "whole": "from made_up.part import a\nfrom made_up.other import b\nif True:\n    from made_up.late import c\n",
    "part": "from made_up.other import b\nfrom json import loads\na = 1\n",
    "other": "from made_up.whole import a\nb = 2\n",  # a circle, which must not go on for ever
    "late": "c = 3\n",
}


@pytest.fixture
def made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package of which nothing is imported."""
    for name, source in FILES.items():
        (tmp_path / "made_up").mkdir(exist_ok=True)
        (tmp_path / "made_up" / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    _needed.cache_clear()
    yield
    for name in FILES:
        sys.modules.pop(f"made_up.{name}", None)
    sys.modules.pop("made_up", None)


@pytest.mark.usefixtures("made_up")
def test_what_a_module_needs_is_imported_before_it() -> None:
    assert first_step("made_up.whole") == "made_up.other"
    sys.modules["made_up.other"] = sys  # as if it were there
    assert first_step("made_up.whole") == "made_up.part"
    import_module("made_up.late")
    sys.modules["made_up.part"] = sys
    assert first_step("made_up.whole") == "made_up.whole"


def test_a_module_without_source_comes_whole() -> None:
    assert first_step("there.is.none") == "there.is.none"


def test_a_function_that_is_named_is_imported_when_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "named.py").write_text(
        "class Sums:\n    @staticmethod\n    def of(*given, start=0): return sum(given, start)\n"
    )
    sys.path.insert(0, str(tmp_path))
    try:
        sum_of = pickle.loads(pickle.dumps(Named("named:Sums.of")))
        assert "named" not in sys.modules
        assert sum_of(1, 2, start=3) == 6
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("named", None)


def test_all_functions_that_are_named_are_there() -> None:
    root = Path(__file__).resolve().parents[2]
    files = [file for room in ("gui", "planner") for file in (root / room).rglob("*.py")]
    names = [name for file in files for name in re.findall(r'\bNamed\("(.+?)"\)', file.read_text("utf-8"))]
    assert len(names) > 5
    assert all(callable(load(name)) for name in names)
