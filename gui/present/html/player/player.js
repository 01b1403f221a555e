// The page's player: where in the story we are, what the keys and buttons do, and what is said meanwhile.

const DATA = JSON.parse(document.getElementById("data").textContent);
const GLYPHS = DATA.glyphs.map((outline) => new Path2D(outline));
const FRAMES = DATA.frames, LAST = FRAMES.length - 1;
const get = (id) => document.getElementById(id);
const root = document.documentElement, stageBox = get("stage"), canvas = get("graph"), panel = get("panel"), page = get("page"), under = get("under");
const tip = get("tip"), scrubber = get("scrubber"), live = get("live");
const still = matchMedia("(prefers-reduced-motion: reduce)"), darker = matchMedia("(prefers-color-scheme: dark)");
const FONTS = 'system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';

const all = { graphs: DATA.graphs.map(graphOf), layouts: DATA.layouts.map(layoutOf), facts: DATA.facts };
const STAGES = DATA.stages.map((data) => stageOf(data, all));
const PICTURES = DATA.pictures.map((source) => { const image = new Image(); image.src = source; return image; });
for (const image of PICTURES) image.addEventListener("load", () => { painted = ""; draw(); });

let time = settledAt(0), goal = null, playing = false, before = 0, waiting = 0, shown = -1;
let lens = null, drawn = null, hovered = -1, sizes = null, chosen = DATA.theme, painted = "";
const shots = new Map(), morphs = new Map();
const drawing = new Drawing(canvas.getContext("2d"), FONTS);
const beside = document.createElement("canvas"), besideDrawing = new Drawing(beside.getContext("2d"), FONTS);

// ---------------------------------------------------------------------------------------------- time
function settledAt(k) { return FRAMES[k].start + FRAMES[k].transition; }
function indexAt(seconds) {
  let k = 0;
  while (k < LAST && FRAMES[k + 1].start <= seconds + 1e-9) k++;
  return k;
}
function shareAt(seconds, k) {
  const length = FRAMES[k].transition;
  return calm() || length <= 0 ? 1 : clamp((seconds - FRAMES[k].start) / length, 0, 1);
}
const calm = () => DATA.still || still.matches;
const aim = () => indexAt(goal === null ? time : goal);

function go(k) {
  k = clamp(k, 0, LAST);
  resetLens();
  if (calm() || Math.abs(k - indexAt(time)) > 1) { time = settledAt(k); goal = null; }
  else goal = settledAt(k);
  wake();
}

function play(on) {
  playing = on;
  if (on && goal === null && time >= DATA.duration - 1e-6) time = 0;
  get("play").setAttribute("aria-label", on ? "Pause" : "Play");
  get("play").title = on ? "Pause (Space)" : "Play (Space)";
  root.classList.toggle("playing", on);
  wake();
}

// Towards a goal what is held is passed over; back, the picture at a transition's beginning is the one held before it.
function advance(seconds) {
  if (goal === null) {
    if (!playing) return;
    time += seconds;
    if (time >= DATA.duration) { time = DATA.duration; play(false); }
    return;
  }
  const k = indexAt(time);
  if (goal >= time) {
    if (time >= settledAt(k) - 1e-9 && k < LAST && goal > settledAt(k) + 1e-9) time = FRAMES[k + 1].start;
    time = Math.min(goal, time + seconds);
  } else {
    if (time > settledAt(k)) time = settledAt(k);
    time -= seconds;
    if (time <= FRAMES[k].start && k > 0) time = settledAt(k - 1);
    time = Math.max(goal, time);
  }
  if (Math.abs(time - goal) < 1e-9) goal = null;
}

function wake() {
  if (!waiting) { before = performance.now(); waiting = requestAnimationFrame(step); }
}

function step(now) {
  waiting = 0;
  advance(Math.min(0.1, Math.max(0, now - before) / 1000));
  before = now;
  draw();
  if (goal !== null || playing) waiting = requestAnimationFrame(step);
}

// ---------------------------------------------------------------------------------------------- what is drawn
const dark = () => (chosen ? chosen === "dark" : darker.matches);
const theme = () => DATA.themes[dark() ? "dark" : "light"];

