// Painting a moment between two keyframes on a canvas: bands of devices, edges, cards, words, headers of lanes.

// ---------------------------------------------------------------------------------------------- words on cards
const fits = new Map();
function fitted(context, text, width) {
  const key = `${context.font} ${Math.round(width)} ${text}`;
  let found = fits.get(key);
  if (found === undefined) {
    if (fits.size > 20000) fits.clear();
    fits.set(key, found = shortened(context, text, width));
  }
  return found;
}

// Whole, else its last parts that fit, else cut: the end of a name tells a card from its neighbours.
function shortened(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  for (const match of text.matchAll(/[_./:]/g)) {
    const tail = text.slice(match.index + 1);
    if ((tail.match(/\p{L}/gu) || []).length >= 2 && context.measureText(tail).width <= width) return tail;
  }
  let low = 0, high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(text.slice(0, middle) + "…").width <= width) low = middle; else high = middle - 1;
  }
  return low ? text.slice(0, low) + "…" : "";
}

const SPLIT = 0.09, LEAST = 16.5;
// What cards are filled with that are of no device alone.
const shade = (theme) => blend(theme.card, theme.muted, 0.12);

const shortName = (name) => name.replace(/^\/+|\/+$/g, "").split("/").pop() || name;

// The name of a group among those that differ from it by numbers alone: all in the first form in which all of them have room.
function formOf(context, family, width) {
  const key = `${context.font} ${Math.round(width)}`;
  if (!family.known.has(key)) family.known.set(key, family.forms.find((form) => form.every((name) => context.measureText(name).width <= width)));
  const form = family.known.get(key);
  return form && form[family.at];
}

// Of a card that is a share of a group: which, where that has room.
function nameOf(context, graph, i, width) {
  const name = shortName(graph.names[i]), told = graph.shares.has(i) ? `${name}, ${graph.shares.get(i)}` : name;
  const alike = graph.families.has(i) && formOf(context, graph.families.get(i), width);
  if (alike) return alike === name && context.measureText(told).width <= width ? told : alike;
  return fitted(context, context.measureText(told).width <= width ? told : name, width);
}

// ---------------------------------------------------------------------------------------------- drawing
class Drawing {
  constructor(context, fonts) {
    this.context = context;
    this.fonts = fonts;
  }

  // `theme`: colours; `palettes`: of devices, by name; `room`: CSS pixels of the canvas; `ratio`: device pixels for each.
  begin(theme, palettes, room, unit, ratio) {
    Object.assign(this, { theme, palettes, room, unit, ratio });
    const c = this.context;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.globalAlpha = 1;
    c.fillStyle = theme.canvas;
    c.fillRect(0, 0, room.width, room.height);
  }

  shot(shot, lens) {
    if (!shot.morph) shot.morph = morphOf(shot, shot);
    return this.morph(shot.morph, 1, lens);
  }

