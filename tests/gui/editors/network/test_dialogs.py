"""The small dialogs of a network's window."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from gui.document.network import inferring
from gui.editors.network.dialogs.inference import InferenceDialog, measured_html
from gui.look.theme import DARK, LIGHT
from gui.shell.density_dialog import DensityDialog
from gui.shell.generate_dialog import GenerateDialog
from gui.shell.picture_dialog import PictureDialog
from gui.words.methods import shown_name
from planner.generate.catalogue import generate_network
from tests.gui.editors.network.models import document_of, layered_network, shuffled_order
from tests.gui.editors.network.window_parts import order_window
from tests.gui.present.slides import written_in


def test_a_density_is_chosen(qtbot: QtBot) -> None:
    dialog = DensityDialog(Path("dense.onnx"))
    dialog.show()
    button = next(b for b in dialog.findChildren(QPushButton) if b.text() == "5 %")
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(dialog.chosen) as chosen:
        dialog.accept()
    assert chosen.args == [0.05]


def test_a_network_is_described_and_generated(qtbot: QtBot) -> None:
    dialog = GenerateDialog()
    dialog.show()
    dialog.kind.setCurrentIndex(dialog.kind.findData("mlp"))
    assert dialog.kind.findData("pruned") == -1
    field = dialog.form.fields["width"]
    field.setValue(12)  # type: ignore[attr-defined]
    dialog.form.fields["density"].setText("nonsense")  # type: ignore[attr-defined]
    dialog.accept()
    assert dialog.isVisible() and dialog.problem.text()
    dialog.form.fields["density"].setText("0.3")  # type: ignore[attr-defined]
    with qtbot.waitSignal(dialog.chosen) as chosen:
        dialog.accept()
    kind, settings, seed = chosen.args
    assert (kind, settings["width"], settings["density"], seed) == ("mlp", 12, 0.3, 0)
    assert generate_network(kind, settings, seed).connection_count > 0


def test_inference_is_run_and_checked(qtbot: QtBot) -> None:
    document = document_of()
    dialog = InferenceDialog(document, LIGHT)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.form.fields["batch"].setValue(20)  # type: ignore[attr-defined]
    QTest.mouseClick(dialog.run_button, Qt.MouseButton.LeftButton)
    assert dialog.busy and not dialog.run_button.isEnabled()
    qtbot.waitUntil(lambda: not dialog.busy, timeout=120_000)
    assert "All outputs agree" in dialog.said.text() and "Batches of 20" in dialog.said.text()
    dialog.close()
    dialog.show_results(DARK)
    assert "Batches of 20" in dialog.said.text() and DARK.good in dialog.said.text(), "closing keeps it"
    assert "run again" not in dialog.said.text()
    assert document.network is not None
    document.set_order(shuffled_order(document.network), "Another")
    dialog.show_results(LIGHT)
    assert "run again for the one on the canvas" in dialog.said.text()
    dialog.forget()
    assert "Nothing has run yet" in dialog.said.text() and not dialog.isVisible()
    document.close()


def test_what_runs_goes_on_while_the_dialog_is_closed(qtbot: QtBot) -> None:
    with order_window(qtbot) as window:
        window.run_inference()
        dialog = next(one for one in window.children() if isinstance(one, InferenceDialog))
        dialog.form.fields["batch"].setValue(20)  # type: ignore[attr-defined]
        dialog.run()
        dialog.close()
        assert dialog.busy
        qtbot.waitUntil(lambda: not dialog.busy, timeout=120_000)
        window.run_inference()
        assert dialog.isVisible() and "Batches of 20" in dialog.said.text(), "the same dialog with its result"
        dialog.close()


def test_an_order_that_is_not_valid_is_not_run(qtbot: QtBot) -> None:
    document = document_of()
    document.set_order(document.order[::-1].copy(), "Backwards")
    dialog = InferenceDialog(document, LIGHT)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.run()
    qtbot.waitUntil(lambda: not dialog.busy, timeout=120_000)
    assert "before it is complete" in dialog.said.text()
    dialog.run()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible() and dialog.busy, "it goes on"
    dialog.stop()
    document.close()


def test_wrong_outputs_are_called_wrong(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inferring, "SECONDS", 0.01)
    network = layered_network()
    order = np.arange(network.connection_count, dtype=np.int32)
    measured = inferring.measure(network, order, 4, 1)
    assert measured.correct
    wrong = inferring.Measured(4, 2, measured.runs, 3.0, measured.timings)
    assert (
        not wrong.correct
        and "wrong" in measured_html(wrong, LIGHT)
        and "2 threads" in measured_html(wrong, LIGHT)
    )


def test_the_curve_of_i_os_is_a_picture_of_the_export(qtbot: QtBot) -> None:
    """Beside links and matrix, with a title that says whose it is."""
    with order_window(qtbot) as window:
        window.files.export_picture()
        dialog = window.findChild(PictureDialog)
        assert [dialog.view.itemData(i) for i in range(dialog.view.count())] == ["links", "matrix", "ios"]
        dialog.view.setCurrentIndex(dialog.view.findData("ios"))
        choice = dialog.choice()
        document = window.document
        assert document.active is not None and document.network is not None
        assert choice.title == f"{document.network.name}, {shown_name(document.active.name)}"
        words = [line.words for line in written_in(dialog._draw(choice)().file(".svg"))]
        assert "size of fast memory, in values" in words
        dialog.close()
