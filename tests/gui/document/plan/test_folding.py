"""The grouping that views show, and which of its groups are folded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gui.document.plan import folding
from gui.document.plan.document import Document
from planner.formats import read_model
from tests.gui.document.plan.steps import heard

pytestmark = pytest.mark.usefixtures("qapp")


def test_grouping_and_folding(document: Document) -> None:
    log = heard(document, "groups_changed")
    assert "layers" in document.folding.available()
    document.set_grouping("layers")
    assert document.grouping is not None
    document.fold_all()
    assert document.folded == frozenset(range(4))
    document.unfold([1, 77])
    document.fold([1])
    document.unfold_all()
    assert document.folded == frozenset()
    document.set_grouping("none")
    assert document.grouping is None
    assert len(log) == 6


def test_groups_are_shown_folded_by_their_ops(document: Document) -> None:
    """In the grouping that has them: the one that is shown, else the first that has more of them."""
    changes: list[frozenset[int]] = []
    document.groups_changed.connect(lambda: changes.append(document.folded))
    document.set_grouping("layers")
    view = document.grouping
    assert view is not None
    ops = [view.ops(g) for g in range(view.count)]
    document.set_grouping("none")
    changes.clear()
    document.folding.show([ops[1], ops[3]])
    assert document.grouping_name == "layers" and document.folded == {1, 3} == changes[0]
    document.folding.show([ops[3], ops[1]])
    assert len(changes) == 1, "they are folded already"
    document.folding.show([ops[0], ops[1][:1]])
    assert document.folded == {0}, "the others are no groups here"
    document.folding.show([])
    assert document.folded == frozenset() and document.grouping_name == "layers"


@pytest.mark.parametrize(
    ("model", "grouping", "group"),
    [
        ("transformer_encoder.onnx", "scopes", "encoder/layer.11"),
        ("resnet50.json", "scopes", "conv2_block3"),
        ("inception_resnet_v2.json", "layers", "block17_8"),
    ],
)
def test_all_is_folded_by_the_names_that_a_model_has(
    document: Document, model: str, grouping: str, group: str
) -> None:
    document.open_graph(read_model(f"sample_models/{model}"))
    document.fold_all()
    assert document.grouping_name == grouping
    assert document.grouping is not None
    assert group in document.grouping.names


def test_which_groupings_there_are_is_said_before_layers_are_named(
    document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    named: list[object] = []
    layers = folding._layers
    monkeypatch.setattr(folding, "_layers", lambda graph: named.append(graph) or layers(graph))
    document.folding.reset(document.graph)
    assert "layers" in document.folding.available() and named == []
    assert document.folding.view("layers") is not None and named == [document.graph]
    assert document.graph is not None
    document.folding.reset(replace(document.graph, layer=np.full(document.graph.n, -1, np.int32)))
    assert "layers" not in document.folding.available() and document.folding.view("layers") is None
