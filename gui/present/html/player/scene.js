// Graphs of a story: places unpacked from the page's data, how they are seen, and what lies between two keyframes.
// Lengths are CSS pixels; a "unit" is one pixel of a frame of 1280 x 800, so that type and margins grow with the window.

const ROUTED = 1, STUB = 2, LEAVES_LEFT = 4, ENTERS_RIGHT = 8, UNSENT = 16;
const BLOCK_BELOW = 29, CARD_FROM = 69, WORDS = 1.45;
const FADED = 0.35, QUIET_WORDS = 0.68, DIM = 0.5, DIM_EDGES = 0.65, SWAP = 0.2;
const HEADER = 272, MARGIN = 14, LARGEST_WHOLE = 1.6, LARGEST = 2.4;
const MOST_LABELS = 700, MOST_MOVING_LABELS = 160;

const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
const smooth = (t) => { t = clamp(t, 0, 1); return t * t * (3 - 2 * t); };
const lerp = (a, b, t) => a + (b - a) * t;

// ---------------------------------------------------------------------------------------------- data
function bytesOf(text) {
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

function numbers(text, size) {
  const view = new DataView(bytesOf(text).buffer), count = view.byteLength / size;
  const out = size === 1 ? new Uint8Array(count) : size === 2 ? new Uint16Array(count) : new Uint32Array(count);
  for (let i = 0; i < count; i++) out[i] = size === 1 ? view.getUint8(i) : size === 2 ? view.getUint16(2 * i, true) : view.getUint32(4 * i, true);
  return out;
}

function listOf(packed) {
  const index = numbers(packed.index, packed.size);
  return (i) => packed.texts[index[i]];
}

function graphOf(data) {
  const from = numbers(data.from, 4), n = data.names.length;
  return {
    name: data.name, n, names: data.names, kind: listOf(data.kinds), from, to: numbers(data.to, 4),
    share: numbers(data.share, 1), model: data.model ? numbers(data.model, 1) : new Uint8Array(n), groups: masked(data.groups || [], n),
    shares: new Map(data.shares || []),
    families: new Map((data.families || []).flatMap(([members, forms]) => members.map((i, at) => [i, { forms, at, known: new Map() }]))),
  };
}

function masked(chosen, n) {
  const out = new Uint8Array(n);
  for (const i of chosen) out[i] = 1;
  return out;
}

function layoutOf(data) {
  const [left, top] = data.bounds;
  const places = (text, origin) => Float64Array.from(numbers(text, 2), (v) => origin + v * data.step);
  const points = numbers(data.points, 2), ends = new Uint32Array(points.length + 1);
  for (let i = 0; i < points.length; i++) ends[i + 1] = ends[i] + points[i];
  return {
    bounds: data.bounds, card: data.card, lanes: data.lanes, cells: data.cells,
    x: places(data.x, left), y: places(data.y, top), w: places(data.w, 0), h: places(data.h, 0),
    flags: numbers(data.flags, 1), routed: numbers(data.routed, 4), ends,
    routeX: places(data.routeX, left), routeY: places(data.routeY, top),
  };
}

function stageOf(data, all) {
  const graph = all.graphs[data.graph], facts = all.facts[data.facts], n = graph.n;
  const bad = masked(data.bad, n), mixed = masked((data.splits || []).map(([i]) => i), n);
  return {
    ...data, graph, layout: all.layouts[data.layout], device: numbers(data.device, 2), bad, mixed, splits: data.splits || [], k: data.titles.length,
    words: listOf(facts.words), work: listOf(facts.work), output: listOf(facts.output),
    parameters: listOf(facts.parameters), paths: null,
  };
}

// ---------------------------------------------------------------------------------------------- views
// A view says where scene units are: pixels = scene * s + (x, y).
function viewOf(stage, camera, room, unit) {
  const [bx, by, bw, bh] = stage.layout.bounds;
  room = { width: room.width, height: room.height - (room.foot || 0) };
  const [x, y, w, h] = camera ? [bx + camera[0] * bw, by + camera[1] * bh, camera[2] * bw, camera[3] * bh] : stage.layout.bounds;
  const left = headerWidth(stage, unit), margin = MARGIN * unit;
  const wide = Math.max(1, room.width - left - 2 * margin), high = Math.max(1, room.height - 2 * margin);
  const s = Math.min((camera ? LARGEST : LARGEST_WHOLE) * unit, wide / Math.max(w, 1e-9), high / Math.max(h, 1e-9));
  const view = { s, x: left + margin + (wide - w * s) / 2 - x * s, y: margin + (high - h * s) / 2 - y * s };
  if (!camera) return view;
  const across = bx * s + view.x - left, down = by * s + view.y;
  view.x += filling(across, room.width - left - across - bw * s, margin);
  view.y += filling(down, room.height - down - bh * s, margin);
  return view;
}

// How far a scene moves along one side, so that nothing of the room is blank that more of it could fill: it has so much before and after
// it, less than none where it goes on. Where all of it has room it stands in the middle.
function filling(before, after, margin) {
  if (before + after >= 2 * margin) return (after - before) / 2;
  return Math.max(0, after - margin) - Math.max(0, before - margin);
}

function headerWidth(stage, unit) {
  return stage.layout.lanes.length ? HEADER * unit : stage.rows ? stage.rows.width * unit : 0;
}

// What looks like one movement: the centre moves as fast as what is seen shrinks or grows.
function betweenViews(first, second, share, width, height) {
  const a = 1 / first.s, b = 1 / second.s, now = a * Math.pow(b / a, share);
  const along = Math.abs(b - a) < 1e-6 * a ? share : (now - a) / (b - a);
  const place = (half, old, fresh) => half - lerp((half - old) * a, (half - fresh) * b, along) / now;
  return { s: 1 / now, x: place(width / 2, first.x, second.x), y: place(height / 2, first.y, second.y) };
}

function throughLens(view, lens) {
  return lens ? { s: view.s * lens.s, x: view.x * lens.s + lens.x, y: view.y * lens.s + lens.y } : view;
}

// ---------------------------------------------------------------------------------------------- colours
const channels = new Map();
function rgb(colour) {
  let found = channels.get(colour);
  if (!found) channels.set(colour, found = colour[0] === "#" ? [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16)) : colour.slice(4, -1).split(",").map(Number));
  return found;
}

