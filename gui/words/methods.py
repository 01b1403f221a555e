"""What planners and bound methods are called in running text."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from gui.words.objectives import objective_in_words
from planner.machines.catalogue import bound_methods, planner_title

if TYPE_CHECKING:
    from planner.problem.base import PlanningProblem
    from planner.search.method import Method

TOLD_APART = re.compile(r"(?P<planner>[\w-]+)(?P<rest>| \(.*| \d+|, .*)")
"""The name of a planner, and what tells its plan from others."""
SIMPLE = "simple"
SIMPLE_TITLE = "Load of all devices"
SIMPLE_SUMMARY = "largest op or equal share of the work, whichever is more"
"""Of the bound that comes with every plan: its module need not be imported before the first picture; a test holds them together."""


def by_method(name: str) -> str:
    """The words for a method behind *by*: in quotation marks where its title has a comma."""
    words = method_words(name)
    return f"“{words}”" if "," in words else words


@cache
def method_words(name: str) -> str:
    """The title of the planner or bound method ``name`` as it stands within a sentence; ``name`` where none is known."""
    if name == SIMPLE:
        return _within(SIMPLE_TITLE)
    method = bound_methods().get(name)
    return planner_words(name) if method is None else _within(method.title)


def method_told(name: str) -> str:
    """What the bound method or planner ``name`` proves, in a few words; empty where none is known."""
    if name == SIMPLE:
        return SIMPLE_SUMMARY
    method = bound_methods().get(name)
    return "" if method is None else method.summary


def refusal_words(method: Method, problem: PlanningProblem) -> str:
    """Why a method does not serve a problem, as it stands below the method's title; empty where it does.

    The name that commands call it by is left out, and objectives are called as everywhere in the window.
    """
    reason = (method.refusal(problem) or "").removeprefix(f"'{method.name}' ")
    own = f"does not minimise {problem.objective}"
    return f"does not minimise {objective_in_words(problem.objective)}" if reason == own else reason


def planner_words(name: str) -> str:
    """The same of a planner, for which nothing is imported."""
    title = planner_title(name)
    return name if title is None else _within(title)


def planner_name(name: str) -> str:
    """:func:`planner_words` where they stand alone or first."""
    words = planner_words(name)
    return words[:1].upper() + words[1:]


def _within(title: str) -> str:
    """A title as it stands within a sentence: names and abbreviations stay as they are."""
    first, *others = title.split()
    named = (
        title.startswith("Edge TPU")
        or any(letter.isupper() for letter in first[1:])
        or any(word.isdigit() for word in others)
    )
    return title if named else title[:1].lower() + title[1:]


def method_name(name: str) -> str:
    """The words for a method where they stand alone or first."""
    words = method_words(name)
    return words[:1].upper() + words[1:]


def shown_name(plan: str) -> str:
    """A plan's name as it is shown: the planner's title where it is called as the planner that found it, also with what tells it from
    others (``slice (seed 3)``, ``slice 2``, ``slice, 4 stages``), and where the planner tells it from others (``second (slice)``)."""
    called = TOLD_APART.fullmatch(plan)
    if called is not None and planner_title(called["planner"]) is not None:
        return f"{planner_name(called['planner'])}{called['rest']}"
    own, bracket, by = plan.removesuffix(")").rpartition(" (")
    known = bool(bracket) and plan.endswith(")") and planner_title(by) is not None
    return f"{own} ({planner_words(by)})" if known else plan
