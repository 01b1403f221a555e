"""Blocks of a graph by the names that people gave them: ``encoder/layer.0``, ``conv2_block3``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from planner.lifetime import while_it_lives
from planner.model.graph import Graph
from planner.model.groups import GroupView, numbered

LEAST_BLOCK, LEAST_INNER = 3, 4
"""Ops that a numbered scope needs to be a block, and that one needs inside another."""
MOST_INNER = 0.9
"""Share of a block's ops that numbered scopes inside it must have to be the blocks in its stead."""
LEAST_SHARE = 0.5
"""Share of the ops that must be in blocks for names to tell them."""
LEAST_NAMED = 0.6
"""Share of a group's names that must begin alike for the group to be called that."""
LEAST_OWN = 0.1
"""The same of a beginning that no op of another group has."""
NEARLY = 0.9
"""Share of what is called by a name that a group must have to be called that."""
SEPARATORS = ("/", ".", "_")
SIGNS = re.compile(r"[_./]")
"""Where a beginning of a name may end."""


def _separator(names: Sequence[str]) -> str:
    """What divides most names into scopes; empty for none."""
    for separator in SEPARATORS:
        if sum(separator in name.strip("/") for name in names) >= LEAST_SHARE * max(len(names), 1):
            return separator
    return ""


def _scopes(name: str, separator: str) -> tuple[str, ...]:
    """The scopes of an op from the outermost one, each with those around it; a bare number belongs to the word before."""
    parts = name.partition(";")[0].strip("/").split(separator)[:-1]
    words: list[str] = []
    for part in parts:
        if part.isdecimal() and words and not words[-1][-1:].isdecimal():
            words[-1] += separator + part
        else:
            words.append(part)
    return tuple(separator.join(words[: i + 1]) for i in range(len(words)))


def _is_numbered(scope: str, separator: str) -> bool:
    """Whether a scope's own part ends in a number, as blocks do: ``layer.3``, ``block2a``, not ``conv2d``."""
    own = scope.rsplit("/", 1)[-1] if separator == "/" else scope
    return bool(re.search(r"[A-Za-z][._/]?\d+[a-z]?$", own)) and not re.search(r"[123][dD]$", own)


@while_it_lives
def block_labels(graph: Graph) -> tuple[str, ...]:
    """The block of each op by its name (length n), empty for an op outside of any.

    That is the outermost scope with a number and at least three ops, or a numbered one inside it where such hold nearly
    all of its ops; of an op in no numbered scope the outermost scope without numbered ones inside. Where only parameters that are
    ops have names with scopes, every other op is in the block of those that it uses.
    """
    separator = _separator(graph.op_names)
    if separator:
        return _labels(graph.op_names, separator)
    sources = np.flatnonzero(np.diff(graph.preds[0]) == 0).tolist()
    names = [graph.op_names[v] for v in sources]
    separator = _separator(names)
    return (
        _handed_on(graph, dict(zip(sources, _labels(names, separator), strict=True)))
        if separator
        else ("",) * graph.n
    )


def _labels(names: Sequence[str], separator: str) -> tuple[str, ...]:
    """The block of each op by its name."""
    scopes = [_scopes(name, separator) for name in names]
    size: Counter[str] = Counter(scope for path in scopes for scope in path)
    within: dict[str, int] = {}
    blocks = {s for s, count in size.items() if count >= LEAST_BLOCK and _is_numbered(s, separator)}
    around: set[str] = set()
    for path in set(scopes):
        for i, scope in enumerate(path):
            if scope in blocks:
                around.update(path[:i])
    for scope in blocks:
        outer = _outer(scope, size, separator)
        if outer and size[scope] >= LEAST_INNER:
            within[outer] = within.get(outer, 0) + size[scope]
    opened = {s for s in blocks if within.get(s, 0) >= MOST_INNER * size[s]}
    return tuple(_label(path, blocks, opened, around, size, separator) for path in scopes)


