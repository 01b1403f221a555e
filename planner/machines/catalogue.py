"""The catalogue of machines, planners and bound methods: what exists and what serves a problem.

Each machine says in its entry (:mod:`planner.machines.machine`) what it has; nothing is listed here but the folders.
"""

from __future__ import annotations

import difflib
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from planner.errors import PlannerRefusal, StageboardError, TargetError
from planner.loading import first_step
from planner.machines.machine import Machine
from planner.machines.titles import TITLES
from planner.problem.base import PlanningProblem
from planner.search.method import BoundMethod, Method, Planner

if TYPE_CHECKING:
    from planner.export.form import Form

OWN = ("pipeline", "pool", "edge_tpu", "mcm", "several", "two_level_memory")
"""The folders of this package, in the order in which lists show them; ``several`` has what serves more than one machine."""
STEP_SECONDS = 0.005
"""Processor seconds after which :func:`import_next` leaves the rest for the next time."""
OTHERS = "STAGEBOARD_MACHINES"
"""The variable of the environment that names the entries of machines in other packages: modules, separated by commas."""


M = TypeVar("M", bound=Method)
DEFAULT = "auto"
"""The planner of those who name none, and the bound method that runs beside it: both let others work."""


def register(module: str) -> None:
    """Add a machine of another package for this process and those that it starts: ``module`` has its entry, ``MACHINE``."""
    os.environ[OTHERS] = ",".join(dict.fromkeys([*_others(), module]))


def _others() -> list[str]:
    return [name.strip() for name in os.environ.get(OTHERS, "").split(",") if name.strip()]


def _entries() -> tuple[str, ...]:
    return (*(f"{__package__}.{folder}.machine" for folder in OWN), *_others())


@cache
def _entry(module: str) -> Any:
    """The entry of a machine, or the lists of ``several``. Raises :class:`StageboardError` where there is none."""
    try:
        found = import_module(module)
    except ImportError as error:
        raise StageboardError(
            f"{OTHERS} names {module}, which cannot be imported ({error}); correct the variable"
        ) from error
    entry = getattr(found, "MACHINE", None)
    if module in _others() and not isinstance(entry, Machine):
        raise StageboardError(f"{OTHERS} names {module}, which has no MACHINE; name the module of an entry")
    return entry or found


def machines() -> dict[str, Machine]:
    """The entry of every machine by the kind of its target."""
    return _machines(_entries())


@cache
def _machines(entries: tuple[str, ...]) -> dict[str, Machine]:
    found = [entry for entry in map(_entry, entries) if isinstance(entry, Machine)]
    return {entry.target.kind: entry for entry in found}


def machine_of(problem: PlanningProblem) -> Machine:
    """The entry of the machine that a problem is for. Raises :class:`TargetError` where the catalogue has none of that kind."""
    known, kind = machines(), problem.target.kind
    if kind not in known:
        raise TargetError(
            f"no machine of the kind '{kind}' is known; register its entry, or name it in {OTHERS}"
        )
    return known[kind]


@cache
def _modules(kind: str, entries: tuple[str, ...]) -> dict[str, str]:
    """The module of every method of a ``kind``, ``planners`` or ``bounds``, by name; none of them is imported."""
    return {
        method: f"{module.rpartition('.')[0]}.{kind}.{method.replace('-', '_')}"
        for module in entries
        for method in getattr(_entry(module), kind)
    }


@cache
def _method(module: str, name: str, base: Any) -> Any:
    """The one subclass of ``base`` of that name in a module, made."""
    for one in vars(import_module(module)).values():
        if isinstance(one, type) and issubclass(one, base) and getattr(one, "name", "") == name:
            return one()
    raise LookupError(f"{module} defines no {base.__name__} named '{name}'")


class Methods(Mapping[str, M]):
    """Methods by name, the planner of those who name none first. One is imported when it is asked for, all with the values."""

    def __init__(self, kind: str, base: Any, entries: tuple[str, ...]) -> None:
        known = _modules(kind, entries)
        first = [DEFAULT] if DEFAULT in known and base is Planner else []
        self._modules = {name: known[name] for name in (*first, *(n for n in known if n not in first))}
        self._base = base

    def __getitem__(self, name: str) -> M:
        found: M = _method(self._modules[name], name, self._base)
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._modules

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


def planners() -> Methods[Planner]:
    """Every planner by name, the default one first."""
    return Methods("planners", Planner, _entries())


def planner_title(name: str) -> str | None:
    """The title of a planner by name; None where there is none. Imports nothing for those of this package."""
    if name in TITLES or not _others():
        return TITLES.get(name)
    known = planners()
    return known[name].title if name in known else None


def bound_methods() -> Methods[BoundMethod]:
    """Every bound method by name."""
    return Methods("bounds", BoundMethod, _entries())


def methods_about(problem: PlanningProblem) -> tuple[list[Planner], list[BoundMethod]]:
    """All that plan networks where the problem is one of a network, else all that plan graphs, whether they serve it or not.

    What has nothing to say about such problems is not imported.
    """
    networks, entries = problem.target.plans_networks, _entries_about(problem)
    plans: Methods[Planner] = Methods("planners", Planner, entries)
    proofs: Methods[BoundMethod] = Methods("bounds", BoundMethod, entries)
    return (
        [m for m in plans.values() if m.plans_networks == networks],
        [m for m in proofs.values() if m.plans_networks == networks],
    )


