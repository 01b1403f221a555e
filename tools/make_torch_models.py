"""Write the ONNX files of `sample_models/`: real topologies and sizes, no weights.

Needs PyTorch (the CPU build will do), which is **not** a dependency of Stageboard: only whoever wants to make the
files again needs it, in an environment of their own. Made with Python 3.11 and::

    pip install torch==2.13.0 onnx==1.23.2
    python tools/make_torch_models.py sample_models

The networks are defined in `torch_transformers.py`, `torch_unets.py` and `torch_detector.py`. Each is exported by PyTorch's TorchScript
exporter (opset 17, symbolic batch), which names nodes by module scope, such as `/encoder/layer.0/attention/MatMul`.
Then every weight is replaced by a `ConstantOfShape` node of the same name and shape, as the light
models of ONNX's own tests do: a reader that folds constants sees the real sizes, and the file stays small. The
fill values carry no information. A second run writes the same bytes.
"""

from __future__ import annotations

import argparse
import importlib
import io
import math
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17


@dataclass(frozen=True)
class Sample:
    """One file: its network, example inputs as (name, shape, dtype name) and output names."""

    module: str
    network: str
    inputs: tuple[tuple[str, tuple[int, ...], str], ...]
    outputs: tuple[str, ...]
    note: str
    fold: bool = True  # the exporter's folding; it would copy a weight that is used twice


SAMPLES = {
    "transformer_encoder": Sample(
        "torch_transformers",
        "TransformerEncoder",
        tuple((name, (2, 128), "int64") for name in ("input_ids", "attention_mask", "token_type_ids")),
        ("last_hidden_state", "pooler_output"),
        "Transformer encoder of BERT-base's size, sequence length 128",
    ),
    "transformer_decoder": Sample(
        "torch_transformers",
        "TransformerDecoder",
        tuple((name, (2, 256), "int64") for name in ("input_ids", "attention_mask")),
        ("logits",),
        "Transformer decoder of GPT-2-small's size, sequence length 256, output head tied to the embedding",
        fold=False,
    ),
    "unet": Sample(
        "torch_unets",
        "UNet",
        (("image", (2, 3, 256, 256), "float32"),),
        ("mask",),
        "Segmentation U-Net, 256 x 256 pixels",
    ),
    "denoiser": Sample(
        "torch_unets",
        "Denoiser",
        (("image", (2, 3, 64, 64), "float32"), ("timestep", (2,), "float32")),
        ("noise",),
        "Diffusion denoiser, 64 x 64 pixels, one time embedding that feeds every block",
    ),
    "fpn_detector": Sample(
        "torch_detector",
        "Detector",
        (("image", (2, 3, 512, 512), "float32"),),
        tuple(f"{kind}_{level}" for level in ("p3", "p4", "p5") for kind in ("boxes", "scores")),
        "Anchor-free detector with a feature pyramid, 512 x 512 pixels, six outputs",
    ),
}


def export(sample: Sample) -> tuple[onnx.ModelProto, int, set[str]]:
    """Export one network; return the model, the number of its parameters and the names of its constants."""
    import torch  # slow, and --help must work without it

    network: Callable[[], Any] = getattr(importlib.import_module(sample.module), sample.network)
    torch.manual_seed(0)
    module = network().eval()
    randomise(module)
    example = tuple(torch.zeros(shape, dtype=getattr(torch, dtype)) for _, shape, dtype in sample.inputs)
    names = [name for name, _, _ in sample.inputs]
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter announces its successor
        torch.onnx.export(
            module,
            example,
            file,
            dynamo=False,
            opset_version=OPSET,
            do_constant_folding=sample.fold,
            input_names=names,
            output_names=list(sample.outputs),
            dynamic_axes={name: {0: "batch"} for name in [*names, *sample.outputs]},
        )
    parameters = sum(weight.numel() for weight in module.parameters())
    return onnx.load_from_string(file.getvalue()), parameters, {name for name, _ in module.named_buffers()}


def readable_names(graph: onnx.GraphProto) -> None:
    """Rename initialisers that folding left with names such as `onnx::MatMul_123`, after their first reader."""
    taken = {initialiser.name for initialiser in graph.initializer}
    renamed: dict[str, str] = {}
    for node in graph.node:
        for index, name in enumerate(node.input):
            if name in taken and name.startswith("onnx::") and name not in renamed:
                scope = node.name.rsplit("/", 1)[0].strip("/").replace("/", ".") or node.name.strip("/")
                base = f"{scope}.{'bias' if node.op_type == 'Conv' and index == 2 else 'weight'}"
                candidates = [base, *(f"{base}_{number}" for number in range(2, 100))]
                renamed[name] = next(c for c in candidates if c not in taken and c not in renamed.values())
    for initialiser in graph.initializer:
        initialiser.name = renamed.get(initialiser.name, initialiser.name)
    for node in graph.node:
        for index, name in enumerate(node.input):
            node.input[index] = renamed.get(name, name)