def _handed_on(graph: Graph, labels: dict[int, str]) -> tuple[str, ...]:
    """The block of each op, where only parameters have one of their own, by op.

    An op of the forward pass is in the block of the parameters that it uses, else in that of the ops before it: of several, in the one that
    was begun last, as the sum behind a skip connection is.
    """
    found = [""] * graph.n
    parameter = [False] * graph.n  # or made of one block's parameters alone
    begun: dict[str, int] = {}
    ptr, idx = graph.preds[0].tolist(), graph.preds[1].tolist()
    for v in sorted(range(graph.n), key=graph.ranks.tolist().__getitem__):
        before = idx[ptr[v] : ptr[v + 1]]
        if not before:
            found[v], parameter[v] = labels[v], bool(labels[v])
        elif not graph.backward[v]:
            used = {found[u] for u in before if parameter[u]}
            parameter[v] = len(used) == 1 and all(parameter[u] for u in before)
            known = used if len(used) == 1 else {found[u] for u in before} - {""}
            found[v] = max(known, key=lambda label: begun.get(label, graph.n), default="")
            if found[v] and not parameter[v]:
                begun.setdefault(found[v], len(begun))
    return tuple(found)


def _outer(scope: str, size: Counter[str], separator: str) -> str:
    """The scope right around another; empty for none."""
    while separator in scope:
        scope = scope.rpartition(separator)[0]
        if scope in size:
            return scope
    return ""


def _label(
    path: tuple[str, ...],
    blocks: set[str],
    opened: set[str],
    around: set[str],
    size: Counter[str],
    separator: str,
) -> str:
    found = ""
    for scope in path:
        if scope in blocks and (not found or size[scope] >= LEAST_INNER):
            found = scope
        if found and scope not in opened:
            return found
    if found or separator == "_":
        return found
    return next((scope for scope in path if scope not in around and size[scope] > 1), "")


@while_it_lives
def named_blocks(graph: Graph) -> GroupView | None:
    """One group per block that names tell, ops outside of any alone; None where names tell of fewer than half of the ops.

    No group encloses an op of another: a scope that is left and entered again gives a group for each of its parts.
    """
    labels = list(block_labels(graph))
    if sum(map(bool, labels)) < LEAST_SHARE * graph.n or len(set(labels) - {""}) < 2:
        return None
    keys: list[object] = [("block", label, 0) if label else ("op", v) for v, label in enumerate(labels)]
    for split in (True, False):
        broken = _enclosing(graph, keys)
        if not broken:
            break
        parts = _connected(graph, keys, broken) if split else np.arange(graph.n)
        for v, key in enumerate(keys):
            if key in broken:
                keys[v] = ("block", labels[v], int(parts[v]) + 1) if split else ("op", v)
    many = Counter(keys)
    keys = [key if many[key] > 1 else ("op", v) for v, key in enumerate(keys)]
    names: dict[object, str] = {}
    times: Counter[str] = Counter()
    for v, key in enumerate(keys):
        if key in names:
            continue
        name = labels[v] if many[key] > 1 else graph.op_names[v]
        times[name] += many[key] > 1
        names[key] = f"{name} ({times[name]})" if times[name] > 1 else name
    return numbered(keys, names)


def _enclosing(graph: Graph, keys: Sequence[object]) -> set[object]:
    """Groups that a path leaves and enters again."""
    count = Counter(keys)
    bit = {key: 1 << i for i, key in enumerate(key for key, many in count.items() if many > 1)}
    own = [bit.get(key, 0) for key in keys]
    before, broken = [0] * graph.n, set()
    ptr, idx = graph.preds[0].tolist(), graph.preds[1].tolist()
    for v in graph.topological_order.tolist():
        mine, all_before = own[v], 0
        for u in idx[ptr[v] : ptr[v + 1]]:
            if mine and own[u] != mine and before[u] & mine:
                broken.add(keys[v])
            all_before |= before[u] | own[u]
        before[v] = all_before
    return broken