function measure() {
  const ratio = Math.min(window.devicePixelRatio || 1, 3);
  const unit = clamp(Math.min(window.innerWidth / 1280, window.innerHeight / 800), 0.55, 3);
  root.style.setProperty("--u", `${unit}px`);
  const narrow = window.innerWidth < 720;
  sizes = { width: stageBox.clientWidth, height: stageBox.clientHeight, ratio, unit, narrow };
  for (const one of [canvas, beside]) {
    one.width = Math.max(1, Math.round(sizes.width * ratio));
    one.height = Math.max(1, Math.round(sizes.height * ratio));
  }
  shots.clear();
  morphs.clear();
  painted = "";
}

// The panel is as large as it was painted for, or as there is height for.
function panelSize(k) {
  const [w, h] = FRAMES[k].panel || [0, 0], { unit, height, narrow, width } = sizes, gap = 18 * unit;
  if (!w) return { width: 0, height: 0, gap: 0 };
  const scale = narrow ? Math.min((width - 2 * gap) / w, 0.5 * height / h) : Math.max(0.1, Math.min(unit, (height - 2 * gap) / h, 0.5 * width / w));
  return { width: w * scale, height: h * scale, gap };
}

function roomOf(k) {
  // Beside the graph, or below it on a narrow screen.
  const size = panelSize(k), across = size.width ? size.width + size.gap : 0, down = size.height ? size.height + size.gap : 0;
  return sizes.narrow ? { width: sizes.width, height: sizes.height - down } : { width: sizes.width - across, height: sizes.height };
}

function shotAt(k) {
  if (!shots.has(k)) {
    const frame = FRAMES[k], stage = STAGES[frame.stage];
    const mask = (chosen, n) => chosen.length ? masked(chosen, n) : null;
    const room = roomOf(k), lines = legendLines(stage, room.width, sizes.unit, measuredWith(drawing, sizes.unit), frame.note);
    room.foot = lines.length * LEGEND_LINE * sizes.unit;
    shots.set(k, shotOf(stage, frame.camera, mask(frame.out, stage.graph.n), mask(frame.lit, stage.k), frame.marks, room, sizes.unit, frame.note));
  }
  return shots.get(k);
}

function morphAt(k) {
  const one = FRAMES[k - 1], two = FRAMES[k];
  if (one.kind !== "graph" || two.kind !== "graph" || !two.parts && STAGES[one.stage].graph !== STAGES[two.stage].graph) return null;
  if (!morphs.has(k)) {
    if (morphs.size > 4) morphs.clear();
    const shots = [shotAt(k - 1), shotAt(k)];
    morphs.set(k, two.parts ? partedMorph(...shots, two.parts) : morphOf(...shots, two.moved ? masked(two.moved, shots[1].stage.graph.n) : null));
  }
  return morphs.get(k);
}

function whole() { return { width: sizes.width, height: sizes.height }; }

function paintRest(on, k, through, colours) {
  const frame = FRAMES[k];
  on.begin(colours, DATA.palettes[colours.name], whole(), sizes.unit, sizes.ratio);
  if (frame.kind === "graph") return on.shot(shotAt(k), through);
  if (frame.kind === "picture") picture(on, frame[colours.name], k);
  return null;
}

function picture(on, index, k) {
  const image = PICTURES[index], room = roomOf(k);
  if (!image.complete || !image.naturalWidth) return;
  const scale = Math.min(room.width / image.naturalWidth, room.height / image.naturalHeight);
  const w = image.naturalWidth * scale, h = image.naturalHeight * scale;
  on.context.imageSmoothingQuality = "high";
  on.context.drawImage(image, (room.width - w) / 2, (room.height - h) / 2, w, h);
}

