"""Programs as torch.export writes them, small ones from a few words, in the archives of old and of new versions."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

FLOAT, LONG = 7, 5
Sizes = Sequence[int | str]


def meta(sizes: Sizes, dtype: int | str = FLOAT, hint: int | None = 2) -> dict[str, Any]:
    """A tensor's type and sizes; a text is an expression of symbols."""
    told = {} if hint is None else {"hint": {"as_int": hint}}
    return {
        "dtype": dtype,
        "sizes": [
            {"as_int": s} if isinstance(s, int) else {"as_expr": {"expr_str": s, **told}} for s in sizes
        ],
    }


def tensor(name: str) -> dict[str, Any]:
    """A reference to a tensor."""
    return {"as_tensor": {"name": name}}


def node(target: str, outputs: Sequence[str], module: str = "", **arguments: Any) -> dict[str, Any]:
    """An operator call; an argument that is text is a tensor, a list of texts several, an object is taken as it is."""
    inputs = []
    for name, value in arguments.items():
        if isinstance(value, str):
            value = tensor(value)
        elif isinstance(value, list):
            value = {"as_tensors": [{"name": one} for one in value]}
        inputs.append({"name": name, "arg": value, "kind": 1})
    inner = [i for i, sign in enumerate(module) if sign == "." and not module[i + 1].isdigit()]
    paths = ["", *(module[:i] for i in inner), module] if module else []
    stack = ";".join(f"L__self__{path},{path},a.Class" for path in dict.fromkeys(paths))
    metadata = {"nn_module_stack": stack} if stack else {}
    made = [tensor(name) for name in outputs]
    return {"target": f"torch.ops.{target}", "inputs": inputs, "outputs": made, "metadata": metadata}


def program(
    inputs: Mapping[str, str],
    nodes: Sequence[dict[str, Any]],
    values: Mapping[str, Any],
    outputs: Sequence[str],
    **more: Any,
) -> dict[str, Any]:
    """A program; ``inputs`` says what each is: ``user_input``, ``parameter``, ``buffer`` or ``tensor_constant``."""
    specs = [
        {kind: {"arg": tensor(name) if kind == "user_input" else {"name": name}}}
        for name, kind in inputs.items()
    ]
    graph = {
        "inputs": [tensor(name) for name in inputs],
        "outputs": [tensor(name) for name in outputs],
        "nodes": list(nodes),
        "tensor_values": dict(values),
        "sym_int_values": {},
        "sym_bool_values": {},
    }
    output_specs = [{"user_output": {"arg": tensor(name)}} for name in outputs]
    signature = {"input_specs": specs, "output_specs": output_specs}
    return {
        "graph_module": {"graph": graph, "signature": signature, "module_call_graph": []},
        "opset_version": {"aten": 10},
        "range_constraints": {},
        "schema_version": {"major": 8, "minor": 8},
        **more,
    }


def two_layers() -> dict[str, Any]:
    """A linear layer and a product with itself."""
    return program(
        {"p_weight": "parameter", "p_bias": "parameter", "x": "user_input"},
        [
            node("aten.linear.default", ["linear"], "layers.0.fc", input="x", weight="p_weight", bias="p_bias"),
            node("aten.mul.Tensor", ["mul"], "layers.0", self="linear", other="linear"),
        ],
        {"p_weight": meta([3, 4]), "p_bias": meta([3]), "x": meta([2, 4]), "linear": meta([2, 3]), "mul": meta([2, 3])},
        ["mul"],
    )  # fmt: skip


def new_archive(path: Path, value: Any, name: str = "model") -> Path:
    """The archive of torch 2.8 and later; what stands for weights cannot be opened."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{path.stem}/archive_format", "pt2")
        archive.writestr(f"{path.stem}/archive_version", "0")
        archive.writestr(f"{path.stem}/data/weights/{name}.pt", b"not a pickle")
        archive.writestr(
            f"{path.stem}/models/{name}.json", value if isinstance(value, str) else json.dumps(value)
        )
    return path


def old_archive(path: Path, value: Any) -> Path:
    """The archive of torch before 2.8."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("version", "8.8")
        archive.writestr("serialized_state_dict.pt", b"not a pickle")
        archive.writestr(
            "serialized_exported_program.json", value if isinstance(value, str) else json.dumps(value)
        )
    return path