def import_next(problem: PlanningProblem) -> bool:
    """Import some modules that :func:`methods_about` needs and that are not there yet, for about :data:`STEP_SECONDS`; whether there were any.
    For who may not wait for all of them."""
    until = 0.0
    for kind in ("planners", "bounds"):
        for module in _modules(kind, _entries_about(problem)).values():
            while module not in sys.modules:
                if until and time.thread_time() > until:
                    return True
                until = until or time.thread_time() + STEP_SECONDS
                import_module(first_step(module))
    return bool(until)


def _entries_about(problem: PlanningProblem) -> tuple[str, ...]:
    """The entries that have something to say about problems of networks, where ``problem`` is one, else about those of graphs."""
    networks = problem.target.plans_networks

    def about(entry: Any) -> bool:
        return not isinstance(entry, Machine) or entry.target.plans_networks == networks

    return tuple(name for name in _entries() if about(_entry(name)))


def machine_formats() -> dict[str, str]:
    """The formats of exports that single machines have, by name, with what their files hold."""
    return {name: what for machine in machines().values() for name, (_, what) in machine.exports.items()}


def machine_form(name: str) -> Form | None:
    """A format of :func:`machine_formats`; None for any other."""
    for machine in machines().values():
        if name in machine.exports:
            found: Form = machine.load(machine.exports[name][0])
            return found
    return None


def planner(name: str) -> Planner:
    """A planner by name; no other is imported for it. Raises :class:`PlannerRefusal`."""
    found: Planner = _named("planners", "planner", name, Planner)
    return found


def bound_method(name: str) -> BoundMethod:
    """A bound method by name; no other is imported for it. Raises :class:`PlannerRefusal`."""
    found: BoundMethod = _named("bounds", "bound method", name, BoundMethod)
    return found


def _named(kind: str, word: str, name: str, base: Any) -> Any:
    known = _modules(kind, _entries())
    if name not in known:
        raise _unknown(word, name, list(known))
    return _method(known[name], name, base)


def _unknown(word: str, name: str, known: list[str]) -> PlannerRefusal:
    near = difflib.get_close_matches(name, known, 1) or [
        one for one in known if name and one.startswith(name)
    ]
    hint = f"did you mean '{near[0]}'?" if near else f"choose from {', '.join(known)}"
    return PlannerRefusal(f"there is no {word} '{name}'; {hint}")


def planner_asked(name: str, problem: Callable[[], PlanningProblem]) -> Planner:
    """A planner by name; ``problem`` makes what it is to plan. Raises :class:`PlannerRefusal`.

    For a name that does not exist the problem is made, and only planners that serve it are suggested.
    """
    if name in _modules("planners", _entries()):
        return planner(name)
    raise _unknown("planner", name, [p.name for p in planners_for(problem())])


def planners_for(problem: PlanningProblem) -> list[Planner]:
    """The planners that serve this problem, constraints included, in catalogue order."""
    return [p for p in methods_about(problem)[0] if p.refusal(problem) is None]


def serving(problem: PlanningProblem, names: tuple[str, ...]) -> list[Planner]:
    """Those of the planners called ``names`` that serve this problem, in that order."""
    return [p for p in map(planner, names) if p.refusal(problem) is None]


def default_planner(problem: PlanningProblem) -> Planner:
    """The planner that runs where nobody names one: ``auto``. Raises :class:`PlannerRefusal` where no planner serves the problem."""
    own_planner(problem)
    return planner(DEFAULT)


def own_planner(problem: PlanningProblem) -> Planner:
    """A good planner for the problem: the first of its machine's preferred ones that serves it.

    Raises :class:`PlannerRefusal` where none does.
    """
    found = serving(problem, machine_of(problem).preferred)
    if found:
        return found[0]
    raise PlannerRefusal(
        f"no planner serves {problem.objective} on {problem.target.in_words} with these constraints"
    )


def default_bounds(problem: PlanningProblem) -> list[BoundMethod]:
    """The bound methods that serve the problem, the one that proves most in little time first. Raises :class:`PlannerRefusal` without any.

    Some see only when they run that a problem is too large for them: the next one is asked then.
    """
    found = [m for m in map(bound_method, machine_of(problem).preferred_bounds) if m.refusal(problem) is None]
    if found:
        return found
    raise PlannerRefusal(
        f"no bound method serves {problem.objective} on {problem.target.in_words} with these constraints"
    )


def default_bound(problem: PlanningProblem) -> BoundMethod:
    """The first of :func:`default_bounds`. Raises :class:`PlannerRefusal` where none serves."""
    return default_bounds(problem)[0]


def unasked_bounds(problem: PlanningProblem) -> list[BoundMethod]:
    """The bound methods that run unasked beside every plan of a problem, the cheapest first: where none of those that its machine
    wants to serves it, the preferred ones that take time."""
    machine = machine_of(problem)
    others = tuple(name for name in machine.preferred_bounds if name not in (DEFAULT, machine.immediate))
    for names in (machine.unasked, others):
        if found := [m for m in map(bound_method, names) if m.refusal(problem) is None]:
            return found
    return []


def immediate_bound(problem: PlanningProblem) -> BoundMethod | None:
    """The bound method that takes no time worth mentioning: what is proven before any search; None where none serves.

    Nothing else of the catalogue is imported for it.
    """
    name = machine_of(problem).immediate
    method = bound_method(name) if name else None
    return method if method is not None and method.refusal(problem) is None else None
