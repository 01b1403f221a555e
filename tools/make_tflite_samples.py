"""Write `sample_models/branchy_int8.tflite`: a small INT8 network with everything that makes cutting one interesting.

Needs only what Stageboard needs anyway (numpy, ai-edge-litert)::

    python tools/make_tflite_samples.py sample_models

The network is of Stageboard's own making (MIT): a stem, residual blocks of inverted bottlenecks with depthwise convolutions,
four parallel branches that are concatenated, and two outputs: class scores, and a mask whose head reads the stem's
tensor again after skipping over all that lies between. Its weights are random, from a generator whose numbers never change
between numpy versions; scales are chosen so that activations neither vanish nor saturate. A second run writes the same bytes.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

SIDE, CLASSES, MASKS = 64, 10, 4
RELU6 = (6 / 255, -128)
LINEAR = (10 / 255, 0)
PROBABILITY = (1 / 256, -128)  # what softmax and logistic must have
VERSIONS = {
    "CONV_2D": 3,
    "DEPTHWISE_CONV_2D": 3,
    "FULLY_CONNECTED": 4,
}  # those that take INT8; 2 for all others
ALIGNMENT = 16
INT8_RELU_POWER = 0.5  # mean square of a rectified standard normal number


@dataclass(frozen=True)
class Value:
    """A tensor of activations: its place, shape, scale, and how large its numbers are (mean square)."""

    index: int
    shape: tuple[int, ...]
    scale: float
    power: float


class AlignedBuffer(schema.BufferT):
    """A buffer whose data begins at a multiple of 16 bytes, as the schema demands and its object API forgets."""

    def Pack(self, builder: Any) -> int:
        builder.Prep(ALIGNMENT, 0 if self.data is None else len(self.data))
        return super().Pack(builder)


class Network:
    """A model in the making: every method adds operators and returns what they give."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.RandomState(seed)
        self.buffers: list[Any] = [AlignedBuffer()]
        self.codes: list[Any] = []
        self.tensors: list[Any] = []
        self.operators: list[Any] = []

    # ------------------------------------------------------------------ tensors
    def _tensor(
        self,
        name: str,
        shape: tuple[int, ...],
        kind: int,
        buffer: int,
        scales: Any = (),
        zeros: Any = (),
        axis: int = 0,
    ) -> int:
        quantisation = None
        if len(scales):
            quantisation = schema.QuantizationParametersT(
                scale=np.asarray(scales, np.float32),
                zeroPoint=np.asarray(zeros, np.int64),
                quantizedDimension=axis,
            )
        self.tensors.append(
            schema.TensorT(
                shape=np.array(shape, np.int32),
                type=kind,
                buffer=buffer,
                name=name,
                quantization=quantisation,
                hasRank=True,
            )
        )
        return len(self.tensors) - 1

    def value(self, name: str, shape: tuple[int, ...], quantised: tuple[float, int], power: float) -> Value:
        """A new tensor of activations."""
        scale, zero = quantised
        index = self._tensor(name, shape, schema.TensorType.INT8, 0, [scale], [zero])
        return Value(index, shape, scale, power)

    def constant(self, name: str, array: Any, scales: Any = (), axis: int = 0) -> int:
        """A stored tensor, int8 or int32."""
        self.buffers.append(AlignedBuffer(data=np.frombuffer(array.tobytes(), np.uint8)))
        kind = schema.TensorType.INT8 if array.dtype == np.int8 else schema.TensorType.INT32
        return self._tensor(
            name, array.shape, kind, len(self.buffers) - 1, scales, np.zeros(len(scales)), axis
        )

    def operator(self, name: str, inputs: list[int], output: Value, options: Any = None) -> Value:
        """A new operator of one output; its options' class is named after them."""
        number = getattr(schema.BuiltinOperator, name)
        known = [code.builtinCode for code in self.codes]
        if number not in known:
            self.codes.append(
                schema.OperatorCodeT(
                    deprecatedBuiltinCode=min(number, 127), builtinCode=number, version=VERSIONS.get(name, 2)
                )
            )
            known.append(number)
        kind = 0
        if options is not None:
            kind = getattr(schema.BuiltinOptions, type(options).__name__.removesuffix("T"))
        self.operators.append(
            schema.OperatorT(
                opcodeIndex=known.index(number),
                inputs=np.array(inputs, np.int32),
                outputs=np.array([output.index], np.int32),
                builtinOptionsType=kind,
                builtinOptions=options,
            )
        )
        return output

    def _weights(
        self, name: str, shape: tuple[int, ...], x: Value, fan_in: int, axis: int, gain: float
    ) -> list[int]:
        """Filter and bias that give outputs of mean square ``gain``, with a scale for each output channel."""
        weights = self.random.standard_normal(shape) * np.sqrt(gain / (fan_in * x.power))
        others = tuple(a for a in range(len(shape)) if a != axis)
        scales = np.abs(weights).max(axis=others, keepdims=True) / 127
        filters = self.constant(
            f"{name}/weights", np.round(weights / scales).astype(np.int8), scales.ravel(), axis
        )
        bias_scales = scales.ravel() * x.scale
        bias = np.round(self.random.standard_normal(shape[axis]) * 0.1 / bias_scales).astype(np.int32)
        return [x.index, filters, self.constant(f"{name}/bias", bias, bias_scales)]

    # ------------------------------------------------------------------ layers
    def conv(
        self, x: Value, name: str, channels: int, size: int = 1, stride: int = 1, relu: bool = True
    ) -> Value:
        """A convolution, by default with a rectifier."""
        _, high, wide, depth = x.shape
        weights = self._weights(name, (channels, size, size, depth), x, size * size * depth, 0, 1.0)
        options = schema.Conv2DOptionsT(
            strideH=stride, strideW=stride, fusedActivationFunction=_activation(relu)
        )
        return self.operator(
            "CONV_2D", weights, self._image(name, high, wide, channels, stride, relu), options
        )

    def depthwise(self, x: Value, name: str, stride: int = 1) -> Value:
        """A depthwise 3 x 3 convolution with a rectifier."""
        _, high, wide, depth = x.shape
        weights = self._weights(name, (1, 3, 3, depth), x, 9, 3, 1.0)
        options = schema.DepthwiseConv2DOptionsT(
            strideH=stride, strideW=stride, depthMultiplier=1, fusedActivationFunction=_activation(True)
        )
        return self.operator(
            "DEPTHWISE_CONV_2D", weights, self._image(name, high, wide, depth, stride, True), options
        )

    def _image(self, name: str, high: int, wide: int, channels: int, stride: int, relu: bool) -> Value:
        shape = (1, high // stride, wide // stride, channels)
        return self.value(name, shape, RELU6 if relu else LINEAR, INT8_RELU_POWER if relu else 1.0)

    def add(self, x: Value, y: Value, name: str) -> Value:
        """The sum of two tensors."""
        output = self.value(name, x.shape, LINEAR, x.power + y.power)
        return self.operator("ADD", [x.index, y.index], output, schema.AddOptionsT())

    def concatenate(self, parts: list[Value], name: str) -> Value:
        """Channels of several tensors side by side; all have one scale."""
        shape = (*parts[0].shape[:3], sum(part.shape[3] for part in parts))
        power = sum(part.power * part.shape[3] for part in parts) / shape[3]
        output = self.value(name, shape, RELU6, power)
        return self.operator(
            "CONCATENATION", [p.index for p in parts], output, schema.ConcatenationOptionsT(axis=3)
        )

    def average(self, x: Value, name: str) -> Value:
        """Averages over 3 x 3 pixels."""
        output = self.value(name, x.shape, RELU6, 0.6 * x.power)
        options = schema.Pool2DOptionsT(strideH=1, strideW=1, filterHeight=3, filterWidth=3)
        return self.operator("AVERAGE_POOL_2D", [x.index], output, options)

    def enlarge(self, x: Value, name: str, side: int) -> Value:
        """Pixels repeated to a larger image."""
        output = self.value(name, (1, side, side, x.shape[3]), RELU6, x.power)
        size = self.constant(f"{name}/size", np.array([side, side], np.int32))
        options = schema.ResizeNearestNeighborOptionsT(halfPixelCenters=True)
        return self.operator("RESIZE_NEAREST_NEIGHBOR", [x.index, size], output, options)

    def bottleneck(self, x: Value, name: str, inner: int, channels: int, stride: int = 1) -> Value:
        """An inverted bottleneck; where shapes allow, its input is added to its output."""
        y = self.conv(x, f"{name}/expand", inner)
        y = self.depthwise(y, f"{name}/depthwise", stride)
        y = self.conv(y, f"{name}/project", channels, relu=False)
        return self.add(x, y, f"{name}/add") if x.shape == y.shape else y

    def scores(self, x: Value, name: str, count: int) -> Value:
        """Class scores from an image: mean over pixels, a dense layer, softmax."""
        axes = self.constant(f"{name}/axes", np.array([1, 2], np.int32))
        mean = self.value(f"{name}/mean", (1, x.shape[3]), RELU6, 0.2)
        mean = self.operator("MEAN", [x.index, axes], mean, schema.ReducerOptionsT())
        weights = self._weights(f"{name}/dense", (count, x.shape[3]), mean, x.shape[3], 0, 4.0)
        dense = self.value(f"{name}/dense", (1, count), LINEAR, 4.0)
        dense = self.operator("FULLY_CONNECTED", weights, dense, schema.FullyConnectedOptionsT())
        output = self.value(f"{name}/softmax", (1, count), PROBABILITY, 1.0)
        return self.operator("SOFTMAX", [dense.index], output, schema.SoftmaxOptionsT(beta=1.0))

    # ------------------------------------------------------------------ the file
    def pack(self, inputs: dict[str, Value], outputs: dict[str, Value], description: str) -> bytes:
        """The bytes of the model file."""
        graph = schema.SubGraphT(
            tensors=self.tensors,
            inputs=np.array([v.index for v in inputs.values()], np.int32),
            outputs=np.array([v.index for v in outputs.values()], np.int32),
            operators=self.operators,
            name="main",
        )
        signature = schema.SignatureDefT(
            inputs=[schema.TensorMapT(name, value.index) for name, value in inputs.items()],
            outputs=[schema.TensorMapT(name, value.index) for name, value in outputs.items()],
            signatureKey="serving_default",
        )
        model = schema.ModelT(
            version=3,
            operatorCodes=self.codes,
            subgraphs=[graph],
            buffers=self.buffers,
            description=description,
            signatureDefs=[signature],
        )
        builder = flatbuffers.Builder(1 << 18)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def _activation(relu: bool) -> int:
    return schema.ActivationFunctionType.RELU6 if relu else schema.ActivationFunctionType.NONE


def branchy() -> bytes:
    """The sample's bytes."""
    net = Network(seed=20)
    image = net.value("image", (1, SIDE, SIDE, 3), (1 / 128, 0), 1 / 3)
    stem = net.conv(image, "stem/conv", 16, size=3, stride=2)
    x = net.depthwise(stem, "stem/depthwise")
    x = net.conv(x, "stem/project", 16, relu=False)
    x = net.bottleneck(x, "block1", 48, 16)
    x = net.bottleneck(x, "block2", 64, 24, stride=2)
    x = net.bottleneck(x, "block3", 96, 24)
    wide = net.conv(x, "branches/wide/reduce", 24)
    wide = net.conv(wide, "branches/wide/conv", 32, size=3)
    deep = net.conv(x, "branches/deep/reduce", 16)
    deep = net.depthwise(deep, "branches/deep/depthwise1")
    deep = net.depthwise(deep, "branches/deep/depthwise2")
    plain = net.conv(x, "branches/plain/conv", 32)
    pooled = net.average(net.conv(x, "branches/pooled/conv", 16), "branches/pooled/average")
    x = net.concatenate([plain, wide, deep, pooled], "branches/concat")
    x = net.bottleneck(x, "block4", 160, 112, stride=2)
    x = net.bottleneck(x, "block5", 192, 112)
    x = net.bottleneck(x, "block6", 192, 112)
    top = net.conv(x, "top/conv", 96)
    mask = net.conv(top, "mask/reduce", 16)
    mask = net.enlarge(mask, "mask/enlarge", SIDE // 2)
    mask = net.concatenate([stem, mask], "mask/concat")
    mask = net.conv(mask, "mask/conv", 16, size=3)
    mask = net.conv(mask, "mask/logits", MASKS, relu=False)
    output = net.value("mask/logistic", mask.shape, PROBABILITY, 1.0)
    mask = net.operator("LOGISTIC", [mask.index], output)
    scores = net.scores(top, "scores", CLASSES)
    description = "Stageboard sample: branches, residuals, a long skip and two outputs; random weights"
    return net.pack({"image": image}, {"scores": scores, "mask": mask}, description)


def main() -> None:
    """Write the sample into the folder that is given."""
    parser = argparse.ArgumentParser(description="Write the TFLite sample model.")
    parser.add_argument("folder", type=Path, help="where to write, such as sample_models")
    path = parser.parse_args().folder / "branchy_int8.tflite"
    path.write_bytes(branchy())
    print(f"{path}: {path.stat().st_size:,} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
