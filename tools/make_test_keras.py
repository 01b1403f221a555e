"""Write ``tests/data/small.keras`` and ``small.h5``, one small model as Keras saves it: ``python tools/make_test_keras.py tests/data``.

Needs Keras and one of its backends, which are **not** dependencies of Stageboard: only whoever wants to make the files again needs them, in an
environment of their own. Made with Python 3.11 and ``pip install keras==3.15.1 torch==2.13.0``. The model has what makes a reader stumble: a
model inside, a layer that is called twice, a class of its own, two outputs.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("KERAS_BACKEND", "torch")


def model() -> Any:
    """The model."""
    import keras
    from keras import layers

    @keras.saving.register_keras_serializable("Small")  # type: ignore[untyped-decorator]
    class Shift(layers.Layer):  # type: ignore[misc]
        def build(self, shape: Any) -> None:
            self.shift = self.add_weight(shape=(shape[-1],), name="shift")

        def call(self, x: Any) -> Any:
            return x + self.shift

    image = keras.Input((12, 12, 3), name="image")
    x = layers.Conv2D(4, 3, strides=2, padding="same", activation="relu", name="stem")(image)
    x = layers.BatchNormalization(name="norm")(x)
    x = x + layers.SeparableConv2D(4, 3, padding="same", name="mix")(x)
    x = layers.GlobalAveragePooling2D(name="pool")(x)
    twice = layers.Dense(4, name="twice")
    x = Shift(name="shift")(twice(twice(x)))
    head = keras.Sequential(
        [
            keras.Input((4,)),
            layers.Dense(8, activation="relu", name="hidden"),
            layers.Dense(3, name="scores"),
        ],
        name="head",
    )
    return keras.Model(image, [head(x), x], name="small")


if __name__ == "__main__":
    made = model()
    for suffix in (".keras", ".h5"):
        made.save(Path(sys.argv[1]) / f"small{suffix}")
    print(made.count_params())
