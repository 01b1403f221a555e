"""Write `tests/data/written/VERSION`: files of every kind as this version writes them, and the figures it reads back from them.

    python tools/make_written_files.py

Plans of every machine and objective, searches and races that can be run again, orders, stories, what a crash leaves behind and what is
remembered between two runs. Later versions must open them and find the same figures (`tests/test_written_files.py`), so a folder is
made once, before a version is out, and never again.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np  # noqa: E402

from planner import __version__  # noqa: E402
from planner.files import to_json, write_atomically  # noqa: E402
from tests import written  # noqa: E402

FOLDER = ROOT / "tests" / "data" / "written" / __version__

PLANS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("pipeline_slice", ("unet.onnx",), "--target pipeline:3 --planner slice"),
    ("pipeline_exact", ("unet.onnx",), "--target pipeline:2 --planner mtpp-cp-sat"),
    ("pipeline_memory_pins", ("chain.json",), "--target pipeline:3,memory=20,bandwidth=2 --planner anneal --set rounds=1 --pin n5=1"),
    ("pipeline_start", ("chain.json",), "--target pipeline:3 --planner one-device"),
    ("pipeline_cbc", ("chain.json",), "--target pipeline:2 --planner mtpp-mip --set solver=cbc"),
    ("pipeline_layers", ("chain.json",), "--target pipeline:3 --planner slice-random --set orders=20 --granularity layer --seed 7"),
    ("pipeline_batch", ("symbolic.onnx",), "--target pipeline:2 --planner slice --batch 4"),
    ("pool_ideals", ("chain.json",), "--target pool:2+1 --planner ideals-dp"),
    ("pool_free", ("chain.json",), "--target pool:2+1,contiguous=false --planner max-load-ip"),
    ("pool_duplex", ("chain.json",), "--target pool:2+1,communication=duplex --planner dpl"),
    ("pool_replicated", ("chain.json",), "--target pool:3+0,replication=true --planner ideals-dp"),
    ("pool_latency", ("chain.json",), "--target pool:2+1,subgraphs=2 --objective latency --planner latency-ip"),
    ("pool_file", ("workload.json",), "--target pool --planner ideals-dp"),
    ("pool_gpipe", ("workload.json",), "--target pool:2+1 --objective gpipe --planner dpl"),
    ("pool_cost_model", ("unet.onnx",), "--target pool:2+1 --planner dpl --cost-model accelerator_flops=1e12"),
    ("edge_tpu_memory", ("unet.onnx",), "--target edge-tpu:3 --planner edge-tpu-ilp"),
    ("edge_tpu_shared_children", ("unet.onnx",), "--target edge-tpu:3,shared_children=true --objective memory-1-3 --planner edge-tpu-ilp"),
    ("edge_tpu_stage_time", ("unet.onnx",), "--target edge-tpu:2 --objective stage-time --planner slice"),
    ("edge_tpu_inference_time", ("unet.onnx",), "--target edge-tpu:2 --objective inference-time --planner edge-tpu-fastest"),
    ("edge_tpu_two_models", ("unet.onnx", "small_net.json"), "--target edge-tpu:2 --planner edge-tpu-ilp"),
    ("mcm_exact", ("unet.onnx",), "--target mcm:3,check_memory=false --planner chip-cp-sat"),
    ("mcm_latency", ("small_net.json",), "--target mcm:3,sram=4MiB --objective latency --planner chip-local-search --set rounds=1 --set moves=500"),
    ("mcm_copies", ("chain.json",), "--target mcm:3,copy_sources=2,triangle=false,check_memory=false --planner chip-greedy"),
    ("tflite", ("tiny.tflite",), "--target pipeline:2 --planner slice"),
    ("dot", ("small.dot",), "--target pipeline:2 --planner slice"),
    ("graphml", ("small.graphml",), "--target pool:2+1 --planner dpl"),
    ("memory_theorem", ("net.npz",), "--target memory:5 --planner theorem-1"),
    ("memory_lru", ("net.npz",), "--target memory:5,policy=lru --planner locality"),
    ("memory_rr", ("net.npz",), "--target memory:6,policy=rr --planner order-portfolio --set effort=1"),
)  # fmt: skip
"""Name, models, the words of `stageboard plan`."""


def stageboard(*words: object) -> None:
    """Run a command. Raises SystemExit where it fails; a plan that breaks rules is no failure here."""
    done = subprocess.run(
        [sys.executable, "-m", "gui", *map(str, words)], cwd=ROOT, check=False, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr.strip()}")


def make_models(folder: Path) -> None:
    """Small models of the formats that plans are made for."""
    from planner.formats.graphs import stageboard_json
    from planner.formats.networks.npz import write_network
    from tests.gui.editors.network.models import layered_network
    from tests.gui.models import chain_graph
    from tests.gui.stage_models import network
    from tests.planner.formats.tflite.builder import everything

    folder.mkdir(parents=True)
    for name in ("workload.json", "small.dot", "small.graphml"):
        shutil.copy(ROOT / "tests" / "data" / name, folder)
    shutil.copy(ROOT / "sample_models" / "unet.onnx", folder)
    _write_symbolic(folder / "symbolic.onnx")
    (folder / "tiny.tflite").write_bytes(everything())
    stageboard_json.write(chain_graph(), folder / "chain.json")
    stageboard_json.write(network(6), folder / "small_net.json")
    write_network(layered_network(), folder / "net.npz")


def _write_symbolic(path: Path) -> None:
    """An ONNX chain whose batch is symbolic."""
    from onnx import TensorProto, helper

    nodes = [
        helper.make_node("Relu" if i % 2 else "Sigmoid", [f"t{i}"], [f"t{i + 1}"], f"op{i}") for i in range(6)
    ]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 64]) for name in ("t0", "t6")]
    graph = helper.make_graph(nodes, "symbolic", ends[:1], ends[1:])
    path.write_bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9).SerializeToString(
            deterministic=True
        )
    )


def make_plans(folder: Path) -> dict[str, list[str]]:
    """Plans of searches, of a race, repaired, and one that breaks rules; returns the models of each."""
    plans, models = folder / "plans", folder / "models"
    plans.mkdir()
    of: dict[str, list[str]] = {}
    for name, files, words in PLANS:
        of[f"{name}.plan.json"] = list(files)
        stageboard(
            "plan", *(models / file for file in files), *words.split(), "-o", plans / f"{name}.plan.json"
        )
    of["race.plan.json"] = ["chain.json"]
    stageboard(
        "race", models / "chain.json", "--target", "pipeline:3", "--planners", "slice-random,anneal", "--bounds", "bottleneck",
        "--start", plans / "pipeline_start.plan.json", "--time-limit", "3", "-o", plans / "race.plan.json",
    )  # fmt: skip
    _write_broken(models / "chain.json", plans / "broken.plan.json")
    of["broken.plan.json"] = of["repaired.plan.json"] = ["chain.json"]
    stageboard(
        "repair", models / "chain.json", plans / "broken.plan.json", "-o", plans / "repaired.plan.json"
    )
    return of


def _write_broken(model: Path, path: Path) -> None:
    """A plan of one's own that breaks the order of a pipeline, a pin and what is to be kept together."""
    from planner.formats import read_models
    from planner.machines.spec import parse_target
    from planner.plan_files.plan_json import write_plan
    from planner.problem.problem import Pin, Problem, Together
    from planner.problem.provenance import Provenance

    graph = read_models([model])
    problem = Problem(
        graph, parse_target("pipeline:3", graph), "bottleneck", (Pin("n4", "stage 1"), Together(("n6", "n7")))
    )
    places = np.repeat([0, 1, 2], 4).astype(np.int32)
    places[[1, 4, 7]] = 2, 0, 1
    write_plan(path, problem.plan(places, Provenance("by hand"), "by hand"))


