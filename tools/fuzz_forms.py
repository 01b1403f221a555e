"""The formats that ``tools/fuzz_readers.py`` tries: whole files to begin with, how they are damaged, how they are read."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import shutil
import sys
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools import fuzz_mutations as mutations  # noqa: E402

DATA = ROOT / "tests" / "data"
SAMPLES = ROOT / "sample_models"
SMALL = DATA / "small.json"
MATRIX = b"%%MatrixMarket matrix coordinate real general\n% a comment\n4 3 6\n1 1 0.5\n2 1 -1\n3 2 2e-3\n4 3 1\n1 3 0\n2 2 7\n"
SPECS = (
    "pipeline:4,memory=8MiB,bandwidth=1e9,reserve=0", "pool:2+1,contiguous=false,communication=overlap", "edge-tpu:4,cache=8MiB,host_io=true",
    "mcm:36,sram=32MiB,link=25GB/s", "memory:100",
)  # fmt: skip
TARGET = {"target": {"kind": "pool", "count": "2+1", "memory": "16GiB", "contiguous": False}}
TARGET_TEXT = {"target": "pool:2+1", "contiguous": False}
COSTS = {"cost_model": {"accelerator_flops": 130e12, "accelerator_bandwidth": "900 GB/s", "cpu_overhead": 0}}
TIMES = {
    "format": "stageboard-times", "version": 1, "model": "small", "structure": "", "device": "cpu", "source": "a stopwatch", "seconds_sum": 3.0,
    "ops": [{"id": "a", "seconds": 1.0, "spread": 0.1}, {"id": "b", "seconds": 2.0, "shared": True}],
}  # fmt: skip
TRACE = [
    {
        "cat": "Node",
        "ph": "X",
        "name": "a_kernel_time",
        "dur": 12.5,
        "args": {"provider": "CPUExecutionProvider"},
    }
]
LAYERS = [{"count": 3}, {"name": "a + b", "averageMs": 0.5, "medianMs": 0.25}]
TABLE = b"op,device,seconds\na,cpu,0.5\nb,accelerator,1e-3\n"
SWEEP = {
    "models": ["small.json"], "targets": ["pipeline:2", "pool:2+1"], "planners": ["slice", {"name": "anneal", "set": {"moves": 10}}],
    "bounds": ["simple"], "seeds": [0, 1], "time_limit": 10, "gap": 0.01, "granularity": "op",
    "generate": [{"kind": "regal-like", "seeds": 2, "set": {"nodes": 10}}],
}  # fmt: skip


@dataclass(frozen=True)
class Form:
    """A format: whole files to begin with, how they are damaged, how they are read, by the library and by a command."""

    name: str
    suffix: str
    seeds: Callable[[Path], Sequence[Any]]
    """Whole files, from a folder in which something may be made."""
    damage: Callable[[Any, random.Random], bytes]
    read: Callable[[Path], object]
    command: Callable[[Path], list[str]] | None = None
    names_file: bool = True
    """Whether a sentence must name the file."""

    def whole(self, whole: Any) -> bytes:
        """The undamaged file."""
        if isinstance(whole, bytes):
            return gzip.compress(whole) if self.suffix.endswith(".gz") else whole
        if self.suffix == ".jsonl":
            return _lines(whole)
        text = mutations.to_toml(whole) if self.suffix == ".toml" else json.dumps(whole)
        return text.encode()


# ---------------------------------------------------------------------- whole files
def _files(*paths: Path) -> Callable[[Path], Sequence[bytes]]:
    return lambda folder: [path.read_bytes() for path in paths]


def _trees(*paths: Path) -> Callable[[Path], Sequence[Any]]:
    return lambda folder: [json.loads(path.read_bytes()) for path in paths]


def _plan(folder: Path) -> Any:
    from planner.formats import read_model
    from planner.machines.spec import parse_target
    from planner.plan_files.plan_json import write_plan
    from planner.problem.bound import Bound
    from planner.problem.problem import Pin, Problem
    from planner.problem.provenance import Provenance

    graph = read_model(SMALL)
    problem = Problem(graph, parse_target("pipeline:2"), "bottleneck", (Pin(graph.op_ids[0], "stage 0"),))
    plan = problem.plan([0] * (graph.n - 1) + [1], Provenance("slice", {"orders": 3}, 7, "1", 0.5), "a plan")
    bound = Bound("bottleneck", 1e-9, "simple", problem.relaxation)
    return json.loads(write_plan(folder / "made.plan.json", plan, [bound]).read_bytes())


def _order(folder: Path) -> Any:
    import numpy as np

    from planner.formats.networks.read import read_network
    from planner.machines.two_level_memory.problem import NetworkProblem
    from planner.machines.two_level_memory.target import TwoLevelMemory
    from planner.plan_files.plan_json import write_plan
    from planner.problem.provenance import Provenance

    network = read_network(_network(folder))
    problem = NetworkProblem(network, TwoLevelMemory(5))
    plan = problem.plan(
        np.arange(network.connection_count, dtype=np.int32), Provenance("by hand"), "an order"
    )
    return json.loads(write_plan(folder / "made.order.json", plan).read_bytes())


def _network(folder: Path) -> Path:
    from planner.formats.networks.npz import write_network
    from planner.generate.catalogue import generate_network

    path = folder / "made.npz"
    return (
        path
        if path.exists()
        else write_network(generate_network("mlp", {"width": "6", "depth": "2"}, 1), path)
    )


def _story(folder: Path) -> Any:
    from planner.story.files.json import write_story
    from planner.story.folded import FoldedGroup
    from planner.story.keyframe import Camera, Keyframe
    from planner.story.story import Story
    from planner.story.subject import StoryModel, StoryPlan

    data = _plan(folder)
    (folder / SMALL.name).write_bytes(SMALL.read_bytes())
    model = StoryModel((SMALL.name,), data["graph"]["fingerprint"])
    ops = tuple(op["id"] for op in data["decision"]["ops"])
    packed = {**data, "decision": {**data["decision"], "packed": f"0*{len(ops) - 1} 1"}}
    frames = (
        Keyframe(
            "One",
            "first",
            0,
            highlight=ops[:2],
            folded=(FoldedGroup("front", "0-1"),),
            camera=Camera(0.1, 0.1, 0.5, 0.5),
        ),
        Keyframe("Two", "second", 0, "lanes", panel="difference", versus=0),
    )
    story = Story("A story", "of a plan", (model,), (StoryPlan(0, packed),), frames)
    return json.loads(write_story(folder / "made.story.json", story).read_bytes())


def _journals(folder: Path) -> Sequence[list[Any]]:
    """Lines of a journal of some steps, bounds and a plan of the list."""
    from shiboken6 import delete

    from gui.document.plan.document import Document
    from gui.document.plan.journal import Journal
    from planner.machines.spec import parse_target
    from planner.problem.bound import Bound

    _application()
    document, state = Document(), folder / "state"
    journal = Journal(document, state)
    document.open_model(SMALL)
    document.set_problem(parse_target("pipeline:3", document.graph))
    document.move([0], 1)
    document.pin([1], 2)
    document.undo_stack.undo()
    document.add_plan([0] * document.open_problem.graph.n, "found")
    problem = document.open_problem
    document.add_bounds([Bound(problem.components[0], 1e-9, "simple", problem.relaxation, seconds=44.0)])
    document.move([2], 1)
    assert journal.path is not None
    lines = [json.loads(line) for line in journal.path.read_text("utf-8").splitlines()]
    journal.close()
    delete(document)
    return [lines]


_applications: list[Any] = []


def _application() -> None:
    """What documents need, which stays."""
    from PySide6.QtWidgets import QApplication

    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _applications.append(QApplication.instance() or QApplication(["fuzz"]))


def _machine(folder: Path) -> Sequence[Any]:
    rates = {"flops": 1e12, "bandwidth": 1e11, "overhead": 1e-6}
    return [
        {
            "format": "stageboard-machine", "version": 1, "name": "mine", "title": "Mine", "device": "accelerator", "rates": rates,
            "groups": {}, "source": "a stopwatch", "date": "2026-11-01", "fit": {"ops": 3},
        }
    ]  # fmt: skip


def _splits(folder: Path) -> Sequence[Any]:
    nodes = [node["id"] for node in json.loads((DATA / "workload.json").read_bytes())["nodes"]]
    return [{"fpgas": [{"nodes": nodes[:2]}, {"nodes": nodes[2:-1]}], "cpus": [{"nodes": nodes[-1:]}]}]


def _archives(folder: Path) -> Sequence[bytes]:
    import numpy as np
    import scipy.sparse

    dense = {"W0": np.ones((4, 3), np.float32), "b0": np.zeros(3), "W1": np.eye(3, 2)}
    np.savez(folder / "dense.npz", **dense)
    scipy.sparse.save_npz(folder / "sparse.npz", scipy.sparse.csr_matrix(np.eye(4)))
    return [path.read_bytes() for path in (_network(folder), folder / "dense.npz", folder / "sparse.npz")]


def _programs(folder: Path) -> Sequence[bytes]:
    """A program in the archives of new and of old versions of PyTorch."""
    new = (DATA / "small.pt2").read_bytes()
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(new)) as archive, zipfile.ZipFile(buffer, "w") as old:
        old.writestr("serialized_exported_program.json", archive.read("archive/models/model.json"))
        old.writestr("version", "8.8")
    return [new, buffer.getvalue()]


def _onnx_models(folder: Path) -> Sequence[bytes]:
    """Models as files have them, one of them with the modules that PyTorch's exporter names in the metadata of its nodes."""
    import onnx

    paths = (DATA / "control_flow.onnx", SAMPLES / "unet.onnx", SAMPLES / "transformer_encoder.onnx")
    wholes = [path.read_bytes() for path in paths]
    model = onnx.ModelProto.FromString(wholes[0])
    for i, node in enumerate(model.graph.node):
        for key, value in (
            ("pkg.torch.onnx.name_scopes", f"['', 'h.{i}', 'h.{i}.mlp', 'mul']"),
            ("namespace", f": m.M/h.{i}: m.B/mul: aten.mul"),
        ):
            entry = node.metadata_props.add()
            entry.key, entry.value = key, value
    return [*wholes, model.SerializeToString()]


