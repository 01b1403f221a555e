"""What is selected, and what is under the pointer."""

from __future__ import annotations

import pytest

from gui.document.plan.document import Document
from tests.gui.document.plan.steps import heard

pytestmark = pytest.mark.usefixtures("qapp")


def test_selection_modes(document: Document) -> None:
    log = heard(document, "selection_changed", "hover_changed")
    document.select([5, 3, 3, 99, -1])
    assert document.selection.tolist() == [3, 5]
    document.select([3, 5])
    assert len(log) == 1
    document.select([4], "add")
    document.select([4, 6], "toggle")
    assert document.selection.tolist() == [3, 5, 6]
    document.select([3], "remove")
    assert document.selection.tolist() == [5, 6]
    document.select([2])
    document.select_connected("ancestors")
    assert document.selection.tolist() == [0, 1, 2]
    document.select_connected("descendants")
    assert document.selection.tolist() == list(range(12))
    document.set_hover(4)
    document.set_hover(99)
    assert document.hover == -1
    with pytest.raises(ValueError, match="mode"):
        document.select([1], "both")
