// The page: what is shown of the state, and what people do to it.
const LIVE_SECONDS = 3;
const LIVE_FAILURES = 3;
const VIEWS = ["icicle", "branches", "treemap", "circles"];
const drawing = byId("drawing");
const canvas = byId("canvas");

function show() {
  const open = state.training ? "training" : state.over ? "over" : "tree";
  for (const name of ["tree", "over", "training"]) {
    byId(`${name}-page`).hidden = name !== open;
    if (name === open) byId(`tab-${name}`).setAttribute("aria-current", "page");
    else byId(`tab-${name}`).removeAttribute("aria-current");
  }
  byId("tab-over").href = state.selected ? `#over=${state.selected.id}` : "#over";
  if (state.training) return showTraining();
  if (state.over) return showOver();
  reveal();
  drawOverview();
  showPanel();
  byId("panel").scrollTop = 0;
  if (state.view === "branches" && target()) revealBranch(target(), canvas);
}

// The topic that must be in sight.
function target() {
  if (state.document !== null) return documentAt(state.document).topic;
  if (state.word !== null) return null;
  return state.selected;
}

function reveal() {
  if (state.word !== null) state.zoom = grove.root;
  const topic = target();
  if (!topic) return;
  for (let t = topic.parent; t; t = t.parent) state.open.add(t);
  if (!isUnder(topic, state.zoom)) state.zoom = pathTo(topic).findLast((t) => isUnder(state.zoom, t));
}

function drawOverview(zoomedFrom = null) {
  const icicle = state.view === "icicle";
  const isPlane = state.view !== "branches";
  canvas.classList.toggle("scrolls", !isPlane);
  if (!icicle && isPlane) bringNear(target());
  if (icicle) bringToSight(layoutHere());
  if (isPlane && drawnAs === appearance() && (!target() || drawnCells.has(target()))) markSelected();
  else if (icicle) drawMap(zoomedFrom);
  else if (state.view === "treemap") drawTreemap(drawing, canvas.clientWidth, canvas.clientHeight);
  else if (state.view === "circles") drawCircles(drawing, canvas.clientWidth, canvas.clientHeight);
  else drawBranches(drawing, canvas);
  drawnAs = appearance();
  const focus = state.selected && byId(`topic-${state.selected.index}`);
  if (focus) drawing.setAttribute("aria-activedescendant", focus.id);
  else drawing.removeAttribute("aria-activedescendant");
  byId("zoom-out").hidden = !isPlane || (state.zoom === grove.root && !isScaled());
  byId("expand").hidden = byId("collapse").hidden = isPlane;
  for (const name of VIEWS) byId(`view-${name}`).setAttribute("aria-pressed", String(state.view === name));
  showHint();
}

// Treemap and circles show two levels: what is further down is brought near.
function bringNear(topic) {
  if (topic && topic.level - state.zoom.level > 2) state.zoom = pathTo(topic).at(-3);
}

// Everything but the selection that the drawing depends on: while it stays, only the selection is drawn anew.
let drawnAs = "";
function appearance() {
  const { view, size, by, lambda, minDocs, hidden, zoom, word, document: row, all, scale, top } = state;
  const labels = [...grove.labels].join();
  return JSON.stringify([view, size, by, by === "relevance" && lambda, minDocs, [...hidden], zoom.index, word, row, all, scale, top, labels, canvas.clientWidth, canvas.clientHeight]);
}

function markSelected() {
  for (const node of drawing.querySelectorAll(".selected")) {
    node.classList.remove("selected");
    node.setAttribute("aria-selected", "false");
  }
  const node = state.selected && byId(`topic-${state.selected.index}`);
  node?.classList.add("selected");
  if (state.pinned) byId(`topic-${state.pinned.index}`)?.classList.add("selected");
  node?.setAttribute("aria-selected", "true");
}

