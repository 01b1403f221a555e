"""What is found out about an object goes with it."""

from __future__ import annotations

import ast
import gc
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planner.lifetime import while_it_lives
from planner.machines.pipeline.target import Pipeline
from planner.methods.units import forced_units
from planner.model.blocks import named_blocks
from planner.model.times import compute_ops
from planner.problem.grouping import unkept_classes
from planner.problem.problem import Problem
from tests.gui.models import chain_graph

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"Graph", "Network", "Problem", "PlanningProblem", "OrderProblem", "Plan", "Items", "Scene", "Sankey", "Comparison"}  # fmt: skip


@dataclass(frozen=True)
class Named:
    """Alike where the names are."""

    name: str


def test_each_is_asked_about_once_for_each_choice() -> None:
    asked = []

    @while_it_lives
    def letters(one: Named, sign: str = "", *, twice: bool = False) -> str | None:
        """Of a name."""
        asked.append((one.name, sign, twice))
        return one.name * (1 + twice) + sign if one.name else None

    one, alike, empty = Named("a"), Named("a"), Named("")
    assert [letters(one), letters(alike), letters(one, "!"), letters(one, twice=True), letters(one)] == [
        "a", "a", "a!", "aa", "a",
    ]  # fmt: skip
    assert letters(empty) is None and letters(empty) is None  # nothing is an answer, too
    assert asked == [("a", "", False), ("a", "!", False), ("a", "", True), ("", "", False)]
    assert letters.__name__ == "letters" and letters.__doc__ == "Of a name."


def test_what_was_found_goes_with_the_object() -> None:
    @while_it_lives
    def found(one: Named) -> Named:
        return Named(f"about {one.name}")

    one = Named("a")
    about = weakref.ref(found(one))
    assert about() is not None
    del one
    assert about() is None


def test_a_model_that_nobody_holds_goes() -> None:
    graph = chain_graph(40)
    problem = Problem(graph, Pipeline(count=3))
    problem.evaluator
    forced_units(problem)
    unkept_classes(problem)
    named_blocks(graph)
    compute_ops(graph)
    gone: list[weakref.ref[Any]] = [weakref.ref(graph), weakref.ref(problem)]
    del graph, problem
    gc.collect()  # a problem and its evaluator hold one another
    assert [one() for one in gone] == [None, None]


def test_no_cache_counts_what_is_heavy() -> None:
    """A cache of the last few holds them for good."""
    wrong = []
    for path in sorted([*(ROOT / "planner").rglob("*.py"), *(ROOT / "gui").rglob("*.py")]):
        text = path.read_text("utf-8")
        for one in ast.walk(ast.parse(text)) if "@lru_cache" in text or "@cache\n" in text else ():
            if isinstance(one, ast.FunctionDef) and any(
                "cache" in ast.unparse(d) for d in one.decorator_list
            ):
                if "cached_property" in ast.unparse(one.decorator_list[0]):
                    continue
                kinds = {ast.unparse(a.annotation) for a in one.args.args if a.annotation is not None}
                if kinds & HEAVY:
                    wrong.append(f"{path.relative_to(ROOT)}:{one.lineno} {one.name}")
    assert not wrong
