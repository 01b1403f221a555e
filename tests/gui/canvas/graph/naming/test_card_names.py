"""What cards are called."""

from __future__ import annotations

import re
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.canvas.graph.items import items_of
from gui.canvas.graph.naming.card_names import (
    CardNames,
    card_names,
    group_names,
    op_names,
    short_name,
    wide,
)
from gui.canvas.graph.naming.kinds import says_kind, short_kinds
from gui.canvas.graph.scene import scene_of
from planner.model.graph import Graph, Op, Tensor
from planner.model.groups import numbered


@pytest.mark.parametrize(
    ("tail", "kind", "says"),
    [
        ("Relu", "CONV_2D", False),
        ("fold", "CONV_2D", False),
        ("add", "CONV_2D", False),
        ("expand", "CONV_2D", False),
        ("conv", "CONV_2D", True),
        ("Conv2D", "CONV_2D", True),
        ("depthwise", "DEPTHWISE_CONV_2D", True),
        ("depthwise1", "CONV_2D", False),
        ("average", "AVERAGE_POOL_2D", True),
        ("conv2_block1_1_bn", "BatchNormalization", True),
        ("conv2_block1_1_relu", "Activation", True),
        ("conv2_block1_out", "Activation", False),
        ("block2_sepconv1", "SeparableConv2D", True),
        ("predictions", "Dense", False),
        ("Add_2", "Add", True),
        ("input_ids", "Input", True),
        ("17", "Add", False),
        ("a", "Add", False),
    ],
)
def test_whether_a_name_says_what_its_op_does(tail: str, kind: str, says: bool) -> None:
    assert says_kind(tail, kind) is says


def test_the_kind_comes_first_where_the_name_does_not_say_it() -> None:
    best, longer = op_names("MobileNet/expanded_conv/Relu", "CONV_2D")
    assert best[0] == "CONV_2D"
    assert longer[:2] == ("CONV_2D Relu", "CONV_2D expanded_conv/Relu")
    assert op_names("encoder/query/MatMul_1", "MatMul")[0][:2] == ("MatMul_1", "MatMul")
    assert op_names("Relu", "")[0] == ("Relu",)


def test_groups_are_called_by_the_last_part_of_their_scope() -> None:
    assert group_names("encoder/layer.7", 9, 9) == (("layer.7",), ("encoder/layer.7",))
    assert group_names("conv3_block2", 11, 11) == (
        ("conv3_block2", "block2"),
        ("conv3…2", "c3…2"),
    )


def ops_graph(names: list[tuple[str, str]]) -> Graph:
    return Graph.build("g", [Op(f"n{i}", name, kind) for i, (name, kind) in enumerate(names)], [])


