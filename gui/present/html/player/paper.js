// The keyframes on paper: each graph and network as a picture of its own.

function pictures() {
  const kept = [sizes, time, lens, chosen];
  lens = null;
  sizes = { width: 1180, height: 560, ratio: 2, unit: 0.92, narrow: false };
  shots.clear();
  morphs.clear();
  for (const one of [canvas, beside]) { one.width = sizes.width * 2; one.height = sizes.height * 2; }
  FRAMES.forEach((frame, k) => {
    if (paged(k)) return;
    paintRest(besideDrawing, k, null, DATA.themes.light);
    const room = roomOf(k), part = document.createElement("canvas"), image = get(`k${k + 1}`).querySelector("img");
    part.width = Math.round(room.width * 2);
    part.height = Math.round(room.height * 2);
    part.getContext("2d").drawImage(beside, 0, 0);
    image.src = part.toDataURL("image/png");
  });
  [sizes, time, lens, chosen] = kept;
  measure();
  draw();
}
addEventListener("beforeprint", pictures);

