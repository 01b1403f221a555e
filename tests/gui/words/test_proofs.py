"""Who proved what, in words."""

from __future__ import annotations

from gui.words.methods import by_method
from planner.machines.catalogue import bound_methods, planners


def test_a_title_with_a_comma_is_quoted_behind_by() -> None:
    assert by_method("edge-tpu-fastest") == "“Edge TPU, fastest”"
    assert by_method("chain-dp") == "chain DP"


def test_sources_of_methods_read_well_behind_them() -> None:
    for method in (*bound_methods().values(), *planners().values()):
        assert "our" not in str(method.source).split(",", maxsplit=1)[0].split(), method.name
