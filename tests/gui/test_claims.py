"""What a file claims is shown beside its plan in every window and picture, proves nothing there, and can be proven with a click."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF
from pytestqt.qtbot import QtBot

from gui.canvas.graph.picture.subtitle import standing_text
from gui.document.plan.document import Document
from gui.document.proven_here import PROVEN
from gui.editors.comparison.panels.figures_painter import fitted
from gui.editors.comparison.panels.figures_words import CLAIMED, PROVEN_HERE, figures_table
from gui.editors.comparison.state import CompareState, file_sources
from gui.look.theme import LIGHT, font
from gui.panels.comparison.canvases import canvases
from gui.panels.comparison.words import BETWEEN, fitting_lines, pair_items, standing_tip, standing_words
from gui.panels.plans_model import ENTRY, SOURCE, PlansModel
from gui.panels.readouts import ReadoutStrip
from gui.present.captions import figures_text, runs_text
from gui.present.certificate.dialog import CertificateDialog
from gui.present.certificate.page import claim_lines, proof_lines
from gui.present.comparison.words import comparison_runs
from gui.present.html.words import certificate_table
from planner.machines.pipeline.target import Pipeline
from planner.plan_files.plan_json import open_plan, write_plan
from planner.problem.bound import proven
from planner.problem.claims import claimed
from planner.reports.certificate.certificate import certificate
from planner.runs.proving import with_known
from planner.story.proving import story_with_known
from tests.gui.window_parts import know_little, make_window, settle, shown
from tests.planner.forging import Files, claim, files, problem
from tests.planner.problem.test_claims import story

SENTENCE = "forged.plan.json claims a bound of 7.00 ms (exact), not proven here"


@pytest.fixture
def made(tmp_path: Path) -> Files:
    return files(tmp_path)


def document_with(file: Path) -> Document:
    document = Document()
    of = problem()
    document.open_graph(of.graph, target=of.target)
    know_little(document)
    document.open_plan(file)
    return document


def test_a_document_does_not_believe_a_file(qapp: object, made: Files) -> None:
    document = document_with(made.forged)
    assert document.gap == pytest.approx(4 / 7)
    assert not claimed(document.bounds) and document.bound is not None and document.bound.method == "simple"
    assert document.claim is not None and document.claim.claimed_by == "forged.plan.json"
    assert document.active is not None and claimed(document.plan_bounds) == document.active.claims
    # Another plan of the list is none of the file's, and neither is what becomes of it by hand.
    start = document.plans[0]
    document.apply_plan(start)
    assert document.claim is None
    document.undo_stack.undo()
    assert document.claim is not None
    document.set_assignment(np.array([0, 0, 0, 0, 1], np.int32), "edit", "by hand")
    assert document.claim is None and document.active.claims == ()


def test_what_was_proven_in_this_process_is_no_claim(qapp: object, tmp_path: Path) -> None:
    """A plan is saved with a proof, and its model and the plan are opened again: the proof holds as it did."""
    of, file = problem(), tmp_path / "own.plan.json"
    document = Document()
    document.open_graph(of.graph, target=of.target)
    know_little(document)
    gap = document.gap
    document.add_bounds([of.bound("bottleneck", document.evaluation.objective, "exact", frozenset())])
    assert gap and document.gap == 0.0
    write_plan(file, document.current_plan(), document.plan_bounds)
    again = Document()
    again.open_graph(of.graph, target=of.target)
    again.open_plan(file)
    assert again.claim is None and again.gap == 0.0 and again.bound is not None
    # It holds of this machine alone, and a file that says more is not believed.
    again.set_problem(Pipeline(2))
    assert all(
        bound.method != "exact" for bound in again.bounds if bound.relaxation == again.open_problem.relaxation
    )
    PROVEN.forget()
    stranger = Document()
    stranger.open_graph(of.graph, target=of.target)
    know_little(stranger)
    stranger.open_plan(file)
    assert stranger.claim is not None and stranger.gap == gap


def test_a_claim_goes_once_it_is_proven_or_refuted(qtbot: QtBot, made: Files, tmp_path: Path) -> None:
    true = write_plan(tmp_path / "true.plan.json", made.plan, [claim(made.plan, 0.0030001)])
    document = document_with(true)
    assert document.claim is not None
    document.add_bounds([claim(made.plan, 0.0030001)])
    assert document.claim is None
    document = document_with(made.forged)
    with qtbot.waitSignal(document.message) as said:
        document.add_plan(np.array([0, 0, 1, 1, 2], np.int32), "better")
    assert said.args[0].text == f"{SENTENCE}: refuted by the plan “better”"
    assert document.claim is None and document.active is not None and document.active.claims == ()


def test_saving_keeps_a_claim_a_claim(qapp: object, made: Files, tmp_path: Path) -> None:
    document = document_with(made.forged)
    document.save_plan(tmp_path / "saved.plan.json")
    bounds = json.loads((tmp_path / "saved.plan.json").read_text())["bounds"]
    assert {b["method"]: b.get("claimed_by", "") for b in bounds} == {
        "simple": "",
        "exact": "forged.plan.json",
    }
    document.apply_plan(document.plans[0])
    document.save_plan(tmp_path / "other.plan.json")
    assert "claimed_by" not in (tmp_path / "other.plan.json").read_text()


def test_the_readouts_tell_a_claim_from_a_proof(qtbot: QtBot, made: Files) -> None:
    document = document_with(made.forged)
    strip = ReadoutStrip(document, LIGHT)
    with shown(qtbot, strip, 1280, 66):
        strip.refresh()
        assert strip.bound.value == "3.00 ms" and strip.gap.value == "≤ 57.2 %"
        assert strip.bound.note == "claimed ≥ 7.00 ms, not proven"
        assert SENTENCE in strip.bound.accessibleDescription().replace("\n", " ")
        assert SENTENCE in strip.gap_bar.toolTip().replace("\n", " ")
        strip.gap_bar.grab()
        document.apply_plan(document.plans[0])
        strip.refresh()
        assert strip.bound.note.startswith("proven by")


def test_the_plan_list_says_so(qapp: object, made: Files) -> None:
    document = document_with(made.forged)
    model = PlansModel(document)
    model.update()
    rows = {model.index(i, 0).data(ENTRY).name: model.index(i, 0) for i in range(model.rowCount())}
    assert rows["all on one"].data(SOURCE).endswith("claims more")
    from PySide6.QtCore import Qt

    assert SENTENCE in rows["all on one"].data(Qt.ItemDataRole.ToolTipRole)
    others = [index for name, index in rows.items() if name != "all on one"]
    assert others and not any("claims" in index.data(SOURCE) for index in others)


def test_a_comparison_shows_it_beside_its_plan_alone(qapp: object, made: Files) -> None:
    document = document_with(made.honest)
    sources, bounds = file_sources([made.forged, made.honest], document)
    assert not claimed(bounds)
    state = CompareState(document, document)
    state.set_sources(sources, bounds)
    comparison = state.comparison
    assert comparison is not None
    assert [comparison.figures(i).status for i in range(2)] == ["feasible", "feasible"]
    table = figures_table(comparison, (1, 0))
    column = table.titles.index("Lower bound")
    assert [row[column].text for row in table.rows] == ["3.00 ms", "3.00 ms"]
    beside = table.titles.index(CLAIMED)
    assert [row[beside].text for row in table.rows] == ["≥ 7.00 ms", ""]
    for width in range(1200, 100, -5):
        titles = fitted(table, width).titles
        assert (CLAIMED in titles) == ("Gap" in titles), "no picture has a gap without what is claimed"
        assert ("Gap" in titles) != (PROVEN_HERE in titles), "what is known is said on pages of any width"
    alone = fitted(table, 100)
    assert [row[alone.titles.index(PROVEN_HERE)].text for row in alone.rows] == ["gap ≤ 57.2 %"] * 2
    assert SENTENCE in table.rows[0][column].tip and SENTENCE in table.rows[0][0].tip
    assert "optimal" not in standing_words(comparison, 0) and "not proven" in standing_words(comparison, 0)
    assert SENTENCE in standing_tip(comparison, 0) and "claim" not in standing_tip(comparison, 1)
    letters, others = font(8.5), ("valid", "3 of 4 ops elsewhere than in B")
    every = fitting_lines(comparison, (0,), (others,), letters, 1e9)[0]
    value, gap, claim = standing_words(comparison, 0).split(BETWEEN)
    assert every == BETWEEN.join([value, gap, *others, claim]), "last, so that nothing else looks unproven"
    assert claim == "lower bound claimed: 7.00 ms, not proven here"
    brief, known = "claimed ≥ 7.00 ms, not proven", f"{gap} proven"
    lines = [fitting_lines(comparison, (0,), (others,), letters, room)[0] for room in range(900, 40, -5)]
    for line, room in zip(lines, range(900, 40, -5), strict=True):
        items = line.split(BETWEEN)
        assert set(items) <= {*every.split(BETWEEN), brief, known}
        assert (gap in items) == (items[-1] in (claim, brief)), "a gap is not said without what is claimed"
        assert BETWEEN not in line or QFontMetricsF(letters).horizontalAdvance(line) <= room
    assert any(line.endswith(brief) for line in lines), "a claim is shortened before it is dropped"
    assert any(known in line for line in lines), "and what is known is said without it"
    assert known in runs_text(comparison_runs(comparison, LIGHT, "sankey"))
    pairs = [[words for (_, words), _ in items if words] for items in pair_items(comparison)]
    assert all((gap in words) == (brief in words) for words in pairs)
    assert all(gap in words or known in words for words in pairs[:-1]) and len(pairs[-1]) == 1
    assert lines[-1] == every.split(BETWEEN)[0]
    narrow = canvases(comparison, QRectF(0, 0, 600, 300), LIGHT, "lanes")[0].picture.subtitle
    assert narrow.startswith(value) and (gap in narrow) == (known in narrow or brief in narrow)
    document.open_plan(made.forged)
    listed = [entry for entry in document.plans if entry.claims]
    from gui.editors.comparison.state import entry_sources

    state.set_sources(entry_sources(listed))
    assert state.comparison is not None
    claims = [state.comparison.figures(i).claim for i in range(2)]
    assert [c is not None for c in claims] == [False, True]


def test_pictures_and_stories_say_claimed(qapp: object, made: Files, tmp_path: Path) -> None:
    from planner.story.files.json import read_story
    from planner.story.files.plans import resolve

    opened = open_plan(made.forged, made.plan.problem.graph)
    bounds = with_known(made.plan.problem, opened.bounds)
    words = standing_text(made.plan.problem, opened.plan.evaluation, bounds)
    assert words.endswith("gap ≤ 57.2 %   lower bound claimed: 7.00 ms, not proven here")
    ruled = standing_text(made.plan.problem, opened.plan.evaluation, bounds, "valid")
    assert ruled.endswith("gap ≤ 57.2 %   valid   lower bound claimed: 7.00 ms, not proven here")
    talk = story_with_known(resolve(read_story(story(tmp_path, forged=True)), tmp_path))
    said = figures_text(talk.plans[0], talk.bounds[0], LIGHT)
    assert (
        "at least 3.00 ms" in said
        and "lower bound claimed: 7.00 ms, not proven here" in said
        and "optimal" not in said
    )
    found = certificate(talk.plans[0], talk.bounds[0])
    assert claim_lines(found)[0].startswith("The plan's file claims a bound of 7.00 ms")
    assert '<th scope="row">Claimed</th>' in certificate_table(found)
    assert "proven here now" not in proof_lines(found, found.parts[0])[0]


def test_a_storys_plan_on_the_canvas_keeps_what_its_file_claims(qapp: object, made: Files) -> None:
    document = Document()
    document.open_graph(made.plan.problem.graph, target=Pipeline(2))
    opened = open_plan(made.forged, made.plan.problem.graph)
    document.take_over(made.plan.problem, made.plan.decision.device_of, "x", 0.0, opened.bounds)
    assert document.claim is not None and not claimed(document.bounds)
    assert document.gap is not None and document.gap > 0.5


# ---------------------------------------------------------------------- proving it
def test_the_window_offers_to_prove_and_a_proof_ends_the_claim(
    qtbot: QtBot, made: Files, tmp_path: Path
) -> None:
    true = write_plan(tmp_path / "true.plan.json", made.plan, [claim(made.plan, 0.0030001)])
    document = document_with(made.honest)
    window, close = make_window(qtbot, document)
    try:
        assert window.notice.isHidden()
        window.files.open_plan_file(true)
        settle()
        assert window.notice.text == "true.plan.json claims a bound of 3.00 ms (exact), not proven here."
        dialog = CertificateDialog(document, LIGHT, window, window.proving.prove)
        document.readouts_changed.connect(dialog.refresh)
        dialog.show()
        assert dialog.prove_button.isVisible()
        window.notice._action.click()
        (job,) = window.jobs.jobs
        assert (job.planner, job.is_bound, job.bounds) == ("exact", True, list(proven(document.bounds)))
        assert window.proving.prove() is job, "one proof of a claim at a time"
        qtbot.waitUntil(lambda: not job.alive, timeout=60_000)
        assert document.claim is None
        said = "At least 3.00 ms, proven here now by exact program: as much as true.plan.json claims"
        assert window.notice.text == said
        assert dialog.certificate.claim is None and dialog.prove_button.isHidden()
        assert dialog.said.text() == "Proven here now."
        assert "proven here now in" in proof_lines(dialog.certificate, dialog.certificate.parts[0])[0]
        dialog.close()
    finally:
        window.jobs.close()
        close()


def test_what_cannot_be_proven_stays_a_claim(qtbot: QtBot, made: Files) -> None:
    document = document_with(made.honest)
    window, close = make_window(qtbot, document)
    try:
        window.files.open_plan_file(made.forged)
        settle()
        assert window.notice.text == f"{SENTENCE}."
        document.apply_plan(document.plans[0])
        settle()
        assert window.notice.isHidden(), "another plan is on the canvas"
        assert not window.actions_set["plan.prove"].isEnabled()
        document.undo_stack.undo()
        settle()
        assert window.notice.isHidden(), "it was offered once"
        assert window.actions_set["plan.prove"].isEnabled()
        window.proving.prove()
        (job,) = window.jobs.jobs
        qtbot.waitUntil(lambda: not job.alive, timeout=60_000)
        assert document.claim is not None and document.gap is not None and document.gap > 0.5
        assert window.notice.text == f"{SENTENCE}: {job.title} ended without it"
    finally:
        window.jobs.close()
        close()


def test_a_dialog_without_a_claim_has_nothing_to_prove(qtbot: QtBot, made: Files) -> None:
    dialog = CertificateDialog(document_with(made.honest), LIGHT, None, lambda: None)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.prove_button.isHidden()
    dialog.close()
