"""The errors a person is meant to read: one sentence that says what is wrong, where, and what to do."""

from __future__ import annotations


class StageboardError(ValueError):
    """Base of all errors whose message is shown to the user as it stands."""


class ModelError(StageboardError):
    """A model file or graph cannot be used."""


class TargetError(StageboardError):
    """A target specification is malformed or does not fit the graph."""


class ConstraintError(StageboardError):
    """A constraint names something that does not exist or contradicts another."""


class PlanError(StageboardError):
    """A plan file is malformed or belongs to another graph."""


class PlannerRefusal(StageboardError):
    """A planner does not support the problem it was given."""


class NetworkError(StageboardError):
    """A sparse network, or a file that should hold one, cannot be used."""


class StoryError(StageboardError):
    """A story, or a file that should hold one, cannot be used."""
