"""Several planners and bound methods on one problem at the same time, sharing what they find (see ``docs/race.md``)."""

from planner.problem.provenance import Entrant, RaceRecord
from planner.runs.race.events import (
    Adopted,
    Better,
    Event,
    Finished,
    Paused,
    Progressed,
    Proven,
    RaceEnded,
    Refused,
    Resumed,
    Started,
)
from planner.runs.race.field import Serving, good_field, serving
from planner.runs.race.race import Race
from planner.runs.race.standing import Best, Standing, Taken

__all__ = [
    "Adopted",
    "Best",
    "Better",
    "Entrant",
    "Event",
    "Finished",
    "Paused",
    "Progressed",
    "Proven",
    "Race",
    "RaceEnded",
    "RaceRecord",
    "Refused",
    "Resumed",
    "Serving",
    "Standing",
    "Started",
    "Taken",
    "good_field",
    "serving",
]
