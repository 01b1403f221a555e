"""Back from a keyframe to the window of a network: its memory, its order (one undo step each), its moment, its neuron."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gui.document.network.opening import prepare_network
from gui.tools.story.frames import ElsewhereError, Frame
from planner.machines.two_level_memory.problem import OrderPlan

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument


def revisit_order(document: OrderDocument, frame: Frame, numbers: Sequence[int]) -> None:
    """Raises :class:`ElsewhereError` where the keyframe is about another network than the open one; opens it where none is."""
    plan, keyframe = frame.shown.plan, frame.keyframe
    if document.problem is None and isinstance(plan, OrderPlan):
        source = frame.shown.source
        document.install(
            prepare_network(plan.problem.network, source.paths, source.density, plan.problem.target)
        )
    problem = document.problem
    same = isinstance(plan, OrderPlan) and problem is not None
    if not same or problem.network.fingerprint != plan.problem.network.fingerprint:  # type: ignore[union-attr]
        raise ElsewhereError(frame)
    assert isinstance(plan, OrderPlan)
    if plan.problem.target != problem.target:  # type: ignore[union-attr]
        document.set_target(plan.problem.target)
    document.set_order(plan.decision.order, f"Show “{keyframe.title}”")
    document.set_position(keyframe.at or 0)
    document.select(int(keyframe.highlight[0]) if keyframe.highlight else -1)
