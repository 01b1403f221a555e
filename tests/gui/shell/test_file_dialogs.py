"""Names of files that are offered."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gui.shell.file_dialogs import FileDialogs


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("Slice", "net.Slice-3-stages.plan.json"),
        ("Chain DP, 3 stages", "net.Chain-DP-3-stages.plan.json"),
        ("Chain DP, 3 stages, edited", "net.Chain-DP-3-stages-edited.plan.json"),
        ("Chain DP, 13 stages", "net.Chain-DP-13-stages-3-stages.plan.json"),
    ],
)
def test_a_plan_file_says_once_for_how_many_devices_it_is(name: str, file: str) -> None:
    entry = SimpleNamespace(name=name, problem=SimpleNamespace(places="3 stages"))
    assert FileDialogs.plan_file(SimpleNamespace(stem=lambda: "net"), entry) == file  # type: ignore[arg-type]
