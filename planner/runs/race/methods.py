"""The methods of a race's entrants, and how many threads each of them runs."""

from __future__ import annotations

from dataclasses import replace

from planner.machines.catalogue import bound_method, planner
from planner.options import parse_options
from planner.problem.provenance import Entrant
from planner.search.method import Method

THREAD_OPTIONS = ("workers", "threads")
"""How methods call the option that says how many threads they run."""


def method_of(entrant: Entrant) -> Method:
    """Its planner or bound method. Raises :class:`PlannerRefusal` for an unknown name."""
    return bound_method(entrant.method) if entrant.is_bound else planner(entrant.method)


def with_threads(entrant: Entrant, method: Method, spare: int, cores: int) -> tuple[Entrant, int]:
    """The entrant with its threads set, to ``spare`` where nobody set them and never above ``cores``; and how many it runs.

    Raises :class:`PlannerRefusal` for options that do not exist.
    """
    parse_options(method.options, entrant.options, method.name)
    option = next((o for o in method.options if o.name in THREAD_OPTIONS), None)
    if option is None:
        return entrant, 1
    asked = option.parse(entrant.options[option.name]) if option.name in entrant.options else spare
    threads = min(int(asked), cores)
    return replace(entrant, options={**entrant.options, option.name: threads}), threads
