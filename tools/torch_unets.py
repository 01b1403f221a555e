"""The two U-shaped networks behind ONNX files of `sample_models/`; see `make_torch_models.py`.

One is a plain segmentation U-Net, one a diffusion denoiser with attention. As in `torch_transformers.py`, every
size except the batch is a plain number, and nothing is ever trained.
"""

from __future__ import annotations

import math
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional


class DoubleConvolution(nn.Module):
    """Two 3x3 convolutions with batch normalisation (folded into the convolution on export) and ReLU."""

    def __init__(self, channels_in: int, channels_out: int) -> None:
        super().__init__()
        self.conv_1 = nn.Conv2d(channels_in, channels_out, 3, padding=1, bias=False)
        self.norm_1 = nn.BatchNorm2d(channels_out)
        self.conv_2 = nn.Conv2d(channels_out, channels_out, 3, padding=1, bias=False)
        self.norm_2 = nn.BatchNorm2d(channels_out)

    def forward(self, values: Tensor) -> Tensor:
        values = torch.relu(self.norm_1(self.conv_1(values)))
        return torch.relu(self.norm_2(self.conv_2(values)))


class DownStep(nn.Module):
    """Halve the resolution, double the channels."""

    def __init__(self, channels_in: int, channels_out: int) -> None:
        super().__init__()
        self.pool = nn.MaxPool2d(2)
        self.convs = DoubleConvolution(channels_in, channels_out)

    def forward(self, values: Tensor) -> Tensor:
        return self.convs(self.pool(values))


class UpStep(nn.Module):
    """Double the resolution, halve the channels, join the skip connection of that resolution."""

    def __init__(self, channels_in: int, channels_out: int) -> None:
        super().__init__()
        self.grow = nn.ConvTranspose2d(channels_in, channels_out, 2, 2)
        self.convs = DoubleConvolution(2 * channels_out, channels_out)

    def forward(self, values: Tensor, skip: Tensor) -> Tensor:
        return self.convs(torch.cat([skip, self.grow(values)], dim=1))


class UNet(nn.Module):
    """A segmentation U-Net: four halvings from 64 to 1,024 channels, long skip connections, two classes."""

    def __init__(self, channels: int = 64, depth: int = 4, classes: int = 2) -> None:
        super().__init__()
        widths = [channels << level for level in range(depth + 1)]
        self.stem = DoubleConvolution(3, channels)
        self.down = nn.ModuleList([DownStep(a, b) for a, b in pairwise(widths)])
        self.up = nn.ModuleList([UpStep(b, a) for a, b in pairwise(widths)][::-1])
        self.head = nn.Conv2d(channels, classes, 1)

    def forward(self, image: Tensor) -> Tensor:
        skips = []
        hidden = self.stem(image)
        for down in self.down:
            skips.append(hidden)
            hidden = down(hidden)
        for up in self.up:
            hidden = up(hidden, skips.pop())
        return self.head(hidden)


