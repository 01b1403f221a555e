"""Write ``tests/data/small.pt2``, a program that torch.export saved: ``python tools/make_test_pt2.py tests/data``.

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
    buffer = io.BytesIO()
    torch.export.save(exported, buffer)
    return buffer.getvalue()


def without_traces(data: bytes) -> bytes:
    """The archive without stack traces and sample inputs."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if "/sample_inputs/" in name:
                continue
            if "/models/" in name:
                value = json.loads(content)
                for node in value["graph_module"]["graph"]["nodes"]:
                    node["metadata"].pop("stack_trace", None)
                content = json.dumps(value).encode()
            new.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


if __name__ == "__main__":
    (Path(sys.argv[1]) / "small.pt2").write_bytes(without_traces(program()))
