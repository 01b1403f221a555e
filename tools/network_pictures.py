"""The pictures of sparse networks for :mod:`tools.make_pictures`: their window, and orders as ``stageboard render`` draws them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from gui.editors.comparison.orders.editor import OrdersWindow
    from gui.editors.network.editor import OrderWindow
    from gui.look.theme import ThemeController

SIZE = (1440, 900)
LIMIT = 120.0
SAMPLE, MEMORY = "digits_pruned.npz", 50
"""The trained network of the README, and the fast memory that it is planned for there."""
DRAGGED = 366, 2762
"""A neuron of it, and where in Theorem 1's order its block costs least."""
BASELINE = {"width": 500, "depth": 4, "density": 0.1}
SMALL = {"width": 20, "depth": 5, "density": 0.16}
"""Few enough connections that each can be followed by eye."""


def network_pictures(app: QApplication, themes: ThemeController, folder: Path) -> None:
    """Write them all. The orders are the seeded ones that a window starts with."""
    from gui.app.demo.demo import until
    from gui.background.jobs import Jobs
    from gui.canvas.network.picture import draw_network
    from gui.document.network.document import OrderDocument
    from gui.document.network.opening import prepare_network
    from gui.editors.comparison.windows import open_orders
    from gui.editors.network.editor import OrderWindow
    from gui.look.page import Page
    from planner.formats.networks.read import read_network
    from planner.generate.catalogue import generate_network
    from planner.machines.two_level_memory.target import TwoLevelMemory

    document = OrderDocument()
    window = OrderWindow(document, Jobs(document, document), themes, None)  # type: ignore[arg-type]
    window.resize(*SIZE)
    window.show()

    def shot(name: str, theme: str, editor: OrderWindow | OrdersWindow = window) -> None:
        editor.set_theme_name(theme)
        until(app, lambda: editor.settled, LIMIT)
        for _ in range(3):
            app.processEvents()
        editor.grab().save(str(folder / name))
        print(folder / name)

    try:
        sample = read_network(Path(__file__).resolve().parents[1] / "sample_models" / SAMPLE)
        window.install(prepare_network(sample, target=TwoLevelMemory(MEMORY)))
        until(app, lambda: window.settled, LIMIT)
        document.set_position(round(0.4 * len(document.order)))
        document.select(int(sample.target[document.order[document.position - 1]]))
        for theme in ("dark", "light"):
            shot(f"network-{theme}.png", theme)
        document.apply_plan(document.plans[0])
        until(app, lambda: window.settled, LIMIT)
        drag_block(window, *DRAGGED)
        shot("network-drag.png", "light")
        window.strip.chart.cancel_drag()
        baseline = prepare_network(generate_network("mlp", BASELINE, 1))
        window.install(baseline)
        until(app, lambda: window.settled, LIMIT)
        document.set_position(round(0.62 * len(document.order)))
        shot("network-matrix.png", "light")
        compared = open_orders(window, document.plans[0])
        compared.window().showNormal()  # a small screen maximises it
        compared.window().resize(*SIZE)
        shot("network-orders.png", "light", compared)
        compared.close()
        small = generate_network("mlp", SMALL, 1)
        window.install(prepare_network(small, target=TwoLevelMemory(16)))
        until(app, lambda: window.settled, LIMIT)
        document.set_position(round(0.55 * len(document.order)))
        document.select(int(small.target[document.order[document.position - 1]]))
        shot("network-links.png", "dark")
        for entry in baseline.entries:
            file = folder / f"network-{entry.planner}.png"
            draw_network(
                baseline.problem, entry.order, Page((1600, 900)), f"{baseline.problem.network.name}: {entry.name}",
                baseline.bounds,
            ).save(file)  # fmt: skip
            print(file)
    finally:
        document.undo_stack.setClean()
        window.end()
        window.hide()


def drag_block(window: OrderWindow, neuron: int, place: int) -> None:
    """Take the block of ``neuron``, which is one run of the order, and hold it where it would start at ``place``."""
    from PySide6.QtCore import QEvent, QPointF, Qt
    from PySide6.QtGui import QMouseEvent
    from PySide6.QtWidgets import QApplication

    from planner.machines.two_level_memory.orders.blocks import BlockMove

    chart, document = window.strip.chart, window.document
    move = BlockMove(document.open_problem.network, document.order, neuron)
    layout = chart.layout_of
    top, height = layout.ribbon

    def mouse(kind: QEvent.Type, position: float) -> None:
        at = QPointF(layout.x(position), top + height / 2)
        button = Qt.MouseButton.LeftButton
        event = QMouseEvent(kind, at, chart.mapToGlobal(at), button, button, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(chart, event)

    half = len(move.at) / 2
    mouse(QEvent.Type.MouseButtonPress, move.start + half)
    for share in (0.3, 0.7, 1.0):
        mouse(QEvent.Type.MouseMove, move.start + half + share * (place - move.start))
