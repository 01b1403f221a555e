"""Marks on what hangs on the machine: which cells of printed tables carry one, and what two outputs share."""

from __future__ import annotations

import pytest

from benchmarks import gpipe_table, inference, latency_table, orders, twice
from benchmarks.marks import MARK, differences, marked, read_tables
from planner.text_table import table

TEXT = "\n".join(
    ["wrote a file", "A title", table(["name", "cost", marked("CPU s")], [["one op", "1,200 (3)", "2"], [marked("two"), "9", "3"]]), "", "met"]
)  # fmt: skip
BARS = f"| network | ratio | {marked('CPU s')} | goal |\n|---|---|---|---|\n| a | 1.1 | 3 |  |\n| b | 1.2 | 4 | met |\n"


def test_printed_tables_are_read_with_their_marks() -> None:
    (found,) = read_tables(TEXT)
    assert found.title == "A title" and found.head == ("name", "cost", "CPU s ~")
    assert found.rows == (("one op", "1,200 (3)", "2"), ("two ~", "9", "3"))
    assert [[found.hangs(i, j) for j in range(3)] for i in range(2)] == [
        [False, False, True],
        [False, True, True],
    ]
    (bars,) = read_tables(BARS)
    assert bars.head == ("network", "ratio", "CPU s ~", "goal")
    assert bars.rows == (("a", "1.1", "3", ""), ("b", "1.2", "4", "met"))
    assert read_tables("no table\n") == []


def test_what_differs_between_two_outputs_is_told_from_what_may() -> None:
    other = TEXT.replace("1,200", "1,000").replace(" 9 ", " 8 ")
    cost, row = differences(read_tables(TEXT), read_tables(other))
    assert (cost.row, cost.column, cost.hangs, cost.share) == ("one op", "cost", False, pytest.approx(1 / 6))
    assert (row.row, row.column, row.hangs) == ("two ~", "cost", True)
    assert not list(differences(read_tables(TEXT), read_tables(TEXT)))
    (shape,) = differences(read_tables(TEXT), read_tables(BARS))
    assert not shape.hangs


def test_columns_of_searches_and_times_carry_the_mark() -> None:
    heads = latency_table.HEAD
    assert [h for h in heads if h.endswith(MARK)] == ["program ~", "gap ~", "CPU s ~"]
    assert all(h.endswith(MARK) for h in inference.HEAD[5:]) and not any(
        h.endswith(MARK) for h in inference.HEAD[:5]
    )
    assert not any(h.endswith(MARK) for h in gpipe_table.HEAD)
    case = orders.CASES[0]
    assert "| locality |" in orders._row(case, "locality", [(1.0, 0.1)])
    for name in ("order-portfolio, effort 18", orders.REORDERING):
        assert f"| {name} | 1.0000 (1.0000) ~ |" in orders._row(case, name, [(1.0, 0.1)])


def test_a_script_is_run_alone_and_beside_load(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = [TEXT, TEXT.replace(" 9 ", " 8 "), TEXT, TEXT.replace("1,200", "1,000")]
    monkeypatch.setattr(twice, "SCRIPTS", {"same": (), "other": ()})
    monkeypatch.setattr(twice, "output", lambda words: read_tables(printed.pop(0)))
    assert twice.main(["--script", "same"]) == 0
    assert read_tables(capsys.readouterr().out)[0].rows == (("same", "6", "3", "1", "11.1 %", "0"),)
    assert twice.main(["--script", "other"]) == 1
    out = capsys.readouterr().out
    assert "other: A title: one op, cost: 1,200 (3) alone, 1,000 (3) beside load" in out
