"""What only some systems have is imported where it is used, so that the others can say in a sentence what they lack."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
POSIX = ("fcntl", "grp", "pty", "pwd", "resource", "termios")
"""Modules of Python that Windows has not."""
FORKS = {"planner.processes.forking", "planner.runs.preloaded"}
"""Imported only where there is a server to fork from."""
IMPORT_ALL = """
import importlib, sys
for name in sys.argv[1].split(","):
    sys.modules[name] = None
for name in sys.argv[2:]:
    try:
        importlib.import_module(name)
    except ImportError as error:
        print(name, error)
"""


def modules() -> list[str]:
    found = []
    for room in ("planner", "gui", "stageboard"):
        for path in sorted((ROOT / room).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            if not name.endswith("__main__") and name not in FORKS:
                found.append(name)
    return found


def test_every_module_can_be_imported_where_there_is_no_posix() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL, ",".join(POSIX), *modules()], cwd=ROOT, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 0 and done.stdout == "", done.stdout + done.stderr


@pytest.fixture
def no_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)  # type: ignore[arg-type]


def test_without_file_locks_a_journal_is_refused_in_words(no_locks: None, tmp_path: Path) -> None:
    from gui.document.crash_files import create, left_behind, locked

    with pytest.raises(OSError, match="no file locks"):
        create(tmp_path)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "journal-1.jsonl").write_text("{}\n")
    assert locked(tmp_path / "journal-1.jsonl")
    assert left_behind("journal", lambda path: None, tmp_path) == [] and list(tmp_path.iterdir())


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_make_says_where_it_cannot_set_up(no_locks: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert script("bootstrap").main([]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "docs/systems.md" in said
    assert (ROOT / "docs" / "systems.md").is_file()