function draw() {
  if (!sizes || !sizes.width) return;
  const k = indexAt(time), share = shareAt(time, k), colours = theme();
  say(k);
  scrubber.value = String(time);
  // What is held is painted once.
  const now = share < 1 || lens ? "" : `${k} ${colours.name}`;
  if (now && now === painted) return mark();
  painted = now;
  drawn = null;
  canvas.style.opacity = 1;
  under.style.visibility = share < 1 && k > 0 && paged(k - 1) ? "visible" : "hidden";
  page.style.opacity = paged(k) ? slid(page, k, share) : 0;
  if (share >= 1) drawn = paintRest(drawing, k, lens, colours);
  else if (k === 0) { paintRest(drawing, 0, null, colours); canvas.style.opacity = smooth(share); }
  else moving(k, share, colours);
  page.style.visibility = paged(k) ? "visible" : "hidden";
  mark();
}

// What is no canvas: a certificate, or the drawing of a comparison.
const paged = (k) => FRAMES[k].kind === "page" || FRAMES[k].kind === "drawing";

// Puts the slider of an overlay where it is after a share of the transition; returns how far the page has come up.
function slid(element, k, share) {
  const slider = FRAMES[k].slider, knob = element.querySelector(".knob");
  if (!slider || !knob) return smooth(share);
  const gone = slider.lead < 1 ? Math.max(0, (share - slider.lead) / (1 - slider.lead)) : 0;
  const now = slider.from + (slider.to - slider.from) * smooth(gone), left = Number(knob.dataset.from), right = Number(knob.dataset.to);
  element.querySelector(".second").setAttribute("opacity", now);
  element.querySelector(".split").setAttribute("opacity", 1 - Math.abs(2 * now - 1));
  knob.setAttribute("cx", left + now * (right - left));
  return share < slider.lead ? smooth(share / slider.lead) : 1;
}

// A drawing is as large as fits beside the panel.
function fill(element, k) {
  const frame = FRAMES[k], full = get(`k${k + 1}`).querySelector(".certificate, .comparison, .drawing"), drawn = frame.kind === "drawing";
  element.replaceChildren(...(full ? [full.cloneNode(true)] : []));
  element.classList.toggle("drawn", drawn);
  if (!drawn || !full) return;
  const room = roomOf(k), [w, h] = frame.size, scale = Math.min(room.width / w, room.height / h);
  Object.assign(element.firstElementChild.style, { width: `${w * scale}px`, height: `${h * scale}px`, marginLeft: `${(room.width - w * scale) / 2}px` });
  slid(element, k, 1);
}

function moving(k, share, colours) {
  const morph = morphAt(k), steps = FRAMES[k].steps;
  if (morph) {
    drawing.begin(colours, DATA.palettes[colours.name], whole(), sizes.unit, sizes.ratio);
    drawing.morph(morph, share, null);
    return;
  }
  if (steps && steps.length) {
    // One picture of the way comes up over the one before it.
    const way = [FRAMES[k - 1], ...steps, FRAMES[k]], at = share * (way.length - 1), i = Math.min(Math.floor(at), way.length - 2);
    drawing.begin(colours, DATA.palettes[colours.name], whole(), sizes.unit, sizes.ratio);
    picture(drawing, way[i][colours.name], k);
    drawing.context.globalAlpha = at - i;
    picture(drawing, way[i + 1][colours.name], k);
    drawing.context.globalAlpha = 1;
    return;
  }
  paintRest(drawing, k - 1, null, colours);
  paintRest(besideDrawing, k, null, colours);
  const c = drawing.context;
  c.setTransform(1, 0, 0, 1, 0, 0);
  c.globalAlpha = smooth(share);
  c.drawImage(beside, 0, 0);
  c.globalAlpha = 1;
}

