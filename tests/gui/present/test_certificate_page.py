"""The certificate as a page and as a dialog."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from pytestqt.qtbot import QtBot

from gui.look.theme import DARK, LIGHT
from gui.present.certificate.dialog import CertificateDialog, save_certificate
from gui.present.certificate.facts import Fact, facts
from gui.present.certificate.page import (
    CertificatePage,
    amount,
    commands,
    component_rows,
    fact_rows,
    proof_lines,
    status_line,
    verdict,
)
from gui.present.panels.lines import _note
from gui.words.objectives import units_of
from gui.words.proofs import best_words
from planner.errors import StageboardError
from planner.machines.edge_tpu.target import EdgeTpuPipeline
from planner.machines.pool.target import DevicePool
from planner.machines.two_level_memory.problem import OrderPlan
from planner.problem.bound import Bound
from planner.problem.problem import Pin, Plan, Problem, Provenance
from planner.reports.certificate.certificate import certificate
from planner.reports.certificate.text import certificate_text
from tests.gui.models import chain_graph, tpu_graph
from tests.gui.present.talks import TARGETS, Member, graph_members, network_members
from tests.gui.scribe import Scribe

pytestmark = pytest.mark.usefixtures("qapp")


class Open:
    """As much of a document as the dialog needs."""

    def __init__(self, member: Member) -> None:
        self.plan, self.plan_bounds = member[0], list(member[1])

    plan_bounds: Sequence[Bound]

    def current_plan(self) -> Plan | OrderPlan:
        return self.plan


@pytest.mark.parametrize("kind", [*TARGETS, "network"])
def test_a_page_for_every_target_fits(kind: str) -> None:
    for plan, bounds in network_members() if kind == "network" else graph_members(kind):
        page = CertificatePage(certificate(plan, bounds))
        for theme, size in ((LIGHT, (1280, 590)), (DARK, (320, 140))):
            image = QImage(*size, QImage.Format.Format_RGB32)
            image.fill(0xFF00FF)
            painter = QPainter(image)
            unit = size[0] / 1280
            page.paint(painter, QRectF(0, 0, *size), unit, unit, theme)
            assert not painter.hasClipping()
            painter.end()
            assert image.pixelColor(2, 2).name() == theme.canvas


def test_what_it_says() -> None:
    (plan, none), (shifted, bounds) = graph_members()
    assert status_line(certificate(plan, none), LIGHT)[0] == "Valid, nothing proven yet"
    found = certificate(shifted, bounds)
    assert status_line(found, LIGHT)[0] == "Valid, gap ≤ 10.0 %"
    assert proof_lines(found, found.parts[0]) == [
        "Bottleneck: by load of all devices (MTPP, Lemma 3.3), using no rule."
    ]
    value, bound = (
        amount(found, "bottleneck", part) for part in (found.parts[0].value, found.parts[0].proof.value)
    )
    assert verdict(found) == f"No valid plan has a bottleneck below {bound}; this one has {value}."
    tight = certificate(
        shifted, [shifted.problem.bound("bottleneck", shifted.objective, "simple", frozenset())]
    )
    assert status_line(tight, LIGHT)[0].endswith("Proven optimal") and "No valid plan" in verdict(tight)
    said = {fact.label: fact.words for fact in facts(found)}
    assert said["Planner"] == "second, seed 2, search 0.500 s" and said["Options"] == "moves=3"
    unset = replace(found, provenance={**found.provenance, "options": {"weights": ""}})
    assert "Options" not in {fact.label for fact in facts(unset)} and "weights" not in certificate_text(unset)
    backwards = plan.problem.plan(plan.decision.device_of[::-1].copy(), plan.provenance)  # type: ignore
    assert "Not valid" in status_line(certificate(backwards), LIGHT)[0]


def test_the_verdict_says_of_which_objective_where_that_is_not_the_usual_one() -> None:
    for target, objective, said in (
        (DevicePool(2, 0), "latency", "latency"),
        (EdgeTpuPipeline(2), "memory-1-2-3", "max memory"),
        (EdgeTpuPipeline(2), "inference-time", ""),
    ):
        problem = Problem(replace(tpu_graph(), time_unit="s"), target, objective)
        plan = problem.plan(np.zeros(problem.graph.n, np.int32), Provenance("test"))
        names, values = problem.components, plan.evaluation.values
        proven = [
            problem.bound(
                name, value, "simple", frozenset(), given=tuple(zip(names[:i], values[:i], strict=True))
            )
            for i, (name, value) in enumerate(zip(names, values, strict=True))
        ]
        half = [problem.bound(names[0], values[0] / 2, "simple", frozenset())]
        words = [status_line(certificate(plan, bounds), LIGHT)[0] for bounds in (proven, half)]
        assert words[0] == "\N{CHECK MARK} Proven optimal" + (f" for least {said}" if said else "")
        assert words[1] == "Valid, gap \N{LESS-THAN OR EQUAL TO} 50.0 %" + (f" of the {said}" if said else "")
        assert best_words(problem) == words[0][2:].replace("P", "p")


def test_what_is_proven_beside_a_figure_of_another_component_says_of_which() -> None:
    problem = Problem(tpu_graph(), EdgeTpuPipeline(2, cache=100.0), "memory-1-3")
    plan = problem.plan(np.zeros(problem.graph.n, np.int32), Provenance("test"))
    first, second = problem.components
    bounds = [problem.bound(first, plan.evaluation.values[0] / 2, "simple", frozenset())]
    gap = "gap \N{LESS-THAN OR EQUAL TO} 50.0 %"
    assert _note([(plan, bounds)], 1, first) == gap
    assert _note([(plan, bounds)], 1, second) == f"{gap} of the max memory"
    values = plan.evaluation.values
    met = [
        problem.bound(
            name,
            value,
            "simple",
            frozenset(),
            given=tuple(zip(problem.components[:i], values[:i], strict=True)),
        )
        for i, (name, value) in enumerate(zip(problem.components, values, strict=True))
    ]
    assert _note([(plan, met)], 1, first) == "proven optimal"
    assert _note([(plan, met)], 1, second) == "proven optimal for least max memory"


def test_amounts_are_in_the_units_of_what_is_said_around_the_page() -> None:
    problem = Problem(replace(chain_graph(6), time_unit="s"), EdgeTpuPipeline(count=2))
    plan = problem.plan(np.array([0, 0, 0, 1, 1, 1], np.int32), Provenance("test"))
    values = (6.27 * 2**20, 0.0, 294.0 * 2**10)
    found = certificate(plan, [])
    found = replace(found, parts=tuple(replace(p, value=v) for p, v in zip(found.parts, values, strict=True)))
    assert [row[1] for row in component_rows(found)[1:]] == ["6.27 MiB", "0 MiB", "294.0 KiB"]
    strip = units_of(problem, values)
    assert [row[1] for row in component_rows(found)[1:]] == [
        strip.text(part.name, part.value) for part in found.parts
    ]


def test_what_was_proven_of_other_machines_is_not_spoken_of(qtbot: QtBot) -> None:
    plan, bounds = graph_members()[1]
    foreign = replace(bounds[0], relaxation="another")
    assert certificate(plan, (*bounds, foreign)).notes == (
        "a bound says nothing about this plan: it is of other machines, objectives or rules",
    )
    dialog = CertificateDialog(Open((plan, (*bounds, foreign))), LIGHT)
    qtbot.addWidget(dialog)
    assert dialog.certificate.notes == () and dialog.certificate.parts[0].proof is not None


@pytest.mark.parametrize("ending", [".txt", ".json", ".pdf", ".png", ".svg"])
def test_saved_as(ending: str, tmp_path: Path) -> None:
    plan, bounds = graph_members()[1]
    found = certificate(plan, bounds)
    file = save_certificate(found, tmp_path / f"c{ending}", LIGHT)
    data = file.read_bytes()
    if ending == ".json":
        assert json.loads(data)["digest"] == found.digest
    elif ending == ".txt":
        assert data.decode() == certificate_text(found)
    else:
        assert data[:4] in (b"%PDF", b"\x89PNG", b"<?xm")
    with pytest.raises(StageboardError, match="choose one of these"):
        save_certificate(found, tmp_path / "c.gif", LIGHT)


def test_all_figures_of_the_table_have_one_size_and_the_page_names_its_model(tmp_path: Path) -> None:
    (plan, bounds) = network_members()[0]
    found = certificate(plan, bounds)
    file = save_certificate(found, tmp_path / "c.svg", LIGHT)
    texts = [e for e in ElementTree.parse(file).iter() if str(e.tag).endswith("}text")]
    size = {"".join(e.itertext()).strip(): e.attrib["font-size"] for e in texts}
    assert len({size[words] for words in component_rows(found)[1][1:]}) == 1
    assert f"Certificate of {found.model}" in size


@pytest.mark.parametrize("size", [(1280, 500), (1280, 720), (1280, 360)])
def test_the_fine_print_is_no_larger_than_the_proofs(size: tuple[int, int]) -> None:
    """And what stays of long proofs takes the room of what was left out."""

    class Sizes(Scribe):
        def drawText(self, *args: Any) -> None:  # type: ignore[override]
            self.sizes = {**getattr(self, "sizes", {}), str(args[-1]): self.font().pixelSize()}

    plan, bounds = graph_members()[1]
    found = certificate(plan, bounds)
    source = "a paper with a long title, and in it a proof of many parts, each with its own equations " * 4
    parts = [replace(p, proof=replace(p.proof, source=source)) for p in found.parts if p.proof is not None]
    for one in (found, replace(found, parts=tuple(parts))):
        painter = Sizes(*size)
        CertificatePage(one).paint(painter, QRectF(0, 0, *size), 1.0, 1.0, LIGHT)
        painter.end()
        proof = next(at for words, at in painter.sizes.items() if words.startswith("Bottleneck: by"))
        assert painter.sizes["Model"] <= proof


def test_larger_letters_leave_a_certificate_whole(qapp: object) -> None:
    class Lines(Scribe):
        def drawText(self, *args: Any) -> None:  # type: ignore[override]
            self.lowest = max(
                getattr(self, "lowest", 0.0), *(at.y() for at in args if isinstance(at, QPointF)), 0.0
            )

    plan, bounds = graph_members("edge-tpu")[1]
    for letters in (1.0, 1.5, 2.5):
        painter = Lines(1280, 480)
        CertificatePage(certificate(plan, bounds)).paint(
            painter, QRectF(0, 0, 1280, 480), 1.0, letters, LIGHT
        )
        painter.end()
        assert 0 < painter.lowest < 480 - 18 - 20


def test_larger_letters_leave_out_nothing_that_matters(qapp: object) -> None:
    """Where times come from is the honest part of a certificate: facts are set smaller before it is left out."""

    class Words(Scribe):
        def drawText(self, *args: Any) -> None:  # type: ignore[override]
            self.words = {*getattr(self, "words", set()), args[-1]}

    plan, bounds = graph_members("edge-tpu")[1]
    made = replace(certificate(plan, bounds), times=("work estimated by the cost model " * 6,))
    for letters in (1.0, 1.5, 2.5):
        painter = Words(1280, 560)
        CertificatePage(made).paint(painter, QRectF(0, 0, 1280, 560), 1.0, letters, LIGHT)
        painter.end()
        assert "Times" in painter.words, letters
    many = [Fact("Model", "m"), Fact("Decision", "word " * 400, 1), Fact("Planner", "short", 1)]
    chosen, _, _ = fact_rows(many, QRectF(0, 0, 400, 120), 15.0)
    assert [fact.label for fact in chosen] == ["Model", "Planner"], (
        "a short one has room where a long one had none"
    )


def test_the_dialog_copies_and_saves(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = CertificateDialog(Open(graph_members()[1]), LIGHT)
    dialog.show()
    assert dialog.view.accessibleName() == "Certificate: Valid, gap ≤ 10.0 %"
    dialog.view.grab()
    dialog.copy_button.click()
    assert QGuiApplication.clipboard().text() == certificate_text(dialog.certificate)
    dialog.save(tmp_path / "c.txt")
    assert (tmp_path / "c.txt").exists() and "Saved" in dialog.said.text()
    dialog.save(tmp_path / "no" / "c.txt")
    assert "Saved" not in dialog.said.text()
    dialog.close()


def test_a_pool_says_how_many_devices_of_each_kind_there_are() -> None:
    graph = chain_graph(12)
    for accelerators, cpus, said in (
        (3, 1, "accelerators 3, cpus 1, memory"),
        (2, 1, "memory"),
        (2, 0, "accelerators 2, cpus 0, memory"),
    ):
        problem = Problem(graph, DevicePool(accelerators, cpus, memory=1e9))
        plan = problem.plan(np.zeros(graph.n, np.int32), Provenance("x"))
        settings = next(fact.words for fact in facts(certificate(plan)) if fact.label == "Settings")
        assert settings.startswith(said)


def test_every_command_that_it_takes_to_prove_all_components_is_there_once() -> None:
    graph = tpu_graph()
    problem = Problem(graph, EdgeTpuPipeline(3, cache=2**30), "memory-1-2-3")
    plan = problem.plan(np.zeros(graph.n, np.int32), Provenance("x"), "x")
    bounds = [
        problem.bound(name, 0.0, method, frozenset())
        for name, method in zip(problem.components, ("simple", "simple", "ilp"), strict=True)
    ]
    methods = [command.rpartition(" ")[2] for command in commands(certificate(plan, bounds))]
    assert methods == ["simple", "ilp"]


def test_constraints_follow_the_rules_however_many_lines_times_take() -> None:
    graph = chain_graph(4)
    problem = Problem(graph, DevicePool(2, 1)).with_constraints((Pin(graph.op_ids[0], "acc 0"),))
    made = certificate(problem.plan(np.zeros(4, np.int32), Provenance("x"), "x"), [])
    for times in ((), ("estimated",), ("measured", "estimated", "scaled")):
        labels = [fact.label for fact in facts(replace(made, times=times))]
        assert labels[labels.index("Rules") :][:3] == ["Rules", "Constraints", "Decision"]
        assert labels.count("Times") == bool(times)
