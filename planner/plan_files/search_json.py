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
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct

from planner.errors import PlanError
from planner.formats.checks import Count, Figure, Flag, Long, Text, shown, simple_attributes, table, words
from planner.model.graph import Ints
from planner.plan_files.bound_json import StoredBound, bound_of, bounds_list
from planner.printable import clean
from planner.problem.provenance import Adoption, Entrant, Provenance, RaceRecord
from planner.typed_json import typed

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
class _Packed(Struct):
    length: Count
    data: str


class _Adopted(Struct):
    look: Long
    iteration: Long
    plan: _Packed
    by: Any = None


class _Entrant(Struct):
    method: Text
    bound: Flag = False
    options: Any = None
    seed: Long = 0
    name: Any = None


class _Race(Struct):
    entrants: list[_Entrant]
    finder: Count
    cores: (
        Annotated[int, Meta(ge=1, le=1_000_000)] | Annotated[float, Meta(ge=1, le=1_000_000, multiple_of=1)]
    ) = 1
    gap: Figure | None = None
    time_limit: Figure | None = None


class _Search(Struct):
    iteration: Long | None = None
    starts: list[_Packed] = []
    adopted: list[_Adopted] = []
    bounds: list[StoredBound] = []
    race: _Race | None = None


def search_of(value: Any, what: str, claimed_by: str) -> dict[str, Any]:
    """The fields of :class:`Provenance` that ``value`` tells; none where a file has no such part. Raises :class:`PlanError`.

    ``claimed_by`` as for :func:`planner.plan_files.bound_json.bound_of`.
    """
    if value is None:
        return {}
    what = f"{what}: search"
    if (version := table(value, what, PlanError).get("format")) != SEARCH_FORMAT:
        raise PlanError(
            f"{what}: format {shown(version)} is not known here, format {SEARCH_FORMAT} is; open the plan with the"
            " Stageboard that wrote it"
        )
    search = typed(value, _Search, what, PlanError)
    plans = _unpacked([*search.starts, *(one.plan for one in search.adopted)], what)
    adopted = zip(search.adopted, plans[len(search.starts) :], strict=True)
    return {
        "iteration": None if search.iteration is None else int(search.iteration),
        "starts": tuple(plans[: len(search.starts)]),
        "adopted": tuple(
            Adoption(
                int(one.look), int(one.iteration), plan, clean(one.by) if isinstance(one.by, str) else ""
            )
            for one, plan in adopted
        ),
        "bounds": tuple(bound_of(bound, claimed_by) for bound in search.bounds),
        "race": None if search.race is None else _race(search.race, f"{what}: race"),
    }


def _unpacked(entries: Sequence[_Packed], what: str) -> list[Ints]:
    """Packed decisions, within what a file may ask for: what they claim to hold is what is made room for."""
    if len(entries) > MOST_PLANS:
        raise PlanError(f"{what}: it lists {len(entries):,} plans; at most {MOST_PLANS:,} are read")
    total = sum(int(entry.length) for entry in entries)
    if total > MOST_VALUES:
        raise PlanError(f"{what}: its plans hold {total:,} numbers; at most {MOST_VALUES:,} are read")
    return [_unpack(entry.data, int(entry.length), what) for entry in entries]


def _unpack(data: str, length: int, what: str) -> Ints:
    broken = PlanError(f"{what}: a plan in it is damaged; save the plan again")
    try:
        inflater = zlib.decompressobj()
        raw = inflater.decompress(base64.b64decode(data, validate=True), 4 * length + 1)
    except (binascii.Error, ValueError, zlib.error):
        raise broken from None
    if len(raw) != 4 * length or not inflater.eof:
        raise broken
    decision = np.frombuffer(raw, "<i4").astype(np.int32)
    decision.setflags(write=False)
    return decision


def _race(race: _Race, what: str) -> RaceRecord:
    if not 0 < len(race.entrants) <= MOST_ENTRANTS:
        raise PlanError(f"{what}: it lists {len(race.entrants)} entrants; 1 to {MOST_ENTRANTS:,} are read")
    if race.finder >= len(race.entrants):
        raise PlanError(
            f"{what}: finder is {race.finder}; it must be a whole number from 0 to {len(race.entrants) - 1}"
        )
    return RaceRecord(
        entrants=tuple(_entrant(entrant) for entrant in race.entrants),
        finder=int(race.finder),
        cores=int(race.cores),
        gap=race.gap,
        time_limit=race.time_limit,
    )


def _entrant(entrant: _Entrant) -> Entrant:
    method = words(entrant.method)
    return Entrant(
        method=method,
        is_bound=bool(entrant.bound),
        options=simple_attributes(entrant.options),
        seed=int(entrant.seed),
        name=clean(entrant.name) if isinstance(entrant.name, str) and entrant.name else method,
    )
