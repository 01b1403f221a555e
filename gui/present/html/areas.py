"""What the page of a story draws besides cards and edges: blocks of devices with what flows between them, names of rows, the legend, and
marks over the cards."""

from __future__ import annotations

from typing import Any

import numpy as np

from gui.canvas.graph.naming.row_headers import header_width, rows_of
from gui.canvas.graph.rules.rule_path import has_paths, path_words, paths_of
from gui.canvas.graph.stages.plate_form import memory_tone, memory_words
from gui.canvas.graph.stages.routes import stage_ribbons
from gui.look.numbers import plural
from gui.present.scenes import ROWS, GraphStage
from gui.present.transition.legend import legend_of
from gui.present.transition.marks import Marks, labels_apart
from planner.quantity import bytes_text

ENDLESS = 1e9
"""A width at which a legend is one line: the page sets its own."""


def blocks_data(stage: GraphStage) -> dict[str, Any] | None:
    """The blocks of the stages view: boxes, height and lines of the plates, ops and memory of each device, ribbons; None in other views."""
    stages, scene = stage.scene.layout.stages, stage.scene
    if stages is None:
        return None
    return {
        "boxes": [[round(side, 2) for side in box] for box in stages.blocks],
        "place": stages.place.tolist(),
        "plate": round(stages.plate, 2),
        "lines": stages.lines,
        "ops": [plural(int(many), "op") for many in scene.ops],
        "memory": [[list(memory_words(stage.headers, d)), memory_tone(stage.headers, d)] for d in range(len(scene.ops))],
        "ribbons": [
            {
                "src": ribbon.src, "dst": ribbon.dst, "width": round(ribbon.width, 2), "arrow": round(ribbon.arrow, 2),
                "bytes": bytes_text(ribbon.bytes), "points": np.round(ribbon.route, 2).ravel().tolist(),
            }
            for ribbon in stage_ribbons(scene)
        ],
    }  # fmt: skip


def rows_data(stage: GraphStage) -> dict[str, Any] | None:
    """Names of the rows of the flow view, and the room for them in pixels of a frame of 1280 x 800; None in other views."""
    scene = stage.scene
    wide = header_width(scene.items.graph) * ROWS
    if stage.view != "flow" or not wide:
        return None
    rows = zip(scene.layout.rows, rows_of(scene).names, strict=True)
    return {"width": wide, "rows": [[round(row.y, 2), round(row.h, 2), name] for row, name in rows if name]}


def legend_data(stage: GraphStage) -> list[list[Any]]:
    """The entries of the legend: device (-1: none), model (-1: none), words and whether each is bold, whether it sets the pace."""
    lines = legend_of(stage.scene, stage.headers, ENDLESS)
    return [
        [entry.device, entry.model, [list(word) for word in entry.words], entry.hot]
        for line in lines
        for entry in line
    ]


def marks_data(stage: GraphStage, marks: Marks) -> dict[str, Any]:
    """Labels (card, words, device or the kind of a path), and the edges of a broken rule's paths."""
    scene = stage.scene
    item_of = scene.items.item_of
    labels: list[list[Any]] = []
    data: dict[str, Any] = {}
    said: set[int] = set()
    if marks.violation is not None:
        for (op, words), kind in zip(
            path_words(marks.violation, marks.titles), ("direct", "indirect"), strict=False
        ):
            labels.append([int(item_of[op]), words, kind])
            said.add(op)
        if has_paths(marks.violation):
            paths = paths_of(scene, marks.violation)
            data = {name: getattr(paths, name).tolist() for name in ("direct", "indirect", "items")}
    for op, name in zip(marks.ops.tolist(), labels_apart(scene, marks.ops.tolist()), strict=True):
        if op not in said:
            labels.append([int(item_of[op]), name, int(scene.device[item_of[op]])])
    return {**data, "labels": labels} if labels or data else {}
