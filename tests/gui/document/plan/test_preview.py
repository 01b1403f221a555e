"""Previews: what a drop on each device would do, and how far that is proven."""

from __future__ import annotations

import pytest

from gui.document.plan.document import Document
from tests.gui.document.plan.steps import heard

pytestmark = pytest.mark.usefixtures("qapp")


def test_a_preview_says_what_each_move_would_do(document: Document) -> None:
    assert document.problem is not None
    log = heard(document, "preview_changed")
    preview = document.begin_preview([4, 5])
    assert preview is not None
    for device in range(3):
        after = document.device_of.copy()
        after[[4, 5]] = device
        full = document.problem.evaluate(after)
        assert preview.objective[device] == pytest.approx(full.objective)
        assert preview.cost[device] == pytest.approx(full.cost)
        assert preview.memory[device] == pytest.approx(full.memory)
        assert preview.legal[device] == full.valid
        assert bool(preview.reasons(device)) == (not full.valid)
        if document.bound is not None:
            assert preview.gap[device] == pytest.approx(1 - document.bound.value / full.objective)
    document.update_preview(1)
    document.update_preview(1)
    document.update_preview(99)
    assert preview.target == -1
    document.end_preview()
    document.end_preview()
    assert document.preview is None
    assert len(log) == 4
    assert document.begin_preview([]) is None


def test_the_gap_of_a_preview_follows_what_is_proven_meanwhile(document: Document) -> None:
    preview = document.begin_preview([4])
    assert preview is not None and document.problem is not None
    before, log = preview.gap, heard(document, "preview_changed")
    least = float(preview.objective.min())
    document.add_bounds([document.problem.bound("bottleneck", least, "test", frozenset())])
    assert log and preview.gap is not before
    assert preview.gap == pytest.approx(1 - least / preview.objective)
    log.clear()
    document.readouts_changed.emit()
    assert not log  # nothing new
    document.end_preview()
