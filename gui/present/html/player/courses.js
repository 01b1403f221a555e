// How edges go from one layout to another: those whose course stays as it is are carried along, others change it where their ends go.

const NEARBY = 0.5;

// Of each edge: where its points are in the table of routes, -1 for none.
function tableOf(layout, m) {
  const table = new Int32Array(m).fill(-1);
  layout.routed.forEach((e, r) => { table[e] = r; });
  return table;
}

function coursesOf(morph) {
  const { first, second, grow, dx, dy } = morph, a = first.stage.layout, b = second.stage.layout, graph = second.stage.graph;
  const m = graph.from.length, ta = tableOf(a, m), tb = tableOf(b, m), of = new Uint8Array(m);
  const stays = new Uint8Array(graph.n);
  for (let i = 0; i < graph.n; i++) {
    const gone = Math.max(Math.abs(a.x[i] * grow + dx - b.x[i]), Math.abs(a.y[i] * grow + dy - b.y[i]), Math.abs(a.w[i] * grow - b.w[i]), Math.abs(a.h[i] * grow - b.h[i]));
    stays[i] = gone < NEARBY ? 1 : 0;
  }
  const kind = (layout, table, e) => isHidden(layout, e) ? "none" : layout.flags[e] & STUB ? "stub" : table[e] >= 0 ? "routed" : "straight";
  for (let e = 0; e < m; e++) {
    const one = kind(a, ta, e), two = kind(b, tb, e);
    if (one === "routed" && two === "routed" && samePieces(a, ta[e], b, tb[e], grow)) of[e] = CARRIED;
    else if (one === two && one !== "routed") of[e] = one === "straight" ? STRAIGHT : one === "stub" ? STUBBED : NOTHING;
    else of[e] = stays[graph.from[e]] && stays[graph.to[e]] ? FADED_OVER : LOOSE;
  }
  return { of, ta, tb };
}

// Where devices are blocks no edge is drawn, and of several between parts of two cards only one.
const isHidden = (layout, e) => layout.cells || (layout.shown && !layout.shown[e]);

const CARRIED = 1, STRAIGHT = 2, STUBBED = 3, FADED_OVER = 4, LOOSE = 5, NOTHING = 6;

function samePieces(a, r, b, q, grow) {
  const i = a.ends[r], j = b.ends[q], count = a.ends[r + 1] - i;
  if (count !== b.ends[q + 1] - j) return false;
  for (let k = 1; k < count; k++) {
    for (const [u, v] of [[a.routeX, b.routeX], [a.routeY, b.routeY]]) {
      if ((Math.abs(u[i + k] - u[i + k - 1]) * grow < NEARBY) !== (Math.abs(v[j + k] - v[j + k - 1]) < NEARBY)) return false;
    }
  }
  return true;
}

// The points of a carried edge a share of the way.
function carriedRoute(path, morph, e, share) {
  const { first, second, grow, dx, dy, courses } = morph, a = first.stage.layout, b = second.stage.layout;
  const r = courses.ta[e], q = courses.tb[e], i = a.ends[r], j = b.ends[q], count = b.ends[q + 1] - j;
  const xs = new Float64Array(count), ys = new Float64Array(count);
  for (let k = 0; k < count; k++) {
    xs[k] = lerp(a.routeX[i + k] * grow + dx, b.routeX[j + k], share);
    ys[k] = lerp(a.routeY[i + k] * grow + dy, b.routeY[j + k], share);
  }
  polyline(path, xs, ys, 0, count);
}

// What each course draws of a group's edges a share of the way: paths in the units of the second stage, each with its opacity.
function coursePaths(morph, items, at, share, e, near) {
  const { second, courses } = morph, layout = second.stage.layout, graph = second.stage.graph, out = [];
  const carried = new Path2D(), moving = new Path2D(), loose = new Path2D();
  for (const edge of items) {
    const course = courses.of[edge];
    if (course === CARRIED) carriedRoute(carried, morph, edge, e);
    else if (course === STRAIGHT) curve(moving, layout, at, edge, graph);
    else if (course === STUBBED && near) stub(moving, layout, at, edge, graph);
    else if (course === LOOSE && !isHidden(layout, edge) && !isHidden(morph.first.stage.layout, edge)) curve(loose, layout, at, edge, graph);
  }
  const gone = Math.max(0, 1 - share / SWAP), come = Math.max(0, 1 - (1 - share) / SWAP);
  out.push([carried, 1], [moving, 1], [loose, 1 - Math.max(gone, come)]);
  for (const [which, before, after] of [[FADED_OVER, 1 - e, e], [LOOSE, gone, come]]) {
    if (before > 0) {
      const mapped = new Path2D();
      mapped.addPath(ownPath(morph.first.stage, courses.ta, items, courses.of, which, near), new DOMMatrix([morph.grow, 0, 0, morph.grow, morph.dx, morph.dy]));
      out.push([mapped, before]);
    }
    if (after > 0) out.push([ownPath(second.stage, courses.tb, items, courses.of, which, near), after]);
  }
  return out;
}

// The edges of one course as a stage draws them at rest.
function ownPath(stage, table, items, of, which, near) {
  const path = new Path2D(), layout = stage.layout;
  if (layout.cells) return path;
  for (const e of items) {
    if (of[e] !== which || isHidden(layout, e)) continue;
    if (layout.flags[e] & STUB) { if (near) stub(path, layout, layout, e, stage.graph); }
    else if (table[e] >= 0) route(path, layout, table[e]);
    else curve(path, layout, layout, e, stage.graph);
  }
  return path;
}
