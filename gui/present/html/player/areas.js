// What is drawn for the devices of a stage: blocks with their plates and what flows between them, names of rows, the legend; and marks over the cards.

const LEGEND_LINE = 27, LEGEND_SIDE = 22, LEGEND_BETWEEN = 26, LEGEND_CLOSE = 8, LEGEND_MARK = 15, LEGEND_BESIDE = 7;
const QUIET = 0.4, VEIL = 0.15;
// Height of the plate of a link, and how high lanes are that have room for one, for the largest of all.
const LINK = 25.5, LEAST_LANE = 42.5, LEAST_FOR_WORST = 29;
// Height of a line of the names of rows.
const ROW_LINE = 20;

const fontOf = (drawing, size, bold) => `${bold ? "bold " : ""}${size}px ${drawing.fonts}`;

// How much a device stands out: 1 where none is named.
const litOf = (shot, d) => !shot.lit || shot.lit[d] ? 1 : 0;

// ---------------------------------------------------------------------------------------------- blocks
function blocksAlike(a, b) {
  return a && b && a.boxes.length === b.boxes.length && a.place.every((p, i) => p === b.place[i]);
}

function blockBoxes(blocks, grow, dx, dy) {
  return blocks.boxes.map(([x, y, w, h]) => [x * grow + dx, y * grow + dy, w * grow, h * grow]);
}

// The blocks of a moment: [stage, boxes, opacity, grow, dx, dy] of what is seen.
function blocksOf(morph, e, settled) {
  const a = morph.first.stage.blocks, b = morph.second.stage.blocks;
  if (settled) return b ? [[morph.second, b.boxes, 1, 1, 0, 0]] : [];
  if (blocksAlike(a, b)) {
    const one = blockBoxes(a, morph.grow, morph.dx, morph.dy);
    const now = one.map((box, d) => box.map((side, i) => lerp(side, b.boxes[d][i], e)));
    const shown = e >= 0.5 ? morph.second : morph.first;
    return [[shown, now, 1, 1, 0, 0]];
  }
  const out = [];
  if (a) out.push([morph.first, blockBoxes(a, morph.grow, morph.dx, morph.dy), Math.max(0, 1 - 2 * e), morph.grow, morph.dx, morph.dy]);
  if (b) out.push([morph.second, b.boxes, Math.max(0, 2 * e - 1), 1, 0, 0]);
  return out;
}

function paintGrounds(drawing, morph, view, e, settled) {
  const c = drawing.context, u = drawing.unit;
  for (const [shot, boxes, opacity, grow, dx, dy] of blocksOf(morph, e, settled)) {
    const palette = drawing.palettes[shot.stage.palette];
    c.setTransform(drawing.ratio, 0, 0, drawing.ratio, 0, 0);
    boxes.forEach(([x, y, w, h], d) => {
      if (w <= 0) return;
      c.globalAlpha = opacity * (QUIET + (1 - QUIET) * litOf(shot, d));
      const path = new Path2D();
      path.roundRect(x * view.s + view.x, y * view.s + view.y, w * view.s, h * view.s, 5 * u);
      c.fillStyle = palette.band[d];
      c.fill(path);
      c.strokeStyle = blend(palette.band[d], palette.accent[d], 0.45);
      c.lineWidth = u;
      c.stroke(path);
    });
    paintRibbons(drawing, shot.stage, view, opacity * (settled || grow === 1 && boxes === shot.stage.blocks.boxes ? 1 : Math.abs(2 * e - 1)), grow, dx, dy);
  }
  c.globalAlpha = 1;
}

