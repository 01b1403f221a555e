"""Write the eleven ImageNet graphs of `sample_models/` from `keras.applications`, without weights.

Needs Keras and one of its backends, which are **not** dependencies of Stageboard: only whoever wants to make
the files again needs them, in an environment of their own. Made with Python 3.11 and::

    pip install keras==3.15.1 torch==2.13.0
    python tools/make_keras_graphs.py sample_models

The result depends on the layer definitions only (no weights, no random numbers, no clock), so a second run
writes the same bytes. What one op is, and how it is counted:

* one op per Keras layer, the input layer included, in the order of `model.layers` (a topological order);
* `params` counts all weights of the layer, the moving statistics of batch normalisation included;
* `macs` counts multiply-accumulates of convolutions and dense layers for one sample; 0 for every other kind;
* tensors are float32 with batch size 1;
* `layer` numbers the building blocks (stem, residual blocks, ...) from input to output; `attrs.block` names them.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from math import prod
from pathlib import Path
from typing import Any

os.environ.setdefault("KERAS_BACKEND", "torch")

BYTES_PER_VALUE = 4  # float32
BATCH = 1

MODELS = (
    "ResNet50",
    "ResNet101",
    "ResNet152",
    "ResNet50V2",
    "ResNet101V2",
    "ResNet152V2",
    "DenseNet121",
    "DenseNet169",
    "DenseNet201",
    "Xception",
    "InceptionResNetV2",
)

# The last layer of a stem whose layers Keras numbers instead of naming.
STEM_END = {"InceptionResNetV2": "max_pooling2d_1"}


def file_name(model_name: str) -> str:
    """`InceptionResNetV2` -> `inception_resnet_v2.json`, `ResNet50V2` -> `resnet50_v2.json`."""
    words = re.sub(r"V2$", "_v2", model_name.replace("InceptionResNet", "inception_resnet"))
    return words.lower() + ".json"


def parents(layer: Any) -> list[Any]:
    """The layers that `layer` reads, in the order of its arguments."""
    node = layer._inbound_nodes[0]  # every layer of these models is called once
    return [parent.operation for parent in node.parent_nodes]


def output_shape(layer: Any) -> list[int]:
    """Shape of the layer's one output, with the batch dimension set to `BATCH`."""
    shape = layer.output.shape if not isinstance(layer.output, list) else layer.output[0].shape
    return [BATCH if size is None else int(size) for size in shape]


