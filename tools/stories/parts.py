"""What the scripts of the shipped stories are made of: keyframes whose captions are templates, filled with what is evaluated.

A template holds no figure of its own. ``{objective}`` and the like are the :func:`planner.story.telling.facts` of the keyframe's
plan, against the plan that it is compared with; the numbers in a caption therefore come from an evaluation and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.bound import Bound
from planner.problem.problem import Plan
from planner.problem.provenance import Provenance
from planner.story.files.plans import pack
from planner.story.keyframe import Camera, Keyframe
from planner.story.story import Story
from planner.story.subject import StoryModel
from planner.story.telling import facts, filled

BOTTLENECK, MOVED, BROKEN = "bottleneck", "moved", "broken"
"""What a keyframe can look at: the ops of the slowest device, those that moved, those that break a rule."""


@dataclass(frozen=True, eq=False)
class Made:
    """A plan of a script by the name that its keyframes use, and what is proven when it is shown."""

    name: str
    plan: Plan | OrderPlan
    bounds: tuple[Bound, ...] = ()


@dataclass(frozen=True)
class Scene:
    """A keyframe as it is scripted: ``plan`` and ``versus`` by name, ``title`` and ``caption`` as templates.

    ``zoom`` and ``mark`` name what the camera is on (at ``most`` so much of the width, where else lanes would be too low for their
    names) and what is highlighted (:data:`BOTTLENECK` and the others); ``done`` is the share of an order's
    connections that is done. ``notes`` are what the speaker may say, without figures.
    """

    plan: str
    title: str
    caption: str
    view: str = "lanes"
    panel: str = ""
    versus: str = ""
    zoom: str = ""
    most: float = 1.0
    mark: str = ""
    done: float | None = None
    hold: float = 7.0
    transition: float = 1.2
    notes: str = ""


@dataclass(frozen=True, eq=False)
class Script:
    """A story as it is scripted. ``make`` plans from nothing; ``dear`` where that takes more than a few seconds."""

    key: str
    title: str
    summary: str
    paths: tuple[str, ...]
    make: Callable[[], Sequence[Made]]
    scenes: tuple[Scene, ...]
    theme: str = "light"
    dear: bool = False


def story_of(script: Script) -> Story:
    """Plan, evaluate, fill the templates: the story of a script, the same each time."""
    made = {entry.name: entry for entry in script.make()}
    number = {name: i for i, name in enumerate(made)}
    plans = tuple(pack(timeless(entry.plan, name), _timeless(entry.bounds)) for name, entry in made.items())
    problem: Any = next(iter(made.values())).plan.problem
    model = problem.network if isinstance(next(iter(made.values())).plan, OrderPlan) else problem.graph
    return Story(
        title=script.title,
        summary=script.summary,
        models=(StoryModel(script.paths, model.fingerprint),),
        plans=plans,
        keyframes=tuple(_keyframe(scene, made, number) for scene in script.scenes),
        theme=script.theme,
    )


def _keyframe(scene: Scene, made: Mapping[str, Made], number: Mapping[str, int]) -> Keyframe:
    entry = made[scene.plan]
    versus = made[scene.versus].plan if scene.versus else None
    told = facts(entry.plan, entry.bounds, versus)
    return Keyframe(
        title=filled(scene.title, told),
        caption=filled(scene.caption, told),
        plan=number[scene.plan],
        view=scene.view,
        camera=_camera(scene, entry.plan, versus),
        highlight=_ids(entry.plan, _ops(scene.mark, entry.plan, versus)),
        panel=scene.panel,
        versus=number[scene.versus] if scene.versus else -1,
        at=None if scene.done is None else round(scene.done * _length(entry.plan)),
        hold=scene.hold,
        transition=scene.transition,
        notes=scene.notes,
    )


def _camera(scene: Scene, plan: Plan | OrderPlan, versus: Plan | OrderPlan | None) -> Camera | None:
    from gui.tools.story.cameras import camera_on

    return camera_on(plan, scene.view, _ops(scene.zoom, plan, versus), scene.most)


def _ops(what: str, plan: Plan | OrderPlan, versus: Plan | OrderPlan | None) -> list[int]:
    if not what or isinstance(plan, OrderPlan):
        return []
    if what == BOTTLENECK:
        return (plan.decision.device_of == plan.evaluation.bottleneck).nonzero()[0].tolist()
    if what == BROKEN:
        return list(plan.evaluation.violations[0].ops)
    assert isinstance(versus, Plan)
    return (plan.decision.device_of != versus.decision.device_of).nonzero()[0].tolist()


def _ids(plan: Plan | OrderPlan, ops: Sequence[int]) -> tuple[str, ...]:
    return tuple(plan.problem.graph.op_ids[v] for v in ops) if isinstance(plan, Plan) else ()


def _length(plan: Plan | OrderPlan) -> int:
    return len(plan.decision.order) if isinstance(plan, OrderPlan) else 0


# ---------------------------------------------------------------------- without clocks
def timeless(plan: Plan | OrderPlan, name: str) -> Any:
    """A plan whose provenance says nothing that depends on the day or on the machine."""
    of: Provenance = plan.provenance
    kept = replace(of, seconds=0.0, created="", bounds=_timeless(of.bounds))
    return replace(plan, provenance=kept, name=name)


def _timeless(bounds: Sequence[Bound]) -> tuple[Bound, ...]:
    return tuple(replace(bound, seconds=0.0) for bound in bounds)