def keep_batch_in_reshapes(graph: onnx.GraphProto) -> None:
    """Write "copy the input's first size" (0) where the exporter wrote "work it out" (-1) for the batch.

    In these networks a reshape never mixes the batch with another dimension; with 0, shape inference carries the
    symbol through where -1 would lose it.
    """
    constants = {node.output[0]: node for node in graph.node if node.op_type == "Constant"}
    for node in graph.node:
        source = constants.get(node.input[1]) if node.op_type == "Reshape" else None
        if source is None:
            continue
        sizes = numpy_helper.to_array(source.attribute[0].t).copy()
        if sizes[0] == -1:
            sizes[0] = 0
            source.attribute[0].t.CopyFrom(numpy_helper.from_array(sizes))


def fill_value(name: str, shape: tuple[int, ...]) -> float:
    """A value that keeps activations finite: 1 for scales, 0 for biases, 1 / fan-in or so for weights."""
    vector = sum(size > 1 for size in shape) <= 1
    if vector:
        return 1.0 if name.endswith("weight") else 0.0
    return 1.0 / math.prod(shape[1:])


def randomise(module: Any) -> None:
    """Give every weight its own value: the exporter merges initialisers of equal value, which would tie weights that are not tied."""
    import torch

    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_()
        for name, buffer in module.named_buffers():
            if name.endswith(("running_mean", "running_var")):
                buffer.uniform_(0.5, 1.5)


def drop_identities(graph: onnx.GraphProto) -> None:
    """Let the readers of an initialiser's copy (an Identity node) read the initialiser itself."""
    constants = {initialiser.name for initialiser in graph.initializer}
    original: dict[str, str] = {}
    kept = []
    for node in graph.node:
        if node.op_type == "Identity" and node.input[0] in constants:
            constants.add(node.output[0])
            original[node.output[0]] = original.get(node.input[0], node.input[0])
        else:
            kept.append(node)
    for node in kept:
        for index, name in enumerate(node.input):
            node.input[index] = original.get(name, name)
    del graph.node[:]
    graph.node.extend(kept)


def strip_weights(graph: onnx.GraphProto, constants: set[str]) -> None:
    """Replace every float initialiser but the named constants by a ConstantOfShape node."""
    kept, made, shapes = [], [], {}
    for initialiser in graph.initializer:
        shape = tuple(initialiser.dims)
        if initialiser.data_type != TensorProto.FLOAT or not shape or initialiser.name in constants:
            kept.append(initialiser)
            continue
        shape_name = "shape." + "x".join(map(str, shape))
        shapes[shape_name] = numpy_helper.from_array(np.array(shape, dtype=np.int64), shape_name)
        value = helper.make_tensor("value", TensorProto.FLOAT, [1], [fill_value(initialiser.name, shape)])
        made.append(
            helper.make_node(
                "ConstantOfShape", [shape_name], [initialiser.name], name=initialiser.name, value=value
            )
        )
    nodes = [*made, *graph.node]
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend([*kept, *shapes.values()])
    graph.node.extend(nodes)


def finish(model: onnx.ModelProto, name: str, sample: Sample, constants: set[str]) -> onnx.ModelProto:
    """Strip weights, notes of the tracing machine and intermediate shapes; describe; check."""
    graph = model.graph
    drop_identities(graph)
    readable_names(graph)
    keep_batch_in_reshapes(graph)
    strip_weights(graph, constants)
    del graph.value_info[:]
    for node in graph.node:
        node.ClearField("doc_string")  # source lines of the machine that traced
    graph.name = name
    graph.doc_string = sample.note
    model.doc_string = (
        f"{sample.note}. Weights are ConstantOfShape nodes of the real shapes: the file carries no trained values. "
        "Written by tools/make_torch_models.py; MIT licence."
    )
    for output in graph.output:  # the exporter invents symbols for sizes that inference knows
        output.type.tensor_type.ClearField("shape")
    inferred = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    for output, known in zip(graph.output, inferred.graph.output, strict=True):
        output.CopyFrom(known)
        output.type.tensor_type.shape.dim[0].dim_param = "batch"  # which inference loses at Resize
    onnx.checker.check_model(model, full_check=True)
    return model


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="where to write the ONNX files, usually sample_models")
    parser.add_argument("--only", metavar="NAME", choices=SAMPLES, help="write this file only")
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in [options.only] if options.only else SAMPLES:
        exported, parameters, constants = export(SAMPLES[name])
        model = finish(exported, name, SAMPLES[name], constants)
        path = options.folder / f"{name}.onnx"
        path.write_bytes(model.SerializeToString(deterministic=True))
        size = path.stat().st_size
        print(
            f"{path}: {len(model.graph.node)} nodes, {parameters:,} parameters, {size:,} bytes",
            file=sys.stderr,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
