"""What the palettes of editors of networks offer beside commands: neurons by layer and number."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
from PySide6.QtCore import QObject

from gui.shell.palette import Choice
from gui.shell.window import EditorWindow

MOST_NEURONS = 40


class NeuronPicker(QObject):
    """Makes the choices; :class:`gui.shell.palette.Palette` shows them."""

    def __init__(self, window: EditorWindow) -> None:
        super().__init__(window)
        self._window = window

    def ask(self) -> None:
        """Neurons by layer and number."""
        if self._window.document.problem is not None:
            prompt = "Layer and number in it (2 17), or number in the file"
            self._window.palette_window.ask(prompt, (), self._any_neuron)

    def _any_neuron(self, text: str) -> list[Choice]:
        """The neurons asked for; the first one of each layer before anything is typed."""
        network = self._window.document.network
        if text.strip() or network is None:
            return self.choices(text)
        return self._choices(np.unique(network.layer, return_index=True)[1][:MOST_NEURONS])

    def choices(self, text: str) -> list[Choice]:
        """``2 17``, ``2:17`` or ``17 of layer 2`` is one neuron; one number a layer, or a neuron by the file's number."""
        network = self._window.document.network
        numbers = [int(found) for found in re.findall(r"\d{1,9}", text)]
        if network is None or not numbers:
            return []
        if len(numbers) > 1:
            if re.search(r"\d\s+of\s+layer\s+\d", text, re.IGNORECASE):  # as the window calls neurons
                numbers[:2] = numbers[1::-1]
            found = np.flatnonzero(network.layer == numbers[0])[numbers[1] : numbers[1] + 1]
        else:
            by_id = np.flatnonzero(network.ids == numbers[0])
            found = np.concatenate([by_id, np.flatnonzero(network.layer == numbers[0])])[:MOST_NEURONS]
        return self._choices(found)

    def _choices(self, neurons: np.ndarray) -> list[Choice]:
        document = self._window.document
        network = document.open_problem.network
        return [
            Choice(
                f"Go to {network.neuron_name(i)}", partial(document.select, i), f"number {network.ids[i]} in the file"
            )
            for i in dict.fromkeys(neurons.tolist())
        ]  # fmt: skip