function paintRibbons(drawing, stage, view, opacity, grow, dx, dy) {
  const c = drawing.context, palette = drawing.palettes[stage.palette], s = view.s * grow, r = drawing.ratio;
  if (opacity <= 0) return;
  c.setTransform(s * r, 0, 0, s * r, (view.x + dx * view.s) * r, (view.y + dy * view.s) * r);
  for (const ribbon of [...stage.blocks.ribbons].reverse()) {
    const p = ribbon.points, n = p.length / 2, xs = p.filter((_, i) => i % 2 === 0), ys = p.filter((_, i) => i % 2 === 1);
    const ex = xs[n - 1], ey = ys[n - 1], long = Math.max(1e-9, Math.hypot(ex - xs[n - 2], ey - ys[n - 2]));
    const ax = (ex - xs[n - 2]) / long, ay = (ey - ys[n - 2]) / long, width = Math.max(1.3 * drawing.unit / s, ribbon.width), arrow = ribbon.arrow;
    xs[n - 1] = ex - ax * arrow;
    ys[n - 1] = ey - ay * arrow;
    const path = new Path2D();
    polyline(path, xs, ys, 0, n);
    c.globalAlpha = 0.9 * opacity;
    for (const [colour, wide] of [[drawing.theme.canvas, width + 3 * drawing.unit / s], [palette.accent[ribbon.src], width]]) {
      c.strokeStyle = colour;
      c.lineWidth = wide;
      c.stroke(path);
    }
    const wing = 0.5 * width + 0.35 * arrow, fx = ex - ax * arrow, fy = ey - ay * arrow, head = new Path2D();
    head.moveTo(ex, ey);
    head.lineTo(fx - ay * wing, fy + ax * wing);
    head.lineTo(fx + ay * wing, fy - ax * wing);
    c.fillStyle = palette.accent[ribbon.src];
    c.fill(head);
  }
  c.globalAlpha = 1;
}

function paintBlockPlates(drawing, morph, view, e, settled) {
  const c = drawing.context;
  for (const [shot, boxes, opacity, grow, dx, dy] of blocksOf(morph, e, settled)) {
    if (opacity <= 0) continue;
    c.setTransform(drawing.ratio, 0, 0, drawing.ratio, 0, 0);
    const plates = boxes.map(([x, y, w]) => [x * view.s + view.x, y * view.s + view.y, w * view.s, shot.stage.blocks.plate * grow * view.s]);
    c.globalAlpha = opacity;
    if (settled) paintRibbonFigures(drawing, shot.stage, view, plates);
    plates.forEach((box, d) => { if (box[2] > 0) paintPlate(drawing, shot, d, box, opacity); });
  }
  c.globalAlpha = 1;
  c.textAlign = "left";
}

function paintPlate(drawing, shot, d, [x, y, w, h], opacity) {
  const c = drawing.context, u = drawing.unit, t = drawing.theme, stage = shot.stage, palette = drawing.palettes[stage.palette], hot = d === stage.hot;
  const path = new Path2D();
  path.roundRect(x, y, w, h, 5 * u);
  c.fillStyle = t.card;
  c.fill(path);
  c.strokeStyle = hot ? t.warning : palette.accent[d];
  c.lineWidth = (hot ? 2.4 : 1.4) * u;
  c.stroke(path);
  c.fillStyle = palette.accent[d];
  c.fillRect(x + u, y + 4 * u, 6 * u, h - 8 * u);
  const size = 17 * u, left = x + 16 * u, lines = [[stage.titles[d], true, t.text], [stage.pace ? stage.pace[d] : "", true, hot ? t.warning : t.text], [stage.blocks.ops[d], false, t.muted]];
  const below = stage.blocks.lines > 3 && stage.blocks.memory.some(([words]) => words.length);
  if (below) lines.push(["", false, t.muted]);
  const line = Math.min(h / lines.length, 1.5 * size), top = y + (h - line * lines.length) / 2;
  c.textBaseline = "middle";
  c.textAlign = "left";
  if (w > 30 * u) {
    lines.forEach(([words, bold, colour], i) => {
      c.font = fontOf(drawing, Math.min(size, 0.86 * line), bold);
      c.fillStyle = colour;
      const inset = i ? 0 : 20 * u, name = i || c.measureText(words).width <= w - 22 * u - inset ? words : words.split(" ").pop();
      c.fillText(fitted(c, name, w - 22 * u - inset), left + inset, top + (i + 0.5) * line);
    });
    paintMemory(drawing, stage, d, below, [left, top + (below ? 3.5 : 2.5) * line], w - 22 * u);
  }
  drawing.glyph(palette, d, left + 7 * u, top + 0.5 * line, 0.75 * Math.min(size, line));
  if (!litOf(shot, d)) {
    c.globalAlpha = opacity * VEIL;
    c.fillStyle = t.canvas;
    c.fill(path);
    c.globalAlpha = opacity;
  }
}

