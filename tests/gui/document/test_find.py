"""The query language: words, fields, expressions, and path patterns checked against enumerated paths."""

from __future__ import annotations

import fnmatch
import re
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.document.find.find import find, on_paths, with_paths
from gui.document.find.regex import PatternError, from_wildcards, searcher
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
    assert searcher(expression)(text) == (re.search(expression, text, re.IGNORECASE) is not None)
    whole = re.compile(rf"\A(?:{expression})\Z", re.IGNORECASE).match(text) is not None
    assert searcher(expression, whole=True)(text) == whole


@given(st.text(st.sampled_from("ab()[]{}*+?|\\^$.,-12"), max_size=12))
def test_any_text_is_a_pattern_or_an_error(text: str) -> None:
    try:
        searcher(text)("abab12")
    except PatternError as error:
        assert "\n" not in str(error)


LETTERS = st.sampled_from(
    ["é", "É", "Ж", "ж", "ι", "層", "٣", "²", "\u2003", "\x1c", " ", "_", "-", "[", "a", "B", "7", "\n", "😀"]
)
IN_BRACKETS = st.sampled_from(
    ["\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "a", "É", "Ж", "0-9", "a-c", "[", "\\]", "\\-", "\\—"]
)
KINDS = st.sampled_from(
    ["\\d", "\\D", "\\w", "\\W", "\\s", "\\S", "é", "ж", "b", ".", "a{,2}", "層", "\\_", "\\😀"]
)
BRACKETS = st.tuples(
    st.sampled_from(["[", "[^", "[]", "[^]"]), st.lists(IN_BRACKETS, min_size=1, max_size=3)
).map(lambda two: two[0] + "".join(two[1]) + "]")


@given(st.lists(KINDS | BRACKETS, min_size=1, max_size=4).map("".join), st.text(LETTERS, max_size=6))
def test_kinds_of_characters_and_case_are_those_of_python_in_every_script(expression: str, text: str) -> None:
    with warnings.catch_warnings(action="ignore", category=FutureWarning):  # of a '[' between brackets
        theirs = re.compile(expression, re.IGNORECASE | re.DOTALL)
    assert searcher(expression)(text) == (theirs.search(text) is not None)
    assert searcher(expression, whole=True)(text) == (theirs.fullmatch(text) is not None)


@given(st.text("ab*?.[(+—é\\ _-", max_size=8), st.text("ab.[(+—é\\ _-", max_size=8))
def test_wildcards_are_those_of_the_shell(wildcards: str, text: str) -> None:
    pattern = re.sub(r"\[", "[[]", wildcards)
    test = searcher(from_wildcards(wildcards), whole=True)
    assert test(text) == fnmatch.fnmatchcase(text.lower(), pattern.lower())


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("((a{1,1000}){1,1000})", "repeats too much"),
        ("\\w{1000}", "repeats too much"),
        ("a" * 501, "has 501 characters; at most 500"),
        ("(?<=a)b", "look-around"),
        ("(?!a)b", "look-around"),
        ("(a)\\1", "back-reference"),
        ("(?P<n>a)(?P=n)", "not supported"),
        ("a**", "'**', which repeats a repetition"),
        ("[b-a]", "'b-a', which is no range"),
        ("é\\", "ends in a backslash"),
        ("層(", "'層(' opens"),
        ("\\g", "'\\g', which is not supported"),
        ("(?P<a b>c)", "cannot be used: invalid named capture group: (?P<a b>"),
        ("(\n", "'(\\x0a' opens"),
    ],
)
def test_bad_expression_is_named_in_one_sentence(expression: str, words: str) -> None:
    with pytest.raises(PatternError, match=re.escape(words)) as caught:
        searcher(expression)
    assert "\n" not in str(caught.value) and "{}" not in str(caught.value)


def test_names_and_expressions_that_are_no_unicode() -> None:
    assert searcher("a.b")("a\udcffb")
    assert searcher("^[^a]$")("\ud800")
    assert not searcher("\udcff")("abc")
    with pytest.raises(PatternError, match="not closed"):
        searcher("(\udcff")


def test_hostile_expression_is_linear(capfd: pytest.CaptureFixture[str]) -> None:
    # Python's own engine needs some 2^40 steps for this one.
    began = time.process_time()
    assert not searcher("(a+)+$")("a" * 2000 + "b")
    assert not searcher("(a|a)*(a|aa)*x")("a" * 2000)
    # RE2 runs out of the memory for this one, and goes on without it.
    random = np.random.default_rng(1)
    assert not searcher("a[ab]{400}c")("".join(random.choice(["a", "b"], 20_000)))
    assert time.process_time() - began < 30
    assert capfd.readouterr() == ("", "")


def test_re2_is_loaded_with_the_first_expression() -> None:
    code = "import sys, gui.document.find.find; sys.exit('re2' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


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


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("a -> b", "a -> .* -> b"),
        ("a→kind:B -> c", "a -> .* -> kind:B -> .* -> c"),
        ("a -> .* -> b", ""),
        ("a -> . -> b", ""),
        ("a ->", ""),
        ("a", ""),
    ],
)
def test_edges_as_paths(query: str, paths: str) -> None:
    assert with_paths(query) == paths
