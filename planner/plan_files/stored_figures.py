"""What a plan file says of its plan's costs, compared with what they are: every figure, and what is listed.

Nothing that a file claims is believed, all is computed again; this says where the two differ. Files of other versions may lack figures or
have further ones: only what both sides have is compared.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from planner.errors import PlanError
from planner.formats.checks import figure, items, shown, table, text
from planner.printable import clean

TOLERANCE = 1e-9
"""Relative difference at which a stored number and a computed one count as different."""
ROUNDING = 1e-13
"""Share of a figure's largest amount on any device that sums may be apart by rounding: what is left of a difference has few digits."""
SHOWN = 4
"""How many differences are told one by one."""


def differences(
    data: Mapping[str, Any],
    evaluation: Mapping[str, Any],
    sizes: Mapping[str, Any],
    devices: Sequence[str],
    file: str,
) -> list[str]:
    """Sentences on the figures of a plan file (``data``) that are not what they are; none where all are.

    ``evaluation`` is what the file would say now, ``sizes`` those of its model (the file's ``graph`` or ``network``), ``devices`` the names
    of the target's. Numbers differ beyond :data:`TOLERANCE`; null and missing ones do not. Raises :class:`PlanError`
    for what is no number where one belongs.
    """
    found: list[str] = []
    listed = table(data.get("decision", {}), f"{file}: decision", PlanError).get("devices")
    found += _listed(listed, devices, f"{file}: the decision's devices")
    stored = data.get("evaluation")
    if stored is not None:
        found += _evaluation(table(stored, f"{file}: evaluation", PlanError), evaluation, file, bool(found))
    model = "network" if "network" in data else "graph"
    given = table(data.get(model, {}), f"{file}: {model}", PlanError)
    for name, now in sizes.items():
        if isinstance(now, (int, float)):
            found += _number(
                given, name, now, f"{file}: {model}.{name}", f"the {model}'s number of {_words(name)}"
            )
    if len(found) <= SHOWN:
        return found
    return [*found[:SHOWN], f"and {len(found) - SHOWN:,} more of its figures are not what the file says"]


def _evaluation(stored: Mapping[str, Any], now: Mapping[str, Any], file: str, others: bool) -> list[str]:
    """Differences of an evaluation; ``others``: that the devices are others is said already."""
    where = f"{file}: evaluation"
    found: list[str] = []
    objective = stored.get("objective_name")
    if (
        objective is not None
        and text(objective, f"{where}.objective_name", PlanError) != now["objective_name"]
    ):
        found.append(f"the file says the objective is {shown(objective)}, it is '{now['objective_name']}'")
    found += _number(stored, "objective", now["objective"], f"{where}.objective", "the objective")
    for key, what in (("components", "component"), ("figures", "figure")):
        given = table(stored.get(key) or {}, f"{where}.{key}", PlanError)
        for name, value in (now.get(key) or {}).items():
            if name == "latency" and _without_activations(
                given.get(name), stored.get("devices"), now["devices"]
            ):
                continue
            found += _number(given, name, value, f"{where}: {what} '{name}'", name)
    for key in ("reads", "writes"):
        if key in now:
            found += _number(stored, key, now[key], f"{where}.{key}", f"the number of {key}")
    found += _rules(stored, now, where)
    return [*found, *_devices(stored.get("devices"), now["devices"], f"{where}.devices", others)]