def macs(layer: Any, inputs: list[list[int]], output: list[int]) -> int:
    """Multiply-accumulates of one layer for one batch; channels are last, biases are not counted."""
    kind = type(layer).__name__
    if kind == "Dense":
        return prod(inputs[0]) * output[-1]
    if kind in ("Conv2D", "DepthwiseConv2D", "SeparableConv2D"):
        pixels = prod(output[:-1])
        channels_in, channels_out = inputs[0][-1], output[-1]
        window = prod(layer.kernel_size)
        if kind == "Conv2D":
            return pixels * window * (channels_in // layer.groups) * channels_out
        depthwise_channels = channels_in * layer.depth_multiplier
        depthwise = pixels * window * depthwise_channels
        return depthwise + (pixels * depthwise_channels * channels_out if kind == "SeparableConv2D" else 0)
    if layer.count_params() and kind not in ("BatchNormalization",):
        raise ValueError(f"{layer.name}: no rule to count the MACs of a {kind} layer; add one to macs()")
    return 0


def attributes(layer: Any) -> dict[str, Any]:
    """What the inspector shows about a layer: short strings and numbers, defaults left out."""
    config = layer.get_config()

    def size(key: str) -> str:
        return "x".join(str(value) for value in config[key])

    found: dict[str, Any] = {}
    if "kernel_size" in config:
        found["kernel"] = size("kernel_size")
    if "pool_size" in config:
        found["pool"] = size("pool_size")
    if "strides" in config:
        found["strides"] = size("strides")
    if isinstance(config.get("padding"), str):
        found["padding"] = config["padding"]
    elif "padding" in config:  # zero padding: ((top, bottom), (left, right))
        (top, bottom), (left, right) = config["padding"]
        found["padding"] = f"top {top}, bottom {bottom}, left {left}, right {right}"
    if config.get("groups", 1) != 1:
        found["groups"] = config["groups"]
    if set(config.get("dilation_rate", (1,))) != {1}:
        found["dilation"] = size("dilation_rate")
    if config.get("activation", "linear") != "linear":
        found["activation"] = config["activation"]
    if type(layer).__name__ == "Concatenate":
        found["axis"] = config["axis"]
    if "scale" in config and isinstance(config["scale"], float):
        found["scale"] = config["scale"]
    return found


def named_block(layer_name: str) -> str | None:
    """The building block that a layer's own name tells, or None for names such as `conv2d_7`."""
    patterns = (
        (r"(conv\d+_block\d+)_", None),  # ResNet, DenseNet
        (r"post_", "head"),  # ResNet V2
        (r"(block(?:35|17|8)_\d+)(_|$)", None),  # InceptionResNetV2
        (r"(mixed_\w+)$", None),
        (r"conv_7b", "conv_7b"),
        (r"(pool\d)_(bn|relu|conv|pool)$", None),  # DenseNet's transitions
        (r"(block\d+)_", None),  # Xception
        (r"(bn|relu|avg_pool|predictions)$", "head"),
    )
    if layer_name.startswith(("conv1_", "pool1_", "zero_padding2d")) and "block" not in layer_name:
        return "stem"
    for pattern, block in patterns:
        match = re.match(pattern, layer_name)
        if match:
            return block or match[1]
    return None


def blocks(layers: list[Any], stem_end: str | None) -> dict[str, str]:
    """Block name of every layer; everything up to `stem_end`, where given, is the stem.

    A layer without a telling name belongs to the block that it feeds (the branches of InceptionResNetV2, the
    shortcuts of Xception); a nameless `Add` ends the block whose outputs it adds.
    """
    found: dict[str, str] = {}
    consumers: dict[str, list[str]] = {layer.name: [] for layer in layers}
    for layer in layers:
        for parent in parents(layer):
            consumers[parent.name].append(layer.name)
    in_stem = stem_end is not None
    for layer in layers:
        block = named_block(layer.name)
        if in_stem:
            block = "stem"
            in_stem = layer.name != stem_end
        elif block is None and type(layer).__name__ == "Add":
            block = next(found[parent.name] for parent in parents(layer) if parent.name in found)
        if block is not None:
            found[layer.name] = block
    for layer in reversed(layers):
        if layer.name not in found:
            found[layer.name] = found[consumers[layer.name][0]]
    return found


def graph(model: Any, name: str, keras_version: str) -> dict[str, Any]:
    """One Keras model as a `stageboard-graph` object, version 1."""
    layers = list(model.layers)
    shapes = {layer.name: output_shape(layer) for layer in layers}
    block_of = blocks(layers, STEM_END.get(name))
    block_number: dict[str, int] = {}
    consumers: dict[str, list[str]] = {layer.name: [] for layer in layers}
    ops = []
    for layer in layers:
        sources = [parent.name for parent in parents(layer)]
        for source in dict.fromkeys(sources):
            consumers[source].append(layer.name)
        params = int(layer.count_params())
        block = block_of[layer.name]
        ops.append(
            {
                "id": layer.name,
                "name": layer.name,
                "kind": type(layer).__name__,
                "params": params,
                "param_bytes": params * BYTES_PER_VALUE,
                "macs": macs(layer, [shapes[source] for source in sources], shapes[layer.name]),
                "layer": block_number.setdefault(block, len(block_number)),
                "attrs": {**attributes(layer), "block": block},
            }
        )
    tensors = [
        {
            "from": layer.name,
            "to": consumers[layer.name],
            "bytes": prod(shapes[layer.name]) * BYTES_PER_VALUE,
            "shape": shapes[layer.name],
            "dtype": "float32",
        }
        for layer in layers
    ]
    pixels = shapes[layers[0].name][1]
    return {
        "format": "stageboard-graph",
        "version": 1,
        "name": name,
        "time_unit": None,
        "source": f"keras.applications.{name} of Keras {keras_version} (Apache-2.0), weights=None, 1000 classes, "
        f"input {pixels} x {pixels} x 3, batch {BATCH}, float32; written by tools/make_keras_graphs.py",
        "ops": ops,
        "tensors": tensors,
    }


def text(content: dict[str, Any]) -> str:
    """JSON with one op and one tensor per line: small, and a change shows as one line in a diff."""

    def compact(value: Any) -> str:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)

    def lines(key: str) -> str:
        return f'"{key}":[\n' + ",\n".join(compact(entry) for entry in content[key]) + "\n]"

    head = [f'"{key}":{compact(value)}' for key, value in content.items() if key not in ("ops", "tensors")]
    return "{\n" + ",\n".join([*head, lines("ops"), lines("tensors")]) + "\n}\n"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="where to write the JSON files, usually sample_models")
    parser.add_argument("--only", metavar="NAME", choices=MODELS, help="write this model only")
    options = parser.parse_args(arguments)

    import keras  # slow, and --help must work without it

    options.folder.mkdir(parents=True, exist_ok=True)
    for name in [options.only] if options.only else MODELS:
        keras.utils.clear_session()  # automatic layer names count from 0 again
        model = getattr(keras.applications, name)(weights=None)
        content = graph(model, name, keras.__version__)
        total = model.count_params()
        if sum(op["params"] for op in content["ops"]) != total:
            raise ValueError(f"{name}: the layers' parameters do not add up to the model's {total}")
        path = options.folder / file_name(name)
        path.write_text(text(content), encoding="utf-8")
        gmacs = sum(op["macs"] for op in content["ops"]) / 1e9
        print(f"{path}: {len(content['ops'])} ops, {total:,} parameters, {gmacs:.2f} GMACs", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