@pytest.mark.usefixtures("qapp")
class TestNames:
    def test_a_name_is_not_cut_where_the_kind_fits(self) -> None:
        graph = ops_graph([("a/MatMul_1", "MatMul"), ("a/LayerNormalization", "LayerNormalization")])
        names = CardNames(items_of(graph, None, frozenset()), np.zeros(2, np.int32))
        room = int(wide("MatMul", 12, False)) + 1
        assert [names.of(i, 12, False, room) for i in (0, 1)] == ["MatMul", "LN"]

    def test_kinds_that_are_all_the_same_say_nothing(self) -> None:
        names = CardNames(
            items_of(ops_graph([("first", "op"), ("second", "op")]), None, frozenset()), np.zeros(2)
        )
        assert names.of(0, 12, False, 300) == "first"

    def test_a_scope_tells_alike_ones_apart(self) -> None:
        graph = ops_graph([("l/query/MatMul", "MatMul"), ("l/key/MatMul", "MatMul"), ("l/Add", "Add")])
        items = items_of(graph, None, frozenset())
        names = CardNames(items, np.zeros(3, np.int32))
        assert [names.of(i, 12, False, 300) for i in range(3)] == ["query/MatMul", "key/MatMul", "Add"]
        apart = CardNames(items, np.arange(3, dtype=np.int32))  # in rows of their own
        assert [apart.of(i, 12, False, 300) for i in range(3)] == ["MatMul", "MatMul", "Add"]

    def test_an_op_is_called_the_same_in_every_view(self) -> None:
        """Whatever stands beside it in its row: twins of one block are told apart where they are in different rows, too."""
        names = ["mask", "ids_mask", "Unsqueeze", "Unsqueeze_1"]
        names += [
            f"layer.{i}/{part}" for i in (0, 1) for part in ("self/Div", "self/Add", "out/Add", "Add_1")
        ]
        kinds = ["Input", "Input"] + [re.sub(r"_\d", "", short_name(name)) for name in names[2:]]
        ops = [Op(f"n{i}", name, kind) for i, (name, kind) in enumerate(zip(names, kinds, strict=True))]
        edges = [Tensor(f"n{i}", (f"n{i + 1}",), 1.0) for i in range(len(ops) - 1)]
        items = items_of(Graph.build("g", ops, edges), None, frozenset())
        device = np.arange(items.count, dtype=np.int32)
        scenes = [scene_of(items, view, device, items.count, (900, 600)) for view in ("flow", "lanes")]
        for room in (20, 34, 50, 80, 200):
            flow, lanes = ([card_names(s).of(i, 12, False, room) for i in range(items.count)] for s in scenes)
            assert flow == lanes
        assert flow[2:4] == ["Unsqueeze", "Unsqueeze_1"] and flow[4:8] == [
            "Div",
            "self/Add",
            "out/Add",
            "Add_1",
        ]

    def test_an_input_is_called_by_what_it_is_before_its_kind(self) -> None:
        graph = ops_graph([("attention_mask", "Input"), ("input_layer", "InputLayer"), ("Relu", "Relu")])
        names = CardNames(items_of(graph, None, frozenset()), np.arange(3))
        room = int(wide("mask", 12, False)) + 1
        assert wide("Input", 12, False) <= room
        assert [names.of(i, 12, False, room) for i in (0, 1)] == ["mask", "Input"]

    def test_what_would_be_cut_is_whole_in_smaller_letters(self) -> None:
        names = CardNames(
            items_of(ops_graph([("Softmax", "Softmax"), ("Add", "Add")]), None, frozenset()), np.arange(2)
        )
        tight = int(wide("Softmax", 12, False)) - 1
        name, pixels = names.fitted(0, 12, False, tight)
        assert name == "Softmax" and pixels < 12 and wide(name, pixels, False) <= tight
        assert names.fitted(1, 12, False, tight) == ("Add", 12)
        assert names.fitted(0, 12, False, tight, least=12.0)[1] == 12, "not below the least"
        cut, pixels = names.fitted(0, 12, False, int(wide("Soft\N{HORIZONTAL ELLIPSIS}", 9, False)) + 1)
        assert pixels == 9 and cut == "Soft\N{HORIZONTAL ELLIPSIS}", "as much of it as there may be"

    @given(
        st.lists(
            st.tuples(
                st.lists(
                    st.sampled_from(["a", "b", "layer.1", "Relu", "Add_1", "x_conv"]), min_size=1, max_size=4
                ),
                st.sampled_from(["Add", "CONV_2D", "Relu", "LayerNormalization", "Input"]),
            ),
            min_size=1,
            max_size=12,
        ),
        st.integers(10, 220),
        st.integers(1, 3),
    )
    def test_names_fit_and_are_alike_only_where_nothing_that_fits_tells_them_apart(
        self, ops: list[tuple[list[str], str]], room: int, rows: int
    ) -> None:
        graph = ops_graph([("/".join(parts), kind) for parts, kind in ops])
        row = np.arange(graph.n, dtype=np.int32) % rows
        names = CardNames(items_of(graph, None, frozenset()), row)
        shown = defaultdict(list)
        for i in range(graph.n):
            name = names.of(i, 12, False, room)
            assert not name or wide(name, 12, False) <= max(room, wide("…", 12, False))
            shown[int(row[i]), name].append(i)
        for (_, name), alike in shown.items():
            fitting = {
                i: {t for texts in names.choices(i) for t in texts if wide(t, 12, False) <= room}
                for i in alike
            }
            for i in alike if len(alike) > 1 and name else ():
                others = set().union(*(fitting[j] for j in alike if j != i))
                taken = {names.of(j, 12, False, room) for j in range(graph.n) if row[j] == row[i]}
                assert fitting[i] - others <= taken

    def test_a_cut_name_is_no_fraction_wider_than_its_room(self) -> None:
        names = CardNames(items_of(ops_graph([("Relu", "Add")]), None, frozenset()), np.zeros(1, np.int32))
        for room in range(12, 60):
            assert wide(names.of(0, 12, False, room), 12, False) <= room

    @pytest.mark.parametrize("same_row", [True, False])
    def test_groups_are_told_apart_from_those_in_all_rows(self, same_row: bool) -> None:
        scopes = ["conv2_block1", "conv3_block1", "conv4_block1", "conv4_block6"]
        graph = ops_graph([(f"{scope}/{part}", "Add") for scope in scopes for part in "ab"])
        grouping = numbered([i // 2 for i in range(8)], dict(enumerate(scopes)))
        items = items_of(graph, grouping, frozenset(range(4)))
        names = CardNames(items, np.zeros(4, np.int32) if same_row else np.arange(4, dtype=np.int32))

        def shown(room: float) -> list[str]:
            return [names.of(i, 12, False, int(room) + 1) for i in range(4)]

        assert shown(wide("conv2_block1", 12, False) + 9) == scopes
        short = shown(max(wide(word, 12, False) for word in ("block1", "conv2\N{HORIZONTAL ELLIPSIS}1")))
        assert short == ["conv2…1", "conv3…1", "conv4…1", "conv4…6"], "all shortened alike"
        assert shown(wide("block6", 12, False)) == ["c2…1", "c3…1", "c4…1", "c4…6"]

    def test_no_group_has_a_longer_name_than_those_like_it(self) -> None:
        """Of blocks of which one number is longer than the others, too; where all have room all are whole."""
        scopes = [f"conv4_block{i}" for i in (8, 9, 10)]
        graph = ops_graph([(f"{scope}/{part}", "Add") for scope in scopes for part in "ab"])
        grouping = numbered([i // 2 for i in range(6)], dict(enumerate(scopes)))
        names = CardNames(items_of(graph, grouping, frozenset(range(3))), np.arange(3, dtype=np.int32))
        for word, said in (
            ("conv4_block10", scopes),
            ("conv4_block9", ["block8", "block9", "block10"]),
            ("c4…10", ["c4…8", "c4…9", "c4…10"]),
        ):
            room = int(wide(word, 12, False)) + 1
            assert [names.of(i, 12, False, room) for i in range(3)] == said

    def test_groups_have_their_names(self) -> None:
        graph = ops_graph([(f"encoder/layer.{i // 2}/{i}", "Add") for i in range(4)])
        grouping = numbered([i // 2 for i in range(4)], {0: "encoder/layer.0", 1: "encoder/layer.1"})
        items = items_of(graph, grouping, frozenset({0, 1}))
        scene = scene_of(items, "flow", np.zeros(4, np.int32), 1, (900, 600))
        assert [card_names(scene).of(i, 12, True, 300) for i in range(2)] == ["layer.0", "layer.1"]
        assert card_names(scene) is card_names(scene)


def test_short_kinds_are_none_that_nobody_knows() -> None:
    """Words without their vowels or their ends are no names."""
    for kind in (
        "Softmax",
        "Squeeze",
        "Unsqueeze",
        "Transpose",
        "Reshape",
        "Gather",
        "Sigmoid",
        "Dropout",
        "Flatten",
    ):
        assert short_kinds(kind) == ()


def test_short_kinds_get_shorter() -> None:
    assert short_kinds("LayerNormalization") == ("LayerNorm", "LN")
    assert short_kinds("Frobnicate") == ()
