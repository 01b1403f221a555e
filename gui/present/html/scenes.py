"""What the page of a story draws: places of cards and edges, devices and what ops cost, as compact JSON values.

Arrays are base64 of little-endian numbers. Places are whole steps of ``step`` scene units from the layout's corner; what is the
same for several keyframes is there once.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gui.canvas.graph.header_data import HeaderData
from gui.canvas.graph.items import Items
from gui.canvas.graph.labels import kind_text
from gui.canvas.graph.lanes.links import Links, plate_text
from gui.canvas.graph.naming.card_names import families_of
from gui.canvas.graph.palette import MODEL_BLOCKS, MODEL_BODIES, canvas_palette, model_shade
from gui.canvas.graph.scene import STYLE, Scene
from gui.layout.result import EdgeClass, Layout
from gui.look.glyphs import glyph_path
from gui.look.numbers import plural
from gui.look.theme import Theme, device_colours
from gui.present.html.areas import blocks_data, legend_data, rows_data
from gui.present.scenes import GraphStage
from gui.present.transition.transition import Morph
from planner.model.graph import Ints
from planner.problem.problem import Problem
from planner.quantity import bytes_text

STEPS = 65_535
ROUTED, STUB, LEAVES_LEFT, ENTERS_RIGHT, UNSENT = 1, 2, 4, 8, 16
"""Bits of an edge."""


def packed(values: Any, kind: str) -> str:
    """Numbers as base64: ``kind`` is ``u1``, ``u2`` or ``u4`` (little-endian)."""
    return base64.b64encode(np.ascontiguousarray(values, "<" + kind).tobytes()).decode("ascii")


def listed(texts: Sequence[str]) -> dict[str, Any]:
    """Texts of which many are equal: each of them once, and which one stands where."""
    known: dict[str, int] = {}
    index = [known.setdefault(text, len(known)) for text in texts]
    size = 2 if len(known) <= STEPS + 1 else 4
    return {"texts": list(known), "size": size, "index": packed(index, f"u{size}")}


class Scenes:
    """Collects what keyframes draw; :meth:`add` gives the number of a stage, :meth:`data` all of it."""

    def __init__(self) -> None:
        self._graphs: list[dict[str, Any]] = []
        self._facts: list[dict[str, Any]] = []
        self._layouts: list[dict[str, Any]] = []
        self._stages: list[dict[str, Any]] = []
        self._known: dict[tuple[object, ...], int] = {}
        self._kept: list[object] = []
        self._palettes: dict[str, tuple[int, tuple[int, ...]]] = {}

    def add(self, stage: GraphStage) -> int:
        """The number of a stage among those that are drawn."""
        return self._once("stage", (stage,), self._stages, lambda: self._stage(stage))

    def data(self) -> dict[str, Any]:
        """All that was added."""
        return {
            "graphs": self._graphs,
            "facts": self._facts,
            "layouts": self._layouts,
            "stages": self._stages,
        }

    def palettes(self, theme: Theme) -> dict[str, dict[str, Any]]:
        """The colours of devices in a theme, by the names that stages have for them."""
        return {
            name: palette_data(theme.numbered(numbers), k)
            for name, (k, numbers) in sorted(self._palettes.items())
        }

    def _once(
        self,
        what: str,
        of: tuple[object, ...],
        among: list[dict[str, Any]],
        make: Callable[[], dict[str, Any]],
    ) -> int:
        key = (what, *map(id, of))
        if key not in self._known:
            self._kept.append(of)  # an id is only its own while the object lives
            made = make()
            self._known[key] = len(among)
            among.append(made)
        return self._known[key]

    def _stage(self, stage: GraphStage) -> dict[str, Any]:
        scene, problem, evaluation = stage.scene, stage.plan.problem, stage.plan.evaluation
        k = len(problem.devices)
        numbers = stage.palette.theme.device_numbers
        palette = ",".join(map(str, numbers)) or str(k)
        self._palettes[palette] = (k, numbers)
        data: dict[str, Any] = {
            "graph": self._once("graph", (scene.items,), self._graphs, lambda: graph_data(scene)),
            "facts": self._once(
                "facts", (scene.items, problem), self._facts, lambda: facts_data(scene, problem)
            ),
            "layout": self._once("layout", (scene.layout,), self._layouts, lambda: layout_data(scene)),
            "device": packed(scene.device, "u2"),
            "palette": palette,
            "titles": [device.title for device in problem.devices],
            "names": [device.name for device in problem.devices],
            "bad": np.flatnonzero(scene.violating).tolist(),
            "hot": evaluation.bottleneck,
        }
        if len((parts := scene.splits).item):
            rows = (parts.item, parts.device, np.round(parts.start, 4), np.round(parts.end, 4))
            data["splits"] = [list(row) for row in zip(*(values.tolist() for values in rows), strict=True)]
        data |= {"blocks": blocks_data(stage), "rows": rows_data(stage), "legend": legend_data(stage)}
        if stage.headers is not None:
            data["pace"] = [stage.headers.column.text(float(value)) for value in stage.headers.pace]
            data |= loads(stage.headers)
            if stage.headers.links is not None and scene.layout.lanes:
                data["links"] = links_data(stage.headers.links)
        return data


def links_data(links: Links) -> list[tuple[str, bool] | None]:
    """What the plate at the upper border of each lane says, and whether no stage takes more in; None for a lane without one."""
    entering = links.entering.tolist()
    return [
        (plate_text(links, k), links.most(k)) if k and entering[k] else None for k in range(len(entering))
    ]


def loads(headers: HeaderData) -> dict[str, list[float]]:
    """How full the bars of lanes are, 0 to 1, on the scale that the whole story has; of memory ``limit``, where the cache ends."""
    pace, budget = (np.nan_to_num(a, posinf=0.0, neginf=0.0) for a in (headers.pace, headers.budget))
    held = bool((budget > 0.0).any()) and bool(np.array_equal(headers.pace, headers.memory))
    full = max(float(pace.max(initial=0.0)), headers.fullest if held else headers.longest)
    full = max(full, float(budget.max(initial=0.0))) if held else full
    out = {"load": np.round(pace / (full or 1.0), 4).tolist()}
    return out | {"limit": np.round(budget / full, 4).tolist()} if held else out


def graph_data(scene: Scene) -> dict[str, Any]:
    """Names, kinds and edges of a graph. ``share`` is how wide an edge is among all, 0 to 255."""
    items = scene.items
    widest = float(items.edge_bytes.max(initial=0.0)) or 1.0
    data: dict[str, Any] = {
        "name": items.graph.name,
        "names": list(items.names),
        "kinds": listed([_ops(items, i) or items.graph.kinds[v] for i, v in enumerate(items.first.tolist())]),
        "from": packed(items.edge_src, "u4"),
        "to": packed(items.edge_dst, "u4"),
        "share": packed(np.rint(255 * np.sqrt(items.edge_bytes / widest)), "u1"),
    }
    if (groups := np.flatnonzero(items.whole_size > 1)).size:
        data["groups"] = groups.tolist()
        data["shares"] = [[i, share] for i in groups.tolist() if (share := _share(items, i))]
        data["families"] = [[family.members, family.forms] for family in families_of(items)]
    if items.model.any():
        data["model"] = packed(items.model % len(MODEL_BLOCKS), "u1")
    return data


def _ops(items: Items, item: int) -> str:
    """How many ops the card of a group stands for; empty for that of an op."""
    return plural(int(items.size[item]), "op") if items.whole_size[item] > 1 else ""


def _share(items: Items, item: int) -> str:
    """How much of a group that several devices share a card is; empty for all of it."""
    size, whole = int(items.size[item]), int(items.whole_size[item])
    return "" if size == whole else f"{size} of {whole}"


def cards_in_words(items: Items) -> str:
    """How many ops are seen, and how many groups among them that are one card each."""
    groups = len(np.unique(items.whole[items.whole_size > 1]))
    ops = plural(items.graph.n, "op")
    return f"{ops}, {plural(groups, 'group')} of them folded" if groups else ops


def parting_data(morph: Morph) -> dict[str, Any]:
    """How the cards of one stage go to those of another where either folds groups: which move, and of what the two have the same parts
    where they are others; empty where every op is a card."""
    parting = morph.parting
    if all(scene.items.count == scene.items.graph.n for scene in parting.scenes):
        return {}
    moved = {"moved": np.flatnonzero(morph.moved).tolist()}
    if parting.same:
        return moved
    one, other = parting.sides
    return {
        "parts": {
            "a": packed(one.card, "u4"), "b": packed(other.card, "u4"), "aEdges": packed(one.edge.astype(np.uint32), "u4"),
            "bEdges": packed(other.edge.astype(np.uint32), "u4"), "from": packed(parting.items.edge_src, "u4"),
            "to": packed(parting.items.edge_dst, "u4"), **moved,
        }
    }  # fmt: skip


def facts_data(scene: Scene, problem: Problem) -> dict[str, Any]:
    """What is written on cards and said about ops and groups: kind and shape, work, bytes of output and parameters."""
    items, evaluator = scene.items, problem.evaluator
    work, output, params = (
        np.bincount(items.item_of, weights=values, minlength=items.count).tolist()
        for values in (
            evaluator.work_on(scene.op_device),
            output_bytes(items, evaluator.size),
            evaluator.params,
        )
    )
    return {
        "words": listed([_ops(items, i) or kind_text(scene, i) for i in range(items.count)]),
        "work": listed([scene.work_column.text(value) for value in work]),
        "output": listed([bytes_text(value) for value in output]),
        "parameters": listed([bytes_text(value) if value else "" for value in params]),
    }


def output_bytes(items: Items, size: np.ndarray) -> np.ndarray:
    """Bytes of all outputs of each op (float64[n]) but those that only others of its group read."""
    graph = items.graph
    tensor = np.repeat(np.arange(graph.tensor_count), np.diff(graph.consumer_ptr))
    card = items.item_of[graph.tensor_producer]
    leaves = np.diff(graph.consumer_ptr) == 0
    leaves[tensor[items.item_of[graph.consumer_idx] != card[tensor]]] = True
    return np.bincount(graph.tensor_producer, weights=np.where(leaves, size, 0.0), minlength=graph.n)


def layout_data(scene: Scene) -> dict[str, Any]:
    """Places, edges and lanes of a layout."""
    layout: Layout = scene.layout
    x, y, w, h = layout.bounds
    step = max(w, h, 1e-6) / STEPS
    routed = scene.routed

    def steps(values: np.ndarray, origin: float) -> str:
        return packed(np.clip(np.rint((values - origin) / step), 0, STEPS), "u2")

    flags = np.zeros(len(scene.edge_class), np.uint8)
    flags[routed] |= ROUTED
    flags[scene.edge_class == EdgeClass.STUB] |= STUB
    flags[scene.leave != 0] |= LEAVES_LEFT
    flags[scene.enter == 0] |= ENTERS_RIGHT
    flags[scene.unsent] |= UNSENT
    return {
        "bounds": [round(value, 3) for value in (x, y, w, h)],
        "step": step,
        "card": STYLE.card_h,
        "x": steps(layout.x, x),
        "y": steps(layout.y, y),
        "w": steps(layout.w, 0.0),
        "h": steps(layout.h, 0.0),
        "flags": packed(flags, "u1"),
        "routed": packed(routed, "u4"),
        "points": packed(np.diff(scene.route_ptr), "u2"),
        "routeX": steps(scene.route_x, x),
        "routeY": steps(scene.route_y, y),
        "lanes": [[round(lane.band[1], 2), round(lane.band[3], 2)] for lane in layout.lanes],
        "cells": layout.stages is not None,
    }


def palette_data(theme: Theme, k: int) -> dict[str, Any]:
    """Colours of ``k`` devices: accents, bands, and the fills of blocks and cards by model and device."""
    palette = canvas_palette(theme, k)
    every: Ints = np.arange(k, dtype=np.int32)
    models = [np.full(k, model, np.int32) for model in range(len(MODEL_BODIES))]
    return {
        "accent": [colour.accent for colour in palette.devices],
        "band": [colour.band for colour in palette.devices],
        "ink": [colour.ink for colour in palette.devices],
        "block": [_hex(palette.blocks_of(every, model)) for model in models],
        "body": [_hex(palette.bodies_of(every, model)) for model in models],
        "glyph": [colour.glyph for colour in device_colours(k, theme)],
        "model": [model_shade(model, theme) for model in range(len(MODEL_BLOCKS))],
    }


def _hex(colours: np.ndarray) -> list[str]:
    return [f"#{int(colour) & 0xFFFFFF:06x}" for colour in colours]


def glyph_outline(glyph: int) -> str:
    """A glyph's outline as the path of an SVG, around the origin and about one unit wide."""
    path = glyph_path(glyph)
    out: list[str] = []
    i = 0
    while i < path.elementCount():
        element = path.elementAt(i)
        if element.isCurveTo():
            ends = [path.elementAt(i + j) for j in range(3)]
            out.append("C" + " ".join(f"{e.x:.4g} {e.y:.4g}" for e in ends))
            i += 3
            continue
        out.append(f"{'M' if element.isMoveTo() else 'L'}{element.x:.4g} {element.y:.4g}")
        i += 1
    return "".join(out) + "Z"