function setUpOverview() {
  const topicAt = (event) => {
    const node = event.target.closest("[data-topic]");
    return node && drawing.contains(node) ? grove.topics[node.dataset.topic] : null;
  };
  drawing.addEventListener("click", (event) => {
    const knob = event.target.closest("[data-knob]");
    const small = event.target.closest("[data-small]");
    const topic = topicAt(event);
    if (isDragging) isDragging = false;
    else if (knob) toggleBranch(grove.topics[knob.dataset.knob]);
    else if (small) zoomTo(grove.topics[small.dataset.small]);
    else if (topic && isUnder(state.zoom, topic) && topic !== state.zoom && state.view === "icicle") zoomTo(topic);
    else if (topic && topic === state.selected && topic.children.length) enter();
    else if (topic) select(topic);
  });
  drawing.addEventListener("pointermove", (event) => showTip(topicAt(event), event));
  drawing.addEventListener("pointerleave", () => (byId("tip").hidden = true));
  canvas.addEventListener("scroll", () => {
    byId("tip").hidden = true;
    if (state.view === "branches") requestAnimationFrame(() => drawSight(drawing, canvas));
  });
  new ResizeObserver(() => grove && !isElsewhere() && drawOverview()).observe(canvas);
}

function showTip(topic, event) {
  const tip = byId("tip");
  tip.hidden = !topic || event.pointerType === "touch";
  if (tip.hidden) return;
  const words = wordsOf(topic, state.by).slice(0, 8).map((w) => w.text).join(", ");
  const given = grove.labels.has(topic.id);
  const places = state.word === null ? [] : placesOf(state.word).filter((place) => place.topic === topic);
  tip.replaceChildren(
    element("strong", {}, given ? labelOf(topic) : words || labelOf(topic)),
    given ? element("span", {}, words) : "",
    element("small", {}, `${plural(topic.docs, "document")} · ${percent(topic.docs / grove.data.n_docs)}${topic.children.length ? ` · ${plural(topic.children.length, "topic")} below` : ""}`),
    ...places.map((place) => element("small", {}, `“${grove.words[state.word]}” has ${percent(place.probability)} of its words`))
  );
  const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
  const y = event.clientY + 18 + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : event.clientY + 18;
  withStyle(tip, { left: `${Math.max(x, 4)}px`, top: `${y}px` });
}

function setUpBar() {
  const chosen = (id, change) => byId(id).addEventListener("click", change);
  for (const name of VIEWS) chosen(`view-${name}`, () => (resetScale(), (state.view = name), show()));
  chosen("zoom-out", () => zoomTo(isScaled() ? state.zoom : state.zoom.parent));
  chosen("expand", () => (grove.topics.forEach((t) => state.open.add(t)), drawOverview()));
  chosen("collapse", () => ((state.open = new Set([grove.root])), drawOverview()));
  byId("size").addEventListener("change", (event) => ((state.size = event.target.value), drawOverview()));
  byId("by").addEventListener("change", (event) => chooseWords(event.target.value));
  byId("threshold").addEventListener("input", setThreshold);
  byId("display").open = innerWidth > 1080;
  chosen("save-labels", saveLabels);
  chosen("seen-svg", saveSeenSvg);
  chosen("seen-png", saveSeenPng);
  chosen("save-edits", saveEdits);
  chosen("undo-edit", undoEdit);
  chosen("load-labels", () => byId("labels-file").click());
  byId("labels-file").addEventListener("change", (event) => {
    if (event.target.files.length) loadLabels(event.target.files[0]);
    event.target.value = "";
  });
  byId("tab-tree").addEventListener("click", (event) => (event.preventDefault(), look({ selected: state.selected })));
}

// The slider is logarithmic: small topics are many.
function setThreshold() {
  const most = d3.max(grove.root.children, (topic) => topic.docs) ?? 1;
  state.minDocs = Math.max(1, Math.round(Math.pow(most, byId("threshold").value / 100)));
  byId("threshold-value").textContent = plural(state.minDocs, "doc");
  drawOverview();
}