  morph(morph, share, lens) {
    const e = smooth(share), { first, second } = morph, b = second.stage;
    const settled = share >= 1;
    const view = throughLens(settled ? second.view : betweenViews(morph.begin, second.view, e, this.room.width, this.room.height), lens);
    const at = this.places(morph, e, settled);
    const c = this.context;
    c.save();
    c.beginPath();
    c.rect(0, 0, settled ? second.right : lerp(first.right, second.right, e), this.room.height);
    c.clip();
    const height = (stage, seen) => stage.blocks ? 0 : stage.layout.card * seen.s / this.unit;
    const cards = settled ? [height(b, view), height(b, view)] : [height(first.stage, first.view), height(b, second.view)], card = lerp(cards[0], cards[1], e);
    const near = lerp(cards[0] >= BLOCK_BELOW ? 1 : 0, cards[1] >= BLOCK_BELOW ? 1 : 0, e);
    const away = !settled && morph.groups.some ? smooth(Math.min(1, share / 0.22, (1 - share) / 0.22)) : 0;
    this.bands(morph, view, e, settled);
    paintGrounds(this, morph, view, e, settled);
    this.edges(morph, at, view, share, e, card, away, settled);
    const sides = this.sides(morph, at, e, settled), own = morph.own || [first, second], shown = own[share >= 0.5 ? 1 : 0];
    for (const side of sides) this.leaving(side, view, card, near);
    this.cards(morph, at, view, e, card, near, away, settled);
    for (const side of sides) this.splits(side, view, card);
    for (const [side, only, opacity] of sides.flatMap((one) => [[one, one.isWhole, one.away < 0.5 ? 1 : 0], [one, (i) => !one.isWhole(i), 1 - smooth(2 * one.away / GOES)]])) {
      if (opacity <= 0) continue;
      this.words(side.shot, side.at, view, card, settled ? MOST_LABELS : MOST_MOVING_LABELS, true, opacity, only);
    }
    if (settled && shown.out) {
      this.words(shown, at, view, card, MOST_LABELS, false);
    }
    this.laneHeaders(morph, view, e, settled);
    paintBlockPlates(this, morph, view, e, settled);
    const same = settled || (first.stage.layout === b.layout), fade = (one, two) => [[first, same ? 0 : one], [second, same ? 1 : two]];
    for (const [shot, part] of fade(Math.max(0, 1 - 2 * e), Math.max(0, 2 * e - 1))) {
      paintRowNames(this, shot, view, part);
      paintLegend(this, shot, part);
    }
    paintMarks(this, own[1], view, settled ? 1 : Math.max(0, 2 * e - 1));
    if (!settled && morph.still) paintMarks(this, first, view, Math.max(0, 1 - 2 * e));
    c.restore();
    return { view, at };
  }

  // Both keyframes with their own cards where these are now, and which of them are whole; at rest the second alone.
  sides(morph, at, e, settled) {
    const { first, second, parts } = morph, every = () => true;
    if (settled) return [{ shot: second, at, away: 0, isWhole: every, settled }];
    return [[first, e], [second, 1 - e]].map(([shot, away], i) => parts
      ? { shot: morph.own[i], at: cardsAt(morph, i, at), away, isWhole: parts.sides[i].whole }
      : { shot, at, away, isWhole: every });
  }

  // Cards that give way to their parts.
  leaving({ shot, at, away, isWhole }, view, card, near) {
    const stage = shot.stage, palette = this.palettes[stage.palette], t = this.theme, u = this.unit, c = this.context, left = goes(away);
    if (left <= 0) return;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    for (let i = 0; i < stage.graph.n; i++) {
      if (isWhole(i)) continue;
      const d = stage.device[i], block = stage.bad[i] ? t.bad : palette.block[stage.graph.model[i]][d], path = new Path2D();
      path.roundRect(at.x[i] * view.s + view.x, at.y[i] * view.s + view.y, at.w[i] * view.s, at.h[i] * view.s, (card < BLOCK_BELOW ? 1.5 : 3) * u);
      c.globalAlpha = left * (!shot.out || shot.out[i] ? 1 : FADED);
      c.fillStyle = blend(block, this.body(stage, i, palette), near);
      c.fill(path);
      c.strokeStyle = blend(block, stage.bad[i] ? t.bad : palette.accent[d], near);
      c.lineWidth = u;
      c.stroke(path);
    }
    c.globalAlpha = 1;
  }

  // The ground of a card from near: of a group that several devices share no device's own.
  body(stage, i, palette) {
    return stage.mixed[i] ? shade(this.theme) : palette.body[stage.graph.model[i]][stage.device[i]];
  }

  // What of each group that several devices share is on which, as a bar in their colours.
  splits({ shot, at, away, isWhole, settled }, view, card) {
    const c = this.context, palette = this.palettes[shot.stage.palette], far = card < BLOCK_BELOW, u = this.unit;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    for (const [i, d, begin, end] of shot.stage.splits) {
      const x = at.x[i] * view.s + view.x, y = at.y[i] * view.s + view.y, w = at.w[i] * view.s, h = at.h[i] * view.s;
      const edge = far ? 0 : u, high = far ? h : Math.max(SPLIT * h, 2 * u), inner = w - 2 * edge;
      c.globalAlpha = (settled ? 1 : isWhole(i) ? 1 - away : goes(away)) * (!shot.out || shot.out[i] ? 1 : FADED);
      c.fillStyle = far ? palette.block[shot.stage.graph.model[i]][d] : palette.accent[d];
      c.fillRect(x + edge + begin * inner, y + h - edge - high, (end - begin) * inner, high);
    }
    c.globalAlpha = 1;
  }

