"""The plan list of a network's window: orders to choose from, one of them beside the one on the canvas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from PySide6.QtWidgets import QMenu, QWidget

from gui.document.network.entries import OrderEntry
from gui.document.plan_list import PlanEntry
from gui.look.numbers import plural
from gui.look.theme import Theme
from gui.panels.plans import PlansPanel
from gui.panels.plans_model import PlansModel

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument


class OrdersModel(PlansModel):
    """Rows of orders: reads and writes, and how much of all I/Os the bound accounts for."""

    def costs(self, entry: PlanEntry) -> np.ndarray:
        """What the bound says is needed and what is beyond it (float64[2]); empty where an order is not valid."""
        standing = entry.standing
        bound = None if standing is None or not entry.valid else standing.components[0].bound
        return np.empty(0) if bound is None else np.array([bound.value, entry.objective - bound.value])

    def unfit(self, entry: PlanEntry) -> str:
        """All orders fit any memory; those of large networks take a while to count."""
        return "counting …"

    def _further(self, entry: PlanEntry) -> str:
        """``4,618 reads, 696 writes``."""
        if not isinstance(entry, OrderEntry) or entry.evaluation is None:
            return ""
        return f"{entry.reads:,} reads, {entry.writes:,} writes"


class OrderPlansPanel(PlansPanel):
    """Return applies, F2 renames, Delete removes; Compare puts an order beside the one on the canvas."""

    model_class: ClassVar[type[PlansModel]] = OrdersModel

    def __init__(self, document: OrderDocument, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(cast(Any, document), theme, parent)
        self.list.setAccessibleName("Orders")
        document.compared_changed.connect(self.request_refresh)

    def differing(self, count: int) -> str:
        """How an order differs from the one on the canvas."""
        return (
            f"{plural(count, 'place')} of the order {'differs' if count == 1 else 'differ'} from the canvas"
        )

    def _look_at(self, index: object) -> None:
        """There are no ops to let stand out; Compare shows where two orders differ."""

    def add_to_menu(self, menu: QMenu, differs: bool) -> None:
        """There are no ops to select."""

    def comparable(self) -> list[PlanEntry]:
        """The order on the canvas and the current one, where that is another: two fit side by side."""
        entry, active = self.current(), self.document.active
        return [active, entry] if entry is not None and active is not None and entry is not active else []

    def _compare_tip(self, compared: int) -> str:
        return "Put this order beside the one on the canvas"