def make_stories(folder: Path) -> None:
    """Stories of several plans, of a search that was run again, and of orders; models lie beside them."""
    stories, models, plans = folder / "stories", folder / "models", folder / "plans"
    stories.mkdir()
    for name, model, shown, words in (
        ("plans", "chain.json", ("pool_ideals", "pool_free"), ("--title", "Two splits", "--theme", "dark")),
        ("search", "chain.json", ("pipeline_memory_pins",), ("--replay",)),
        ("tpus", "unet.onnx", ("edge_tpu_memory", "edge_tpu_shared_children"), ()),
        ("chips", "unet.onnx", ("mcm_exact",), ()),
        ("orders", "net.npz", ("memory_theorem", "memory_lru"), ()),
    ):
        files = [plans / f"{plan}.plan.json" for plan in shown]
        stageboard("story", models / model, *files, "-o", stories / f"{name}.story.json", *words)


def make_state(folder: Path) -> None:
    """What a crash leaves behind: journals of graphs and an order that was not saved."""
    from PySide6.QtWidgets import QApplication

    app = QApplication.instance() or QApplication([])
    assert app is not None
    state, models = folder / "state", folder / "models"
    state.mkdir()
    _leave_journals(state, models, folder / "plans")
    _leave_order(state, models)


def _leave_journals(state: Path, models: Path, plans: Path) -> None:
    from gui.document.plan.document import Document
    from gui.document.plan.journal import Journal
    from planner.machines.pipeline.target import Pipeline
    from planner.machines.pool.target import DevicePool
    from tests.gui.models import chain_graph

    document = Document()
    journal = Journal(document, state)
    document.open_model(models / "chain.json")
    document.set_problem(Pipeline(count=3, memory=40.0, bandwidth=2.0))
    document.move([11], 2)
    document.pin([11])
    document.keep_together([4, 5])
    entry = document.add_plan(np.repeat([0, 1, 2], 4), "thirds", planner="slice", seed=4, seconds=1.5)
    document.follow(entry.device_of, entry, "job 1", "Run")
    document.update_plan(entry, np.repeat([0, 1, 2], [2, 5, 5]).astype(np.int32), 2.5)
    document.follow(entry.device_of, entry, "job 1", "Run")
    document.save_plan(state / "saved.plan.json")
    document.set_problem(DevicePool(2, 1))
    document.move([3], 2, along=True)
    document.move([4], 1)
    document.undo_stack.undo()
    _keep(journal, state / "journal-1.jsonl")

    document = Document()
    journal = Journal(document, state)
    document.open_model(models / "unet.onnx")
    document.open_plan(plans / "edge_tpu_memory.plan.json")
    document.set_assignment(np.zeros(document.device_of.size, np.int32), "edit", "All on one")
    _keep(journal, state / "journal-2.jsonl")

    document = Document()
    journal = Journal(document, state)
    document.open_graph(chain_graph(9, "made here"), target=Pipeline(count=2))
    document.move([8], 1 - int(document.device_of[8]))
    _keep(journal, state / "journal-3.jsonl")


