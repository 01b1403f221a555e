"""Make the sparse networks of a folder: ``python tools/make_network_samples.py sample_models``.

Two are made up by ``stageboard generate``. The third is a small classifier that is trained here, pruned by magnitude to a
tenth of its weights and trained on: pictures of the ten digits, drawn from a font of 5 x 7 dots, shifted, smeared and noisy.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

FONT = (
    "01110 10001 10011 10101 11001 10001 01110", "00100 01100 00100 00100 00100 00100 01110",
    "01110 10001 00001 00010 00100 01000 11111", "11111 00010 00100 00010 00001 10001 01110",
    "00010 00110 01010 10010 11111 00010 00010", "11111 10000 11110 00001 00001 10001 01110",
    "00110 01000 10000 11110 10001 10001 01110", "11111 00001 00010 00100 01000 01000 01000",
    "01110 10001 10001 01110 10001 10001 01110", "01110 10001 10001 01111 00001 00010 01100",
)  # fmt: skip
SIDE = 14
SIZES = (SIDE * SIDE, 128, 64, 10)
DENSITY = 0.1


def pictures(count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """(pictures float32[count, SIDE * SIDE], digits int[count])."""
    dots = [np.array([[int(c) for c in row] for row in glyph.split()], np.float32) for glyph in FONT]
    digits = rng.integers(0, 10, count)
    out = np.zeros((count, SIDE, SIDE), np.float32)
    for picture, digit in zip(out, digits, strict=True):
        glyph = np.kron(dots[digit], np.ones((1, int(rng.integers(1, 3))), np.float32))
        y, x = rng.integers(0, SIDE - 7 + 1), rng.integers(0, SIDE - glyph.shape[1] + 1)
        picture[y : y + 7, x : x + glyph.shape[1]] = glyph
    out[:, :, 1:] = np.maximum(out[:, :, 1:], 0.5 * out[:, :, :-1])
    out += 0.2 * rng.standard_normal(out.shape, np.float32)
    return out.reshape(count, -1), digits


def run(weights: list[np.ndarray], biases: list[np.ndarray], x: np.ndarray) -> list[np.ndarray]:
    """The values of every layer."""
    values = [x]
    for i, (w, b) in enumerate(zip(weights, biases, strict=True)):
        z = values[-1] @ w + b
        values.append(z if i == len(weights) - 1 else np.maximum(z, 0))
    return values


def train(
    weights: list[np.ndarray],
    biases: list[np.ndarray],
    masks: list[np.ndarray],
    steps: int,
    rng: np.random.Generator,
) -> None:
    """Stochastic gradient descent with momentum on the cross entropy, in place; masked weights stay zero."""
    speed = [np.zeros_like(a) for a in (*weights, *biases)]
    for step in range(steps):
        x, digits = pictures(64, rng)
        values = run(weights, biases, x)
        share = np.exp(values[-1] - values[-1].max(1, keepdims=True))
        error = share / share.sum(1, keepdims=True)
        error[np.arange(64), digits] -= 1
        rate = 0.05 * (1 - step / steps) / 64
        for i in reversed(range(len(weights))):
            below = (error @ weights[i].T) * (values[i] > 0)
            for array, gradient, v in (
                (weights[i], values[i].T @ error * masks[i], speed[i]),
                (biases[i], error.sum(0), speed[len(weights) + i]),
            ):
                v *= 0.9
                v -= rate * gradient
                array += v
            error = below


def digits_pruned(folder: Path) -> None:
    """Train, prune, train on, and write the classifier as an array file."""
    from planner.formats.networks.layers import Block, Group, Layered, dense_matrix, network_of_layers
    from planner.formats.networks.npz import write_network

    rng = np.random.default_rng(0)
    weights = [(rng.standard_normal((a, b)) * np.sqrt(2 / a)).astype(np.float32) for a, b in pairwise(SIZES)]
    biases = [np.zeros(b, np.float32) for b in SIZES[1:]]
    train(weights, biases, [np.ones_like(w) for w in weights], 4000, rng)
    masks = []
    for w in weights:
        least = np.sort(np.abs(w), axis=None)[-round(DENSITY * w.size)]
        masks.append((np.abs(w) >= least).astype(np.float32))
        w *= masks[-1]
    train(weights, biases, masks, 4000, rng)
    x, digits = pictures(10_000, np.random.default_rng(1))
    right = float((run(weights, biases, x)[-1].argmax(1) == digits).mean())
    print(f"the pruned classifier is right on {100 * right:.1f} % of 10,000 new pictures")
    layered = Layered("digits, pruned to 10 %", "digits", "network")
    layered.groups = [Group(SIZES[0], fed=True)] + [
        Group(size, biases[i], "relu" if i < 2 else "identity", i + 1, output=i == 2)
        for i, size in enumerate(SIZES[1:])
    ]
    layered.blocks = [Block((i,), i + 1, dense_matrix(w)) for i, w in enumerate(weights)]
    write_network(network_of_layers(layered, None, "layer"), folder / "digits_pruned.npz")


def main() -> None:
    """Write all of them."""
    folder = Path(sys.argv[1])
    from planner.formats.networks.npz import write_network
    from planner.generate.catalogue import generate_network

    write_network(generate_network("mlp", {"width": 100}, 0), folder / "mlp_100.npz")
    grown = generate_network("compact-growth", {"memory": 50, "neurons": 500}, 0)
    write_network(grown, folder / "compact_growth_50.npz")
    digits_pruned(folder)


if __name__ == "__main__":
    main()