// What a device holds, at the end of the line of its ops or `below` it: of the ever shorter forms the first for which all plates have room.
function paintMemory(drawing, stage, d, below, [x, y], room) {
  const c = drawing.context, { memory, ops } = stage.blocks, [words, tone] = memory[d];
  const wide = (text) => c.measureText(text).width, gap = 12 * drawing.unit;
  const form = words.findIndex((_, i) => memory.every(([forms], of) => !forms.length || (below ? 0 : wide(ops[of]) + gap) + wide(forms[i]) <= room));
  if (form < 0) return;
  c.fillStyle = drawing.theme[tone];
  c.fillText(words[form], below ? x : x + room - wide(words[form]), y);
}

// Bytes beside the wider ribbons, over no plate and over no other figure.
function paintRibbonFigures(drawing, stage, view, plates) {
  const c = drawing.context, u = drawing.unit, t = drawing.theme, size = 17 * u, taken = plates.filter((box) => box[2] > 0), ribbons = stage.blocks.ribbons;
  c.font = fontOf(drawing, size, true);
  c.textBaseline = "middle";
  c.textAlign = "center";
  for (const ribbon of ribbons) {
    if (ribbon.width < 0.1 * ribbons[0].width) break;
    const p = ribbon.points, wide = c.measureText(ribbon.bytes).width + 8 * u, high = 1.35 * size;
    let best = null;
    for (let i = 2; i < p.length; i += 2) {
      if (Math.abs(p[i + 1] - p[i - 1]) < 0.5 && (!best || Math.abs(p[i] - p[i - 2]) > Math.abs(best[1] - best[0]))) best = [p[i - 2], p[i], p[i + 1]];
    }
    if (!best) continue;
    const run = Math.abs(best[1] - best[0]) * view.s, mid = (best[0] + best[1]) / 2 * view.s + view.x, y = best[2] * view.s + view.y;
    const level = run < 1.4 * wide ? y - (ribbon.width * view.s + high) / 2 - 4 * u : y;
    for (const share of [0, -0.3, 0.3]) {
      const box = [mid + share * run - wide / 2, level - high / 2, wide, high];
      if (taken.some((other) => crosses(box, other))) continue;
      taken.push(box);
      c.fillStyle = t.canvas;
      c.fillRect(...box);
      c.fillStyle = t.text;
      c.fillText(ribbon.bytes, box[0] + wide / 2, level);
      break;
    }
  }
}

const crosses = ([x, y, w, h], [a, b, c, d]) => x < a + c && a < x + w && y < b + d && b < y + h;

// ---------------------------------------------------------------------------------------------- rows and legend
// The name of a row in at most so many lines, broken behind its commas, else cut.
function rowLines(context, name, room, most) {
  const has = (text) => context.measureText(text).width <= room, lines = [];
  if (has(name)) return [name];
  for (const piece of name.split(/(?<=,) /)) {
    const longer = `${lines[lines.length - 1]} ${piece}`;
    if (lines.length && has(longer)) lines[lines.length - 1] = longer; else lines.push(piece);
  }
  return lines.length <= most && lines.every(has) ? lines : [fitted(context, name, room)];
}