def _without_activations(latency: Any, listed: Any, devices: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a latency of Edge TPUs is what it was before activations counted in it: the sum of all stage times, as ``listed`` by
    the file (whose own are compared by themselves)."""
    if not isinstance(latency, (int, float)) or not all("dram" in device for device in devices):
        return False
    given = (
        [entry.get("cost") for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    )
    known = len(given) == len(devices) and all(isinstance(cost, (int, float)) for cost in given)
    costs: list[Any] = given if known else [device["cost"] or 0.0 for device in devices]
    return math.isclose(latency, sum(costs), rel_tol=TOLERANCE)


def _number(
    stored: Mapping[str, Any], key: str, now: float | None, where: str, what: str, largest: float = 0.0
) -> list[str]:
    """A sentence where the number of that key is another than ``now`` (None: not finite)."""
    value = stored.get(key)
    if value is None:
        return []
    then = figure(value, where, PlanError)
    if now is None:
        return [f"the file says {what} is {then:.10g}, evaluated anew it is not finite"]
    if abs(then - now) <= max(TOLERANCE * max(abs(then), abs(now)), ROUNDING * largest):
        return []
    return [f"the file says {what} is {then:.10g}, evaluated anew it is {now:.10g}"]


def _rules(stored: Mapping[str, Any], now: Mapping[str, Any], where: str) -> list[str]:
    """Differences in whether the plan is valid, and in how many rules of each kind are broken."""
    found: list[str] = []
    valid = stored.get("valid")
    if valid is not None and not isinstance(valid, bool):
        raise PlanError(f"{where}.valid is {shown(valid)}; it must be true or false")
    if valid is not None and valid != now["valid"]:
        words = ("breaks rules", "is valid")
        found.append(f"the file says that it {words[valid]}, evaluated anew it {words[not valid]}")
    listed = stored.get("violations")
    if listed is None:
        return found
    then: Counter[str] = Counter()
    for i, entry in enumerate(items(listed, f"{where}.violations", PlanError)):
        broken = table(entry, f"{where}: violation number {i + 1}", PlanError)
        then[text(broken.get("kind"), f"{where}: kind of violation number {i + 1}", PlanError)] += 1
    are = Counter(violation["kind"] for violation in now["violations"])
    for kind in dict.fromkeys([*are, *then]):
        if then[kind] != are[kind]:
            count = f"{then[kind]:,} violation{'' if then[kind] == 1 else 's'}"
            found.append(
                f"the file lists {count} of kind '{kind[:40]}', evaluated anew there are {are[kind]:,}"
            )
    return found


def _devices(listed: Any, now: Sequence[Mapping[str, Any]], where: str, others: bool) -> list[str]:
    """Differences of what single devices pay."""
    if listed is None:
        return []
    given = [
        table(entry, f"{where}: number {i + 1}", PlanError)
        for i, entry in enumerate(items(listed, where, PlanError))
    ]
    names = [entry.get("name") for entry in given]
    found = [] if others else _listed(names, [entry["name"] for entry in now], where)
    by_name = {name: entry for name, entry in zip(names, given, strict=True) if isinstance(name, str)}
    numbers = [key for key in (now[0] if now else ()) if key not in ("name", "serves")]
    largest = {key: max(abs(entry[key] or 0.0) for entry in now) for key in numbers}
    for entry in now:
        stored, name = by_name.get(entry["name"], {}), entry["name"]
        left_out = _PUSHED_IN if _without_pushed(stored, entry) else ()
        for key in numbers:
            if key in left_out:
                continue
            what = f"the {'number of ' if key in ('ops', 'replicas') else ''}{_words(key)} of {name}"
            found += _number(stored, key, entry[key], f"{where}: {key} of '{name}'", what, largest[key])
        claimed, serves = stored.get("serves"), entry.get("serves")  # an idle device serves none
        if claimed is None or "serves" not in entry:
            continue
        if text(claimed, f"{where}: serves of '{name}'", PlanError) != serves:
            found.append(
                f"the file says {name} works for {shown(claimed)}, evaluated anew for {shown(serves)}"
            )
    return found


_PUSHED_IN = ("streaming", "cost")
"""What a stage pays that counts what activations push out of its cache, where the objective does."""


def _without_pushed(stored: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether an Edge TPU's streaming and cost are what they were before they counted what activations push out: both less by the same."""
    given = [stored.get(key) for key in _PUSHED_IN]
    if not now.get("pushed") or not all(isinstance(each, (int, float)) for each in given):
        return False
    streamed, paid = (now[key] - each for key, each in zip(_PUSHED_IN, given, strict=True))
    return streamed > 0.0 and math.isclose(streamed, paid, rel_tol=TOLERANCE)


def _listed(listed: Any, devices: Sequence[str], where: str) -> list[str]:
    """A sentence where a file lists other devices than there are."""
    if listed is None:
        return []
    names = [
        text(name, f"{where}: name number {i + 1}", PlanError)
        for i, name in enumerate(items(listed, where, PlanError))
    ]
    if len(names) != len(devices):
        return [f"the file lists {len(names):,} devices, its target has {len(devices):,}"]
    other = next((i for i, name in enumerate(names) if name != devices[i]), None)
    if other is None:
        return []
    return [f"the file lists '{clean(names[other])[:40]}' where its target has '{devices[other]}'"]


def _words(key: str) -> str:
    return key.replace("_", " ")