  places(morph, e, settled) {
    const a = morph.first.stage.layout, b = morph.second.stage.layout;
    if (settled || morph.still) return b;
    for (let i = 0; i < b.x.length; i++) {
      morph.x[i] = lerp(a.x[i] * morph.grow + morph.dx, b.x[i], e);
      morph.y[i] = lerp(a.y[i] * morph.grow + morph.dy, b.y[i], e);
      morph.w[i] = lerp(a.w[i] * morph.grow, b.w[i], e);
      morph.h[i] = lerp(a.h[i] * morph.grow, b.h[i], e);
    }
    return morph;
  }

  scene(view) {
    const r = this.ratio;
    this.context.setTransform(view.s * r, 0, 0, view.s * r, view.x * r, view.y * r);
  }

  // Lanes on their way where both views have the same, else those of each, fading.
  lanesOf(morph, e, settled) {
    const a = morph.lanesA, b = morph.second.stage.layout.lanes;
    if (settled) return [[b, morph.second.stage, 1, 1]];
    if (a.length && a.length === b.length) {
      const on = a.map(([y, h], i) => [lerp(y, b[i][0], e), lerp(h, b[i][1], e)]);
      return [[on, (e >= 0.5 ? morph.second : morph.first).stage, 1, 1]];
    }
    return [[a, morph.first.stage, 1 - e, Math.max(0, 1 - 2 * e)], [b, morph.second.stage, e, Math.max(0, 2 * e - 1)]];
  }

  bands(morph, view, e, settled) {
    const c = this.context;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    for (const [lanes, stage, opacity] of this.lanesOf(morph, e, settled)) {
      const palette = this.palettes[stage.palette];
      const shot = stage === morph.second.stage ? morph.second : morph.first;
      lanes.forEach(([y, h], d) => {
        c.globalAlpha = opacity * (QUIET + (1 - QUIET) * litOf(shot, d));
        c.fillStyle = palette.band[d % palette.band.length];
        c.fillRect(0, y * view.s + view.y, this.room.width, h * view.s);
      });
    }
    c.globalAlpha = 1;
  }

  edges(morph, at, view, share, e, card, away, settled) {
    const c = this.context, { first, second, groups } = morph, near = card >= BLOCK_BELOW;
    const paths = settled || morph.still ? this.rest(second, groups, morph) : null;
    this.scene(view);
    const [pa, pb] = [this.palettes[first.stage.palette], this.palettes[second.stage.palette]];
    const style = (g, i) => {
      const between = g.between[i], palette = i ? pb : pa;
      return [
        between ? palette.accent[i ? g.db : g.da] : this.theme.edge,
        between ? (near ? 1.2 + 1.8 * g.share : 1 + 0.6 * g.share) : near ? 1.1 : 0.8,
        (between ? (near ? 0.9 : 0.7) : near ? 0.75 : 0.4) * (g.out[i] ? 1 : 0.35),
      ];
    };
    groups.edges.forEach((g, i) => {
      const [ca, wa, oa] = style(g, 0), [cb, wb, ob] = style(g, 1);
      c.strokeStyle = blend(ca, cb, e);
      c.lineWidth = lerp(wa, wb, e) * this.unit / view.s;
      const opacity = lerp(oa, ob, e) * (g.stays ? 1 - DIM_EDGES * away : 1);
      const stroke = (path, part) => {
        if (part <= 0) return;
        c.globalAlpha = opacity * part;
        c.stroke(path);
      };
      if (paths) {
        stroke(paths[i].lines, 1);
        if (near) stroke(paths[i].stubs, 1);
        return;
      }
      for (const [path, part] of coursePaths(morph, g.items, at, share, e, near)) stroke(path, part);
    });
    c.globalAlpha = 1;
  }

  rest(shot, groups, morph) {
    return morph.pathsB || (morph.pathsB = settledPaths(shot.stage.layout, shot.stage.graph, groups));
  }

