"""What planners and bound methods are called in running text."""

from __future__ import annotations

import re
from functools import cache

TOLD_APART = re.compile(r"(?P<planner>[\w-]+)(?P<rest>| \(.*| \d+|, .*)")
"""The name of a planner, and what tells its plan from others."""


@cache
def method_words(name: str) -> str:
    """The title of the planner or bound method ``name`` as it stands within a sentence; ``name`` where none is known."""
    if name == "simple":
        # It comes with every plan: the catalogue need not be imported before the first picture.
        return name
    from planner.machines.catalogue import bound_methods, planners

    method = bound_methods().get(name) or planners().get(name)
    if method is None:
        return name
    # Names and abbreviations stay as they are.
    first, *others = method.title.split()
    named = (
        method.title.startswith("Edge TPU")
        or any(letter.isupper() for letter in first[1:])
        or any(word.isdigit() for word in others)
    )
    return method.title if named else method.title[:1].lower() + method.title[1:]


def method_name(name: str) -> str:
    """The same where it stands alone or first: what a plan is called that it found."""
    words = method_words(name)
    return words[:1].upper() + words[1:]


def shown_name(plan: str) -> str:
    """A plan's name as it is shown: the planner's title where it is called as the planner that found it, also with what tells it from
    others (``slice (seed 3)``, ``slice 2``, ``slice, 4 stages``), and where the planner tells it from others (``second (slice)``)."""
    from planner.machines.catalogue import planners

    known = planners()
    called = TOLD_APART.fullmatch(plan)
    if called is not None and called["planner"] in known:
        return f"{method_name(called['planner'])}{called['rest']}"
    own, bracket, by = plan.removesuffix(")").rpartition(" (")
    return f"{own} ({method_words(by)})" if bracket and plan.endswith(")") and by in known else plan