def _dense_model(folder: Path) -> Sequence[bytes]:
    import numpy as np
    from onnx import helper, numpy_helper

    weights = [np.ones((4, 6), np.float32), np.ones((6, 3), np.float32)]
    stored = [numpy_helper.from_array(w, f"w{i}") for i, w in enumerate(weights)]
    nodes = [
        helper.make_node("MatMul", ["x", "w0"], ["a"]), helper.make_node("Relu", ["a"], ["b"]),
        helper.make_node("Gemm", ["b", "w1"], ["y"], alpha=1.0),
    ]  # fmt: skip
    inputs = [helper.make_tensor_value_info("x", 1, ["n", 4])]
    outputs = [helper.make_tensor_value_info("y", 1, ["n", 3])]
    model = helper.make_model(helper.make_graph(nodes, "g", inputs, outputs, stored))
    return [model.SerializeToString()]


# ---------------------------------------------------------------------- damage
def _either(
    first: Callable[[Any, random.Random], bytes], second: Callable[[Any, random.Random], bytes]
) -> Any:
    return lambda whole, rng: (first if rng.random() < 0.6 else second)(whole, rng)


def _json_text(tree: Any, rng: random.Random) -> bytes:
    text = json.dumps(mutations.damaged_tree(tree, rng), ensure_ascii=rng.random() < 0.5)
    return text.encode("utf-8", "surrogatepass")


