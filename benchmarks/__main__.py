"""``make bench``: measures what the window feels like, and prints each figure beside its goal. Not a test.

``python -m benchmarks [NAME ...]``; without a name those of the window. The others print their own tables: raw kernels, and
planners and bounds against what papers published (some take an hour). ``soak`` acts at random in every editor for five minutes, ``kills`` ends windows without warning, ``kernels`` compiles all kernels anew, ``twice`` runs the papers' scripts twice, alone and beside load. ``soak``, ``kills``, ``kernels``, ``tables``, ``edge_tpu``, ``mcm``, ``mcm_guided``, ``curves``, ``orders``, ``gaps``, ``peers``, ``twice``, ``stalls`` and ``reordering`` take options of their own
when they are named alone.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile

TITLES = {
    "canvas": "Canvas: CPU of the GUI thread per frame, 1280 x 800",
    "compare": "Compare: CPU of the GUI thread per frame of two linked canvases, 1600 x 900",
    "evaluation": "Evaluation: what a press on 200 selected ops asks",
    "opening": "Opening: from file to picture, and stalls while planners run",
    "stalls": "Stalls: CPU of the GUI thread in the longest turn of its loop, by what is done, while two planners run",
    "starting": "Starting: processor time of the window's process from launch to the first picture",
}
RAW = (
    "raster", "layout", "dp", "ip", "latency", "gpipe", "slice", "bounds", "repair", "tables", "edge_tpu", "mcm", "mcm_guided", "curves", "orders", "reordering", "inference",
    "race", "gaps", "blocks", "chain", "running", "peers", "twice", "soak", "kills", "kernels",
)  # fmt: skip
"""Benchmarks that print their own tables."""
MODULES = {
    "tables": "benchmarks.paper_tables",
    "edge_tpu": "benchmarks.edge_tpu_tables",
    "mcm": "benchmarks.mcm_tables",
    "mcm_guided": "benchmarks.mcm_guided",
    "curves": "benchmarks.io_curves",
    "gpipe": "benchmarks.gpipe_table",
    "latency": "benchmarks.latency_table",
    "inference": "benchmarks.inference",
    "orders": "benchmarks.orders",
    "reordering": "benchmarks.reordering",
    "gaps": "benchmarks.gaps",
    "peers": "benchmarks.peers",
    "twice": "benchmarks.twice",
    "soak": "benchmarks.soak",
    "kills": "benchmarks.kills",
    "kernels": "benchmarks.kernels_bench",
    "stalls": "benchmarks.stalls_bench",
}
"""Benchmarks that are programs of their own, with options; beside others they run with none."""


def main(names: list[str]) -> int:
    """Run the named benchmarks. Returns 0 when every goal is met, else 1."""
    if names and names[0] in MODULES and len(names) > 1 and names[1].startswith("-"):
        return int(importlib.import_module(MODULES[names[0]]).main(names[1:]))
    unknown = set(names) - set(TITLES) - set(RAW)
    if unknown:
        print(f"there is no benchmark '{min(unknown)}'; choose from {', '.join([*TITLES, *RAW])}")
        return 2
    if not os.environ.get("DISPLAY"):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory(prefix="stageboard-bench-") as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        os.environ["XDG_STATE_HOME"] = os.environ["XDG_CONFIG_HOME"] = folder
        return _run(names or list(TITLES))


def _run(names: list[str]) -> int:
    from PySide6.QtWidgets import QApplication

    from benchmarks.report import Figure, table
    from gui.app.kernels import load_here
    from gui.app.warm_up import warm_up

    application = QApplication.instance() or QApplication([])
    print("compiling or loading kernels ...", file=sys.stderr)
    warm_up()
    load_here()
    missed: list[Figure] = []
    failed = False
    for name in names:
        module = importlib.import_module(MODULES.get(name, f"benchmarks.{name}_bench"))
        if name in RAW:
            failed |= bool(module.main(*([[]] if name in MODULES else [])))
            continue
        figures = module.run()
        print(table(TITLES[name], figures), end="\n\n", flush=True)
        missed += [f for f in figures if f.met is False]
    if set(names) & set(TITLES):
        print(f"{len(missed)} goals not met" if missed else "every goal is met")
    del application
    return 1 if missed or failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
