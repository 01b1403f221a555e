"""What a plan file says of the search that found the plan, so that it can be run again: starts, adoptions, and the race.

``search`` of a plan file's ``provenance`` has a ``format`` (1), the ``iteration`` at which the plan was found, ``starts``,
``adopted`` (``look``, ``iteration``, ``by``, ``plan``), ``bounds`` and ``race``. Plans are packed: int32 numbers, the lowest byte first,
compressed by zlib and written in base64, with their count.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from planner.errors import PlanError
from planner.formats.checks import figure, flag, items, shown, simple_attributes, table, text, whole
from planner.model.graph import Ints
from planner.plan_files.bound_json import bound_of, bounds_list
from planner.printable import clean
from planner.problem.provenance import Adoption, Entrant, Provenance, RaceRecord

SEARCH_FORMAT = 1
MOST_PLANS = 10_000
"""Starts and adoptions of one search."""
MOST_VALUES = 2**25
"""Numbers in all of them: 128 MiB once unpacked."""
MOST_ENTRANTS = 1_000


# ------------------------------------------------------------------------------------------------------------ writing
def search_dict(provenance: Provenance) -> dict[str, Any]:
    """What is to be known to run the search again, as JSON; empty where no search is known.

    More plans than a file may hold are left out, with the iteration: then nobody takes the search for repeatable.
    """
    p = provenance
    if p.iteration is None and not p.starts and not p.adopted and p.race is None:
        return {}
    plans = [*p.starts, *(adoption.decision for adoption in p.adopted)]
    fits = len(plans) <= MOST_PLANS and sum(map(len, plans)) <= MOST_VALUES
    return {
        "format": SEARCH_FORMAT,
        "iteration": p.iteration if fits else None,
        "starts": [packed(start) for start in p.starts] if fits else [],
        "adopted": [
            {
                "look": adoption.look,
                "iteration": adoption.iteration,
                "by": adoption.by,
                "plan": packed(adoption.decision),
            }
            for adoption in (p.adopted if fits else ())
        ],
        "bounds": bounds_list(p.bounds),
        **({} if p.race is None else {"race": _race_dict(p.race)}),
    }


def _race_dict(race: RaceRecord) -> dict[str, Any]:
    return {
        "finder": race.finder,
        "cores": race.cores,
        "gap": race.gap,
        "time_limit": race.time_limit,
        "entrants": [
            {
                "name": entrant.name,
                "method": entrant.method,
                "bound": entrant.is_bound,
                "seed": entrant.seed,
                "options": simple_attributes(dict(entrant.options)),
            }
            for entrant in race.entrants
        ],
    }


def packed(decision: Ints) -> dict[str, Any]:
    """A decision (int32[n]) as JSON, small: ``length`` and ``data``."""
    data = zlib.compress(np.asarray(decision, "<i4").tobytes(), 9)
    return {"length": len(decision), "data": base64.b64encode(data).decode("ascii")}


# ------------------------------------------------------------------------------------------------------------ reading
def search_of(value: Any, what: str, claimed_by: str) -> dict[str, Any]:
    """The fields of :class:`Provenance` that ``value`` tells; none where a file has no such part. Raises :class:`PlanError`.

    ``claimed_by`` as for :func:`planner.plan_files.bound_json.bound_of`.
    """
    if value is None:
        return {}
    what = f"{what}: search"
    data = table(value, what, PlanError)
    if data.get("format") != SEARCH_FORMAT:
        raise PlanError(
            f"{what}: format {shown(data.get('format'))} is not known here, format {SEARCH_FORMAT} is; open the plan with the"
            " Stageboard that wrote it"
        )
    starts = items(data.get("starts", []), f"{what}: starts", PlanError)
    adopted = items(data.get("adopted", []), f"{what}: adopted", PlanError)
    entries = [table(entry, f"{what}: adopted", PlanError) for entry in adopted]
    plans = _unpacked([*starts, *(entry.get("plan") for entry in entries)], what)
    iteration = data.get("iteration")
    race = data.get("race")
    bounds = items(data.get("bounds", []), f"{what}: bounds", PlanError)
    return {
        "iteration": None if iteration is None else _count(iteration, f"{what}: iteration"),
        "starts": tuple(plans[: len(starts)]),
        "adopted": tuple(_adoption(e, plan, what) for e, plan in zip(entries, plans[len(starts) :], strict=True)),
        "bounds": tuple(
            bound_of(entry, f"{what}: bound number {i + 1}", claimed_by) for i, entry in enumerate(bounds)
        ),
        "race": None if race is None else _race(table(race, f"{what}: race", PlanError), f"{what}: race"),
    }  # fmt: skip


def _count(value: Any, what: str) -> int:
    return whole(value, what, 0, 2**62, PlanError)


def _adoption(entry: dict[str, Any], decision: Ints, what: str) -> Adoption:
    by = entry.get("by", "")
    return Adoption(
        look=_count(entry.get("look"), f"{what}: look"),
        iteration=_count(entry.get("iteration"), f"{what}: iteration"),
        decision=decision,
        by=clean(by) if isinstance(by, str) else "",
    )


def _unpacked(entries: Sequence[Any], what: str) -> list[Ints]:
    """Packed decisions, within what a file may ask for: what they claim to hold is what is made room for."""
    if len(entries) > MOST_PLANS:
        raise PlanError(f"{what}: it lists {len(entries):,} plans; at most {MOST_PLANS:,} are read")
    tables = [table(entry, f"{what}: plan", PlanError) for entry in entries]
    lengths = [whole(t.get("length"), f"{what}: length of a plan", 0, MOST_VALUES, PlanError) for t in tables]
    if sum(lengths) > MOST_VALUES:
        raise PlanError(f"{what}: its plans hold {sum(lengths):,} numbers; at most {MOST_VALUES:,} are read")
    return [_unpack(t.get("data"), length, what) for t, length in zip(tables, lengths, strict=True)]


def _unpack(value: Any, length: int, what: str) -> Ints:
    broken = PlanError(f"{what}: a plan in it is damaged; save the plan again")
    if not isinstance(value, str):
        raise broken
    try:
        inflater = zlib.decompressobj()
        raw = inflater.decompress(base64.b64decode(value, validate=True), 4 * length + 1)
    except (binascii.Error, ValueError, zlib.error):
        raise broken from None
    if len(raw) != 4 * length or not inflater.eof:
        raise broken
    decision = np.frombuffer(raw, "<i4").astype(np.int32)
    decision.setflags(write=False)
    return decision


def _race(data: dict[str, Any], what: str) -> RaceRecord:
    entries = items(data.get("entrants"), f"{what}: entrants", PlanError)
    if not 0 < len(entries) <= MOST_ENTRANTS:
        raise PlanError(f"{what}: it lists {len(entries)} entrants; 1 to {MOST_ENTRANTS:,} are read")
    entrants = tuple(_entrant(table(entry, f"{what}: entrant", PlanError), what) for entry in entries)
    gap, limit = data.get("gap"), data.get("time_limit")
    return RaceRecord(
        entrants=entrants,
        finder=whole(data.get("finder"), f"{what}: finder", 0, len(entrants) - 1, PlanError),
        cores=whole(data.get("cores", 1), f"{what}: cores", 1, 1_000_000, PlanError),
        gap=None if gap is None else figure(gap, f"{what}: gap", PlanError),
        time_limit=None if limit is None else figure(limit, f"{what}: time_limit", PlanError),
    )


def _entrant(data: dict[str, Any], what: str) -> Entrant:
    method = text(data.get("method"), f"{what}: method", PlanError)
    name = data.get("name")
    return Entrant(
        method=method,
        is_bound=flag(data.get("bound", False), f"{what}: bound", PlanError),
        options=simple_attributes(data.get("options")),
        seed=whole(data.get("seed", 0), f"{what}: seed", 0, 2**63 - 1, PlanError),
        name=clean(name) if isinstance(name, str) and name else method,
    )
