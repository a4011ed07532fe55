// The map in its place: laid out once for what is looked at, drawn where it is in sight.
let drawnLayout = null;

function layoutHere() {
  const { size, minDocs, hidden, zoom, all, scale } = state;
  const wanted = target();
  const has = wanted && !state.hidden.has(wanted.level) && isUnder(wanted, zoom);
  const key = JSON.stringify([size, minDocs, [...hidden], zoom.index, all, scale, canvas.clientWidth, canvas.clientHeight]);
  const isThere = !has || drawnLayout?.cells.some((cell) => cell.topic === wanted && !cell.small);
  if (drawnLayout?.key === key && drawnLayout.grove === grove && isThere) return drawnLayout.cells;
  const cells = icicleLayout(zoom, canvas.clientWidth, canvas.clientHeight * scale, { wanted: has ? wanted : null });
  drawnLayout = { key, grove, cells };
  return cells;
}

function drawMap(zoomedFrom) {
  const before = drawnCells;
  const cells = layoutHere();
  drawIcicle(drawing, cells, canvas.clientWidth, canvas.clientHeight, state.top);
  drawnCells = new Map(cells.filter((cell) => !cell.small).map((cell) => [cell.topic, { ...cell, y: cell.y - state.top }]));
  animateZoom(drawing, before, zoomedFrom, state.zoom);
}

// While the map is scaled, a topic that was just chosen may be out of sight.
let lastTarget = null;
function bringToSight(cells) {
  const topic = target();
  if (topic === lastTarget) return;
  lastTarget = topic;
  const cell = topic && isScaled() && cells.find((one) => one.topic === topic && !one.small);
  if (!cell) return;
  const height = canvas.clientHeight;
  if (cell.y + cell.height > state.top + 20 && cell.y < state.top + height - 20) return;
  const most = height * (state.scale - 1);
  state.top = Math.min(Math.max(cell.y + Math.min(cell.height, height) / 2 - height / 2, 0), most);
}

const HOW = {
  icicle: "Click a topic to read it, twice to zoom in; scroll to magnify",
  branches: "Click a dot to open or close a branch",
  treemap: "Two levels; click twice or scroll to zoom in",
  circles: "Near circles have similar words; click twice or scroll to zoom in",
};

function showHint() {
  const isMap = state.view !== "branches";
  const isNested = isMap && state.view !== "icicle";
  const isNear = (topic) => !isNested || (topic.level - state.zoom.level <= 2 && (topic !== state.zoom || !topic.children.length));
  const isInView = (topic) => (isNested || !state.hidden.has(topic.level)) && (!isMap || isUnder(topic, state.zoom)) && isNear(topic);
  const inView = grove.topics.filter(isInView);
  const enough = inView.filter(isShown);
  const n = isMap ? inView.filter((topic) => drawnCells.has(topic)).length : enough.length;
  const tooSmall = isMap ? enough.length - n : 0;
  byId("shown").textContent = (n < inView.length ? `${whole(n)} of ${plural(inView.length, "topic")}` : plural(n, "topic")) + (tooSmall ? ` · ${whole(tooSmall)} too small to read` : "");
  byId("how").textContent = HOW[state.view];
  byId("show-all").hidden = !isMap || (!tooSmall && !state.all);
  byId("show-all").textContent = state.all ? "Hide what is too small" : "Show all";
  byId("show-all").setAttribute("aria-pressed", String(state.all));
}

function setUpMap() {
  byId("show-all").addEventListener("click", () => {
    state.all = !state.all;
    drawOverview();
  });
}