  cards(morph, at, view, e, card, near, away, settled) {
    const c = this.context, { first, second, groups } = morph, u = this.unit, t = this.theme;
    const far = card < BLOCK_BELOW;
    const [pa, pb] = [this.palettes[first.stage.palette], this.palettes[second.stage.palette]];
    const radius = (far ? 1.5 : card < CARD_FROM ? 3 : 5) * u, bar = (far ? 1.5 : card < CARD_FROM ? 3 : 4) * u;
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    const look = (g, i) => {
      const palette = i ? pb : pa, d = i ? g.db : g.da, bad = g.bad[i], block = bad ? t.bad : palette.block[g.model][d];
      return {
        fill: blend(block, g.mixed[i] ? shade(t) : palette.body[g.model][d], near), accent: blend(block, palette.accent[d], near),
        stroke: blend(block, bad ? t.bad : palette.accent[d], near), opacity: g.out[i] ? 1 : FADED,
      };
    };
    for (const g of groups.cards) {
      const a = look(g, 0), b = look(g, 1);
      const seen = settled ? 1 : Math.min(g.split[0] ? comes(e) : 1, g.split[1] ? comes(1 - e) : 1);
      if (seen <= 0) continue;
      let opacity = lerp(a.opacity, b.opacity, e) * seen;
      opacity = g.moved ? Math.max(opacity, away * seen) : opacity * (1 - DIM * away);
      c.globalAlpha = opacity;
      const mixed = (key) => blend(a[key], b[key], e);
      const fill = mixed("fill"), stroke = mixed("stroke"), accent = mixed("accent");
      c.fillStyle = fill;
      if (near <= 0) {
        for (const i of g.items) {
          const w = Math.max(1, at.w[i] * view.s), h = Math.max(1, at.h[i] * view.s);
          c.fillRect(at.x[i] * view.s + view.x, at.y[i] * view.s + view.y, w, h);
        }
        continue;
      }
      const bodies = new Path2D(), bars = new Path2D();
      for (const i of g.items) {
        const x = at.x[i] * view.s + view.x, y = at.y[i] * view.s + view.y, w = at.w[i] * view.s, h = at.h[i] * view.s;
        if (x > this.room.width || y > this.room.height || x + w < 0 || y + h < 0) continue;
        bodies.roundRect(x, y, w, h, Math.min(radius, h / 2));
        bars.roundRect(x, y, bar + radius / 2, h, [Math.min(radius, h / 2), 0, 0, Math.min(radius, h / 2)]);
      }
      if (card >= CARD_FROM && settled && opacity === 1) { c.shadowColor = "rgba(27,34,51,.18)"; c.shadowBlur = 5 * u * this.ratio; c.shadowOffsetY = 1.5 * u * this.ratio; }
      c.fill(bodies);
      c.shadowColor = "transparent";
      c.fillStyle = accent;
      c.fill(bars);
      c.strokeStyle = stroke;
      c.lineWidth = (g.bad[1] ? 2 : 1) * u;
      c.stroke(bodies);
    }
    c.globalAlpha = 1;
  }

  // Names of cards: of those that stand out (of all where none do), or of the others, which are quiet.
  words(shot, at, view, card, most, out, opacity = 1, only = () => true) {
    this.context.globalAlpha = out || card < BLOCK_BELOW ? opacity : opacity * QUIET_WORDS;
    this.names(shot, at, view, card, most, out, opacity, only);
    this.context.globalAlpha = 1;
  }