def _keep(journal: object, path: Path) -> None:
    """A journal as a crash would leave it."""
    shutil.copy(journal.path, path)  # type: ignore[attr-defined]
    journal.close()  # type: ignore[attr-defined]


def _leave_order(state: Path, models: Path) -> None:
    from gui.document.network.autosave import Autosave
    from gui.document.network.document import OrderDocument
    from planner.formats.networks.read import read_network
    from tests.gui.editors.network.models import opened, shuffled_order

    document = OrderDocument()
    network = read_network([models / "net.npz"])
    document.install(opened(network))
    document.paths = (models / "net.npz",)
    autosave = Autosave(document, state)
    document.set_order(shuffled_order(network, 7), "by hand")
    autosave.close(keep=True)
    document.close()
    for path in list(state.glob(f"orders-{os.getpid()}.*")):
        path.rename(state / f"orders-1{path.suffix}")


def make_session(folder: Path) -> None:
    """What is remembered between two runs."""
    from gui.shell.session import Session
    from planner.formats import read_models
    from planner.machines.spec import parse_target

    (folder / "config").mkdir()
    session = Session(folder / "config" / "session.ini")
    chain, net = folder / "models" / "chain.json", folder / "models" / "small_net.json"
    session.add_recent((chain, net))
    session.add_recent((folder / "models" / "unet.onnx",))
    session.theme = "dark"
    session.set_value("view", "lanes")
    graph = read_models([chain])
    session.keep_target(graph, parse_target("pool:3+1,contiguous=false", graph), "gpipe")
    session.sync()


def main() -> int:
    """Make the folder of this version."""
    if FOLDER.exists():
        raise SystemExit(f"{FOLDER.relative_to(ROOT)} exists; what a version wrote is never written again")
    with tempfile.TemporaryDirectory() as name:
        made = Path(name) / "made"
        make_models(made / "models")
        of = make_plans(made)
        write_atomically(made / written.MODELS, to_json(of))
        make_stories(made)
        make_state(made)
        make_session(made)
        for path in [*(made / "state").iterdir(), *(made / "config").iterdir()]:
            path.write_text(
                path.read_text(encoding="utf-8").replace(str(made), written.HOME), encoding="utf-8"
            )
        figures = written.figures_of(written.laid_out(made, Path(name) / "read"))
        write_atomically(
            made / written.FIGURES, json.dumps(figures, indent=None, separators=(",", ":")) + "\n"
        )
        shutil.copytree(made, FOLDER)
    files = [path for path in FOLDER.rglob("*") if path.is_file()]
    print(
        f"wrote {len(files)} files, {sum(path.stat().st_size for path in files) / 1024:.0f} KiB, in {FOLDER.relative_to(ROOT)}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
