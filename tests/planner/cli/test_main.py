"""Every command alike: its help, what bad input ends in, and how little is imported for one."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from planner.cli import COMMANDS
from planner.cli.main import ELSEWHERE
from tests.planner.cli.calling import RESNET, ROOT, TARGET, UNET


def test_help_lists_every_command(stageboard: Any) -> None:
    for arguments in ([], ["--help"], ["-h"]):
        ran = stageboard(*arguments)
        assert ran.status == 0 and ran.err == ""
        assert all(f"  {command.name}" in ran.out for command in COMMANDS)


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_every_command_has_help(stageboard: Any, command: str) -> None:
    ran = stageboard(command, "--help")
    assert ran.out.count("MODEL...") in (0, 2)  # once in the usage, once beside what it means
    assert ran.status == 0
    assert (
        f"usage: stageboard {command}" in ran.out and "--json" in ran.out and "example: stageboard" in ran.out
    )


def test_version(stageboard: Any) -> None:
    from planner import __version__

    assert stageboard("--version").out == f"stageboard {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["pln"], "did you mean 'plan'?"),
        (["check", RESNET], "did you mean 'evaluate'?"),
        (["info"], "info: the following arguments are required: MODEL"),
        (["plan", RESNET], "--target"),
        (["plan", RESNET, "--target", TARGET, "--gap", "-1"], "share"),
        (["plan", RESNET, "--target", TARGET, "--gap", "nan"], "share"),
        (["plan", RESNET, "--target", TARGET, "--time-limit", "0"], "seconds above 0"),
        (["plan", RESNET, "--target", TARGET, "--seed", "-3"], "is not from 0"),
        (["plan", RESNET, "--target", TARGET, "--seed", "x"], "whole number"),
        (["plan", RESNET, "--target", "pipeline:x"], "not a whole number of devices"),
        (["plan", RESNET, "--target", "pipelin:4"], "unknown kind"),
        (["plan", RESNET, "--target", TARGET, "--objective", "max-load"], "has no objective 'max-load'"),
        (["plan", RESNET, "--target", TARGET, "--planner", "slic"], "did you mean 'slice'"),
        (["plan", RESNET, "--target", TARGET, "--planner", "dpl"], "does not plan for a pipeline"),
        (["plan", RESNET, "--target", TARGET, "--planner", "slice", "--set", "orders=3"], "no option 'orders'"),
        (["plan", RESNET, "--target", TARGET, "--set", "orders"], "is not KEY=VALUE"),
        (["plan", RESNET, "--target", TARGET, "--planner", "slice-random", "--set", "orders=0"], "between 1 and"),
        (["plan", RESNET, "--target", TARGET, "--planner", "expert"], "split=FILE"),
        (["plan", RESNET, "--target", TARGET, "--pin", "conv1_conv"], "is not OP=DEVICE"),
        (["plan", RESNET, "--target", TARGET, "--pin", "conv1_con=0"], "did you mean 'conv1_conv'"),
        (["plan", RESNET, "--target", TARGET, "--pin", "conv1_conv=stage 9"], "no device 'stage 9'"),
        (["plan", RESNET, "--target", TARGET, "-o", "/nowhere/at/all.json"], "there is no folder"),
        (["plan", RESNET, "--target", TARGET, "--cost-model", "cpu_speed=3"], "no parameter 'cpu_speed'"),
        (["plan", RESNET, "--target", TARGET, "--cost-model", "nowhere.toml"], "does not exist"),
        (["plan", RESNET, "--target", TARGET, "--cost-model", "cpu_flops=fast"], "unknown unit"),
        (["plan", "nowhere.json", "--target", TARGET], "nowhere.json does not exist; check the path"),
        (["bound", RESNET, "--target", TARGET, "--method", "simpel"], "did you mean 'simple'"),
        (["evaluate", RESNET, RESNET], "is not a Stageboard plan"),
        (["info", UNET, "--batch", "0"], "must be a whole number from 1"),
        (["info", str(ROOT)], "is a folder"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_status_2(stageboard: Any, arguments: list[str], words: str) -> None:
    ran = stageboard(*arguments)
    assert ran.status == 2
    assert words in ran.sentence


def test_options_are_not_abbreviated(stageboard: Any) -> None:
    assert stageboard("plan", RESNET, "--targ", TARGET).status == 2


def test_what_other_programs_call_a_command_leads_to_one_that_is_there() -> None:
    names = {command.name for command in COMMANDS} | {"compare", "render"}
    assert set(ELSEWHERE.values()) <= names and not names & set(ELSEWHERE)


def test_a_small_command_imports_little() -> None:
    code = (
        "import sys; from planner.cli import main; main(['info', sys.argv[1], '--json']);"
        "print([m for m in ('numba', 'onnx', 'networkx', 'ortools', 'highspy', 'scipy', 'PySide6')"
        " if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, RESNET], check=True, capture_output=True, text=True, cwd=ROOT
    )
    assert done.stderr.strip() == "[]"
