"""The entry of a machine: what its folder offers, by name, loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from planner.loading import load
from planner.problem.target import Target


@dataclass(frozen=True)
class Machine:
    """One machine. ``machine.py`` of its folder has one of these, called ``MACHINE``; the catalogue reads them.

    ``planners`` and ``bounds`` are public names: ``"mla-weighted"`` is the one planner in the module
    ``planners/mla_weighted.py`` of the machine's package. What several machines share stands in the list of one of them,
    or of :mod:`planner.machines.several`; whom a method serves it says itself (:class:`planner.search.method.Method`).

    The other lists name any methods. ``preferred``: the planners to run where nobody names one, the best first;
    ``preferred_bounds`` likewise, much proven in little time first. ``quick``: planners that nearly always have a valid plan
    at once; ``exact``: exact planners that end soon or say soon that they cannot, of which the first that serves the problem is tried,
    each with the share of what is left that it may take; ``first``: those for the first picture of a model; ``further``: who is asked where all of these found nothing;
    ``without_solver``: who finds some valid plan and loads no solver. ``immediate``: the bound that takes no time.
    ``unasked``: the bounds that are proven unasked beside every plan, the cheapest first. ``effort``: of planners that would search on
    for ever, how many iterations times ops (and a hundred) one of them has where nobody sets a limit.

    Further parts are ``module:name``, relative to the package where they begin with a dot, and empty where the machine has
    none of its own:

    * ``knowledge``: a :class:`planner.methods.feasibility.knowledge.Knowledge`;
    * ``repair``: ``(best, clock, rng)``, offers valid plans near a broken one to a :class:`planner.methods.repair.best.Best`;
    * ``least``: ``(problem) -> [Least]``, see :mod:`planner.methods.least`;
    * ``domains``: ``(problem) -> uint64[n]``, the devices that each op can ever be on, a bit each; None without a valid plan;
    * ``alone``: ``(evaluator, device_of) -> Alone``, when pieces run for a single sample, see :mod:`planner.methods.alone`;
    * ``simulate``: ``(problem, device_of, options) -> SimulationReport``, how a plan executes, see :mod:`planner.methods.simulation`;
    * ``stuck``: ``(problem, device_of) -> SimulationReport | None``, why a valid plan is known at once not to execute;
    * ``warm``: a :class:`planner.methods.tiny.Warm`, the tiny problems that are compiled on;
    * ``exports``: a :class:`planner.export.form.Form` each, by the name that the command line knows it by,
      with what its file holds in a few words.
    """

    package: str
    target: type[Target]
    planners: tuple[str, ...] = ()
    bounds: tuple[str, ...] = ()
    preferred: tuple[str, ...] = ()
    preferred_bounds: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()
    exact: Mapping[str, float] = field(default_factory=dict)
    first: tuple[str, ...] = ()
    further: tuple[str, ...] = ()
    without_solver: tuple[str, ...] = ()
    immediate: str = ""
    unasked: tuple[str, ...] = ()
    effort: Mapping[str, float] = field(default_factory=dict)
    knowledge: str = ""
    repair: str = ""
    least: str = ""
    domains: str = ""
    alone: str = ""
    simulate: str = ""
    stuck: str = ""
    warm: str = ""
    exports: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def part(self, name: str) -> Any:
        """What the field ``name`` stands for; None where the machine has none."""
        named: str = getattr(self, name)
        return self.load(named) if named else None

    def load(self, named: str) -> Any:
        """``module:name``, relative to the package where it begins with a dot."""
        return load(f"{self.package}{named}" if named.startswith(".") else named)
