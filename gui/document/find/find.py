"""Finding ops: a small query language.

Words match names, all of them must (``attention MatMul``); ``*`` and ``?`` are wildcards; ``"two words"`` in quotes.
``/layer\\.[0-3]/`` is a regular expression on the name. ``-word`` excludes. Fields:

``kind:Conv*``  ``name:fc1``  ``id:17``  ``layer:3``  ``device:acc 0`` (name, title or number)
``shape:1x64x56x56``, where ``*`` is any size and ``..`` any number of them: ``shape:..64`` ends in 64
``model:ResNet*``, of models deployed together
``is:pinned``  ``is:backward``  ``is:source``  ``is:sink``  ``is:unsupported``

A path pattern finds all ops on the paths it matches: ``MatMul -> .* -> Softmax``. A step is a regular expression for
a kind or a name (``*`` after a letter is a wildcard), a field such as ``kind:Add``, or a gap:

``.``   one op, whichever             ``.*``  any number of ops, none of them like the step before or after the gap
``.+``  the same, at least one        ``**``  any number of ops, whichever

so that ``MatMul -> .* -> Softmax`` finds what lies between a MatMul and the *next* Softmax, not half of the network.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from gui.document.find.regex import PatternError, from_wildcards, searcher
from planner.errors import StageboardError
from planner.model.graph import Bools, Graph, Ints
from planner.problem.problem import Pin, Problem

FIELDS = ("kind", "name", "id", "layer", "device", "model", "shape", "is")
STATES = ("pinned", "backward", "source", "sink", "unsupported")
LONGEST_QUERY = 2000
MOST_STEPS = 60


class QueryError(StageboardError):
    """A query cannot be understood; the message says why."""


def find(query: str, problem: Problem, device_of: Ints) -> Ints:
    """The ops that ``query`` matches (sorted int32); none for an empty one. Raises :class:`StageboardError`.

    ``device_of`` int32[n] is the assignment that ``device:`` looks at.
    """
    query = query.replace("→", "->").strip()
    if len(query) > LONGEST_QUERY:
        raise QueryError(f"the query has {len(query)} characters; at most {LONGEST_QUERY} are allowed")
    if not query:
        return np.empty(0, np.int32)
    finder = _Finder(problem, device_of)
    found = finder.path(query) if _is_path(query) else finder.terms(query)
    return np.flatnonzero(found).astype(np.int32)


def with_paths(query: str) -> str:
    """A path pattern of edges alone, ``A -> B``, as one of paths, ``A -> .* -> B``; empty for any other query."""
    query = query.replace("→", "->").strip()
    steps = [step.strip() for step in query.split("->")]
    if not _is_path(query) or len(steps) < 2 or not all(steps) or any(step in (*GAPS, ".") for step in steps):
        return ""
    return " -> .* -> ".join(steps)


def _is_path(query: str) -> bool:
    return bool(re.search(r"->", query)) and not (query[:1] == '"' and query[-1:] == '"')


class _Finder:
    def __init__(self, problem: Problem, device_of: Ints) -> None:
        self.problem = problem
        self.graph = problem.graph
        self.device_of = device_of

    # ------------------------------------------------------------------ terms
    def terms(self, query: str) -> Bools:
        """Ops that match every term."""
        found = np.ones(self.graph.n, bool)
        rest = query.strip()
        while rest:
            negated = rest.startswith("-") and len(rest) > 1 and not rest[1].isspace()
            mask, rest = self.term(rest[1:] if negated else rest)
            found &= ~mask if negated else mask
            rest = rest.lstrip()
        return found

    def term(self, text: str) -> tuple[Bools, str]:
        """The mask of the first term of ``text``, and the text after it."""
        if regex := re.match(r"/((?:\\.|[^\\])+?)/(?=\s|$)", text):
            return self.names(searcher(regex[1].replace("\\/", "/"))), text[regex.end() :]
        if field := re.match(r"([A-Za-z]+):", text):
            key = field[1].lower()
            if key in FIELDS:
                return self.field(key, text[field.end() :])
        value, rest = _value(text)
        return self.word(value), rest

    def field(self, key: str, text: str) -> tuple[Bools, str]:
        """The mask of ``key:`` with the value at the start of ``text``, and the text after it."""
        if key == "device":
            return self.device(text)
        value, rest = _value(text)
        if not value:
            raise QueryError(f"'{key}:' needs a value, as in {_EXAMPLES[key]}")
        if key == "kind":
            return self.each(self.graph.kinds, _whole(value)), rest
        if key == "name":
            return self.word(value), rest
        if key == "id":
            return self.each(self.graph.op_ids, _whole(value)), rest
        if key == "model":
            names = self.graph.model_names
            test = _whole(value)
            if not any(test(name) for name in names):
                raise QueryError(f"there is no model '{value}'; the models are {', '.join(names)}")
            return self.each([names[m] for m in self.graph.model.tolist()], test), rest
        if key == "layer":
            if not value.isdecimal():
                raise QueryError(f"'layer:{value}' is not a number; write layer:3")
            return self.graph.layer == int(value[:9]), rest
        if key == "shape":
            return self.shape(value), rest
        return self.state(value), rest

    def names(self, test: Callable[[str], bool]) -> Bools:
        return self.each(self.graph.op_names, test)

    def word(self, value: str) -> Bools:
        """Ops whose names contain ``value``; with wildcards the whole name or a part of it may match."""
        if "*" in value or "?" in value:
            return self.names(searcher(from_wildcards(value)))
        wanted = value.lower()
        return np.array([wanted in name.lower() for name in self.graph.op_names], bool)

    @staticmethod
    def each(texts: Sequence[str], test: Callable[[str], bool]) -> Bools:
        """Which of ``texts`` pass; equal ones are tested once."""
        known: dict[str, bool] = {}
        return np.array([known[t] if t in known else known.setdefault(t, test(t)) for t in texts], bool)

    def device(self, text: str) -> tuple[Bools, str]:
        """Device names hold spaces: the longest name or title that the text starts with counts, else a number."""
        quoted = text.startswith('"')
        body = text[1:] if quoted else text
        best: tuple[int, int] | None = None
        for d, device in enumerate(self.problem.devices):
            for name in (device.name, device.title):
                ends = body[len(name) : len(name) + 1]
                fits = body.lower().startswith(name.lower()) and (ends == "" or ends.isspace() or ends == '"')
                if fits and (best is None or len(name) > best[0]):
                    best = (len(name), d)
        if best is not None:
            rest = body[best[0] :]
            return self.device_of == best[1], rest[1:] if quoted and rest[:1] == '"' else rest
        value, rest = _value(text)
        if value.isdecimal() and int(value[:9]) < len(self.problem.devices):
            return self.device_of == int(value), rest
        if "*" in value or "?" in value:
            test = _whole(value)
            on = [
                d for d, device in enumerate(self.problem.devices) if test(device.name) or test(device.title)
            ]
            return np.isin(self.device_of, on), rest
        names = [d.name for d in self.problem.devices]
        shown = ", ".join(names[:6]) + (" ..." if len(names) > 6 else "")
        raise QueryError(f"there is no device '{value}'; the devices are {shown}")

    def shape(self, value: str) -> Bools:
        """Ops that produce a tensor of a shape like ``value``."""
        pattern = _shape_pattern(value)
        graph = self.graph
        known: dict[tuple[int, ...] | None, bool] = {None: False}
        found = np.zeros(graph.n, bool)
        for producer, shape in zip(graph.tensor_producer.tolist(), graph.tensor_shapes, strict=True):
            if shape not in known:
                known[shape] = _shape_matches(pattern, shape or ())
            if known[shape]:
                found[producer] = True
        return found

    def state(self, value: str) -> Bools:
        graph = self.graph
        name = value.lower()
        if name == "pinned":
            pinned = {c.op for c in self.problem.constraints if isinstance(c, Pin)}
            return np.array([op in pinned for op in graph.op_ids], bool)
        if name == "backward":
            return graph.backward
        if name == "source":
            return np.diff(graph.preds[0]) == 0
        if name == "sink":
            return np.diff(graph.succs[0]) == 0
        if name == "unsupported":
            return ~graph.supported
        raise QueryError(f"'is:{value}' is not known; choose from {', '.join('is:' + s for s in STATES)}")

    # ------------------------------------------------------------------ paths
    def path(self, query: str) -> Bools:
        """Ops on the paths that a pattern of steps matches."""
        texts = [text.strip() for text in query.split("->")]
        if any(not text for text in texts):
            raise QueryError(
                "the path pattern has an empty step; write what stands between the arrows, '.' for any op"
            )
        if len(texts) > MOST_STEPS:
            raise QueryError(f"the path pattern has {len(texts)} steps; at most {MOST_STEPS} are allowed")
        masks = [self.step(text) for text in texts]
        anything = np.ones(self.graph.n, bool)
        for i, text in enumerate(texts):
            if text in GAPS:
                masks[i] = anything
                if text != "**":
                    near = [
                        masks[j]
                        for j in (i - 1, i + 1)
                        if 0 <= j < len(texts) and texts[j] not in (*GAPS, ".")
                    ]
                    masks[i] = ~np.logical_or.reduce(near) if near else anything
        return on_paths(
            self.graph,
            masks,
            repeats=[text in GAPS for text in texts],
            optional=[text in (".*", "**") for text in texts],
        )

    def step(self, text: str) -> Bools:
        """Ops that one step may stand for (a gap's are found out later)."""
        if text in GAPS or text == ".":
            return np.ones(self.graph.n, bool)
        if text[0] in '/"' or re.match(rf"-?({'|'.join(FIELDS)}):", text, re.IGNORECASE):
            return self.terms(text)
        test = _expression(text)
        return self.each(self.graph.kinds, test) | self.names(test)


GAPS = (".*", ".+", "**")
_EXAMPLES = {
    "kind": "kind:Conv*", "name": "name:fc1", "id": "id:17", "layer": "layer:3", "model": "model:ResNet*", "shape": "shape:..64", "is": "is:pinned",
}  # fmt: skip


def on_paths(
    graph: Graph, masks: Sequence[Bools], repeats: Sequence[bool], optional: Sequence[bool]
) -> Bools:
    """Ops on a path that goes through the steps in turn (bool[n]); O((ops + edges) x steps / word).

    ``masks[j]`` bool[n] says which ops step j may stand for, ``repeats[j]`` whether for several in a row, and
    ``optional[j]`` whether for none. The product of graph and pattern is walked once forwards and once backwards: bit j
    of an op's set means that some path that matches the pattern up to (from) step j ends (begins) there.
    """
    steps, n = len(masks), graph.n
    follow = [0] * steps
    for j in range(steps):
        after = j + 1
        while after < steps:
            follow[j] |= 1 << after
            if not optional[after]:
                break
            after += 1
        if repeats[j]:
            follow[j] |= 1 << j
    begin = sum(1 << j for j in range(steps) if all(optional[:j]))
    end = sum(1 << j for j in range(steps) if all(optional[j + 1 :]))
    precede = [sum(1 << i for i in range(steps) if follow[i] >> j & 1) for j in range(steps)]
    allowed = [0] * n
    for j, mask in enumerate(masks):
        for v in np.flatnonzero(mask).tolist():
            allowed[v] |= 1 << j

    def walk(order: list[int], ptr: Ints, idx: Ints, first: int, onward: list[int]) -> list[int]:
        """Sets of steps per op; ``onward[j]`` are the steps that may come after step j in the walk's direction."""
        spread = _spreader(onward)
        reached = [0] * n
        bounds, others = ptr.tolist(), idx.tolist()
        for v in order:
            arriving = first
            for e in range(bounds[v], bounds[v + 1]):
                arriving |= spread(reached[others[e]])
            reached[v] = arriving & allowed[v]
        return reached

    order = graph.topological_order.tolist()
    forward = walk(order, *graph.preds, begin, follow)
    backward = walk(order[::-1], *graph.succs, end, precede)
    return np.array([f & b != 0 for f, b in zip(forward, backward, strict=True)], bool)


def _spreader(onward: list[int]) -> Callable[[int], int]:
    known: dict[int, int] = {0: 0}

    def spread(steps: int) -> int:
        if steps not in known:
            out = 0
            for j, following in enumerate(onward):
                if steps >> j & 1:
                    out |= following
            known[steps] = out
        return known[steps]

    return spread


# ---------------------------------------------------------------------- values
def _value(text: str) -> tuple[str, str]:
    """The quoted or plain value that ``text`` starts with, and the text after it."""
    if text.startswith('"'):
        end = text.find('"', 1)
        return (text[1:], "") if end < 0 else (text[1:end], text[end + 1 :])
    word = re.match(r"\S*", text)
    assert word is not None
    return word[0], text[word.end() :]


def _whole(value: str) -> Callable[[str], bool]:
    """A test for texts that are ``value`` from end to end, wildcards and case aside."""
    return searcher(from_wildcards(value), whole=True)


def _expression(text: str) -> Callable[[str], bool]:
    """A test for kinds and names that a path step's expression matches from end to end."""
    wildcards = re.sub(r"(?<=[A-Za-z0-9_])(?<!\\[A-Za-z])\*+", ".*", text)
    try:
        return searcher(wildcards, whole=True)
    except PatternError as error:
        raise QueryError(f"in the path step '{text}', {error}") from None


def _shape_pattern(value: str) -> list[str]:
    """The parts of a shape pattern: numbers, ``*`` (one size) and ``..`` (any number of sizes)."""
    cleaned = value.strip("[]()").lower().replace("×", "x").replace(",", "x")
    parts = [p for p in re.split(r"x|(\.\.+)", cleaned) if p]
    for part in parts:
        if not (part.isdecimal() or part == "*" or set(part) == {"."}):
            raise QueryError(
                f"'shape:{value}' is not a shape; write sizes as in shape:1x64x56x56 or shape:..64"
            )
    return [".." if part.startswith(".") else part for part in parts]


def _shape_matches(pattern: Sequence[str], shape: Sequence[int]) -> bool:
    """Whether a shape fits; a table over both lengths, so several ``..`` cannot make it slow."""
    fits = [True] + [False] * len(shape)
    for part in pattern:
        if part == "..":
            for j in range(1, len(fits)):
                fits[j] = fits[j] or fits[j - 1]
        else:
            wanted = None if part == "*" else int(part)
            fits = [False] + [fits[j] and (wanted is None or wanted == size) for j, size in enumerate(shape)]
    return fits[-1]
