"""What a crash would lose of an order: a plan file beside the journals, and the network, too, where it came from no file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui.document import autosave
from gui.document.autosave import Lost, read_head
from gui.document.crash_files import left_behind
from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument
    from gui.document.network.opening import OpenedNetwork
    from planner.plan_files.order_json import OpenedOrder

VERSION = 1


class Autosave(autosave.Autosave):
    """Keeps the order of a document that is not saved."""

    kind = "orders"
    refused = "the order cannot be kept for a crash ({}); save your plan often"

    def __init__(self, document: OrderDocument, where: Path | None = None) -> None:
        super().__init__(document, where)
        self._document = document
        self.message.connect(document.message)
        document.model_changed.connect(self.discard)
        document.modified_changed.connect(lambda modified: None if modified else self.discard())

    def _moment(self) -> object:
        document = self._document
        return (document.assignment_serial, tuple(document.plan_bounds)) if document.modified else None

    def _writer(self) -> Callable[[Path], Mapping[str, Any]]:
        from planner.formats.networks.npz import write_network
        from planner.plan_files.plan_json import write_plan

        document = self._document
        plan, bounds, network = document.current_plan(), document.plan_bounds, document.open_problem.network
        head = {
            "orders": VERSION, "name": network.name, "density": document.density,
            "models": [str(path) for path in document.paths],
            "plan": None if document.plan_path is None else str(document.plan_path),
        }  # fmt: skip

        def write(path: Path) -> Mapping[str, Any]:
            made_up = path.with_suffix(".npz")
            if not head["models"] and not made_up.exists():
                write_network(network, made_up)
            write_plan(path.with_suffix(".json"), plan, bounds)
            return head

        return write


# ---------------------------------------------------------------------- recovery
@dataclass(frozen=True)
class LostOrder(Lost):
    """An order that a process left behind that ended without closing its window."""

    density: float | None

    @property
    def contents(self) -> str:
        """What was not saved, in words."""
        return "the order"

    @property
    def recoverable(self) -> str:
        """What can be recovered, in words."""
        return "its order"

    @property
    def plan(self) -> Path:
        """The plan file."""
        return self.path.with_suffix(".json")

    @property
    def files(self) -> tuple[Path, ...]:
        """What its network is read from."""
        return self.models or (self.path.with_suffix(".npz"),)


def lost_orders(where: Path | None = None) -> list[LostOrder]:
    """Orders that a crash left behind, the latest first. Damaged ones are deleted on the way."""
    return left_behind("orders", _read, where)


def _read(path: Path) -> LostOrder | None:
    """What a head says; None where it is damaged, or nothing lies beside it."""
    try:
        head = read_head(path, "orders", VERSION)
        density, saved = head["density"], head["plan"]
        lost = LostOrder(
            path, str(head["name"]), tuple(Path(str(model)) for model in head["models"]),
            None if saved is None else Path(str(saved)), float(head["time"]), None if density is None else float(density),
        )  # fmt: skip
    except (OSError, ValueError, OverflowError, KeyError, TypeError, RecursionError, StageboardError):
        return None
    whole = lost.plan.is_file() and (lost.models or lost.files[0].is_file())
    return lost if whole else None


def prepare(lost: LostOrder) -> tuple[OpenedNetwork, OpenedOrder]:
    """Read the network again and its order. Raises :class:`StageboardError`; may take a while."""
    from gui.document.network.opening import prepare_network
    from planner.formats.networks.read import read_network
    from planner.plan_files.order_json import open_network_plan

    network = read_network(lost.files, density=lost.density)
    order = open_network_plan(lost.plan, network, own_record=True)
    return prepare_network(network, lost.models, lost.density, order.plan.problem.target), order
