"""DOT (Graphviz), read by a small parser of its own.

The parser knows the whole grammar of directed graphs: attributes and their defaults, ports, edge chains, subgraphs as edge
ends, quoted, joined and HTML strings, comments. It reads a megabyte in about a second, where pydot's parser, when it was
tried, needed forty and printed its errors to standard output. The attributes are those of :mod:`planner.formats.graphs.attributes`; clusters are not kept.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from planner.errors import ModelError
from planner.files import MEBIBYTE, read_text
from planner.formats.graphs import attributes
from planner.model.graph import Graph
from planner.printable import clean

FORMAT = "dot"
LIMIT = 20 * MEBIBYTE
DEEPEST = 50
MOST_EDGES = 2_000_000
"""``{a b c} -> {d e f}`` stands for nine edges; this bounds what a short file may stand for."""

_TOKEN = re.compile(
    r"""
    (?P<space>[\s\ufeff]+|//[^\n]*|/\*.*?\*/|^\#[^\n]*)
  | (?P<quoted>"(?:[^"\\]|\\.)*")
  | (?P<arrow>->|--)
  | (?P<mark>[{}\[\];,=:+])
  | (?P<number>-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][+-]?[0-9]+)?(?![A-Za-z_]))
  | (?P<word>[A-Za-z_\u0080-\U0010ffff][A-Za-z0-9_\u0080-\U0010ffff]*)
  | (?P<html><)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_KEYWORDS = frozenset({"graph", "digraph", "subgraph", "node", "edge", "strict"})


@dataclass(frozen=True)
class _Token:
    kind: str
    """mark, arrow, keyword, id or end."""
    text: str
    at: int


@dataclass
class _Scope:
    """Attribute defaults in force, and the nodes named so far in one subgraph."""

    node: dict[str, str] = field(default_factory=dict)
    edge: dict[str, str] = field(default_factory=dict)
    members: dict[str, None] = field(default_factory=dict)

    def inner(self) -> _Scope:
        return _Scope(dict(self.node), dict(self.edge))


def read(path: str | os.PathLike[str]) -> Graph:
    """The graph in a DOT file. Raises :class:`ModelError`."""
    file = Path(path).name
    parser = _Parser(read_text(path, LIMIT, remedy="save it as Stageboard graph JSON or ONNX instead"), file)
    parser.graph()
    return attributes.build(file, Path(path).stem, FORMAT, list(parser.nodes.items()), parser.edges)