function makeLevelButtons() {
  const toggle = (level) => () => {
    if (state.hidden.has(level)) state.hidden.delete(level);
    else if (state.hidden.size < grove.levels.length - 1) state.hidden.add(level);
    makeLevelButtons();
    drawOverview();
    byId(`level-${level}`).focus();
  };
  const buttons = grove.levels.map((level) =>
    button(String(level), toggle(level), { id: `level-${level}`, class: `level-${level % 8}`, "aria-pressed": String(!state.hidden.has(level)), "aria-label": `Level ${level}` })
  );
  byId("levels").replaceChildren(element("legend", {}, "Levels"), ...buttons);
}

function setUpTheme() {
  const dark = () => getComputedStyle(document.documentElement).getPropertyValue("color-scheme").trim() === "dark" || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  const tell = () => byId("theme").setAttribute("aria-pressed", String(dark()));
  byId("theme").addEventListener("click", () => ((document.documentElement.dataset.theme = dark() ? "light" : "dark"), tell()));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
  tell();
}

function load(data) {
  const old = grove;
  grove = makeGrove(data);
  drawnAs = "";
  if (old) for (const [id, label] of old.labels) grove.labels.set(id, label);
  recall();
  showEdits();
  state.open = new Set(old ? [...state.open].map((t) => grove.byId.get(t.id)).filter(Boolean) : [grove.root]);
  state.zoom = (old && grove.byId.get(state.zoom.id)) ?? grove.root;
  Object.assign(state, readAddress(location.hash));
  grove.over = [];
  byId("tab-over").hidden = !data.over;
  complete(grove);
  const sweeps = data.live ? ` · iteration ${whole(data.live.iteration)} of ${whole(data.live.n_iter)}` : "";
  byId("sizes").textContent = `${plural(data.n_docs, "document")} · ${plural(grove.topics.length, "topic")} · ${plural(grove.levels.length, "level")}${sweeps}`;
  byId("labels-state").textContent = plural(grove.labels.size, "name");
  byId("menu").hidden = isLive;
  makeLevelButtons();
  byId("threshold-value").textContent = plural(state.minDocs, "doc");
  show();
}

// A document that the address names may be in the block.
function complete(made) {
  afterPaint(async () => {
    try {
      await completeDocuments(made);
    } catch {
      made.rowsInOrder = inTreeOrder(made);
      made.isComplete = true;
    }
    if (grove !== made) return;
    setTimeout(() => grove === made && titleRanks(), 300);
    byId("tab-over").hidden = !made.over.length;
    if (location.hash && location.hash.slice(1) !== address()) followAddress();
    else if (state.over) show();
    else if (state.selected && byId("all-documents") && !isElsewhere()) fillDocuments(byId("all-documents"), state.selected, listed.order);
    if (state.selected) byId("over-own")?.replaceWith(overSection(state.selected) ?? "");
  });
}

const afterPaint = (work) => requestAnimationFrame(() => setTimeout(work));

let failures = 0;
async function poll() {
  try {
    const answer = await fetch("data.json", { cache: "no-cache" });
    const data = answer.ok ? await answer.json() : null;
    if (data && data.live?.version !== grove.data.live?.version) load(data);
    failures = 0;
  } catch {
    failures += 1;
  }
  if (grove.data.live?.done) return say("Training has ended; this is its result");
  if (failures >= LIVE_FAILURES) return say("The training process does not answer any more; the page shows its last state");
  setTimeout(poll, LIVE_SECONDS * 1000);
}

setUpSearch();
setUpOverview();
setUpGestures();
setUpMap();
setUpBar();
setUpTheme();
document.addEventListener("keydown", onKey);
addEventListener("hashchange", followAddress);
addEventListener("beforeunload", (event) => unsaved && !isKept && event.preventDefault());
load(JSON.parse(byId("data").textContent));
if (isLive) setTimeout(poll, LIVE_SECONDS * 1000);
