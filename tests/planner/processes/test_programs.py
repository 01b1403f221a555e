"""Programs of ours beside this one: how they are started, and that nothing else starts one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from planner.processes import programs
from planner.processes.programs import (
    LIBRARIES,
    PROGRAMS,
    RUN,
    command_of,
    give_others_their_libraries,
    run_program,
)

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/stageboard/stageboard")


def test_every_program_is_a_module_that_runs_as_one() -> None:
    for module in PROGRAMS.values():
        spec = find_spec(module)
        assert spec is not None and spec.origin is not None
        assert '\nif __name__ == "__main__":\n' in Path(spec.origin).read_text("utf-8")


def test_a_frozen_app_is_its_own_programs(frozen: None) -> None:
    assert command_of("mip") == ["/opt/stageboard/stageboard", RUN, "mip"]


@pytest.mark.parametrize("arguments", [[], ["plan"], [RUN], [RUN, "os"], [RUN, "mip", "more"], ["mip", RUN]])
def test_what_asks_for_no_program_starts_none(arguments: list[str]) -> None:
    assert not run_program(arguments)


def test_no_other_program_can_be_named() -> None:
    with pytest.raises(KeyError):
        command_of("os")
    done = subprocess.run([sys.executable, programs.__file__, RUN, "os"], check=False)
    assert done.returncode == 2


def test_a_program_is_found_beside_this_package_wherever_it_is_started(tmp_path: Path) -> None:
    """A folder ``planner`` where one works is not ours."""
    (tmp_path / "planner").mkdir()
    (tmp_path / "planner" / "__init__.py").write_text("raise SystemExit(7)\n")
    done = subprocess.run(
        command_of("sweep"), cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    # There was no run to carry out, which its own reader of JSON says.
    assert done.returncode == 1 and "JSONDecodeError" in done.stderr


def test_programs_of_others_get_the_libraries_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LIBRARIES, "/opt/stageboard/_internal")
    monkeypatch.setenv(f"{LIBRARIES}_ORIG", "/usr/local/lib")
    give_others_their_libraries()
    assert os.environ[LIBRARIES] == "/usr/local/lib" and f"{LIBRARIES}_ORIG" not in os.environ
    give_others_their_libraries()
    assert LIBRARIES not in os.environ


def test_nothing_else_starts_an_interpreter() -> None:
    """In the frozen app ``sys.executable`` is no Python: whoever starts a program asks :func:`command_of` how."""
    starting = {
        path.relative_to(ROOT).as_posix()
        for room in ("planner", "gui")
        for path in (ROOT / room).rglob("*.py")
        if re.search(r"\[\s*sys\.executable\b", path.read_text("utf-8"))
    }
    # The second writes down, for the desktop, what starts the program, and asks whether it is frozen.
    assert starting == {"planner/processes/programs.py", "gui/app/desktop.py"}