class GroupNormalisation(nn.Module):
    """Group normalisation with sizes fixed at construction (the built-in one exports shape arithmetic)."""

    def __init__(self, channels: int, size: int, groups: int = 32) -> None:
        super().__init__()
        self.channels, self.size, self.groups = channels, size, groups
        self.weight = nn.Parameter(torch.ones(channels, 1, 1))
        self.bias = nn.Parameter(torch.zeros(channels, 1, 1))
        self.register_buffer("one", torch.ones(groups))  # the exporter asks for the number of groups
        self.register_buffer("zero", torch.zeros(groups))

    def forward(self, values: Tensor) -> Tensor:
        grouped = values.reshape(-1, self.groups, self.channels // self.groups * self.size**2)
        normal = functional.instance_norm(grouped, weight=self.one, bias=self.zero, eps=1e-5)
        return normal.reshape(-1, self.channels, self.size, self.size) * self.weight + self.bias


class ResidualBlock(nn.Module):
    """Two convolutions; the time embedding is added between them."""

    def __init__(self, channels_in: int, channels_out: int, time_width: int, size: int) -> None:
        super().__init__()
        self.norm_1 = GroupNormalisation(channels_in, size)
        self.conv_1 = nn.Conv2d(channels_in, channels_out, 3, padding=1)
        self.time = nn.Linear(time_width, channels_out)
        self.norm_2 = GroupNormalisation(channels_out, size)
        self.conv_2 = nn.Conv2d(channels_out, channels_out, 3, padding=1)
        self.shortcut = nn.Identity()
        if channels_in != channels_out:
            self.shortcut = nn.Conv2d(channels_in, channels_out, 1)

    def forward(self, hidden: Tensor, time: Tensor) -> Tensor:
        inner = self.conv_1(functional.silu(self.norm_1(hidden))) + self.time(time)[:, :, None, None]
        return self.shortcut(hidden) + self.conv_2(functional.silu(self.norm_2(inner)))


class PixelAttention(nn.Module):
    """Single-head attention over all pixels of a small feature map."""

    def __init__(self, channels: int, size: int) -> None:
        super().__init__()
        self.channels, self.size = channels, size
        self.norm = GroupNormalisation(channels, size)
        self.qkv = nn.Conv2d(channels, 3 * channels, 1)
        self.output = nn.Conv2d(channels, channels, 1)

    def forward(self, hidden: Tensor) -> Tensor:
        query, key, value = self.qkv(self.norm(hidden)).split([self.channels] * 3, dim=1)
        flat = (-1, self.channels, self.size**2)
        query, key, value = query.reshape(flat), key.reshape(flat), value.reshape(flat)
        scores = torch.softmax(torch.matmul(query.permute(0, 2, 1), key) / math.sqrt(self.channels), dim=-1)
        mixed = torch.matmul(value, scores.permute(0, 2, 1))
        return hidden + self.output(mixed.reshape(-1, self.channels, self.size, self.size))


class Grow(nn.Module):
    """Nearest-neighbour doubling, then a convolution."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, values: Tensor) -> Tensor:
        return self.conv(functional.interpolate(values, scale_factor=2.0, mode="nearest"))


class TimeEmbedding(nn.Module):
    """Sines and cosines of the time step at fixed frequencies, through two linear maps."""

    def __init__(self, waves: int, width: int) -> None:
        super().__init__()
        steps = torch.arange(waves // 2) / (waves // 2)
        self.register_buffer("frequency", torch.exp(-math.log(10_000) * steps))
        self.linear_1, self.linear_2 = nn.Linear(waves, width), nn.Linear(width, width)

    def forward(self, timestep: Tensor) -> Tensor:
        angle = timestep[:, None] * self.frequency
        waves = torch.cat([torch.sin(angle), torch.cos(angle)], dim=1)
        return functional.silu(self.linear_2(functional.silu(self.linear_1(waves))))


class DenoiserLevel(nn.Module):
    """Residual blocks at one resolution, each followed by attention where the map is small enough."""

    def __init__(self, inputs: list[int], channels: int, time_width: int, size: int, attend: bool) -> None:
        super().__init__()
        self.block = nn.ModuleList([ResidualBlock(width, channels, time_width, size) for width in inputs])
        self.attention = nn.ModuleList([PixelAttention(channels, size) for _ in inputs if attend])

    def forward(self, hidden: Tensor, time: Tensor, skips: list[Tensor] | None = None) -> list[Tensor]:
        """Outputs of all blocks; where skips are given, each block takes the last one beside its input."""
        outputs = []
        for index, block in enumerate(self.block):
            hidden = block(torch.cat([hidden, skips.pop()], dim=1) if skips else hidden, time)
            hidden = self.attention[index](hidden) if self.attention else hidden
            outputs.append(hidden)
        return outputs


class Denoiser(nn.Module):
    """A diffusion denoiser: a U-Net with a time embedding that feeds every block and attention at 16x16 and 8x8."""

    def __init__(
        self, size: int = 64, channels: tuple[int, ...] = (128, 128, 256, 256), blocks: int = 2
    ) -> None:
        super().__init__()
        base, time_width = channels[0], 4 * channels[0]
        sizes = [size >> level for level in range(len(channels))]
        self.time = TimeEmbedding(base, time_width)
        self.stem = nn.Conv2d(3, base, 3, padding=1)
        self.down, self.shrink = nn.ModuleList(), nn.ModuleList()
        self.up, self.grow = nn.ModuleList(), nn.ModuleList()
        skips, width = [base], base
        for level, (inner, pixels) in enumerate(zip(channels, sizes, strict=True)):
            inputs = [width] + [inner] * (blocks - 1)
            self.down.append(DenoiserLevel(inputs, inner, time_width, pixels, pixels <= 16))
            skips += [inner] * blocks
            width = inner
            if level + 1 < len(channels):
                self.shrink.append(nn.Conv2d(inner, inner, 3, stride=2, padding=1))
                skips.append(inner)
        self.middle = DenoiserLevel([width, width], width, time_width, sizes[-1], True)
        for level in reversed(range(len(channels))):
            inner, inputs = channels[level], []
            for _ in range(blocks + 1):
                inputs.append(width + skips.pop())
                width = inner
            self.up.append(DenoiserLevel(inputs, inner, time_width, sizes[level], sizes[level] <= 16))
            if level:
                self.grow.append(Grow(inner))
        self.norm = GroupNormalisation(width, size)
        self.head = nn.Conv2d(width, 3, 3, padding=1)

    def forward(self, image: Tensor, timestep: Tensor) -> Tensor:
        time = self.time(timestep)
        hidden = self.stem(image)
        skips = [hidden]
        for level, down in enumerate(self.down):
            skips += down(hidden, time)
            hidden = skips[-1]
            if level < len(self.shrink):
                hidden = self.shrink[level](hidden)
                skips.append(hidden)
        hidden = self.middle(hidden, time)[-1]
        for level, up in enumerate(self.up):
            hidden = up(hidden, time, skips)[-1]
            if level < len(self.grow):
                hidden = self.grow[level](hidden)
        return self.head(functional.silu(self.norm(hidden)))
