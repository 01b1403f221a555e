"""The query language: words, fields, expressions, and path patterns checked against enumerated paths."""

from __future__ import annotations

import re
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.document.find.find import find, on_paths
from gui.document.find.regex import Pattern, PatternError
from planner.errors import StageboardError
from planner.machines.pipeline.target import Pipeline
from planner.machines.pool.target import DevicePool
from planner.model.graph import Graph, Op, Tensor
from planner.problem.problem import Pin, Problem


def graph_of(kinds: list[str], edges: list[tuple[int, int]], names: list[str] | None = None) -> Graph:
    names = names or [f"{kind}_{i}" for i, kind in enumerate(kinds)]
    ops = [Op(id=str(i), name=names[i], kind=kind, work=1.0, work_cpu=1.0) for i, kind in enumerate(kinds)]
    tensors = [
        Tensor(str(i), tuple(str(b) for a, b in edges if a == i), 4.0, shape=(1, 8, 64 if i % 2 else 32))
        for i in range(len(kinds))
    ]
    return Graph.build("g", ops, tensors)


ATTENTION = ["MatMul", "Add", "MatMul", "Div", "Add", "Softmax", "Dropout", "MatMul", "Relu"]


@pytest.fixture
def problem() -> Problem:
    graph = graph_of(ATTENTION, [(i, i + 1) for i in range(len(ATTENTION) - 1)])
    return Problem(graph, Pipeline(count=3), constraints=(Pin("3", "stage 1"),))


DEVICES = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2], np.int32)


@pytest.mark.parametrize(
    ("query", "ops"),
    [
        ("", []),
        ("matmul", [0, 2, 7]),
        ("MatMul_2", [2]),
        ("add 4", [4]),
        ("kind:MatMul", [0, 2, 7]),
        ("kind:*mul", [0, 2, 7]),
        ("kind:Mat", []),
        ("kind:D*", [3, 6]),
        ("kind:D* -dropout", [3]),
        ("/^(matmul|add)_[0-2]$/", [0, 1, 2]),
        ("/_\\d/ kind:Relu", [8]),
        ("device:stage 1", [3, 4, 5]),
        ("device:Stage 1 softmax", [5]),
        ('device:"stage 1" softmax', [5]),
        ("device:2", [6, 7, 8]),
        ("device:stage*", list(range(9))),
        ("shape:..64", [1, 3, 5, 7]),
        ("shape:1x8x32", [0, 2, 4, 6, 8]),
        ("shape:1x*x64", [1, 3, 5, 7]),
        ("shape:1..", list(range(9))),
        ("shape:8", []),
        ("is:pinned", [3]),
        ("is:source", [0]),
        ("is:sink", [8]),
        ("id:4", [4]),
        ('"Add_4"', [4]),
        ("MatMul -> Div", [2, 3]),
        ("MatMul -> Softmax", []),
        ("MatMul -> .* -> Softmax", [2, 3, 4, 5]),
        ("MatMul -> ** -> Softmax", [0, 1, 2, 3, 4, 5]),
        ("MatMul → .+ → Softmax", [2, 3, 4, 5]),
        ("Softmax -> . -> MatMul", [5, 6, 7]),
        ("Softmax -> Drop* -> Mat.*", [5, 6, 7]),
        ("Softmax -> MatMul", []),
        ("MatMul -> .* -> Div", [2, 3]),
        ("MatMul -> .+ -> Div", []),
        ("kind:Div -> /^add/ -> device:stage 1", [3, 4, 5]),
        (".* -> Div", [0, 1, 2, 3]),
        ("Dropout -> **", [6, 7, 8]),
        ("add_1 -> (MatMul|Relu)", [1, 2]),
    ],
)
def test_query(problem: Problem, query: str, ops: list[int]) -> None:
    assert find(query, problem, DEVICES).tolist() == ops


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("/(a/", "not closed"),
        ("/a)/", "never opened"),
        ("/[a/", "not closed"),
        ("/*a/", "nothing to repeat"),
        ("/a\\1/", "not supported"),
        ("/(?=a)b/", "not supported"),
        ("/a{5,2}/", "smaller number first"),
        ("/((a{900}){900})/", "repeats too much"),
        ("device:gpu", "stage 0, stage 1, stage 2"),
        ("shape:ax3", "not a shape"),
        ("is:big", "is:pinned"),
        ("kind:", "needs a value"),
        ("layer:x", "layer:3"),
        ("MatMul -> -> Add", "empty step"),
        ("MatMul -> (a", "in the path step"),
        ("a" * 3000, "at most"),
    ],
)
def test_bad_query_is_one_sentence(problem: Problem, query: str, words: str) -> None:
    with pytest.raises(StageboardError, match=re.escape(words)) as caught:
        find(query, problem, DEVICES)
    assert "\n" not in str(caught.value)