function blend(first, second, share) {
  if (share <= 0 || first === second) return first;
  if (share >= 1) return second;
  const a = rgb(first), b = rgb(second);
  return `rgb(${a.map((v, i) => Math.round(lerp(v, b[i], share))).join(",")})`;
}

// ---------------------------------------------------------------------------------------------- a shot and a morph
// A shot is a keyframe of a graph at rest: its stage, how it is seen, which cards and devices stand out (null: all alike), its marks and the note on it.
function shotOf(stage, camera, out, lit, marks, room, unit, note) {
  return {
    stage, view: viewOf(stage, camera, room, unit), whole: viewOf(stage, null, room, unit), out, lit, marks, note,
    right: room.width, bottom: room.height, foot: room.foot || 0,
  };
}

// Cards and edges in groups that look alike before and after, so that each group is one stroke or one colour.
function groupsOf(first, second, moves, parts) {
  const a = first.stage, b = second.stage, graph = b.graph, cards = new Map(), edges = new Map();
  const into = (groups, key, make, i) => {
    let group = groups.get(key);
    if (!group) groups.set(key, group = { ...make(), items: [] });
    group.items.push(i);
  };
  const moved = new Uint8Array(graph.n);
  let count = 0;
  for (let i = 0; i < graph.n; i++) {
    moved[i] = moves ? moves[i] : a.device[i] !== b.device[i] ? 1 : 0;
    count += moved[i];
  }
  const some = count > 0 && count < graph.n;
  for (let i = 0; i < graph.n; i++) {
    const one = { da: a.device[i], db: b.device[i], bad: [a.bad[i], b.bad[i]], model: graph.model[i], moved: moved[i],
      mixed: [a.mixed[i], b.mixed[i]], split: parts ? parts.sides.map((side) => !side.whole(side.card[i])) : [false, false],
      out: [!first.out || first.out[i], !second.out || second.out[i]] };
    into(cards, `${one.moved} ${one.da} ${one.db} ${one.bad} ${one.model} ${one.mixed} ${one.split} ${one.out}`, () => one, i);
  }
  for (let e = 0; e < graph.from.length; e++) {
    const u = graph.from[e], v = graph.to[e], shareOf = Math.round(graph.share[e] / 85);
    const one = { da: a.device[u], db: b.device[u], between: [a, b].map((s) => s.device[u] !== s.device[v] && !(s.layout.flags[e] & UNSENT)),
      share: shareOf / 3, stays: !(moved[u] || moved[v]),
      out: [!first.out || first.out[u] || first.out[v], !second.out || second.out[u] || second.out[v]] };
    const colour = `${one.between[0] ? one.da : "-"} ${one.between[1] ? one.db : "-"}`;
    const wide = one.between[0] || one.between[1] ? shareOf : 0;
    into(edges, `${colour} ${wide} ${one.stays} ${one.out}`, () => one, e);
  }
  const order = [...cards.values()].sort((x, y) => x.moved - y.moved);
  // Quiet edges lie below those between devices.
  const lines = [...edges.values()].sort((x, y) => (x.between[0] || x.between[1]) - (y.between[0] || y.between[1]));
  return { cards: order, edges: lines, moved, some };
}

