"""Make the documentation's pictures from the real window (``python tools/make_pictures.py [FOLDER [PART...]]``).

    docs/images/window-light.png   ResNet50 over four stages, lanes view, a plan with its schedule and what is proven
    docs/images/window-dark.png    a transformer on two accelerators and a CPU, flow view
    docs/images/heat.png           a U-Net over four stages, its ops in the colours of the time that they take
    docs/images/network.png        Inception-ResNet-v2 over six stages, as `stageboard render` draws it
    docs/images/edge-tpu-light.png ResNet101V2 on four Edge TPUs: the compiler's cut beside the exact plan, as
    docs/images/edge-tpu-dark.png  `stageboard render --view memory` draws them
    docs/images/edge-tpu-counts.png  how many TPUs that network needs, in the window
    docs/images/edge-tpu-models.png  two networks on the same four Edge TPUs
    docs/images/robust-light.png   a U-Net over four stages, and how sure its plan is
    docs/images/robust-dark.png    the same, dark, with errors that go together by kind
    docs/images/run.png            an encoder measured and run on this computer: the measured schedule under the predicted one
    docs/images/mcm-light.png      BERT-large on a package of 36 chips, lanes above the package
    docs/images/mcm-dark.png       the same, dark
    docs/images/mcm-package.png    its chips, as `stageboard render --view package` draws them
    docs/images/mcm-drag.png       an op over a chip where it would break the triangle rule, explained
    docs/images/mcm-repaired.png   the same plan after the drop and Repair
    docs/images/training-light.png the learned policy of such packages while it is trained, a few minutes (with the extra `learn`)
    docs/images/training-dark.png  the same, dark
    docs/images/network-light.png  a trained sparse network, an order of its connections partly played, a neuron selected
    docs/images/network-dark.png   the same, dark
    docs/images/network-matrix.png a network of 75,000 connections as matrices, an order of them played
    docs/images/network-links.png  a small one, its connections as links
    docs/images/network-orders.png two orders compared
    docs/images/network-drag.png   a neuron's block of connections dragged along the order of Theorem 1
    docs/images/network-theorem-1.png, network-locality.png  the same orders as `stageboard render` draws them

    docs/images/compare-light.png  the best contiguous and the best free split of a small BERT, compared
    docs/images/compare-dark.png   the same, dark
    docs/images/compare-overlay.png    both on one canvas
    docs/images/compare-story.png      both in a keyframe of a story
    docs/images/compare-schedules.png  their schedules on one time axis
    docs/images/compare-orders.png two orders of a sparse network, as `stageboard compare` draws them
    docs/images/race-light.png     a race of five planners and a bound method on a pipeline, won
    docs/images/race-dark.png      a race for a package of 36 chips, after its time

    docs/images/story-light.png    a moment of a shipped story as it is presented: a plan against another
    docs/images/story-dark.png     the same, dark
    docs/images/story-package.png  a broken rule on a package of chips, dark
    docs/images/story-moving.png   two networks on a pipeline on their way between two plans
    docs/images/story-network.png  an order of a sparse network at work
    docs/images/story-panel.png    the window in which a story is made
    docs/images/speaker-light.png  the speaker's window of a talk
    docs/images/certificate.png    a certificate

Parts: window, edge-tpu, robust, heat, run, mcm, training, network, compare, race, stories; all unless named. No display is needed. The searches are seeded, so that the plans are the same every time;
a race and a run depend on the machine.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from planner.evaluation import kernels  # noqa: E402  (found through the path above)

if TYPE_CHECKING:
    from gui.document.plan.document import Document

SIZE = (1440, 900)
PARTS = (
    "window", "edge-tpu", "robust", "heat", "run", "mcm", "training", "network", "compare", "race", "stories",
)  # fmt: skip
RUN_LIMIT = 180.0
"""Seconds after which measuring a model, or running its plan, is given up."""
TRAINED, SHOWN_AFTER, TRAIN_LIMIT = 3_000, 20, 3_600.0
"""Samples of a training run, checkpoints after which it is shown, and seconds after which it is given up."""
FEWEST_DRAGGED, MOST_DRAGGED = 1, 48
"""So many ops are dragged, for a picture on which each can be told."""
MCM = "mcm:36,sram=40MiB,precision=int8,copy_sources=8"
"""Chips with room for the embedding of BERT-large in INT8; each has the attention mask itself."""


def main(folder: Path, wanted: Sequence[str] = ()) -> None:
    """Write the pictures of the ``wanted`` parts, all where none is named. Raises ``ValueError`` on an unknown part."""
    if unknown := set(wanted) - set(PARTS):
        raise ValueError(f"there is no part '{min(unknown)}'; choose from {', '.join(PARTS)}")
    from show_pictures import compare_pictures, race_pictures, story_pictures

    from gui.app.demo.demo import SEARCH_LIMIT, settle, until
    from gui.app.tour.tour import Tour
    from gui.canvas.graph.picture.picture import draw_graph
    from gui.editors.plan.windows import make_window
    from gui.look.display import application
    from gui.look.page import Page
    from gui.look.theme import THEMES
    from gui.panels.edge_tpu.memory_picture import draw_memory
    from gui.panels.mcm.picture import draw_package
    from planner.runs.messages import Order

    app = application()
    parts = make_window(app, theme="light", remember=False)
    window = parts.window
    window.resize(*SIZE)
    window.show()
    tour = Tour(parts.document, parts.jobs)

    def search(orders: int) -> None:
        tour.start("slice-random", orders=orders)
        until(app, tour.searched, SEARCH_LIMIT)
        tour.take_best()

    def prove(method: str) -> None:
        """Let a bound method end; it tells the document what it proves."""
        problem = parts.document.problem
        assert problem is not None
        job = parts.jobs.start(Order(method, problem, is_bound=True))
        until(app, lambda: not job.alive, SEARCH_LIMIT)

    def edge_tpu() -> None:
        """The pictures of Edge TPU pipelines: an exact plan takes a second or two."""
        tour.open(("resnet101_v2.json",), "edge-tpu:4")
        exact()
        document = parts.document
        for theme in ("light", "dark"):
            file = folder / f"edge-tpu-{theme}.png"
            draw_memory(
                document.board.open_problem, document.device_of.copy(), Page((1600, 900), theme=THEMES[theme]),
                "ResNet101V2 on four Edge TPUs", planner="edge-tpu-ilp", bounds=document.bounds,
            ).save(file)  # fmt: skip
            print(file)
        window.docks.reveal("counts")
        until(app, lambda: window.counting.complete, SEARCH_LIMIT)
        shot("edge-tpu-counts.png", "light", "lanes")
        window.docks.docks["counts"].hide()
        tour.open(("resnet101.json", "densenet169.json"), "edge-tpu:4")
        exact()
        shot("edge-tpu-models.png", "light", "lanes")

    def robust() -> None:
        """How sure a plan is, with one op chosen."""
        tour.open(("unet.onnx",), "pipeline:4")
        tour.start("chain-dp")
        until(app, tour.searched, SEARCH_LIMIT)
        tour.take_best()
        window.docks.reveal("robust")
        until(app, lambda: window.sureness.known is not None and not window.sureness.running, SEARCH_LIMIT)
        window.robust.table.selectRow(1)
        shot("robust-light.png", "light", "flow")
        window.robust.dependence.setCurrentIndex(1)
        window.robust.request_refresh()
        shot("robust-dark.png", "dark", "flow")
        window.docks.docks["robust"].hide()

    def heat() -> None:
        """What ops take, as a heat map."""
        from show_pictures import save_small

        tour.open(("unet.onnx",), "pipeline:4")
        window.canvas.set_view("flow")
        window.canvas.set_colouring("time")
        parts.themes.set_preference("light")
        settle(app, window)
        save_small(window.grab().toImage(), folder / "heat.png")
        window.canvas.set_colouring("stage")

    def run() -> None:
        """A model measured, planned and run on this computer, which does nothing else meanwhile."""
        from show_pictures import save_small

        tour.open(("transformer_encoder.onnx",), "pipeline:2")
        window.files.measure_model()
        until(app, lambda: parts.document.open_problem.graph.measured is not None, RUN_LIMIT)
        tour.start("chain-dp")
        until(app, tour.searched, SEARCH_LIMIT)
        tour.take_best()
        window.notice.dismiss()
        window.actions_set["file.run"].trigger()
        until(app, lambda: not window.runs.running.busy, RUN_LIMIT)
        window.notice.dismiss()
        parts.themes.set_preference("light")
        settle(app, window)
        save_small(window.grab().toImage(), folder / "run.png")
        window.docks.docks["run"].hide()

    def package() -> None:
        """The pictures of a multi-chip module: a plan, a drag that breaks a rule, and what Repair makes of the drop."""
        from PySide6.QtCore import QPoint, QPointF

        tour.open(("bert_large.json",), MCM)
        tour.start("chip-local-search", rounds=1)
        until(app, tour.searched, SEARCH_LIMIT)
        tour.take_best()
        window.docks.reveal("package")
        document, canvas = parts.document, window.canvas
        for theme in ("dark", "light"):
            shot(f"mcm-{theme}.png", theme, "lanes")
        file = folder / "mcm-package.png"
        draw_package(
            document.board.open_problem, document.device_of.copy(), title="BERT-large on a package of 36 chips",
            bounds=document.bounds,
        ).save(file)  # fmt: skip
        print(file)
        ops, chip = breaks_triangle(document)
        document.select(ops)
        document.begin_preview(ops)
        document.update_preview(chip)
        said = document.pointed
        assert said is not None
        settle(app, window)
        canvas.zoom_to_ops(np.union1d(ops, said.ops).astype(np.int32))
        # The pointer is over its chip in the package, so that the dragged card hides nothing above.
        view = window.package.view
        canvas.carry(
            QPointF(
                view.mapTo(window, view.arrangement.boxes[chip].center().toPoint())
                - canvas.mapTo(window, QPoint())
            )
        )
        shot("mcm-drag.png", "light", "lanes")
        canvas.carry(None)
        canvas.fit()
        document.end_preview()
        document.move(ops, chip)
        window.mending.repair()
        until(app, lambda: not window.mending.busy, SEARCH_LIMIT)
        window.package.view.setFocus()
        window.docks.reveal("violations")
        settle(app, window)
        assert document.evaluation.valid
        window.grab().save(str(folder / "mcm-repaired.png"))
        print(folder / "mcm-repaired.png")

    def training() -> None:
        """The learned policy while it is trained."""
        from tempfile import TemporaryDirectory
        from unittest.mock import patch

        from show_pictures import save_small

        tour.open(("resnet50.json",), "mcm:12,check_memory=false")
        panel = window.training
        with TemporaryDirectory() as place, patch.object(Path, "home", return_value=Path(place)):
            window.docks.reveal("training")
            panel.open_folder(Path(place) / ".local" / "share" / "stageboard" / "training" / "run-1")
            settle(app, window)
            panel.form.fields["samples"].setValue(TRAINED)  # type: ignore[attr-defined]
            panel.go_on()
            until(app, lambda: len(panel.run.curve) >= SHOWN_AFTER or not panel.run.running, TRAIN_LIMIT)
            window.notice.dismiss()
            for theme in ("dark", "light"):
                parts.themes.set_preference(theme)
                settle(app, window)
                save_small(window.grab().toImage(), folder / f"training-{theme}.png")
            panel.run.cancel()
        window.docks.docks["training"].hide()

    def exact() -> None:
        tour.start("edge-tpu-ilp")
        until(app, tour.searched, SEARCH_LIMIT)

    def shot(name: str, theme: str, view: str) -> None:
        parts.themes.set_preference(theme)
        window.canvas.set_view(view)
        window.notice.dismiss()
        settle(app, window)
        window.grab().save(str(folder / name))
        print(folder / name)

    def pipelines() -> None:
        """The window on two targets, and a network as a picture."""
        tour.open(("resnet50.json",), "pipeline:4")
        search(200)
        prove("two-superblock")
        window.docks.reveal("schedule")
        shot("window-light.png", "light", "lanes")
        tour.open(("transformer_encoder.onnx",), "pool:2+1")
        search(200)
        shot("window-dark.png", "dark", "flow")
        tour.open(("inception_resnet_v2.json",), "pipeline:6")
        problem = parts.document.problem
        assert problem is not None
        title, bounds = f"{problem.graph.name} on {problem.target.spec()}", parts.document.bounds
        for name, view in (("network.png", "flow"), ("stages.png", "stages")):
            page = Page((1600, 900))
            draw_graph(problem, parts.document.device_of.copy(), page, view, title, bounds).save(
                folder / name
            )
            print(folder / name)

    def networks() -> None:
        """Sparse networks have a window of their own."""
        from network_pictures import network_pictures

        network_pictures(app, parts.themes, folder)

    try:
        made = (
            pipelines, edge_tpu, robust, heat, run, package, training, networks, partial(compare_pictures, app, parts, folder),
            partial(race_pictures, app, parts, folder), partial(story_pictures, app, parts, folder),
        )  # fmt: skip
        for name, part in zip(PARTS, made, strict=True):
            if not wanted or name in wanted:
                part()
    finally:
        parts.close()


def breaks_triangle(document: Document) -> tuple[np.ndarray, int]:
    """Few ops and a chip where they would break the triangle rule and no other, near the middle of the package.

    An op is taken with all on its chip that it depends on, to the chip before: so the order holds, but what it sends on
    skips the chip that it left.
    """
    live, graph = document.board.live, document.graph
    assert live is not None
    assert graph is not None
    found = []
    for op in range(graph.n):
        chip = int(document.device_of[op])
        needs = graph.ancestors([op])
        needs[op] = True
        ops = np.flatnonzero(needs & (document.device_of == chip)).astype(np.int32)
        few = FEWEST_DRAGGED <= len(ops) <= MOST_DRAGGED
        if chip > 0 and few and live.check(ops).codes[chip - 1] == kernels.RULE_TRIANGLE:
            found.append((abs(2 * chip - live.evaluator.k), ops, chip - 1))
    if not found:
        raise RuntimeError("no ops of the plan break the triangle rule alone")
    return min(found, key=lambda one: (one[0], len(one[1])))[1:]


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images"
    target.mkdir(parents=True, exist_ok=True)
    main(target, sys.argv[2:])