// ---------------------------------------------------------------------------------------------- what is said
function say(k) {
  if (k === shown) return;
  shown = k;
  root.dataset.keyframe = String(k + 1);
  document.querySelectorAll(".said").forEach((said, i) => said.classList.toggle("now", i === k));
  document.querySelectorAll(".figures, .subject").forEach((part) => part.classList.toggle("now", part.dataset.keyframe === String(k)));
  const slide = get(`k${k + 1}`), panelThere = slide.querySelector(".panel"), size = panelSize(k);
  panel.replaceChildren(...(panelThere && FRAMES[k].kind !== "page" ? [panelThere.firstElementChild.cloneNode(true)] : []));
  panel.classList.toggle("now", panel.childElementCount > 0);
  panel.style.width = size.width ? `${size.width}px` : "";
  panel.style.height = size.height ? `${size.height}px` : "";
  fill(page, k);
  if (k > 0) fill(under, k - 1);
  const frame = FRAMES[k], words = `${k + 1} of ${FRAMES.length}: ${frame.title || frame.name}. ${frame.caption}`;
  live.textContent = words;
  canvas.setAttribute("aria-label", frame.picture);
  canvas.hidden = false;
  get("counter").textContent = `${k + 1} / ${FRAMES.length}`;
  scrubber.setAttribute("aria-valuetext", words);
  get("back").disabled = k === 0;
  get("next").disabled = k === LAST;
  hide();
}

// ---------------------------------------------------------------------------------------------- pointing at ops
function opAt(x, y) {
  if (!drawn) return -1;
  const { view, at } = drawn, n = at.x.length;
  // The card that is met, else one nearby.
  for (const slop of [0, 3]) {
    for (let i = n - 1; i >= 0; i--) {
      const left = at.x[i] * view.s + view.x, top = at.y[i] * view.s + view.y;
      if (x >= left - slop && x <= left + at.w[i] * view.s + slop && y >= top - slop && y <= top + at.h[i] * view.s + slop) return i;
    }
  }
  return -1;
}

function point(op) {
  hovered = op;
  if (op < 0 || !drawn) return hide();
  const stage = STAGES[FRAMES[shown].stage], rows = [["on", stage.titles[stage.device[op]]], ["work", stage.work(op)], ["output", stage.output(op)]];
  if (stage.parameters(op)) rows.push(["parameters", stage.parameters(op)]);
  const line = (tag, text) => { const element = document.createElement(tag); element.textContent = text; return element; };
  const list = document.createElement("dl");
  for (const [name, value] of rows) list.append(line("dt", name), line("dd", value));
  tip.replaceChildren(line("b", stage.graph.names[op] + (stage.graph.shares.has(op) ? `, ${stage.graph.shares.get(op)}` : "")), line("span", stage.graph.kind(op)), list);
  tip.hidden = false;
  const { view, at } = drawn, left = at.x[op] * view.s + view.x, top = at.y[op] * view.s + view.y;
  const x = clamp(left, 6, Math.max(6, sizes.width - tip.offsetWidth - 6)), below = top + at.h[op] * view.s + 10;
  tip.style.left = `${x}px`;
  tip.style.top = `${below + tip.offsetHeight < sizes.height ? below : Math.max(6, top - tip.offsetHeight - 10)}px`;
  mark();
}

function hide() { hovered = -1; tip.hidden = true; }

// A ring around the op that is pointed at.
function mark() {
  const ring = get("ring");
  ring.hidden = hovered < 0 || !drawn;
  if (ring.hidden) return;
  const { view, at } = drawn, pad = 3;
  Object.assign(ring.style, {
    left: `${at.x[hovered] * view.s + view.x - pad}px`, top: `${at.y[hovered] * view.s + view.y - pad}px`,
    width: `${at.w[hovered] * view.s + 2 * pad}px`, height: `${at.h[hovered] * view.s + 2 * pad}px`,
  });
}

function walk(by) {
  if (!drawn) return;
  const n = drawn.at.x.length;
  point(((hovered < 0 ? (by > 0 ? -1 : 0) : hovered) + by + n) % n);
  live.textContent = tip.innerText.replace(/\n+/g, ", ");
  draw();
}

function zoom(factor, x, y) {
  if (FRAMES[shown].kind !== "graph" || !drawn) return;
  const now = lens || { s: 1, x: 0, y: 0 }, s = clamp(now.s * factor, 0.5, 24), f = s / now.s;
  lens = { s, x: x - (x - now.x) * f, y: y - (y - now.y) * f };
  draw();
}

function resetLens() { lens = null; hide(); }