function paintRowNames(drawing, shot, view, opacity) {
  const rows = shot.stage.rows, c = drawing.context, u = drawing.unit;
  if (!rows || opacity <= 0) return;
  c.setTransform(drawing.ratio, 0, 0, drawing.ratio, 0, 0);
  c.globalAlpha = opacity;
  c.font = fontOf(drawing, 17 * u, false);
  c.textAlign = "right";
  c.textBaseline = "middle";
  c.fillStyle = drawing.theme.muted;
  const left = Math.max(0, shot.stage.layout.bounds[0] * view.s + view.x - rows.width * u);
  let free = -Infinity;
  for (const [y, h, name] of rows.rows) {
    const middle = (y + h / 2) * view.s + view.y;
    const lines = rowLines(c, name, (rows.width - 24) * u + 1, Math.max(1, Math.floor(h * view.s / (ROW_LINE * u)))), half = 0.5 * ROW_LINE * u * lines.length;
    if (middle - half < free || middle < 0 || middle > drawing.room.height - shot.foot) continue;
    free = middle + half;
    lines.forEach((line, i) => c.fillText(line, left + (rows.width - 12) * u, middle - half + (i + 0.5) * ROW_LINE * u));
  }
  c.globalAlpha = 1;
  c.textAlign = "left";
}

// Entries line by line, for lines `width` CSS pixels wide, the last of them a `note` on what stands out.
function legendLines(stage, width, unit, measured, note) {
  const lines = [];
  let free = 0;
  for (const entry of note ? [...stage.legend, [-1, -1, [[note, false]], false]] : stage.legend) {
    const apart = entry[2].length === 1 && entry[0] >= 0 ? LEGEND_CLOSE : LEGEND_BETWEEN;
    const mark = Math.max(entry[0], entry[1]) >= 0 ? LEGEND_MARK + LEGEND_BESIDE : 0;
    const wide = (mark + apart) * unit + entry[2].reduce((sum, [word, bold]) => sum + measured(word, bold) + LEGEND_BESIDE * unit, 0);
    if (!lines.length || wide > free) { lines.push([]); free = width - 2 * LEGEND_SIDE * unit; }
    lines[lines.length - 1].push([entry, wide]);
    free -= wide;
  }
  return lines;
}

function measuredWith(drawing, unit) {
  return (word, bold) => { drawing.context.font = fontOf(drawing, 16.5 * unit, bold); return drawing.context.measureText(word).width; };
}

function paintLegend(drawing, shot, opacity) {
  const c = drawing.context, u = drawing.unit, t = drawing.theme, palette = drawing.palettes[shot.stage.palette];
  if (!shot.foot || opacity <= 0) return;
  c.setTransform(drawing.ratio, 0, 0, drawing.ratio, 0, 0);
  c.globalAlpha = opacity;
  c.textAlign = "left";
  c.textBaseline = "middle";
  const lines = legendLines(shot.stage, shot.right, u, measuredWith(drawing, u), shot.note);
  c.fillStyle = t.canvas;
  c.fillRect(0, shot.bottom - shot.foot - 0.2 * LEGEND_LINE * u, shot.right, shot.foot + LEGEND_LINE * u);
  lines.forEach((line, i) => {
    const middle = shot.bottom - (lines.length - i - 0.25) * LEGEND_LINE * u;
    let x = LEGEND_SIDE * u;
    for (const [[device, model, words, hot], wide] of line) {
      let at = x + (Math.max(device, model) >= 0 ? LEGEND_MARK + LEGEND_BESIDE : 0) * u;
      if (device >= 0) drawing.glyph(palette, device, x + LEGEND_MARK * u / 2, middle, LEGEND_MARK * u);
      else if (model >= 0) {
        c.fillStyle = palette.model[model % palette.model.length];
        c.strokeStyle = t.muted;
        c.lineWidth = u;
        c.fillRect(x, middle - 5.5 * u, LEGEND_MARK * u, 11 * u);
        c.strokeRect(x, middle - 5.5 * u, LEGEND_MARK * u, 11 * u);
      }
      for (const [word, bold] of words) {
        c.font = fontOf(drawing, 16.5 * u, bold);
        c.fillStyle = hot ? t.warning : t.text;
        c.fillText(word, at, middle);
        at += c.measureText(word).width + LEGEND_BESIDE * u;
      }
      x += wide;
    }
  });
  c.globalAlpha = 1;
}