def _json_bytes(tree: Any, rng: random.Random) -> bytes:
    return mutations.damaged_bytes(json.dumps(tree).encode(), rng)


def _lines(trees: list[Any]) -> bytes:
    return "".join(json.dumps(tree) + "\n" for tree in trees).encode("utf-8", "surrogatepass")


def _journal_lines(trees: list[Any], rng: random.Random) -> bytes:
    """One line says something else, or lines are missing or out of order."""
    lines = list(trees)
    at = rng.randrange(len(lines))
    choice = rng.randrange(4)
    if choice == 0:
        del lines[at]
    elif choice == 1:
        lines.insert(rng.randrange(len(lines) + 1), lines[at])
    else:
        lines[at] = mutations.damaged_tree(lines[at], rng)
    return _lines(lines)


def _journal_bytes(trees: list[Any], rng: random.Random) -> bytes:
    return mutations.damaged_bytes(_lines(trees), rng)


def _toml_text(tree: Any, rng: random.Random) -> bytes:
    return mutations.to_toml(mutations.damaged_tree(tree, rng)).encode("utf-8", "replace")


def _toml_words(tree: Any, rng: random.Random) -> bytes:
    return mutations.damaged_words(mutations.to_toml(tree).encode(), rng)


def _onnx_fields(data: bytes, rng: random.Random) -> bytes:
    import onnx

    return bytes(mutations.damaged_message(onnx.ModelProto.FromString(data), rng).SerializeToString())