// `moves`: which cards move, where devices alone do not say it; `parts`: of what these cards are parts.
function morphOf(first, second, moves = null, parts = null) {
  const a = first.stage.layout, b = second.stage.layout, still = a === b;
  const grow = still ? 1 : first.whole.s / second.whole.s;
  const dx = still ? 0 : (first.whole.x - second.whole.x) / second.whole.s;
  const dy = still ? 0 : (first.whole.y - second.whole.y) / second.whole.s;
  const s = first.view.s / grow;
  const morph = {
    first, second, still, grow, dx, dy, groups: groupsOf(first, second, moves, parts),
    begin: { s, x: first.view.x - dx * s, y: first.view.y - dy * s },
    lanesA: a.lanes.map(([y, h]) => [y * grow + dy, h * grow]),
    x: new Float64Array(b.x.length), y: new Float64Array(b.x.length),
    w: new Float64Array(b.x.length), h: new Float64Array(b.x.length),
  };
  if (!still) morph.courses = coursesOf(morph);
  return morph;
}

// ---------------------------------------------------------------------------------------------- edges
function ends(layout, at, e, graph) {
  const u = graph.from[e], v = graph.to[e], flags = layout.flags[e];
  const left = flags & LEAVES_LEFT, right = flags & ENTERS_RIGHT;
  return [
    at.x[u] + (left ? 0 : at.w[u]), at.y[u] + at.h[u] / 2, left ? -1 : 1,
    at.x[v] + (right ? at.w[v] : 0), at.y[v] + at.h[v] / 2, right ? 1 : -1,
  ];
}

function curve(path, layout, at, e, graph) {
  const [ax, ay, out, bx, by, into] = ends(layout, at, e, graph);
  const reach = Math.min(240, Math.max(Math.abs(bx - ax) / 2, 8));
  path.moveTo(ax, ay);
  path.bezierCurveTo(ax + out * reach, ay, bx + into * reach, by, bx, by);
}

function stub(path, layout, at, e, graph) {
  const [ax, ay, out, bx, by, into] = ends(layout, at, e, graph);
  path.moveTo(ax, ay);
  path.lineTo(ax + out * 22, ay);
  path.moveTo(bx, by);
  path.lineTo(bx + into * 22, by);
}

// Level and upright pieces straight with round corners, oblique ones as S-curves with level ends.
function route(path, layout, r) {
  polyline(path, layout.routeX, layout.routeY, layout.ends[r], layout.ends[r + 1]);
}

function polyline(path, xs, ys, begin, end) {
  path.moveTo(xs[begin], ys[begin]);
  for (let i = begin + 1; i < end; i++) {
    const level = Math.abs(ys[i] - ys[i - 1]) < 0.5, upright = Math.abs(xs[i] - xs[i - 1]) < 0.5;
    if (!level && !upright) {
      const middle = (xs[i - 1] + xs[i]) / 2;
      path.bezierCurveTo(middle, ys[i - 1], middle, ys[i], xs[i], ys[i]);
      continue;
    }
    const turns = i + 1 < end && (level ? Math.abs(xs[i + 1] - xs[i]) < 0.5 : Math.abs(ys[i + 1] - ys[i]) < 0.5);
    if (!turns) { path.lineTo(xs[i], ys[i]); continue; }
    const near = Math.hypot(xs[i] - xs[i - 1], ys[i] - ys[i - 1]), far = Math.hypot(xs[i + 1] - xs[i], ys[i + 1] - ys[i]);
    path.arcTo(xs[i], ys[i], xs[i + 1], ys[i + 1], Math.min(14, near / 2, far / 2));
  }
}

// The paths of a stage at rest in scene units, made once for each group of edges; where devices are blocks there are none.
function settledPaths(layout, graph, groups) {
  const table = tableOf(layout, graph.from.length);
  return groups.edges.map((group) => {
    const lines = new Path2D(), stubs = new Path2D();
    for (const e of layout.cells ? [] : group.items) {
      if (layout.flags[e] & STUB) stub(stubs, layout, layout, e, graph);
      else if (table[e] >= 0) route(lines, layout, table[e]);
      else curve(lines, layout, layout, e, graph);
    }
    return { lines, stubs };
  });
}
