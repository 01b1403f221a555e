"""Make the documentation's pictures from the real window (``python tools/make_pictures.py [FOLDER]``).

    docs/images/window-light.png   ResNet50 over four stages, lanes view, a plan with its schedule and what is proven
    docs/images/window-dark.png    a transformer on two accelerators and a CPU, flow view
    docs/images/network.png        Inception-ResNet-v2 over six stages, as `stageboard render` draws it
    docs/images/edge-tpu-light.png ResNet101V2 on four Edge TPUs: the compiler's cut beside the exact plan, as
    docs/images/edge-tpu-dark.png  `stageboard render --view memory` draws them
    docs/images/edge-tpu-counts.png  how many TPUs that network needs, in the window
    docs/images/edge-tpu-models.png  two networks on the same four Edge TPUs

No display is needed. The searches are seeded, so that the plans are the same every time.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

SIZE = (1440, 900)


def main(folder: Path) -> None:
    """Write every picture."""
    from gui.app import make_window
    from gui.canvas.picture import save_picture
    from gui.demo import SEARCH_LIMIT, settle, until
    from gui.panels.memory_picture import save_memory
    from gui.render import application
    from gui.tour import Tour
    from planner.worker import Order

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
            save_memory(
                document.board.open_problem, document.device_of.copy(), file, theme=theme, size=(1600, 900),
                title="ResNet101V2 on four Edge TPUs", planner="edge-tpu-ilp", bounds=document.bounds,
            )  # fmt: skip
            print(file)
        window.docks.reveal("counts")
        until(app, lambda: window.counting.complete, SEARCH_LIMIT)
        shot("edge-tpu-counts.png", "light", "lanes")
        window.docks.docks["counts"].hide()
        tour.open(("resnet101.json", "densenet169.json"), "edge-tpu:4")
        exact()
        shot("edge-tpu-models.png", "light", "lanes")

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

    try:
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
        save_picture(
            problem,
            parts.document.device_of.copy(),
            folder / "network.png",
            size=(1600, 900),
            title=f"{problem.graph.name} on {problem.target.spec()}",
            bounds=parts.document.bounds,
        )
        print(folder / "network.png")
        edge_tpu()
    finally:
        parts.close()


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images"
    target.mkdir(parents=True, exist_ok=True)
    main(target)
