"""GraphML through networkx, after a streaming pass that refuses what could hurt: entities, a DTD, deep nesting.

The attributes are those of :mod:`planner.formats.graphs.attributes`. The graph must be directed and flat (nodes that hold graphs
of their own, as some editors write for groups, are refused), without hyperedges.
"""

from __future__ import annotations

import io
import os
import warnings
from pathlib import Path
from typing import Any
from xml.sax import SAXException
from xml.sax.handler import ContentHandler

from planner.errors import ModelError
from planner.files import MEBIBYTE, read_bytes
from planner.formats.graphs import attributes
from planner.model.graph import Graph

FORMAT = "graphml"
LIMIT = 50 * MEBIBYTE
DEEPEST = 24
"""GraphML needs five levels; editors add a few of their own inside data elements."""


class _Guard(ContentHandler):
    """Counts levels and notes duplicate ids while the file streams by; builds nothing."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self.file = file
        self.path: list[str] = []
        self.nodes: set[str] = set()
        self.graphs = 0

    def startElement(self, name: str, attrs: Any) -> None:
        tag = name.rpartition(":")[2].lower()
        if not self.path and tag != "graphml":
            raise ModelError(
                f"{self.file} is XML but not GraphML (its root is <{tag[:40]}>); save the graph as GraphML"
            )
        if len(self.path) >= DEEPEST:
            raise ModelError(
                f"{self.file} nests more than {DEEPEST} levels deep; GraphML of a flat graph needs five, so flatten it"
            )
        if tag == "graph":
            self.graphs += 1
            if "node" in self.path:
                raise ModelError(
                    f"{self.file} has graphs inside nodes; ungroup its nodes and save a flat graph"
                )
            if self.graphs > 1:
                raise ModelError(
                    f"{self.file} holds several graphs; save the one to plan in a file of its own"
                )
        if tag == "node":
            identity = attrs.get("id", "")
            if identity in self.nodes:
                raise ModelError(f"{self.file}: two nodes have the id '{identity[:80]}'; ids must be unique")
            self.nodes.add(identity)
        self.path.append(tag)

    def endElement(self, name: str) -> None:
        self.path.pop()


def read(path: str | os.PathLike[str]) -> Graph:
    """The graph in a GraphML file. Raises :class:`ModelError`."""
    file = Path(path).name
    data = read_bytes(path, LIMIT, remedy="save it as Stageboard graph JSON or ONNX instead")
    _check(data, file)
    import networkx

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            graph = networkx.read_graphml(io.BytesIO(data), force_multigraph=True)
    except (
        networkx.NetworkXException,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        SyntaxError,
    ) as problem:
        raise ModelError(
            f"{file} is not GraphML that can be read ({_short(problem)}); check its keys and save it again"
        ) from problem
    if not graph.is_directed():
        raise ModelError(f'{file}: its edges have no direction; save it with edgedefault="directed"')
    nodes = [(str(node), data) for node, data in graph.nodes(data=True)]
    edges = [(str(u), str(v), data) for u, v, data in graph.edges(data=True)]
    return attributes.build(file, Path(path).stem, FORMAT, nodes, edges)


def _check(data: bytes, file: str) -> None:
    import defusedxml.sax
    from defusedxml.common import DefusedXmlException

    try:
        defusedxml.sax.parseString(data, _Guard(file), forbid_dtd=True)
    except DefusedXmlException as problem:
        raise ModelError(
            f"{file} declares a document type or entities, which a graph does not need; remove the declaration"
        ) from problem
    except ModelError:
        raise
    except (SAXException, ValueError, LookupError) as problem:
        raise ModelError(
            f"{file} is not complete, valid XML ({_short(problem)}); save or download it again"
        ) from problem


def _short(problem: Exception) -> str:
    words = problem.getMessage() if isinstance(problem, SAXException) else str(problem)
    line = getattr(problem, "getLineNumber", lambda: None)()
    words = " ".join((words or type(problem).__name__).split())[:120]
    return f"line {line}: {words}" if line else words