def _connected(graph: Graph, keys: Sequence[object], groups: set[object]) -> np.ndarray:
    """For each op of ``groups`` the first op of the part of its group that edges connect it with (int[n])."""
    root = list(range(graph.n))

    def find(v: int) -> int:
        while root[v] != v:
            root[v] = root[root[v]]
            v = root[v]
        return v

    for u, v in zip(*(ends.tolist() for ends in graph.edges), strict=True):
        if keys[u] == keys[v] and keys[u] in groups:
            a, b = find(u), find(v)
            root[max(a, b)] = min(a, b)
    return np.array([find(v) for v in range(graph.n)])


def _beginnings(name: str) -> set[str]:
    """What a name begins with, up to any of its signs."""
    whole = name.strip("/")
    return {whole[: m.start()] for m in SIGNS.finditer(whole)} - {""}


def named(graph: Graph, view: GroupView, usual: str, together: bool = False) -> GroupView:
    """The same groups, those whose names begin with ``usual`` called what the names of their ops begin with.

    That is the longest numbered beginning that at least three in five have, else that one in ten has and no op of another
    group (two ops at least), else the longest without a number; the group has to be nearly what is called so. Groups without any, or that
    would be called alike, keep their names, and with ``together`` so do all others of their pass. One of the backward pass whose name ends
    with that of one of the forward pass is that one's ``backward``.
    """
    members = [view.ops(g).tolist() for g in range(view.count)]
    backward = [bool(graph.backward[ops].all()) for ops in members]
    ours = [name.startswith(usual) for name in view.names]
    of_op = [_beginnings(name) for name in graph.op_names]
    begins = [_counted(of_op, ops) if our else Counter[str]() for ops, our in zip(members, ours, strict=True)]
    owners = Counter(begin for one in begins for begin in one)
    whole = [_counted(of_op, np.flatnonzero(graph.backward == back).tolist()) for back in (False, True)]
    called = []
    for one, ops, back in zip(begins, members, backward, strict=True):
        alike = _alike(one)
        own = {
            begin: count
            for begin, count in one.items()
            if count >= NEARLY * max(whole[back][begin], alike[_kind(begin)])
        }
        most = [begin for begin, count in own.items() if count >= LEAST_NAMED * len(ops)]
        least = max(2.0, LEAST_OWN * len(ops))
        few = [b for b, count in own.items() if count >= least and owners[b] == 1 and b[-1:].isdecimal()]
        numbers = [begin for begin in most if begin[-1:].isdecimal()]
        called.append(max(numbers or few or most, key=len, default=""))
    called = _by_pass(called, backward)
    times = Counter(called)
    called = [own if times[own] == 1 else "" for own in called]
    if together:
        nameless = {back for own, back, our in zip(called, backward, ours, strict=True) if our and not own}
        called = ["" if back in nameless else own for own, back in zip(called, backward, strict=True)]
    names = [own or name for own, name in zip(called, view.names, strict=True)]
    return GroupView(view.group_of, tuple(names))


def _counted(of_op: Sequence[set[str]], ops: Sequence[int]) -> Counter[str]:
    """How many of the ops begin so, by beginning."""
    return Counter(begin for v in ops for begin in of_op[v])


def _kind(begin: str) -> str:
    """A beginning without its number."""
    return begin.rstrip("0123456789")


def _alike(group: Counter[str]) -> Counter[str]:
    """How many ops of a group begin so, whatever the number."""
    alike: Counter[str] = Counter()
    for begin, count in group.items():
        alike[_kind(begin)] += count
    return alike


def _by_pass(called: Sequence[str], backward: Sequence[bool]) -> list[str]:
    """The same names, with ``a.layer.0 backward`` for what updates ``a.layer.0`` and is called ``Optimizer_a.layer.0``: its end is all that
    small cards have room for."""
    forward = {name for name, back in zip(called, backward, strict=True) if name and not back}

    def told(name: str, back: bool) -> str:
        ends = (name[m.end() :] for m in re.finditer(r"[_./:]", name)) if back else ()
        own = next((end for end in (name, *ends) if end in forward), "")
        return f"{own} backward" if back and own else name

    return [told(name, back) for name, back in zip(called, backward, strict=True)]