class _Parser:
    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.tokens = self._tokens()
        self.at = 0
        self.nodes: dict[str, dict[str, str]] = {}
        self.edges: list[tuple[str, str, dict[str, str]]] = []

    # ------------------------------------------------------------------ tokens
    def _tokens(self) -> list[_Token]:
        out: list[_Token] = []
        at, text = 0, self.text
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise self._error(at, f"'{clean(text[at])}' does not belong there")
            kind, piece, start = found.lastgroup, found[0], at
            at = found.end()
            if kind == "html":
                at = self._html_end(start)
                out.append(_Token("id", text[start + 1 : at - 1], start))
            elif kind == "quoted":
                value = piece[1:-1].replace("\\\n", "").replace('\\"', '"').replace("\\\\", "\\")
                out.append(_Token("id", value, start))
            elif kind == "word":
                out.append(_Token("keyword" if piece.lower() in _KEYWORDS else "id", piece, start))
            elif kind == "number":
                out.append(_Token("id", piece, start))
            elif kind in ("arrow", "mark"):
                out.append(_Token(kind, piece, start))
        out.append(_Token("end", "", len(text)))
        return out

    def _html_end(self, start: int) -> int:
        depth = 0
        for found in re.compile("[<>]").finditer(self.text, start):
            depth += 1 if found[0] == "<" else -1
            if depth == 0:
                return found.end()
        raise self._error(start, "an HTML label has no end")

    def _error(self, at: int, what: str) -> ModelError:
        line = self.text.count("\n", 0, at) + 1
        return ModelError(
            f"{self.file} is not DOT that can be read (line {line}: {what}); save or download it again"
        )

    def _peek(self, *texts: str, kind: str = "mark") -> bool:
        token = self.tokens[self.at]
        return token.kind == kind and (not texts or token.text.lower() in texts)

    def _take(self, *texts: str, kind: str = "mark") -> bool:
        taken = self._peek(*texts, kind=kind)
        self.at += taken
        return taken

    def _need(self, text: str) -> None:
        if not self._take(text):
            token = self.tokens[self.at]
            found = f"'{clean(token.text)[:40]}'" if token.kind != "end" else "the end of the file"
            raise self._error(token.at, f"'{text}' was expected, not {found}")

    def _id(self) -> str:
        token = self.tokens[self.at]
        if token.kind != "id":
            found = f"'{clean(token.text)[:40]}'" if token.kind != "end" else "the end of the file"
            raise self._error(token.at, f"a name was expected, not {found}")
        self.at += 1
        value = token.text
        while self._take("+"):
            value += self._id_piece()
        return value

    def _id_piece(self) -> str:
        token = self.tokens[self.at]
        if token.kind != "id":
            raise self._error(token.at, "text was expected after '+'")
        self.at += 1
        return token.text

    # ------------------------------------------------------------------ grammar
    def graph(self) -> None:
        """graph: [strict] digraph [ID] { statements }"""
        self._take("strict", kind="keyword")
        if self._peek("graph", kind="keyword"):
            raise ModelError(
                f"{self.file}: its edges have no direction; save it as a digraph with '->' edges"
            )
        if not self._take("digraph", kind="keyword"):
            raise self._error(self.tokens[self.at].at, "the file should begin with 'digraph'")
        if self.tokens[self.at].kind == "id":
            self._id()
        self._need("{")
        self._statements(_Scope(), 1)
        self._need("}")
        if self.tokens[self.at].kind != "end":
            raise self._error(self.tokens[self.at].at, "only one graph per file can be read")

    def _statements(self, scope: _Scope, depth: int) -> None:
        while not self._peek("}") and self.tokens[self.at].kind != "end":
            self._statement(scope, depth)
            self._take(";")

    def _statement(self, scope: _Scope, depth: int) -> None:
        if self._peek("graph", "node", "edge", kind="keyword"):
            kind = self.tokens[self.at].text.lower()
            self.at += 1
            values = self._attributes()
            if kind != "graph":
                (scope.node if kind == "node" else scope.edge).update(values)
            return
        ends = [self._end(scope, depth)]
        if len(ends[0]) == 1 and self._take("="):  # a graph attribute, not a node
            self._id()
            return
        while self._peek(kind="arrow"):
            token = self.tokens[self.at]
            if token.text == "--":
                raise self._error(token.at, "'--' joins without direction; use '->'")
            self.at += 1
            ends.append(self._end(scope, depth))
        values = self._attributes()
        for end in ends:
            self._declare(end, scope)
        if len(ends) == 1:
            for node in ends[0]:
                self.nodes[node].update(values)
            return
        given = {**scope.edge, **values}
        if len(self.edges) + sum(len(a) * len(b) for a, b in pairwise(ends)) > MOST_EDGES:
            raise ModelError(f"{self.file} stands for more than {MOST_EDGES:,} edges; save a smaller graph")
        for sources, targets in pairwise(ends):
            self.edges += [(u, v, given) for u in sources for v in targets]

    def _declare(self, nodes: list[str], scope: _Scope) -> None:
        for node in nodes:
            if node not in self.nodes:
                self.nodes[node] = dict(scope.node)
            scope.members[node] = None

    def _end(self, scope: _Scope, depth: int) -> list[str]:
        """One end of an edge: a node with an optional port, or the nodes of a subgraph."""
        if self._peek("subgraph", kind="keyword") or self._peek("{"):
            if depth >= DEEPEST:
                raise ModelError(f"{self.file} nests subgraphs more than {DEEPEST} deep; flatten it")
            if self._take("subgraph", kind="keyword") and self.tokens[self.at].kind == "id":
                self._id()
            self._need("{")
            inner = scope.inner()
            self._statements(inner, depth + 1)
            self._need("}")
            return list(inner.members)
        node = self._id()
        if self._take(":"):
            self._id()
            if self._take(":"):
                self._id()
        return [node]

    def _attributes(self) -> dict[str, str]:
        values: dict[str, str] = {}
        while self._take("["):
            while not self._take("]"):
                key = self._id()
                values[key] = self._id() if self._take("=") else "true"
                if not self._take(",", ";") and not self._peek("]") and self.tokens[self.at].kind != "id":
                    self._need("]")
        return values
