"""Write the graphs of `benchmarks/graphs` and `sample_models/bert_large.json`: networks exported from PyTorch, without weights.

Needs PyTorch, torchvision and transformers, which are **not** dependencies of Stageboard: only whoever wants to make the files again needs
them, in an environment of their own. Made with Python 3.11 and::

    pip install torch==2.13.0 torchvision==0.28.0 transformers==4.51.3 onnx==1.23.2
    python tools/export_torch_graphs.py benchmarks/graphs
    python tools/export_torch_graphs.py sample_models --only bert_large

Sixteen graphs to measure searches with: ten convolutional networks of torchvision and the six recurrent ones of `torch_recurrent.py`, none with
attention; and the BERT of `torch_bert.py`. Weights are random and none is stored. PyTorch's TorchScript exporter makes an ONNX
model of each (batch 1, float32), Stageboard's own reader makes the graph:

* one op per node that depends on an input, and one per input; parameters belong to the first op that uses them, but each step of a recurrent
  network counts the weights that it multiplies with: wherever it runs, it has to read them;
* of the sixteen, at opset 17, constants are folded, batch normalisation goes into convolutions, and recurrent networks are unrolled;
* of the BERT, at opset 13 with a symbolic batch, nothing is folded but what depends on weights alone: the chains that work out shapes are
  ops, too, as in the graph that a compiler is given.
"""

from __future__ import annotations

import argparse
import importlib
import io
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from make_keras_graphs import text  # noqa: E402
from make_torch_models import drop_identities, randomise, strip_weights  # noqa: E402

from planner.formats.graphs.stageboard_json import to_dict  # noqa: E402
from planner.formats.onnx import model as onnx_model  # noqa: E402

Input = tuple[str, tuple[int, ...], str]
"""Name, shape and type of an input."""


@dataclass(frozen=True)
class Network:
    """One file: where its network is defined, and what it reads."""

    module: str
    network: str
    inputs: tuple[Input, ...]
    note: str
    opset: int = 17
    fold: bool = True


def vision(network: str, pixels: int = 224) -> Network:
    """A network of torchvision for 1,000 classes."""
    image = (("image", (1, 3, pixels, pixels), "float32"),)
    return Network(
        "torchvision.models",
        network,
        image,
        f"torchvision.models.{network} (BSD-3-Clause), {pixels} x {pixels} pixels",
    )


def unrolled(network: str, steps: int, shape: tuple[int, ...], dtype: str, note: str) -> Network:
    """A recurrent network over so many steps."""
    inputs = tuple((f"step_{number}", shape, dtype) for number in range(steps))
    return Network("torch_recurrent", network, inputs, f"{note}, unrolled; written for Stageboard (MIT)")


GRAPHS = {
    "resnet18": vision("resnet18"),
    "resnet50": vision("resnet50"),
    "densenet121": vision("densenet121"),
    "googlenet": vision("googlenet"),
    "inception_v3": vision("inception_v3", 299),
    "mobilenet_v2": vision("mobilenet_v2"),
    "mobilenet_v3_large": vision("mobilenet_v3_large"),
    "shufflenet_v2": vision("shufflenet_v2_x1_0"),
    "squeezenet": vision("squeezenet1_1"),
    "efficientnet_b0": vision("efficientnet_b0"),
    "character_lstm": unrolled("CharacterModel", 16, (1,), "int64", "two LSTM layers, 16 characters"),
    "sentence_lstm": unrolled("SentenceClassifier", 20, (1,), "int64", "an LSTM in each direction, 20 words"),
    "translation_gru": unrolled(
        "Translator", 24, (1,), "int64", "GRU encoder and decoder of two layers, 12 words each"
    ),
    "speech_gru": unrolled("SpeechModel", 10, (1, 440), "float32", "dense layers and four GRU layers, 10 frames"),
    "video_lstm": unrolled(
        "VideoModel", 8, (1, 3, 112, 112), "float32", "a convolutional network and an LSTM, 8 frames"
    ),
    "rain_lstm": unrolled(
        "RainModel", 6, (1, 1, 96, 96), "float32", "two convolutional LSTM layers, 6 pictures seen and 7 painted"
    ),
}  # fmt: skip
BERT = Network(
    "torch_bert",
    "BertLarge",
    (
        ("input_ids", (1, 128), "int64"),
        ("token_type_ids", (1, 128), "int64"),
        ("attention_mask", (1, 1, 1, 128), "float32"),
        ("masked_positions", (1, 20), "int64"),
    ),
    "BERT-large with both pre-training heads, 128 tokens, 20 of them masked; layers of transformers (Apache-2.0)",
    opset=13,
    fold=False,
)
EVERY = {**GRAPHS, "bert_large": BERT}