// ---------------------------------------------------------------------------------------------- marks
function paintMarks(drawing, shot, view, opacity) {
  const marks = shot.marks, c = drawing.context, u = drawing.unit, t = drawing.theme, stage = shot.stage, palette = drawing.palettes[stage.palette], at = stage.layout;
  if (!marks || opacity <= 0) return;
  c.globalAlpha = opacity;
  if (marks.items) {
    const table = tableOf(at, stage.graph.from.length), paths = (edges) => {
      const path = new Path2D();
      for (const e of edges) { if (table[e] >= 0) route(path, at, table[e]); else curve(path, at, at, e, stage.graph); }
      return path;
    };
    const direct = paths(marks.direct), indirect = paths(marks.indirect);
    drawing.scene(view);
    for (const [path, colour, width] of [[indirect, t.canvas, 11], [direct, t.canvas, 11], [indirect, t.warning, 7.5], [indirect, t.canvas, 3], [direct, t.bad, 5]]) {
      c.strokeStyle = colour;
      c.lineWidth = width * u / view.s;
      c.stroke(path);
    }
    c.strokeStyle = t.bad;
    c.lineWidth = 3 * u / view.s;
    for (const i of marks.items) c.strokeRect(at.x[i], at.y[i], at.w[i], at.h[i]);
  }
  c.setTransform(drawing.ratio, 0, 0, drawing.ratio, 0, 0);
  c.font = fontOf(drawing, 16.5 * u, true);
  c.textAlign = "center";
  c.textBaseline = "middle";
  const cards = (marks.labels || []).map(([i]) => [at.x[i] * view.s + view.x, at.y[i] * view.s + view.y, at.w[i] * view.s, at.h[i] * view.s]), placed = [];
  (marks.labels || []).forEach(([, words, of], n) => {
    const [x, y, w, h] = cards[n], wide = Math.min(480 * u, c.measureText(words).width + 14 * u), high = 24 * u, gap = 5 * u;
    if (x > shot.right || y > shot.bottom || x + w < 0 || y + h < 0) return;
    const left = clamp(x + w / 2 - wide / 2, headerWidth(stage, u) + gap, Math.max(0, shot.right - wide - gap));
    const spots = [[left, y - gap - high], [left, y + h + gap], [x + w + gap, y + h / 2 - high / 2], [x - gap - wide, y + h / 2 - high / 2], [left, y - 2 * (gap + high)], [left, y + h + 2 * gap + high]];
    const spot = spots.map(([a, b]) => [a, b, wide, high]).find((box) => box[1] >= 0 && box[1] + high <= shot.bottom && box[0] >= 0 && box[0] + wide <= shot.right
      && !placed.some((other) => crosses(box, other)) && !cards.some((other, k) => k !== n && crosses(box, other)));
    if (!spot) return;
    placed.push(spot);
    const plate = new Path2D();
    plate.roundRect(...spot, 4 * u);
    c.fillStyle = t.panel;
    c.fill(plate);
    c.strokeStyle = of === "direct" ? t.bad : of === "indirect" ? t.warning : palette.accent[of];
    c.lineWidth = 1.6 * u;
    c.stroke(plate);
    c.fillStyle = t.text;
    c.fillText(fitted(c, words, wide - 10 * u), spot[0] + wide / 2, spot[1] + high / 2);
  });
  c.globalAlpha = 1;
  c.textAlign = "left";
}
