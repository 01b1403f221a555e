"""Who proved what, in words."""

from __future__ import annotations

import pytest

from gui.words.methods import by_method
from gui.words.proofs import above_words
from planner.machines.catalogue import bound_methods, planners


def test_a_title_with_a_comma_is_quoted_behind_by() -> None:
    assert by_method("edge-tpu-fastest") == "“Edge TPU, fastest”"
    assert by_method("chain-dp") == "chain DP"


def test_sources_of_methods_read_well_behind_them() -> None:
    for method in (*bound_methods().values(), *planners().values()):
        assert "our" not in str(method.source).split(",", maxsplit=1)[0].split(), method.name


@pytest.mark.parametrize(("above", "said"), [(0.0072, "0.7 %"), (0.0078, "0.8 %"), (1e-9, "< 0.001 %")])
def test_how_far_above_the_optimum_is_rounded_as_the_change_of_a_drag(above: float, said: str) -> None:
    assert above_words(above) == f"{said} above the optimum"