def _packed(data: bytes, rng: random.Random) -> bytes:
    return (
        gzip.compress(mutations.damaged_words(data, rng))
        if rng.random() < 0.6
        else mutations.damaged_bytes(gzip.compress(data), rng)
    )


_JSON = _either(_json_text, _json_bytes)
_TOML = _either(_toml_text, _toml_words)
_TEXT = _either(mutations.damaged_words, mutations.damaged_bytes)


# ---------------------------------------------------------------------- reading
def _graph(path: Path) -> object:
    from planner.formats import read_graph
    from planner.model.cost_model import fill

    return fill(read_graph(path)).fingerprint


def _with_graph(model: Path, read: Callable[[Path, Any], object], path: Path) -> object:
    from planner.formats import read_model

    return read(path, read_model(model))


def _times(path: Path) -> object:
    from planner.formats.times.read import read_times

    return read_times(path)


def _open_plan(path: Path, graph: Any) -> object:
    from planner.plan_files.plan_json import open_plan, plan_model_options

    return plan_model_options(path), open_plan(path, graph)


def _open_split(path: Path, graph: Any) -> object:
    from planner.formats.graphs.device_placement import read_split_file

    return read_split_file(path, graph)


def _open_order(path: Path) -> object:
    from planner.formats.networks.read import read_network
    from planner.plan_files.order_json import is_order_plan, open_network_plan

    return is_order_plan(path), open_network_plan(path, read_network(_network(path.parent)))


def _open_story(path: Path) -> object:
    from planner.story.files.json import read_story
    from planner.story.files.plans import resolve

    story = read_story(path)
    return resolve(story, path.parent)


def _open_network(path: Path) -> object:
    from planner.formats.networks.read import is_network_file, read_network

    return is_network_file(path), read_network(path).fingerprint


def _open_pruned(path: Path) -> object:
    from planner.formats.networks.read import read_network

    return read_network(path, 0.5).fingerprint


def _open_spec(path: Path) -> object:
    from planner.machines.spec import is_for_networks, parse_target

    spec = path.read_bytes().decode("utf-8", "surrogateescape")
    return is_for_networks(spec), parse_target(spec)


def _open_target(path: Path) -> object:
    from planner.machines.spec import is_for_networks, parse_target

    return is_for_networks(str(path)), parse_target(str(path))


def _open_sweep(path: Path) -> object:
    from planner.runs.sweep.spec import read_sweep

    return read_sweep(str(path))


def _open_costs(path: Path) -> object:
    from planner.cli.inputs import cost_model

    return cost_model([str(path)])


def _open_session(path: Path) -> object:
    from gui.shell.session import Session
    from planner.formats import read_model

    session = Session(path)
    return (
        session.recent,
        session.theme,
        session.place("window"),
        session.target_for(read_model(SMALL)),
        session.value("view"),
    )


def _open_machine(path: Path) -> object:
    from planner.model.named_machines import read_machine, to_dict

    return to_dict(read_machine(path))


def _open_journal(path: Path) -> object:
    """As the window does at its start: what is there is offered and done again, or kept beside; nothing else."""
    from shiboken6 import delete

    from gui.document.plan.document import Document
    from gui.document.plan.recovery import leftovers, prepare, recover

    state = path.parent / "found"
    shutil.rmtree(state, ignore_errors=True)
    state.mkdir()
    content = path.read_bytes()
    (state / "journal-1.jsonl").write_bytes(content)
    damaged: list[Path] = []
    found = leftovers(state, damaged)
    kept = [one.path for one in found] or damaged
    assert all(one.read_bytes() == content for one in kept), "what is there stays as it is"
    document = Document()
    try:
        for one in found:
            recover(document, one, prepare(one))
            while document.undo_stack.canUndo():
                document.undo_stack.undo()
    finally:
        delete(document)
    return len(found), len(damaged)


def _info(path: Path) -> list[str]:
    return ["info", str(path)]


def _plan_for(path: Path) -> list[str]:
    return ["bound", str(SMALL), "--target", str(path), "--method", "simple"]


