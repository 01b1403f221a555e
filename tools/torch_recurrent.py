"""The recurrent networks behind `benchmarks/graphs`; see `export_torch_graphs.py`.

Each is unrolled over its time steps, as compilers without loops need it, and reads every step's input as an input of the model: what a
step reads can lie beside it. Cells are written out, since the exporter would make one op of a whole layer. None is ever trained: only names,
sizes and topology reach the files. No attention anywhere.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

State = tuple[Tensor, Tensor]


class LstmCell(nn.Module):
    """Input, forget, cell and output gates (Hochreiter and Schmidhuber, 1997; Gers et al., 2000)."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.input = nn.Linear(width, 4 * hidden)
        self.hidden = nn.Linear(hidden, 4 * hidden)

    def forward(self, value: Tensor, state: State) -> State:
        enter, forget, new, leave = (self.input(value) + self.hidden(state[0])).chunk(4, dim=1)
        cell = torch.sigmoid(forget) * state[1] + torch.sigmoid(enter) * torch.tanh(new)
        return torch.sigmoid(leave) * torch.tanh(cell), cell


class GruCell(nn.Module):
    """Reset and update gates (Cho et al., 2014)."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.input = nn.Linear(width, 3 * hidden)
        self.hidden = nn.Linear(hidden, 3 * hidden)

    def forward(self, value: Tensor, state: Tensor) -> Tensor:
        here_reset, here_update, here_new = self.input(value).chunk(3, dim=1)
        past_reset, past_update, past_new = self.hidden(state).chunk(3, dim=1)
        update = torch.sigmoid(here_update + past_update)
        new = torch.tanh(here_new + torch.sigmoid(here_reset + past_reset) * past_new)
        return new + update * (state - new)


class ConvLstmCell(nn.Module):
    """An LSTM whose products are convolutions (Shi et al., 2015), without peepholes."""

    def __init__(self, channels: int, hidden: int) -> None:
        super().__init__()
        self.gates = nn.Conv2d(channels + hidden, 4 * hidden, 3, padding=1)

    def forward(self, value: Tensor, state: State) -> State:
        enter, forget, new, leave = self.gates(torch.cat((value, state[0]), dim=1)).chunk(4, dim=1)
        cell = torch.sigmoid(forget) * state[1] + torch.sigmoid(enter) * torch.tanh(new)
        return torch.sigmoid(leave) * torch.tanh(cell), cell


class CharacterModel(nn.Module):
    """Next characters from a stack of LSTMs: one logit vector per step."""

    def __init__(self, vocabulary: int = 128, width: int = 512, layers: int = 2) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.cell = nn.ModuleList([LstmCell(width, width) for _ in range(layers)])
        self.output = nn.Linear(width, vocabulary)

    def forward(self, *steps: Tensor) -> list[Tensor]:
        zero = torch.zeros(1, self.output.in_features)
        states = [(zero, zero) for _ in self.cell]
        logits = []
        for step in steps:
            value = self.embedding(step)
            for number, cell in enumerate(self.cell):
                states[number] = cell(value, states[number])
                value = states[number][0]
            logits.append(self.output(value))
        return logits


class SentenceClassifier(nn.Module):
    """One LSTM reads the words forwards, one backwards; their last states tell the class."""

    def __init__(
        self, vocabulary: int = 20_000, width: int = 300, hidden: int = 384, classes: int = 5
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.forwards = LstmCell(width, hidden)
        self.backwards = LstmCell(width, hidden)
        self.inner = nn.Linear(2 * hidden, hidden)
        self.output = nn.Linear(hidden, classes)

    def forward(self, *steps: Tensor) -> Tensor:
        zero = torch.zeros(1, self.output.in_features)
        ahead, back = (zero, zero), (zero, zero)
        for first, last in zip(steps, reversed(steps), strict=True):
            ahead = self.forwards(self.embedding(first), ahead)
            back = self.backwards(self.embedding(last), back)
        joined = torch.cat((ahead[0], back[0]), dim=1)
        return functional.log_softmax(self.output(torch.relu(self.inner(joined))), dim=1)


class Translator(nn.Module):
    """Encoder and decoder of two GRU layers each (Sutskever et al., 2014); the words so far are given to the decoder."""

    def __init__(self, words: int = 12, vocabulary: int = 2_000, width: int = 256, hidden: int = 512) -> None:
        super().__init__()
        self.words = words
        self.source = nn.Embedding(vocabulary, width)
        self.target = nn.Embedding(vocabulary, width)
        self.encoder = nn.ModuleList([GruCell(width, hidden), GruCell(hidden, hidden)])
        self.decoder = nn.ModuleList([GruCell(width, hidden), GruCell(hidden, hidden)])
        self.output = nn.Linear(hidden, vocabulary)

    def forward(self, *steps: Tensor) -> list[Tensor]:
        states = [torch.zeros(1, self.output.in_features)] * 2
        logits = []
        for number, step in enumerate(steps):
            reads = number < self.words
            value = (self.source if reads else self.target)(step)
            for layer, cell in enumerate(self.encoder if reads else self.decoder):
                states[layer] = value = cell(value, states[layer])
            if not reads:
                logits.append(self.output(value))
        return logits


class SpeechModel(nn.Module):
    """Two dense layers per frame, then four GRU layers and letters per frame (in the manner of Hannun et al., 2014)."""

    def __init__(self, features: int = 440, hidden: int = 640, layers: int = 4, letters: int = 29) -> None:
        super().__init__()
        self.first = nn.Linear(features, hidden)
        self.second = nn.Linear(hidden, hidden)
        self.cell = nn.ModuleList([GruCell(hidden, hidden) for _ in range(layers)])
        self.output = nn.Linear(hidden, letters)

    def forward(self, *steps: Tensor) -> list[Tensor]:
        states = [torch.zeros(1, self.output.in_features) for _ in self.cell]
        letters = []
        for step in steps:
            value = self.second(self.first(step).clamp(0, 20)).clamp(0, 20)
            for number, cell in enumerate(self.cell):
                states[number] = value = cell(value, states[number])
            letters.append(self.output(value))
        return letters


class VideoModel(nn.Module):
    """A convolutional network sees every frame, an LSTM what it says (Donahue et al., 2015)."""

    def __init__(self, hidden: int = 256, classes: int = 101) -> None:
        super().__init__()
        sizes = ((3, 64, 7, 2), (64, 128, 5, 2), (128, 192, 3, 1), (192, 192, 3, 1), (192, 128, 3, 1))
        self.conv = nn.ModuleList([nn.Conv2d(a, b, k, s, k // 2) for a, b, k, s in sizes])
        self.pool = nn.MaxPool2d(3, 2)
        self.features = nn.Linear(128, hidden)
        self.cell = LstmCell(hidden, hidden)
        self.output = nn.Linear(hidden, classes)

    def forward(self, *steps: Tensor) -> Tensor:
        zero = torch.zeros(1, self.output.in_features)
        state = (zero, zero)
        for step in steps:
            value = step
            for number, conv in enumerate(self.conv):
                value = torch.relu(conv(value))
                if number in (0, 1, 4):
                    value = self.pool(value)
            state = self.cell(torch.relu(self.features(value.mean(dim=(2, 3)))), state)
        return torch.softmax(self.output(state[0]), dim=1)


class RainModel(nn.Module):
    """Two layers of convolutional LSTMs look at radar pictures and paint the next ones (Shi et al., 2015)."""

    def __init__(self, pictures: int = 6, hidden: int = 48) -> None:
        super().__init__()
        self.pictures = pictures
        self.hidden = hidden
        self.look = nn.Conv2d(1, 16, 5, 2, 2)
        self.encoder = nn.ModuleList([ConvLstmCell(16, hidden), ConvLstmCell(hidden, hidden)])
        self.decoder = nn.ModuleList([ConvLstmCell(16, hidden), ConvLstmCell(hidden, hidden)])
        self.paint = nn.ConvTranspose2d(hidden, 1, 4, 2, 1)

    def forward(self, *steps: Tensor) -> list[Tensor]:
        zero = torch.zeros(1, self.hidden, 48, 48)
        states = [(zero, zero), (zero, zero)]
        painted: list[Tensor] = []
        for number in range(2 * self.pictures):
            seen = steps[number] if number < self.pictures else painted[-1]
            value = torch.relu(self.look(seen))
            for layer, cell in enumerate(self.encoder if number < self.pictures else self.decoder):
                states[layer] = cell(value, states[layer])
                value = states[layer][0]
            if number >= self.pictures - 1:
                painted.append(torch.sigmoid(self.paint(value)))
        return painted
