"""How edges go from one scene to another: those whose course stays as it is are carried along, others change it where their ends go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gui.canvas.graph.scene import Scene
from planner.model.graph import Bools, Floats, Ints

NEAR = 0.5
"""Scene units within which two places are one, and a piece of a route is level or upright."""
SWAP = 0.2
"""Edges that change their course are curves from card to card but for this share of the way at either end."""


@dataclass(frozen=True, eq=False)
class Routes:
    """Polylines (CSR: ``ptr`` int32[r + 1], ``x``, ``y``) of ``edges`` (int32[r]), drawn with an opacity."""

    ptr: Ints
    x: Floats
    y: Floats
    edges: Ints
    opacity: float = 1.0


@dataclass(frozen=True, eq=False)
class Edges:
    """All that is drawn of edges at a moment: ``routes``, ``curves`` from card to card and ``stubs``, each some edges with an opacity."""

    routes: tuple[Routes, ...]
    curves: tuple[tuple[Ints, float], ...]
    stubs: tuple[tuple[Ints, float], ...]


def settled_edges(scene: Scene) -> Edges:
    """Those of a scene at rest. Where devices are blocks there are none: ribbons say what flows."""
    if scene.layout.stages is not None:
        return Edges((), (), ())
    return Edges(
        (Routes(scene.route_ptr, scene.route_x, scene.route_y, scene.routed),), ((scene.straight, 1.0),),
        ((scene.stubs, 1.0),),
    )  # fmt: skip


class Courses:
    """The edges between two scenes of the same items in the same units.

    ``carried`` edges have routes of the same pieces before and after, and move with them; those that are plain curves, or stubs, before and after follow
    their cards. Of the others, those whose ends stay fade from one route into the other (``faded``); those whose ends go
    elsewhere are curves on the way (``loose``).
    """

    def __init__(self, first: Scene, second: Scene) -> None:
        self._first, self._second = first, second
        m = len(second.items.edge_src)
        place_a, place_b = _table(first, m), _table(second, m)
        kinds = _kinds(first, m), _kinds(second, m)
        both = np.flatnonzero((place_a >= 0) & (place_b >= 0)).astype(np.int32)
        alike = both[same_pieces(first, second, place_a[both], place_b[both])]
        self.carried: Ints = alike
        self._from = part_of(first, place_a[alike], alike)
        self._to = part_of(second, place_b[alike], alike)
        plain = (kinds[0] == kinds[1]) & (kinds[0] != ROUTED)
        self.straight = np.flatnonzero(plain & (kinds[0] == STRAIGHT)).astype(np.int32)
        self.stubs = np.flatnonzero(plain & (kinds[0] == STUB)).astype(np.int32)
        rest = ~plain
        rest[alike] = False
        stay = ends_stay(first, second)
        self.faded = np.flatnonzero(rest & stay).astype(np.int32)
        self.loose = np.flatnonzero(rest & ~stay).astype(np.int32)
        self._sides = tuple(
            tuple(_side(scene, kind, place, edges) for scene, kind, place in ((first, kinds[0], place_a), (second, kinds[1], place_b)))
            for edges in (self.faded, self.loose)
        )  # fmt: skip
        drawn = (kinds[0] != NONE) & (kinds[1] != NONE)
        self._curved = self.loose[drawn[self.loose]]

    def at(self, share: float, eased: float) -> Edges:
        """The edges a ``share`` of the way, with cards ``eased`` of it."""
        a, b = self._from, self._to
        routes = [Routes(b.ptr, a.x + (b.x - a.x) * eased, a.y + (b.y - a.y) * eased, self.carried)]
        curves, stubs = [(self.straight, 1.0)], [(self.stubs, 1.0)]
        out, into = max(0.0, 1.0 - share / SWAP), max(0.0, 1.0 - (1.0 - share) / SWAP)
        for sides, opacities in zip(self._sides, ((1.0 - eased, eased), (out, into)), strict=True):
            for side, opacity in zip(sides, opacities, strict=True):
                if opacity > 0.0:
                    routes.append(Routes(side[0].ptr, side[0].x, side[0].y, side[0].edges, opacity))
                    curves.append((side[1], opacity))
                    stubs.append((side[2], opacity))
        curves.append((self._curved, 1.0 - max(out, into)))
        return Edges(tuple(routes), tuple(curves), tuple(stubs))


ROUTED, STRAIGHT, STUB, NONE = 0, 1, 2, 3


def _kinds(scene: Scene, m: int) -> np.ndarray:
    """How each edge is drawn (int8[m])."""
    kinds = np.full(m, NONE, np.int8)
    if scene.layout.stages is None:
        kinds[scene.routed], kinds[scene.straight], kinds[scene.stubs] = ROUTED, STRAIGHT, STUB
    return kinds


def _table(scene: Scene, m: int) -> Ints:
    """Where each edge is in the table of routes (int32[m]), -1 for those that have none."""
    place = np.full(m, -1, np.int32)
    if scene.layout.stages is None:
        place[scene.routed] = np.arange(len(scene.routed), dtype=np.int32)
    return place


def part_of(scene: Scene, rows: Ints, edges: Ints) -> Routes:
    """The ``rows`` of a scene's table of routes, which are those of ``edges``."""
    counts = np.diff(scene.route_ptr)[rows]
    ptr = np.zeros(len(rows) + 1, np.int32)
    np.cumsum(counts, out=ptr[1:])
    at = np.arange(ptr[-1]) - np.repeat(ptr[:-1], counts) + np.repeat(scene.route_ptr[:-1][rows], counts)
    return Routes(ptr, scene.route_x[at], scene.route_y[at], edges)


def same_pieces(first: Scene, second: Scene, a: Ints, b: Ints) -> Bools:
    """Whether routes ``a`` of one scene have as many points as ``b`` of another, and the same pieces level and upright (bool[r])."""
    same: Bools = np.diff(first.route_ptr)[a] == np.diff(second.route_ptr)[b]
    rows = np.flatnonzero(same).astype(np.int32)
    one, other = part_of(first, a[rows], rows), part_of(second, b[rows], rows)
    if len(one.x) < 2:
        return same
    differ = np.zeros(len(one.x), bool)
    for u, v in ((one.x, other.x), (one.y, other.y)):
        differ[:-1] |= (np.abs(np.diff(u)) < NEAR) != (np.abs(np.diff(v)) < NEAR)
    differ[one.ptr[1:] - 1] = False  # what lies between the end of one route and the beginning of the next
    same[rows[np.logical_or.reduceat(differ, one.ptr[:-1])]] = False
    return same


def ends_stay(first: Scene, second: Scene) -> Bools:
    """Whether both cards of an edge stay where they are (bool[m])."""
    still = np.ones(second.items.count, bool)
    for name in ("x", "y", "w", "h"):
        still &= np.abs(getattr(first.layout, name) - getattr(second.layout, name)) < NEAR
    return still[second.items.edge_src] & still[second.items.edge_dst]


def _side(scene: Scene, kinds: np.ndarray, place: Ints, edges: Ints) -> tuple[Routes, Ints, Ints]:
    """What a scene draws of ``edges``: those with routes, plain curves, stubs."""
    routed = edges[kinds[edges] == ROUTED]
    return (
        part_of(scene, place[routed], routed), edges[kinds[edges] == STRAIGHT], edges[kinds[edges] == STUB],
    )  # fmt: skip