  names(shot, at, view, card, most, out, opacity, only) {
    const c = this.context, u = this.unit, stage = shot.stage, graph = stage.graph, shown = [], far = card < BLOCK_BELOW;
    if (far && !graph.groups.some((group) => group)) return;  // from afar names are for talks of groups, and of what stands beside them
    for (let i = 0; i < graph.n; i++) {
      if (!only(i)) continue;
      if (shot.out && !!shot.out[i] !== out) continue;
      const x = at.x[i] * view.s + view.x, y = at.y[i] * view.s + view.y, w = at.w[i] * view.s, h = at.h[i] * view.s;
      if (x < this.room.width && y < this.room.height && x + w > 0 && y + h > 0) shown.push([i, x, y, w, h]);
      if (shown.length > most) return;
    }
    c.textBaseline = "middle";
    if (far) {
      const size = LEAST * u;
      c.font = `${size}px ${this.fonts}`;
      for (const [i, x, y, w, h] of shown) {
        const text = h >= 1.2 * size && w > 2 * size ? nameOf(c, graph, i, w - 10 * u) : "";
        if (!text || text.endsWith("…")) continue;
        const wide = c.measureText(text).width, left = 6 * u, high = Math.min(h - 2 * u, 1.2 * size);
        const ink = blockInk(stage, this.palettes[stage.palette], this.theme, i, left / w, (left + wide) / w, !out);
        if (ink.plate) {
          const plate = new Path2D();
          plate.roundRect(x + left - PLATE * u, y + (h - high) / 2, wide + 2 * PLATE * u, high, PLATE * u);
          c.fillStyle = ink.plate;
          c.fill(plate);
        }
        c.globalAlpha = opacity * ink.opacity;
        c.fillStyle = ink.colour;
        c.fillText(text, x + left, y + h / 2 + 0.5);
        c.globalAlpha = opacity;
      }
      return;
    }
    if (card < CARD_FROM) {
      const size = Math.max(6, Math.floor(Math.min(12 * WORDS, Math.max(7, 0.62 * card)) * u));
      c.font = `${size}px ${this.fonts}`;
      c.fillStyle = this.theme.text;
      for (const [i, x, y, w, h] of shown) {
        if (w - 8 * u >= 14 * u) c.fillText(nameOf(c, graph, i, w - 8 * u), x + 6 * u, y + h / 2 + 0.5);
      }
      return;
    }
    const zoom = clamp(view.s / (u * WORDS), 0.8, 1.5) * WORDS, big = `bold ${12 * zoom * u}px ${this.fonts}`, small = `${10.5 * zoom * u}px ${this.fonts}`, pad = 9 * zoom * u;
    for (const [i, x, y, w, h] of shown) {
      const room = w - 1.6 * pad;
      c.textAlign = "left";
      c.font = big;
      c.fillStyle = this.theme.text;
      c.fillText(nameOf(c, graph, i, room), x + pad, y + 0.33 * h);
      c.font = small;
      c.fillStyle = out ? this.theme.muted : this.theme.text; // dimmed, a quieter colour could not be read
      const cost = stage.work(i), wide = c.measureText(cost).width;
      c.fillText(fitted(c, stage.words(i), Math.max(0, room - wide - 6 * u)), x + pad, y + 0.71 * h);
      c.textAlign = "right";
      c.fillText(cost, x + pad + room, y + 0.71 * h);
    }
    c.textAlign = "left";
  }

  // The headers of lanes slide in from the left.
  laneHeaders(morph, view, e, settled) {
    const c = this.context, u = this.unit, t = this.theme;
    for (const [lanes, stage, , shown] of this.lanesOf(morph, e, settled)) {
      if (!lanes.length || shown <= 0) continue;
      const width = headerWidth(stage, u), palette = this.palettes[stage.palette];
      c.setTransform(this.ratio, 0, 0, this.ratio, -(1 - shown) * width * this.ratio, 0);
      c.fillStyle = t.canvas;
      c.fillRect(0, 0, width, this.room.height);
      const heights = lanes.map(([, h]) => h * view.s).filter((h) => h >= 11 * u);
      const size = Math.min(20 * u, Math.max(16.5 * u, 0.8 * Math.min(...heights, 99))), shot = stage === morph.second.stage ? morph.second : morph.first;
      lanes.forEach(([y, h], d) => {
        this.laneHeader(stage, palette, d, y * view.s + view.y, h * view.s, width, size);
        if (litOf(shot, d)) return;
        c.globalAlpha = VEIL;
        c.fillStyle = t.canvas;
        c.fillRect(0, y * view.s + view.y, width, h * view.s);
        c.globalAlpha = 1;
      });
      c.fillStyle = t.border;
      c.fillRect(width - 0.5, 0, 1, this.room.height);
      if (stage.links) this.links(stage, lanes.map(([y, h]) => [y * view.s + view.y, h * view.s]), width);
    }
  }

