"""Where the plans of a race come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planner import __version__
from planner.options import parse_options
from planner.problem.provenance import Origin, Provenance, RaceRecord
from planner.problem.provenance import provenance_of as found_in
from planner.runs.race.methods import method_of

if TYPE_CHECKING:
    from planner.runs.race.standing import Reached, Standing


def provenance_of(race: Reached, standing: Standing) -> Provenance:
    """Where the best own plan of an entrant comes from: enough to find it again."""
    entrant = standing.entrant
    method = method_of(entrant)
    own = Origin(
        entrant.method,
        parse_options(method.options, entrant.options, method.name),
        entrant.seed,
        standing.found_at,
        # Who found it before looking at the starts does not depend on them.
        standing.starts if standing.found_warm else (),
        standing.given_bounds,
    )
    record = RaceRecord(
        tuple(s.entrant for s in race.standings), standing.index, race.cores, race.gap_wanted, race.time_limit
    )
    adopted = () if standing.found_by is not None else tuple(standing.adoptions[: standing.found_adoptions])
    return found_in(
        standing.found_by or own,
        standing.found_after,
        standing.ending or "running",
        adopted,
        record,
        race.time_limit,
    )


def given_plan(race: Reached, name: str) -> Any:
    """The plan that the race was given, while nobody is better; else None."""
    if race.best is None or race.best.by >= 0:
        return None
    given = Provenance(planner="given", version=__version__, note="the plan that a race began with")
    return race.problem.plan(race.best.decision, given, name)
