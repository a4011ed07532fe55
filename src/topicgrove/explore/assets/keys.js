// Arrows walk the tree, Enter zooms or opens, / searches, Esc goes back.
function neighbour(topic, step) {
  const row = d3.sort(grove.topics.filter((t) => t.level === topic.level && isShown(t)), (t) => t.order);
  return row[row.indexOf(topic) + step] ?? topic;
}

function walk(key) {
  const at = state.selected ?? grove.root;
  if (!state.selected) return grove.root;
  if (key === "ArrowLeft") return at.parent ?? at;
  if (key === "ArrowRight") return at.children.find(isShown) ?? at;
  if (key === "Home") return grove.root;
  return neighbour(at, key === "ArrowDown" ? 1 : -1);
}

function goBack() {
  if (byId("menu").open) byId("menu").open = false;
  else if (state.pinned) look({ selected: state.selected });
  else if (state.over) look({ selected: state.selected });
  else if (state.training || state.word !== null || state.document !== null) look({});
  else if (canScale() && isScaled()) zoomTo(state.zoom);
  else if (state.view !== "branches" && state.zoom.parent) zoomTo(state.zoom.parent);
  else if (state.selected) look({});
}

function enter() {
  if (state.view === "branches") toggleBranch(state.selected);
  else if (state.selected.children.length) zoomTo(state.selected);
}

const SCALES = { "+": 1.5, "=": 1.5, "-": 1 / 1.5 };

function scaleByKey(factor) {
  const cell = state.selected && drawnCells.get(state.selected);
  const middle = canvas.clientHeight / 2;
  scaleBy(factor, cell && !cell.strip ? Math.min(Math.max(cell.y + cell.height / 2, 0), 2 * middle) : middle);
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target;
  if (event.key === "Escape") return goBack();
  if (target.closest("input, select, textarea")) return;
  if (event.key === "/") {
    event.preventDefault();
    byId("search").focus();
    byId("search").select();
    return;
  }
  if (isElsewhere()) return;
  if (SCALES[event.key] && canScale()) return scaleByKey(SCALES[event.key]);
  const inPanel = target.closest("#panel, .canvas") && !target.closest("svg");
  if (["ArrowLeft", "ArrowRight", "Home"].includes(event.key) || (["ArrowUp", "ArrowDown"].includes(event.key) && !inPanel)) {
    event.preventDefault();
    const next = walk(event.key);
    if (next !== state.selected) select(next);
  } else if (event.key === "Enter" && state.selected && !target.closest("a, button, summary")) {
    event.preventDefault();
    enter();
  }
}
