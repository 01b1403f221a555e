"""What a crash would lose of orders: plan files beside the journals, and the network, too, where it came from no file.

The order under edit is one file, what planners and people found besides one each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui.document import autosave
from gui.document.autosave import Lost, read_head
from gui.document.crash_files import Damaged, left_behind
from gui.document.network.entries import OrderEntry
from gui.document.plan_list import bounds_with
from planner.errors import StageboardError

if TYPE_CHECKING:
    from gui.document.network.document import OrderDocument
    from gui.document.network.opening import OpenedNetwork
    from planner.plan_files.order_json import OpenedOrder

VERSION = 1


class Autosave(autosave.Autosave):
    """Keeps what is not saved of a document: its order, and the others of its list that are found again by no start."""

    kind = "orders"
    refused = "the order cannot be kept for a crash ({}); save your plan often"

    def __init__(self, document: OrderDocument, where: Path | None = None) -> None:
        super().__init__(document, where)
        self._document = document
        self._kept: dict[Path, object] = {}
        """What was written of the other orders, by file."""
        self.message.connect(document.message)
        document.model_changed.connect(self.discard)
        document.modified_changed.connect(lambda modified: None if modified else self.discard())

    def _others(self) -> list[OrderEntry]:
        document = self._document
        return [
            entry
            for entry in document.plans
            if isinstance(entry, OrderEntry) and entry is not document.active
            and entry.origin != "start" and entry.evaluation is not None
        ]  # fmt: skip

    def _moment(self) -> object:
        document, others = self._document, self._others()
        if not document.modified and all(entry.origin == "file" for entry in others):
            return None
        compared = None if document.compared is None else document.compared.name
        found = tuple((entry.id, *_told(entry)) for entry in others)
        return document.assignment_serial, tuple(document.plan_bounds), compared, found

    def _writer(self) -> Callable[[Path], Mapping[str, Any]]:
        from planner.formats.networks.npz import write_network
        from planner.plan_files.plan_json import write_plan

        document = self._document
        plan, bounds, network = document.current_plan(), document.plan_bounds, document.open_problem.network
        others = self._others()
        head = {
            "orders": VERSION, "name": network.name, "density": document.density,
            "models": [str(path) for path in document.paths],
            "plan": None if document.plan_path is None else str(document.plan_path),
            "modified": document.modified, "compared": "" if document.compared is None else document.compared.name,
            "others": {entry.id: entry.origin for entry in others},
        }  # fmt: skip
        found = [
            (entry.id, _told(entry), document.plan_of(entry), bounds_with(entry, document.bounds)) for entry in others
        ]  # fmt: skip

        def write(path: Path) -> Mapping[str, Any]:
            made_up = path.with_suffix(".npz")
            if not head["models"] and not made_up.exists():
                write_network(network, made_up)
            write_plan(path.with_suffix(".json"), plan, bounds)
            for id, told, other, known in found:
                file = _beside(path, id)
                if self._kept.get(file) != told or not file.exists():
                    write_plan(file, other, known)
                    self._kept[file] = told
            return head

        return write


def _told(entry: OrderEntry) -> tuple[object, ...]:
    """What tells whether an order of the list was written already."""
    return entry.name, entry.components, entry.evaluation


def _beside(head: Path, id: str) -> Path:
    return head.with_suffix(f".{id}.json")


# ---------------------------------------------------------------------- recovery
@dataclass(frozen=True)
class LostOrder(Lost):
    """An order that a process left behind that ended without closing its window."""

    density: float | None
    modified: bool = True
    """Whether the order itself was not saved."""
    compared: str = ""
    """The name of the order that stood beside it; empty for none."""
    others: tuple[tuple[Path, str], ...] = ()
    """The files of other orders, and where each came from."""

    @property
    def contents(self) -> str:
        """What was not saved, in words."""
        return "the order" if self.modified else "orders of the list"

    @property
    def recoverable(self) -> str:
        """What can be recovered, in words."""
        return "its order" if self.modified else "orders of its list"

    @property
    def plan(self) -> Path:
        """The plan file."""
        return self.path.with_suffix(".json")

    @property
    def files(self) -> tuple[Path, ...]:
        """What its network is read from."""
        return self.models or (self.path.with_suffix(".npz"),)


def lost_orders(where: Path | None = None, damaged: list[Path] | None = None) -> list[LostOrder]:
    """Orders that a crash left behind, the latest first. ``damaged`` ones are kept (:func:`left_behind`)."""
    return left_behind("orders", _read, where, damaged)


def _read(path: Path) -> LostOrder | None:
    """What a head says; None where nothing lies beside it. Raises :class:`Damaged`."""
    try:
        head = read_head(path, "orders", VERSION)
        density, saved = head["density"], head["plan"]
        lost = LostOrder(
            path, str(head["name"]), tuple(Path(str(model)) for model in head["models"]),
            None if saved is None else Path(str(saved)), float(head["time"]), None if density is None else float(density),
            bool(head.get("modified", True)), str(head.get("compared", "")),
            tuple((_beside(path, str(id)), str(origin)) for id, origin in dict(head.get("others", {})).items()),
        )  # fmt: skip
    except (OSError, ValueError, OverflowError, KeyError, TypeError, RecursionError, StageboardError):
        raise Damaged from None
    whole = lost.plan.is_file() and (lost.models or lost.files[0].is_file())
    return lost if whole else None


@dataclass(frozen=True)
class Found:
    """What a crash left, read again. ``others``: orders with their origin; ``missing``: why one of them could not be read."""

    network: OpenedNetwork
    order: OpenedOrder
    others: tuple[tuple[OpenedOrder, str], ...]
    missing: tuple[str, ...]


def prepare(lost: LostOrder) -> Found:
    """Read the network again and its orders. Raises :class:`StageboardError`; may take a while."""
    from gui.document.network.opening import prepare_network
    from planner.formats.networks.read import read_network
    from planner.plan_files.order_json import open_network_plan

    network = read_network(lost.files, density=lost.density)
    order = open_network_plan(lost.plan, network, own_record=True)
    others, missing = [], []
    for file, origin in lost.others:
        try:
            others.append((open_network_plan(file, network, own_record=True), origin))
        except StageboardError as error:
            missing.append(str(error))
    opened = prepare_network(network, lost.models, lost.density, order.plan.problem.target)
    return Found(opened, order, tuple(others), tuple(missing))
