// Inks of names on blocks: read on whatever these are filled with, faded or not.

const READABLE = 4.5, PLATE = 3;

function luminance(colour) {
  const [r, g, b] = rgb(colour).map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrastOf(first, second) {
  const [low, high] = [luminance(first), luminance(second)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const inkOn = (ground) => contrastOf("#ffffff", ground) >= contrastOf("#000000", ground) ? "#ffffff" : "#000000";

// The theme's own ink where it is read on all grounds, else black or white, else its own on a plate; as quiet as can be read.
const inks = new Map();
function inkOver(grounds, theme, quiet) {
  const key = [theme.text, quiet, ...grounds].join(" ");
  let found = inks.get(key);
  if (!found) {
    if (inks.size > 2000) inks.clear();
    inks.set(key, found = inkFor(grounds, theme, quiet));
  }
  return found;
}

function inkFor(grounds, theme, quiet) {
  for (const opacity of quiet ? [QUIET_WORDS, 0.8, 0.9, 1] : [1]) {
    for (const colour of [theme.text, ...grounds.map(inkOn)]) {
      if (grounds.every((ground) => contrastOf(blend(ground, colour, opacity), ground) >= READABLE)) return { colour, opacity, plate: "" };
    }
  }
  return { colour: theme.text, opacity: 1, plate: theme.card };
}

// The ink of words from `left` to `right` (shares of its width) on the block of an item.
function blockInk(stage, palette, theme, i, left, right, quiet) {
  const d = stage.device[i], share = quiet ? FADED : 1, under = stage.layout.lanes.length ? palette.band[d] : theme.canvas;
  const block = (device) => palette.block[stage.graph.model[i]][device], ground = blend(under, stage.bad[i] ? theme.bad : block(d), share);
  const parts = stage.splits.filter(([item, , begin, end]) => item === i && begin < right && end > left);
  return inkOver(parts.length ? parts.map(([, device]) => blend(ground, block(device), share)) : [ground], theme, quiet);
}
