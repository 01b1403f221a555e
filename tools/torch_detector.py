"""The detector behind `sample_models/fpn_detector.onnx`; see `make_torch_models.py`.

Two passes over a feature pyramid (top-down, then bottom-up) join a backbone of split-and-merge stages, and every
level has its own box and class heads: a graph with crossing branches, Split ops and six outputs.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional


class ConvUnit(nn.Module):
    """Convolution, batch normalisation (folded into the convolution on export), SiLU."""

    def __init__(self, channels_in: int, channels_out: int, kernel: int = 1, stride: int = 1) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels_in, channels_out, kernel, stride, kernel // 2, bias=False)
        self.norm = nn.BatchNorm2d(channels_out)

    def forward(self, values: Tensor) -> Tensor:
        return functional.silu(self.norm(self.conv(values)))


class Bottleneck(nn.Module):
    """Two 3x3 convolutions, with a residual connection where asked for."""

    def __init__(self, channels: int, residual: bool) -> None:
        super().__init__()
        self.residual = residual
        self.first = ConvUnit(channels, channels, 3)
        self.second = ConvUnit(channels, channels, 3)

    def forward(self, values: Tensor) -> Tensor:
        inner = self.second(self.first(values))
        return values + inner if self.residual else inner


class SplitStage(nn.Module):
    """Half of the channels pass by, half run through the bottlenecks; every intermediate result is joined."""

    def __init__(self, channels_in: int, channels_out: int, depth: int, residual: bool = True) -> None:
        super().__init__()
        self.half = channels_out // 2
        self.enter = ConvUnit(channels_in, channels_out)
        self.block = nn.ModuleList([Bottleneck(self.half, residual) for _ in range(depth)])
        self.leave = ConvUnit((2 + depth) * self.half, channels_out)

    def forward(self, values: Tensor) -> Tensor:
        parts = list(self.enter(values).split([self.half, self.half], dim=1))
        for block in self.block:
            parts.append(block(parts[-1]))
        return self.leave(torch.cat(parts, dim=1))


class PoolPyramid(nn.Module):
    """Three max poolings in a row, all joined: a large field of view at little cost."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.enter = ConvUnit(channels, channels // 2)
        self.pool = nn.MaxPool2d(5, 1, 2)
        self.leave = ConvUnit(2 * channels, channels)

    def forward(self, values: Tensor) -> Tensor:
        parts = [self.enter(values)]
        for _ in range(3):
            parts.append(self.pool(parts[-1]))
        return self.leave(torch.cat(parts, dim=1))


class Backbone(nn.Module):
    """Five halvings; the maps at strides 8, 16 and 32 go on to the neck."""

    def __init__(self, widths: list[int], depths: list[int]) -> None:
        super().__init__()
        self.stem = ConvUnit(3, widths[0], 3, 2)
        self.shrink = nn.ModuleList([ConvUnit(a, b, 3, 2) for a, b in pairwise(widths)])
        self.stage = nn.ModuleList(
            [SplitStage(b, b, depth) for b, depth in zip(widths[1:], depths, strict=True)]
        )
        self.pyramid = PoolPyramid(widths[-1])

    def forward(self, image: Tensor) -> list[Tensor]:
        hidden = self.stem(image)
        maps = []
        for shrink, stage in zip(self.shrink, self.stage, strict=True):
            hidden = stage(shrink(hidden))
            maps.append(hidden)
        return [maps[-3], maps[-2], self.pyramid(maps[-1])]


class Neck(nn.Module):
    """Top-down, then bottom-up through the pyramid."""

    def __init__(self, widths: list[int], depth: int) -> None:
        super().__init__()
        small, middle, large = widths
        self.up_middle = SplitStage(large + middle, middle, depth, residual=False)
        self.up_small = SplitStage(middle + small, small, depth, residual=False)
        self.shrink_small = ConvUnit(small, small, 3, 2)
        self.down_middle = SplitStage(small + middle, middle, depth, residual=False)
        self.shrink_middle = ConvUnit(middle, middle, 3, 2)
        self.down_large = SplitStage(middle + large, large, depth, residual=False)

    def forward(self, maps: list[Tensor]) -> list[Tensor]:
        small, middle, large = maps
        middle = self.up_middle(torch.cat([functional.interpolate(large, scale_factor=2.0), middle], dim=1))
        small = self.up_small(torch.cat([functional.interpolate(middle, scale_factor=2.0), small], dim=1))
        middle = self.down_middle(torch.cat([self.shrink_small(small), middle], dim=1))
        large = self.down_large(torch.cat([self.shrink_middle(middle), large], dim=1))
        return [small, middle, large]


class Branch(nn.Module):
    """Two 3x3 convolution units and a 1x1 convolution to the wanted channels."""

    def __init__(self, channels_in: int, inner: int, channels_out: int) -> None:
        super().__init__()
        self.first = ConvUnit(channels_in, inner, 3)
        self.second = ConvUnit(inner, inner, 3)
        self.last = nn.Conv2d(inner, channels_out, 1)

    def forward(self, values: Tensor) -> Tensor:
        return self.last(self.second(self.first(values)))


class Head(nn.Module):
    """Boxes and class scores of one level, from separate branches."""

    def __init__(self, channels: int, classes: int) -> None:
        super().__init__()
        self.box = Branch(channels, 64, 4)
        self.score = Branch(channels, 128, classes)

    def forward(self, values: Tensor) -> tuple[Tensor, Tensor]:
        return torch.relu(self.box(values)), torch.sigmoid(self.score(values))


class Detector(nn.Module):
    """Anchor-free detector with 80 classes: boxes and scores at strides 8, 16 and 32."""

    def __init__(self, classes: int = 80) -> None:
        super().__init__()
        widths = [32, 64, 128, 256, 512]
        self.backbone = Backbone(widths, [1, 2, 2, 1])
        self.neck = Neck(widths[2:], 1)
        self.head = nn.ModuleList([Head(channels, classes) for channels in widths[2:]])

    def forward(self, image: Tensor) -> tuple[Tensor, ...]:
        outputs: list[Tensor] = []
        for head, values in zip(self.head, self.neck(self.backbone(image)), strict=True):
            outputs.extend(head(values))
        return tuple(outputs)
