"""Options say which values they take."""

from __future__ import annotations

import pytest

from planner.errors import PlannerRefusal
from planner.machines.catalogue import bound_methods, planners
from planner.options import Option, applying, parse_options


def test_ranges_read_like_words() -> None:
    assert Option("a", 1, "", 3, 100_000).range_text == "3 to 100,000"
    assert Option("a", 0.1, "", 0.01, 0.9).range_text == "0.01 to 0.9"
    assert Option("a", 0.1, "", 1e-9, 10.0).range_text == "above 0, at most 10"
    assert Option("a", 1, "", 1).range_text == "at least 1"
    assert Option("a", 1, "", None, 64).range_text == "at most 64"
    assert Option("a", "x", "", choices=("x", "y")).range_text == ""


KNOWN = (
    Option("mode", "own", "", choices=("own", "random")),
    Option("weights", "", "", only_with=("mode", ("own",))),
)


def test_what_means_nothing_beside_the_others_is_refused_or_left_out() -> None:
    assert parse_options(KNOWN, {"weights": "w"}, "p") == {"mode": "own", "weights": "w"}
    assert parse_options(KNOWN, {"mode": "random", "weights": ""}, "p")["mode"] == "random"
    with pytest.raises(PlannerRefusal, match="'weights' means nothing with mode=random; leave it out, or choose mode=own"):  # fmt: skip
        parse_options(KNOWN, {"mode": "random", "weights": "w"}, "p")
    assert applying(KNOWN, {"weights": "w"}) == {"weights": "w"}
    assert applying(KNOWN, {"mode": "random", "weights": "w"}) == {"mode": "random"}


def test_options_come_after_those_that_they_depend_on() -> None:
    conditional = 0
    for method in (*planners().values(), *bound_methods().values()):
        seen: dict[str, Option] = {}
        for option in method.options:
            if option.only_with is not None:
                other, values = option.only_with
                conditional += 1
                assert other in seen and set(values) < set(seen[other].choices), method.name
            seen[option.name] = option
    assert conditional >= 2