// ---------------------------------------------------------------------------------------------- keys, buttons, pointer
const KEYS = {
  ArrowRight: () => go(aim() + 1), PageDown: () => go(aim() + 1), n: () => go(aim() + 1),
  ArrowLeft: () => go(aim() - 1), PageUp: () => go(aim() - 1), Backspace: () => go(aim() - 1), b: () => go(aim() - 1),
  Home: () => go(0), End: () => go(LAST), " ": () => play(!playing), p: () => play(!playing),
  f: () => full(), t: () => turn(), r: () => { resetLens(); draw(); }, "[": () => walk(-1), "]": () => walk(1),
  "+": () => zoom(1.25, sizes.width / 2, sizes.height / 2), "-": () => zoom(0.8, sizes.width / 2, sizes.height / 2),
  "?": () => help(), Escape: () => { get("help").hidden = true; hide(); draw(); },
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if ((event.key === " " || event.key === "Enter") && event.target instanceof HTMLButtonElement) return;
  const key = KEYS[event.key] || KEYS[event.key.toLowerCase()];
  if (!key) return;
  event.preventDefault();
  key();
});

function full() {
  if (document.fullscreenElement) document.exitFullscreen();
  else if (root.requestFullscreen) root.requestFullscreen().catch(() => {});
}

function turn() { chosen = dark() ? "light" : "dark"; paint(); }

function paint() {
  root.dataset.theme = dark() ? "dark" : "light";
  draw();
}

function help() { get("help").hidden = !get("help").hidden; }

for (const [id, run] of [["back", KEYS.ArrowLeft], ["next", KEYS.ArrowRight], ["play", KEYS[" "]], ["theme", turn], ["full", full], ["keys", help]]) {
  get(id).addEventListener("click", run);
}
get("help").addEventListener("click", help);
scrubber.max = String(DATA.duration);
scrubber.addEventListener("input", () => { goal = null; resetLens(); time = Number(scrubber.value); draw(); });

let press = null;
canvas.addEventListener("pointerdown", (event) => {
  if (event.button === 0) press = { x: event.offsetX, y: event.offsetY, moved: false, lens: lens || { s: 1, x: 0, y: 0 }, touch: event.pointerType === "touch" };
});
canvas.addEventListener("pointermove", (event) => {
  if (press) {
    const dx = event.offsetX - press.x, dy = event.offsetY - press.y;
    press.moved ||= Math.hypot(dx, dy) > 5;
    if (press.moved && !press.touch && FRAMES[shown].kind === "graph" && drawn) { lens = { ...press.lens, x: press.lens.x + dx, y: press.lens.y + dy }; hide(); draw(); }
    return;
  }
  const op = opAt(event.offsetX, event.offsetY);
  if (op !== hovered) { point(op); mark(); }
});
addEventListener("pointerup", (event) => {
  if (!press || event.button !== 0) return;
  const { moved, touch, x } = press, dx = event.offsetX - x;
  press = null;
  if (event.target !== canvas) return;
  if (touch && Math.abs(dx) > 40) go(aim() + (dx < 0 ? 1 : -1));
  else if (touch && opAt(event.offsetX, event.offsetY) >= 0) { point(opAt(event.offsetX, event.offsetY)); draw(); }
  else if (!moved) go(aim() + 1);
});
canvas.addEventListener("pointerleave", () => { if (!press) { hide(); mark(); } });
canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.pow(1.0015, -event.deltaY), event.offsetX, event.offsetY); }, { passive: false });
canvas.addEventListener("dblclick", () => { resetLens(); draw(); });

// ---------------------------------------------------------------------------------------------- beginning
new ResizeObserver(() => { measure(); shown = -1; draw(); }).observe(stageBox);
darker.addEventListener("change", paint);
still.addEventListener("change", () => { goal = null; draw(); });
root.classList.add("js");
const wanted = Number(location.hash.slice(1));
if (wanted >= 1 && wanted <= FRAMES.length) time = settledAt(wanted - 1);
measure();
paint();
if (location.hash === "#play" && !calm()) { time = 0; play(true); }