def test_a_name_with_slashes_is_a_word() -> None:
    graph = graph_of(["MatMul", "Add"], [(0, 1)], ["/encoder/layer.0/MatMul", "/encoder/layer.1/Add"])
    problem = Problem(graph, DevicePool())
    nowhere = np.zeros(2, np.int32)
    assert find("/encoder/layer.0/MatMul", problem, nowhere).tolist() == [0]
    assert find("/encoder/", problem, nowhere).tolist() == [0, 1]
    assert find("device:cpu 0", problem, nowhere + 2).tolist() == [0, 1]


# ---------------------------------------------------------------------- expressions against Python's
ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", "\\d", "\\w", "1", "^", "$", "\\."])
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "*?"])).map(
            lambda two: f"(?:{two[0]}){two[1]}"
        ),
    ),
    max_leaves=8,
)


@given(EXPRESSIONS, st.text("ab1.", max_size=8))
def test_expressions_match_what_python_matches(expression: str, text: str) -> None:
    assert Pattern(expression).search(text) == (re.search(expression, text, re.IGNORECASE) is not None)
    whole = re.compile(rf"\A(?:{expression})\Z", re.IGNORECASE).match(text) is not None
    assert Pattern(expression, whole=True).search(text) == whole


@given(st.text(st.sampled_from("ab()[]{}*+?|\\^$.,-12"), max_size=12))
def test_any_text_is_a_pattern_or_an_error(text: str) -> None:
    try:
        Pattern(text).search("abab12")
    except PatternError as error:
        assert "\n" not in str(error)


def test_hostile_expression_is_linear() -> None:
    # Python's own engine needs some 2^40 steps for this one.
    began = time.process_time()
    assert not Pattern("(a+)+$").search("a" * 2000 + "b")
    assert not Pattern("(a|a)*(a|aa)*x").search("a" * 2000)
    assert time.process_time() - began < 30


# ---------------------------------------------------------------------- paths against enumeration
@st.composite
def path_cases(draw: st.DrawFn) -> tuple[Graph, list[np.ndarray], list[bool], list[bool]]:
    n = draw(st.integers(1, 7))
    pairs = [(a, b) for a in range(n) for b in range(a + 1, n)]
    edges = [pair for pair in pairs if draw(st.booleans())]
    steps = draw(st.integers(1, 4))
    masks = [np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), bool) for _ in range(steps)]
    repeats = [draw(st.booleans()) for _ in range(steps)]
    optional = [repeat and draw(st.booleans()) for repeat in repeats]
    return graph_of(["op"] * n, edges), masks, repeats, optional


def enumerated(graph: Graph, masks: list[np.ndarray], repeats: list[bool], optional: list[bool]) -> set[int]:
    """Every path, spelled as the steps each op may stand for, against a Python expression over them."""
    ptr, idx = graph.succs
    found: set[int] = set()

    def matches(path: list[int], step: int) -> bool:
        if not path:
            return all(optional[step:])
        if step == len(masks):
            return False
        if optional[step] and matches(path, step + 1):
            return True
        if not masks[step][path[0]]:
            return False
        return matches(path[1:], step + 1) or (repeats[step] and matches_more(path[1:], step))

    def matches_more(path: list[int], step: int) -> bool:
        return (
            bool(path)
            and bool(masks[step][path[0]])
            and (matches(path[1:], step + 1) or matches_more(path[1:], step))
        )

    def extend(path: list[int]) -> None:
        if matches(path, 0):
            found.update(path)
        for w in idx[ptr[path[-1]] : ptr[path[-1] + 1]].tolist():
            extend([*path, w])

    for v in range(graph.n):
        extend([v])
    return found


@given(path_cases())
def test_paths_are_those_of_the_enumeration(case: tuple) -> None:
    graph, masks, repeats, optional = case
    assert set(np.flatnonzero(on_paths(graph, masks, repeats, optional)).tolist()) == enumerated(*case)


def test_paths_are_not_enumerated() -> None:
    # A ladder of 300 rungs has 2^300 paths.
    kinds = ["A"] + ["B", "C"] * 300 + ["D"]
    edges = [(0, 1), (0, 2)]
    for i in range(299):
        a = 1 + 2 * i
        edges += [(a, a + 2), (a, a + 3), (a + 1, a + 2), (a + 1, a + 3)]
    edges += [(599, 601), (600, 601)]
    problem = Problem(graph_of(kinds, edges), Pipeline(count=2))
    nowhere = np.zeros(len(kinds), np.int32)
    assert len(find("A -> ** -> D", problem, nowhere)) == len(kinds)
    assert len(find("A -> B -> C -> ** -> D", problem, nowhere)) == 2 + 1 + 1 + 2 * 298
    assert len(find("A -> B -> C -> .* -> D", problem, nowhere)) == 2 + 1 + 1 + 298