  // What enters each stage, on the border of its lane, where both lanes have room.
  links(stage, lanes, width) {
    const c = this.context, u = this.unit, t = this.theme;
    stage.links.forEach((link, d) => {
      if (!link || Math.min(lanes[d - 1][1], lanes[d][1]) < (link[1] ? LEAST_FOR_WORST : LEAST_LANE) * u) return;
      const [words, most] = link, y = (lanes[d - 1][0] + lanes[d - 1][1] + lanes[d][0]) / 2, plate = new Path2D();
      c.font = `${most ? "bold " : ""}${17 * u}px ${this.fonts}`;
      const wide = c.measureText(words).width + 24 * u, left = width - wide - 8 * u;
      c.strokeStyle = most ? t.warning : t.border;
      c.lineWidth = 1.7 * u;
      c.beginPath();
      c.moveTo(14 * u, y);
      c.lineTo(width, y);
      c.stroke();
      plate.roundRect(left, y - 0.5 * LINK * u, wide, LINK * u, 0.5 * LINK * u);
      c.fillStyle = most ? t["warning-soft"] : t.panel;
      c.fill(plate);
      c.stroke(plate);
      c.textBaseline = "middle";
      c.textAlign = "center";
      c.fillStyle = most ? t.warning : t.text;
      c.fillText(words, left + wide / 2, y);
      c.textAlign = "left";
    });
  }

  laneHeader(stage, palette, d, y, h, width, size) {
    const c = this.context, u = this.unit, t = this.theme;
    if (y + h < 0 || y > this.room.height) return;
    c.fillStyle = palette.band[d];
    c.fillRect(0, y, width, h);
    c.fillStyle = palette.accent[d];
    c.fillRect(0, y, 5 * u, h);
    if (!stage.pace) return;
    if (h < 0.9 * size) { this.glyph(palette, d, 20 * u, y + h / 2, Math.min(0.7 * size, 0.8 * h)); return; }
    const room = stage.links && h >= LEAST_LANE * u ? 0.5 * LINK * u : 0;  // plates stand on the borders, half in each lane
    const top = Math.max(y + (d ? room : 0), 0), bottom = Math.min(y + h - (d + 1 < stage.titles.length ? room : 0), this.room.height);
    const bar = bottom - top > 2.2 * size, middle = (top + bottom) / 2 - (bar ? 0.35 * size : 0), hot = d === stage.hot;
    c.textBaseline = "middle";
    c.font = `bold ${size}px ${this.fonts}`;
    c.fillStyle = hot ? t.warning : t.text;
    c.textAlign = "right";
    c.fillText(stage.pace[d], width - 12 * u, middle);
    const used = c.measureText(stage.pace[d]).width;
    c.textAlign = "left";
    c.font = `${size}px ${this.fonts}`;
    c.fillStyle = t.text;
    const free = width - used - 48 * u;
    const title = c.measureText(stage.titles[d]).width <= free ? stage.titles[d] : stage.names[d];
    if (free > size) c.fillText(fitted(c, title, free), 32 * u, middle);
    this.glyph(palette, d, 20 * u, middle, 0.7 * size);
    if (!bar) return;
    const wide = width - 26 * u, left = 14 * u, high = middle + 0.75 * size, load = stage.load[d];
    const limit = stage.limit ? stage.limit[d] : 1;
    c.fillStyle = t.track;
    c.fillRect(left, high, wide * limit, 6 * u);
    c.fillStyle = hot && !stage.limit ? t.warning : palette.accent[d];
    c.fillRect(left, high, wide * Math.min(load, limit), 6 * u);
    if (!stage.limit) return;
    c.fillStyle = t.warning;  // beyond the end of the cache: streamed in again and again
    if (load > limit) c.fillRect(left + wide * limit, high, wide * (load - limit), 6 * u);
    c.fillStyle = t.text;
    c.fillRect(left + wide * limit - 0.75 * u, high - 2 * u, 1.5 * u, 10 * u);
  }

  glyph(palette, d, x, y, size) {
    const c = this.context;
    c.save();
    c.translate(x, y);
    c.scale(size, size);
    c.fillStyle = palette.accent[d];
    c.fill(GLYPHS[palette.glyph[d]], "evenodd");
    c.restore();
  }
}
