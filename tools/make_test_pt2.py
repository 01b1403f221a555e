"""Write ``tests/data/small.pt2``, a program that torch.export saved: ``python tools/make_test_pt2.py tests/data``.

With ``--version``, in place of it ``tests/data/torch/NAME-torch-2.5.pt2`` and the like: three small programs as the torch at hand writes them,
without their weights. Made with torch 2.5.1, 2.6.0, 2.7.1, 2.8.0 and 2.9.1.

Needs PyTorch, which is **not** a dependency of Stageboard: only whoever wants to make the file again needs it, in an environment of their
own. Made with Python 3.11 and ``pip install torch==2.13.0``. Stack traces, which name folders of the machine, are taken out, and so is the pickle of
sample inputs: nothing reads either.
"""

from __future__ import annotations

import io
import json
import sys
import zipfile
from pathlib import Path
from typing import Any


def program() -> bytes:
    """What torch.export saves of a small network of convolutions, attention and a linear layer, its batch dynamic."""
    import torch
    from torch import nn

    class Block(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(4, 4, 3, padding=1, groups=2, bias=False)
            self.norm = nn.BatchNorm2d(4)

        def forward(self, x: Any) -> Any:
            return torch.relu(self.norm(self.conv(x))) + x

    class Small(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Conv2d(3, 4, 3, stride=2)
            self.blocks = nn.ModuleList([Block(), Block()])
            self.head = nn.Linear(4, 10)

        def forward(self, x: Any) -> Any:
            x = self.stem(x)
            for block in self.blocks:
                x = block(x)
            tokens = x.flatten(2).transpose(1, 2)
            mixed = nn.functional.scaled_dot_product_attention(tokens, tokens, tokens)
            return self.head(mixed.mean(1))

    torch.manual_seed(0)
    shapes = ({0: torch.export.Dim("batch", min=1, max=64)},)
    exported = torch.export.export(Small().eval(), (torch.zeros(2, 3, 9, 9),), dynamic_shapes=shapes)
    return saved(exported)


def of_this_version() -> dict[str, Any]:
    """Programs by name: a convolution whose batch is dynamic, attention in core operators (its masks are infinite), and a condition."""
    import torch
    from torch import nn

    class Conv(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            conv = nn.Conv2d(3, 4, 3, padding=1, bias=False)
            self.features = nn.Sequential(conv, nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2))
            self.head = nn.Linear(64, 5)

        def forward(self, x: Any) -> Any:
            return self.head(torch.flatten(self.features(x), 1))

    class Attention(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.norm = nn.Embedding(16, 8), nn.LayerNorm(8)
            self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)
            self.register_buffer("scale", torch.tensor(0.5))

        def forward(self, t: Any) -> Any:
            x = self.embed(t)
            n = self.norm(x)
            mixed = nn.functional.scaled_dot_product_attention(self.q(n) * self.scale, self.k(n), self.v(n))
            return x + mixed, mixed.split(4, -1)[0]

    class Cond(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

        def forward(self, x: Any) -> Any:
            return torch.cond(x.sum() > 0, lambda x: self.a(x).relu(), self.b, (x,))

    batch = torch.export.Dim("batch", min=2, max=64)
    tokens = torch.randint(0, 16, (2, 5))
    conv = torch.export.export(Conv().eval(), (torch.rand(2, 3, 8, 8),), dynamic_shapes={"x": {0: batch}})
    attention = torch.export.export(Attention().eval(), (tokens,), dynamic_shapes={"t": {0: batch}})
    cond = torch.export.export(Cond().eval(), (torch.rand(2, 4),))
    return {"conv": conv, "attention-core": attention.run_decompositions(), "cond": cond}


def saved(exported: Any) -> bytes:
    """What torch.export saves of a program."""
    import torch

    buffer = io.BytesIO()
    torch.export.save(exported, buffer)
    return buffer.getvalue()


def without_traces(data: bytes, weights: bool = True) -> bytes:
    """The archive without stack traces and sample inputs; without ``weights`` all that is no text is empty, too."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if "/sample_inputs/" in name:
                continue
            if not weights and not name.endswith((".json", "version", "archive_format", "byteorder")):
                content = b""
            if "/models/" in name or name == "serialized_exported_program.json":
                value = json.loads(content)
                for node in value["graph_module"]["graph"]["nodes"]:
                    node["metadata"].pop("stack_trace", None)
                content = json.dumps(value).encode()
            new.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


if __name__ == "__main__":
    folder = Path(sys.argv[-1])
    if "--version" in sys.argv:
        import torch

        version = ".".join(torch.__version__.split(".")[:2])
        for name, exported in of_this_version().items():
            (folder / "torch" / f"{name}-torch-{version}.pt2").write_bytes(
                without_traces(saved(exported), weights=False)
            )
    else:
        (folder / "small.pt2").write_bytes(without_traces(program()))