_SESSION = (
    b'[General]\nversion=1\ntheme=dark\nrecent="[[\\"/tmp/a.json\\"]]"\ntargets="{\\"x\\": {\\"target\\": {\\"kind\\": \\"pool\\"},'
    b' \\"objective\\": \\"max-load\\"}}"\n[window]\ngeometry=@ByteArray(\\x1\\xd9)\n[more]\nview=flow\n'
)

FORMS: dict[str, Form] = {
    form.name: form
    for form in (
        Form("own", ".json", _trees(SMALL), _JSON, _graph, _info),
        Form("device-placement", ".json", _trees(DATA / "workload.json"), _JSON, _graph, _info),
        Form(
            "onnx", ".onnx", _onnx_models,
            _either(_onnx_fields, mutations.damaged_bytes), _graph, _info,
        ),
        Form("tflite", ".tflite", _files(SAMPLES / "branchy_int8.tflite"), mutations.damaged_tflite, _graph, _info),
        Form("torch-export", ".pt2", _programs, _either(partial(mutations.damaged_archive, ends=("model.json", "program.json")), mutations.damaged_bytes), _graph, _info),
        Form("keras", ".keras", _files(DATA / "small.keras"), partial(mutations.damaged_archive, ends=("config.json", ".h5"), stored=True), _graph, _info),
        Form("keras-h5", ".h5", _files(DATA / "small.h5"), _either(mutations.damaged_hdf5, mutations.damaged_bytes), _graph, _info),
        Form("graphml", ".graphml", _files(DATA / "small.graphml"), _TEXT, _graph, _info),
        Form("dot", ".dot", _files(DATA / "small.dot"), _TEXT, _graph, _info),
        Form("cost-graph", ".pbtxt", _files(DATA / "small.pbtxt"), _TEXT, _graph, _info),
        Form("pipedream", ".txt", _files(DATA / "small.txt"), _TEXT, _graph, _info),
        Form("times", ".json", lambda f: [TIMES, TRACE, LAYERS], _JSON, _times, lambda p: ["info", str(SMALL), "--times", str(p)]),
        Form("times-table", ".csv", lambda f: [TABLE], _TEXT, _times, lambda p: ["info", str(SMALL), "--times", str(p)]),
        Form("plan", ".json", lambda f: [_plan(f)], _JSON, partial(_with_graph, SMALL, _open_plan), lambda p: ["evaluate", str(SMALL), str(p)]),
        Form("order", ".json", lambda f: [_order(f)], _JSON, _open_order, lambda p: ["evaluate", str(p.parent / "made.npz"), str(p)]),
        Form("story", ".story.json", lambda f: [_story(f)], _JSON, _open_story, names_file=False),
        Form("split", ".json", _splits, _JSON, partial(_with_graph, DATA / "workload.json", _open_split)),
        Form("npz", ".npz", _archives, _either(mutations.damaged_arrays, mutations.damaged_bytes), _open_network, _info),
        Form("mtx", ".mtx", lambda f: [MATRIX], _TEXT, _open_network, _info),
        Form("mtx.gz", ".mtx.gz", lambda f: [MATRIX], _packed, _open_network, _info),
        Form(
            "onnx-network", ".onnx", _dense_model, _either(_onnx_fields, mutations.damaged_bytes), _open_pruned,
            lambda p: ["info", str(p), "--density", "0.5"],
        ),
        Form(
            "spec", ".txt", lambda f: [spec.encode() for spec in SPECS], _TEXT, _open_spec,
            lambda p: _plan_for(Path(p.read_bytes().decode("utf-8", "surrogateescape").replace("\0", ""))), names_file=False,
        ),
        Form("target-toml", ".toml", lambda f: [TARGET, TARGET_TEXT, TARGET["target"]], _TOML, _open_target, _plan_for),
        Form("sweep-toml", ".toml", lambda f: [SWEEP], _TOML, _open_sweep),
        Form("cost-toml", ".toml", lambda f: [COSTS, COSTS["cost_model"]], _TOML, _open_costs, lambda p: [*_info(SMALL), "--cost-model", str(p)]),
        Form("machine", ".json", _machine, _JSON, _open_machine, lambda p: [*_info(SMALL), "--machine", str(p)]),
        Form("journal", ".jsonl", _journals, _either(_journal_lines, _journal_bytes), _open_journal, names_file=False),
        Form("session", ".ini", lambda f: [_SESSION], _TEXT, _open_session),
    )
}  # fmt: skip
