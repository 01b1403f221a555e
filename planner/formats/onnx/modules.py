"""The module that an ONNX node belongs to, as PyTorch's exporter says in the node's metadata.

``torch.onnx.export(..., dynamo=True)`` calls nodes by their kind and a number (``node_MatMul_92``) and leaves the path of
modules in ``metadata_props``: ``pkg.torch.onnx.name_scopes``, a list as Python writes it, of names that each begin with the
one before (``['', 'encoder.0', 'encoder.0.attention', 'linear_4']``), the last one the operator's; and ``namespace``, the same with
classes (``: Model/encoder.0: Layer/encoder.0.attention: Attention/linear_4: aten.linear.default``). Optimisers of ONNX files keep some of
them. Nothing is evaluated: quoted texts are found by a pattern.
"""

from __future__ import annotations

import re
from typing import Any

from planner.formats.module_paths import path_of
from planner.printable import LONGEST_TEXT

NAME_SCOPES = "pkg.torch.onnx.name_scopes"
NAMESPACE = "namespace"
_QUOTED = re.compile(r"'([^'\\]*)'|\"([^\"\\]*)\"")


def module_path(node: Any) -> str:
    """``encoder.0/attention`` for a node, "" where its metadata tells no module or what cannot be read."""
    told = {
        entry.key: entry.value
        for entry in node.metadata_props
        if entry.key in (NAME_SCOPES, NAMESPACE)
        and isinstance(entry.value, str)  # bytes where it is no UTF-8
    }
    if scopes := told.get(NAME_SCOPES, "")[:LONGEST_TEXT]:
        return path_of([a or b for a, b in _QUOTED.findall(scopes)][:-1])
    if namespace := told.get(NAMESPACE, "")[:LONGEST_TEXT]:
        return path_of([part.partition(": ")[0] for part in namespace.split("/")][:-1])
    return ""
