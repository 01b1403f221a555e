"""Where a file of a Keras model keeps the weights of each layer."""

from __future__ import annotations

import re
from collections import Counter

from planner.formats.keras.config import Model


def places_of(model: Model, place: str) -> dict[str, tuple[str, ...]]:
    """The groups of the file that each layer's weights may be in: Keras 3's by class and number, those of old files by name."""
    count: Counter[str] = Counter()
    found: dict[str, tuple[str, ...]] = {}
    for layer in model.layers:
        kind = (
            ("Sequential" if layer.inner.chain else "Functional") if layer.inner is not None else layer.kind
        )
        word = _snake(kind)
        key = f"{word}_{count[word]}" if count[word] else word
        count[word] += 1
        new = f"{place}/layers/{key}" if place else f"layers/{key}"
        found[layer.name] = (new, f"model_weights/{layer.name}", layer.name)
    return found


def _snake(kind: str) -> str:
    """``conv2d_transpose`` of ``Conv2DTranspose``, as Keras makes such words."""
    word = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", re.sub(r"\W+", "", kind))
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", word).lower()
