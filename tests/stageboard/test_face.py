"""The names of the library: what there is, what it imports, and what it says of strangers under the names of its packages."""

from __future__ import annotations

import inspect
import subprocess
import sys
import typing
from pathlib import Path

import pytest

import stageboard as sb
from stageboard.own import stranger

ROOT = Path(__file__).resolve().parents[2]


def python(program: str, cwd: Path, *path: Path) -> subprocess.CompletedProcess[str]:
    """A program in a fresh process, with ``path`` before everything that is installed."""
    head = f"import sys; sys.path[:0] = {[str(one) for one in path]!r}\n"
    return subprocess.run(
        [sys.executable, "-c", head + program], check=False, cwd=cwd, capture_output=True, text=True, timeout=120,
        env={"PATH": "/usr/bin:/bin", "HOME": str(cwd)},
    )  # fmt: skip


def test_every_name_is_there_documented_and_typed() -> None:
    for name in sb.__all__:
        thing = getattr(sb, name)
        if name == "__version__":
            continue
        assert inspect.getdoc(thing), name
        if inspect.isfunction(thing):
            hints = typing.get_type_hints(thing)
            assert set(hints) == {*inspect.signature(thing).parameters, "return"}, name
    assert sorted(sb.__all__) == sb.__all__ and len(sb.__all__) <= 31
    assert set(dir(sb)) == set(sb.__all__)
    assert (ROOT / "stageboard" / "py.typed").is_file()
    with pytest.raises(AttributeError, match="no attribute 'cut'"):
        _ = sb.cut


def test_importing_it_imports_next_to_nothing_and_planning_no_qt(tmp_path: Path) -> None:
    program = (
        "import stageboard as sb\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'numpy', 'numba', 'planner', 'gui', 'PySide6'}))\n"
        f"graph = sb.read({str(ROOT / 'tests/data/small.json')!r})\n"
        "plan = sb.plan(graph, 'pipeline:2', planner='slice', prove=0)\n"
        "print(plan.status, repr(plan), repr(graph))\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'PySide6', 'shiboken6', 'pyqtgraph'}))\n"
    )
    done = python(program, tmp_path, ROOT)
    lines = done.stdout.splitlines()
    assert lines[0] == "[]" and lines[-1] == "[]", done.stderr


def test_the_packages_here_are_no_strangers() -> None:
    assert stranger() == ""


@pytest.mark.parametrize("name", ["planner", "gui"])
def test_a_folder_of_that_name_is_named_in_one_sentence(tmp_path: Path, name: str) -> None:
    """As where somebody's script lies beside a folder of that name."""
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("raise SystemExit('a stranger was imported')\n")
    done = python("import stageboard as sb\nsb.read", tmp_path, tmp_path, ROOT)
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1 and last.startswith("ImportError: ")
    assert f"'{name}' gets imported from {tmp_path / name} and is not Stageboard's" in last
    done = subprocess.run(
        [sys.executable, "-m", "stageboard", "--version"], check=False, cwd=tmp_path, capture_output=True, text=True, timeout=60,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 2 and done.stdout == ""
    assert (
        done.stderr.startswith(f"stageboard: '{name}' gets imported from ") and done.stderr.count("\n") == 1
    )


def test_a_module_of_that_name_and_one_that_is_imported_already_are_strangers(tmp_path: Path) -> None:
    (tmp_path / "planner.py").write_text("x = 1\n")
    done = python("import stageboard as sb\nsb.read", tmp_path, tmp_path, ROOT)
    assert f"gets imported from {tmp_path / 'planner.py'}" in done.stderr
    program = "import types; sys.modules['gui'] = types.ModuleType('gui')\nimport stageboard as sb\nsb.read"
    assert "'gui' gets imported from" in python(program, tmp_path, ROOT).stderr


def test_another_package_installed_over_ours_is_named(tmp_path: Path) -> None:
    """As after ``pip install planner``, which writes into the same folder."""
    for name in ("stageboard", "planner", "gui"):
        (tmp_path / name).mkdir()
    for name in ("__init__.py", "__main__.py", "own.py"):
        (tmp_path / "stageboard" / name).write_bytes((ROOT / "stageboard" / name).read_bytes())
    (tmp_path / "planner" / "__init__.py").write_text('"""Plans for the day."""\n__version__ = "0.5.1"\n')
    (tmp_path / "gui" / "__init__.py").write_text('"""The window of Stageboard."""\n')
    done = python("import stageboard as sb\nprint(sb.__version__)", tmp_path, tmp_path)
    assert done.returncode == 1 and "another package was installed over Stageboard's 'planner'" in done.stderr
    (tmp_path / "planner" / "__init__.py").write_text("1 / 0\n")
    assert (
        "another package was installed over"
        in python("from stageboard import read", tmp_path, tmp_path).stderr
    )
