// Keyframes that fold other groups: both in the same parts, so that cards of a group come out of its card and go back into it.

const COMES = 0.32, GOES = 0.45, INSET = 0.06, INSIDE = 0xffffffff;

function partsOf(data) {
  const [a, b] = ["a", "b"].map((side) => sideOf(numbers(data[side], 4), numbers(data[`${side}Edges`], 4)));
  return { sides: [a, b], from: numbers(data.from, 4), to: numbers(data.to, 4), moved: masked(data.moved, a.card.length) };
}

// Whose part each part is, which edge each edge between parts is, and of each card how many parts it has.
function sideOf(card, edge) {
  const count = new Uint32Array(card.reduce((most, i) => Math.max(most, i), 0) + 1), drawn = new Map();
  for (const i of card) count[i]++;
  edge.forEach((e, i) => { if (e !== INSIDE && !drawn.has(e)) drawn.set(e, i); });
  return { card, edge, drawn, whole: (i) => count[i] === 1, cards: count.length };
}

// Boxes around the parts of each card: left, top, right, bottom.
function around(side, box) {
  const out = [Infinity, Infinity, -Infinity, -Infinity].map((least) => new Float64Array(side.cards).fill(least));
  side.card.forEach((card, i) => {
    const [l, t, r, b] = box(i);
    out[0][card] = Math.min(out[0][card], l);
    out[1][card] = Math.min(out[1][card], t);
    out[2][card] = Math.max(out[2][card], r);
    out[3][card] = Math.max(out[3][card], b);
  });
  return out;
}

// A stage in parts: in a card of several each stands as in a small picture of where their cards stand in the other stage.
function parted(parts, which, stages) {
  const side = parts.sides[which], other = parts.sides[1 - which], stage = stages[which], far = stages[1 - which];
  const own = stage.layout, there = far.layout, n = side.card.length, m = side.edge.length;
  const boxThere = (i) => { const c = other.card[i]; return [there.x[c], there.y[c], there.x[c] + there.w[c], there.y[c] + there.h[c]]; };
  const all = around(side, boxThere), at = { x: new Float64Array(n), y: new Float64Array(n), w: new Float64Array(n), h: new Float64Array(n) };
  for (let i = 0; i < n; i++) {
    const c = side.card[i], box = boxThere(i);
    for (const [place, size, low, high] of [["x", "w", 0, 2], ["y", "h", 1, 3]]) {
      if (side.whole(c)) { at[place][i] = own[place][c]; at[size][i] = own[size][c]; continue; }
      const grow = (1 - 2 * INSET) * own[size][c] / Math.max(1e-9, all[high][c] - all[low][c]);
      at[place][i] = own[place][c] + INSET * own[size][c] + (box[low] - all[low][c]) * grow;
      at[size][i] = (box[high] - box[low]) * grow;
    }
  }
  const flags = new Uint8Array(m), routed = [], ends = [0];
  side.edge.forEach((e, i) => { flags[i] = e === INSIDE ? 0 : own.flags[e]; });
  const shown = new Uint8Array(m), table = tableOf(own, stage.graph.from.length), routeX = [], routeY = [];
  for (const [e, i] of side.drawn) {
    shown[i] = 1;
    if (table[e] < 0) continue;
    routed.push(i);
    for (let k = own.ends[table[e]]; k < own.ends[table[e] + 1]; k++) { routeX.push(own.routeX[k]); routeY.push(own.routeY[k]); }
    ends.push(routeX.length);
  }
  const of = (values, kind) => kind.from(side.card, (c) => values[c]);
  const share = (i) => side.edge[i] === INSIDE ? far.graph.share[other.edge[i]] : stage.graph.share[side.edge[i]];
  const graph = {
    name: stage.graph.name, n, from: parts.from, to: parts.to, model: of(stage.graph.model, Uint8Array), share: Uint8Array.from(side.edge, (_, i) => share(i)),
  };
  const layout = { bounds: own.bounds, card: own.card, lanes: own.lanes, cells: own.cells, ...at, flags, routed, ends, routeX, routeY, shown };
  return { ...stage, graph, layout, device: of(stage.device, Uint16Array), bad: of(stage.bad, Uint8Array), mixed: of(stage.mixed, Uint8Array) };
}

// The way between two shots whose cards are others.
function partedMorph(first, second, data) {
  const parts = partsOf(data), stages = [first.stage, second.stage];
  const [a, b] = [first, second].map((shot, which) => ({
    ...shot, stage: parted(parts, which, stages), out: shot.out && Uint8Array.from(parts.sides[which].card, (c) => shot.out[c]),
  }));
  return { ...morphOf(a, b, parts.moved, parts), parts, own: [first, second] };
}

// How much of a card's parts is seen beside it, and of the card, a share of the way from where it is whole.
const comes = (away) => smooth(away / COMES);
const goes = (away) => 1 - smooth(away / GOES);

// Where the cards of one of the keyframes are while their parts are at `at`.
function cardsAt(morph, which, at) {
  const side = morph.parts.sides[which], out = { x: new Float64Array(side.cards), y: new Float64Array(side.cards), w: new Float64Array(side.cards), h: new Float64Array(side.cards) };
  const [l, t, r, b] = around(side, (i) => [at.x[i], at.y[i], at.x[i] + at.w[i], at.y[i] + at.h[i]]);
  for (let c = 0; c < side.cards; c++) {
    const grow = side.whole(c) ? 0 : (1 / (1 - 2 * INSET) - 1) / 2, wide = r[c] - l[c], high = b[c] - t[c];
    out.x[c] = l[c] - grow * wide;
    out.y[c] = t[c] - grow * high;
    out.w[c] = wide * (1 + 2 * grow);
    out.h[c] = high * (1 + 2 * grow);
  }
  return out;
}
