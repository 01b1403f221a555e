"""Write `sample_models/bert_3.json`: the first three of the 24 layers of `sample_models/bert_large.json`, between the same embeddings and heads.

A model small enough that its best plans are proven optimal in seconds; `tools/make_examples.py` compares two of them. Sizes are those
of the large network, layer by layer: nothing is scaled::

    python tools/make_bert_3.py sample_models
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from make_keras_graphs import text  # noqa: E402

LAYERS, ALL = 3, 24
"""How many encoder layers stay, of how many."""
HEADS = ALL + 1
"""The layer number of pooler and heads in the large model."""
NOTE = (
    "BERT of three encoder layers, 128 tokens, 20 of them masked: the first three layers of sample_models/bert_large.json with its"
    " embeddings and heads; layers of transformers (Apache-2.0); written by tools/make_bert_3.py"
)


def shortened(large: Mapping[str, Any]) -> dict[str, Any]:
    """The graph with the first encoder layers only: the heads read what the last of these gives out. Raises ValueError."""
    layer = {op["id"]: op.get("layer") for op in large["ops"]}
    kept = {op for op, number in layer.items() if number is None or number <= LAYERS or number == HEADS}
    last = [tensor for tensor in large["tensors"] if layer[tensor["from"]] == ALL and _beyond(tensor, layer)]
    if len(last) != 1:
        raise ValueError(f"{len(last)} tensors lead from the last layer to the heads; one is expected")
    source = last[0]["from"].replace(f"/layer.{ALL - 1}/", f"/layer.{LAYERS - 1}/")
    tensors = []
    for tensor in large["tensors"]:
        if tensor["from"] not in kept:
            continue
        to = [op for op in tensor["to"] if op in kept]
        if tensor["from"] == source:
            to += _beyond(last[0], layer)
        tensors.append({**tensor, "to": to})
    ops = [
        {**op, "layer": LAYERS + 1} if op.get("layer") == HEADS else op
        for op in large["ops"]
        if op["id"] in kept
    ]
    return {**large, "name": "bert_3", "source": NOTE, "ops": ops, "tensors": tensors}


def _beyond(tensor: Mapping[str, Any], layer: Mapping[str, int | None]) -> list[str]:
    return [op for op in tensor["to"] if layer[op] == HEADS]


def main(argv: Sequence[str] | None = None) -> int:
    """Write the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    args = parser.parse_args(argv)
    large = json.loads((ROOT / "sample_models" / "bert_large.json").read_text(encoding="utf-8"))
    path = args.folder / "bert_3.json"
    path.write_text(text(shortened(large)), encoding="utf-8")
    print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
