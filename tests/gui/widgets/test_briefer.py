"""Lines of a figure get shorter, each true by itself."""

from __future__ import annotations

from gui.widgets.briefer import briefer


def test_lines_get_shorter() -> None:
    assert briefer("Memory (fullest, chip 11)") == ("Memory (chip 11)", "Memory")
    assert briefer("parameters and activations, must fit") == ("must fit",)
    assert briefer("2,233 samples/s, one sample 4.59 ms")[-1] == "2,233/s, one 4.59 ms"
    assert briefer("2,233 samples/s, slowest chip 0.45 ms")[-1] == "2,233/s, slowest 0.45 ms"
    assert briefer("28.6 % above the optimum") == ("28.6 % above optimum", "28.6 % above best")
    assert briefer("proven by chips, CP-SAT") == ("chips, CP-SAT",)
    assert briefer("Best proven lower bound") == ("Lower bound",)
    assert briefer("21.29 MiB off-chip in all") == ("21.29 MiB off-chip",)
    assert briefer("all parameters on chip") == ("all on chip",)
    assert briefer("806 inferences/s") == ("806/s",) and briefer("12.5 training steps/s") == ("12.5 steps/s",)
    assert briefer("proven by nested cuts for max load") == ("nested cuts for max load", "nested cuts")
    assert briefer("the rest is streamed each time") == ("the rest is streamed",)
    assert briefer("then max communication") == ("max communication",)
    assert briefer("valid") == ()
