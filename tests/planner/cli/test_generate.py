"""The help of ``generate`` names the limits of its options."""

from __future__ import annotations

import pytest

from planner.cli import main
from planner.generate.catalogue import KINDS, NETWORKS


def test_help_says_from_where_to_where_numbers_go(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "--help"]) == 0
    told = capsys.readouterr().out
    for kind in (*KINDS.values(), *NETWORKS.values()):
        for option in kind.OPTIONS:
            line = next(
                line
                for line in told.splitlines()
                if line.startswith(f"  --set {option.name}=") and option.help in line
            )
            assert line.endswith(f"; {option.range_text}" if option.range_text else option.help)