def export(network: Network) -> Any:
    """The network as an ONNX model whose weights are shapes."""
    import onnx
    import torch  # slow, and --help must work without it

    torch.manual_seed(0)
    make: Callable[..., Any] = getattr(importlib.import_module(network.module), network.network)
    options = {"weights": None} if network.module.startswith("torchvision") else {}
    if network.network in ("googlenet", "inception_v3"):
        options |= {"init_weights": False}  # the default draws truncated normals for minutes
    module = make(**options).eval()
    randomise(module)
    example = tuple(torch.zeros(shape, dtype=getattr(torch, dtype)) for _, shape, dtype in network.inputs)
    names = [name for name, _, _ in network.inputs]
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter announces its successor
        torch.onnx.export(
            module,
            example,
            file,
            dynamo=False,
            opset_version=network.opset,
            do_constant_folding=network.fold,
            input_names=names,
            dynamic_axes=None if network.fold else {name: {0: "batch"} for name in names},
        )
    model = onnx.load_from_string(file.getvalue())
    drop_identities(model.graph)
    if network.module == "torch_recurrent":
        untie(model.graph)
    strip_weights(model.graph, set())
    return model


def untie(graph: Any) -> None:
    """Give every product a weight of its own: each step reads the weights, wherever it runs. Tables that are looked up stay one."""
    weights = {initialiser.name: initialiser for initialiser in graph.initializer}
    seen: set[str] = set()
    for number, node in enumerate(graph.node):
        if node.op_type not in ("Gemm", "MatMul", "Conv", "ConvTranspose"):
            continue
        for index, name in enumerate(node.input):
            if name in seen:
                copy = graph.initializer.add()
                copy.CopyFrom(weights[name])
                copy.name = node.input[index] = f"{name}.{number}"
            elif name in weights:
                seen.add(name)


def content(name: str, network: Network, model: Any) -> dict[str, Any]:
    """The graph that Stageboard's reader makes of the model, as a ``stageboard-graph`` object without attributes."""
    import onnx
    import torch

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.onnx"
        onnx.save(model, path)
        graph = onnx_model.parse(path, keep_shapes=not network.fold).graph
    if graph.warnings:
        raise ValueError(f"{name}: {'; '.join(graph.warnings)}")
    source = f"{network.note}; exported by PyTorch {torch.__version__.split('+')[0]}, batch 1, float32, random weights that are not stored; "
    found = to_dict(graph, source + "written by tools/export_torch_graphs.py")
    for op in found["ops"]:
        for key in ("memory", "attrs"):  # the memory is what the reader would take anyway
            op.pop(key, None)
        if op["name"] == op["id"]:
            del op["name"]
        layer = layer_of(op["id"])
        if network is BERT and layer is not None:
            op["layer"] = layer
    for tensor in found["tensors"]:
        tensor.pop("name", None)
    return found


def layer_of(identity: str) -> int | None:
    """Of the BERT's ops: 0 for the embeddings, then its layers, then the heads; None for inputs."""
    numbered = re.match(r"/encoder/layer\.(\d+)/", identity)
    if numbered:
        return 1 + int(numbered[1])
    return 0 if identity.startswith("/embeddings/") else 25 if identity.startswith("/") else None


def main(arguments: Sequence[str]) -> int:
    """Write the graphs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="where to write the JSON files")
    parser.add_argument(
        "--only", metavar="NAME", choices=EVERY, help="write this file only (default: the sixteen)"
    )
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in [options.only] if options.only else GRAPHS:
        found = content(name, EVERY[name], export(EVERY[name]))
        path = options.folder / f"{name}.json"
        path.write_text(text(found), encoding="utf-8")
        parameters = sum(op.get("params", 0) for op in found["ops"])
        gmacs = sum(op.get("macs", 0) for op in found["ops"]) / 1e9
        size = path.stat().st_size
        print(
            f"{path}: {len(found['ops'])} ops, {parameters:,} parameters, {gmacs:.2f} GMACs, {size:,} bytes",
            file=sys.stderr,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
