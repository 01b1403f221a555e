"""What the file of an order claims is shown beside that order, and proves nothing."""

from __future__ import annotations

import json
from pathlib import Path

from pytestqt.qtbot import QtBot

from gui.canvas.network.picture import standing
from gui.document.network.document import OrderDocument
from planner.plan_files.order_json import open_network_plan
from planner.plan_files.plan_json import write_plan
from planner.problem.claims import claimed
from planner.problem.provenance import Provenance
from tests.gui.editors.network.models import document_of, opened, shuffled_order
from tests.gui.editors.network.window_parts import order_window


def forged(folder: Path) -> Path:
    """An order far from the best, in a file that says that none is better."""
    problem = opened().problem
    plan = problem.plan(shuffled_order(problem.network), Provenance("by hand"), "bad")
    return write_plan(
        folder / "forged.plan.json", plan, [problem.bound("ios", plan.objective, "theorem-1", frozenset())]
    )


def open_in(document: OrderDocument, file: Path) -> None:
    assert document.network is not None
    read = open_network_plan(file, document.network)
    document.open_plan(read.plan, read.bounds, file)


def test_a_document_keeps_it_with_its_order(qapp: object, tmp_path: Path) -> None:
    document = document_of()
    # An order of the list is better and valid: it would refute the claim at once.
    document.plan_list.entries[:] = [entry for entry in document.plans if entry.name == "shuffled"]
    document.plan_list.active_id = document.plans[0].id
    file = forged(tmp_path)
    open_in(document, file)
    assert document.claim is not None and not claimed(document.bounds)
    assert document.gap is not None and document.gap > 0
    words = " ".join(standing(document.open_problem, document.order, document.plan_bounds))
    assert "not proven" in words and "optimal" not in words
    saved = tmp_path / "saved.plan.json"
    document.save_plan(saved)
    stored = json.loads(saved.read_text())["bounds"]
    assert sorted(b.get("claimed_by", "") for b in stored) == ["", "forged.plan.json"]
    # What crashed is recovered from a record of our own: proofs stay proofs, and claims stay claims.
    assert document.network is not None
    record = open_network_plan(saved, document.network, own_record=True)
    assert sorted(b.claimed_by for b in record.bounds) == ["", "forged.plan.json"]
    document.recover(record.plan, record.bounds, None)
    assert document.claim is not None and document.claim.claimed_by == "forged.plan.json"
    document.apply_plan(document.plans[0])
    assert document.claim is None
    document.close()


def test_a_better_order_refutes_it(qtbot: QtBot, tmp_path: Path) -> None:
    document = document_of()
    better = next(entry for entry in document.plans if entry.name == "by neuron")
    file = forged(tmp_path)
    open_in(document, file)
    assert document.claim is not None
    with qtbot.waitSignal(document.message) as said:
        document.refresh_entry(better)
    assert "refuted by the plan “by neuron”" in said.args[0].text
    assert document.claim is None
    document.close()


def test_the_window_tells_and_offers_to_prove(qtbot: QtBot, tmp_path: Path) -> None:
    file = forged(tmp_path)
    with order_window(qtbot) as window:
        window.files.open_plan_file(file)
        qtbot.waitUntil(lambda: window.settled, timeout=10_000)
        assert window.notice.text.startswith("forged.plan.json claims a bound of ")
        assert window.readouts.bound.note.endswith("not proven")
        assert window.readouts.gap.value != "optimal"
        window.readouts.gap_bar.grab()
        job = window.proving.prove()
        assert job is not None and job.planner == "theorem-1"
        qtbot.waitUntil(lambda: not job.alive, timeout=60_000)
        assert window.document.claim is not None
        assert window.notice.text.endswith("ended without it")
        qtbot.waitUntil(lambda: window.settled, timeout=10_000)
