// Where the cells of the map are. What would be too small to read takes no room, unless everything is to be shown.
const STRIP = 26;
const GAP = 1.5;
const READABLE = 14;
const FOLD = 16;

// Cells {topic, x, y, width, height} below a focus, and blocks {small: topics} that stand for those that have no cell.
function icicleLayout(focus, width, height, { hasStrips = true, wanted = null } = {}) {
  const above = hasStrips ? pathTo(focus).slice(0, -1).filter((t) => !state.hidden.has(t.level)) : [];
  const strips = above.map((topic, i) => ({ topic, x: i * STRIP, y: 0, width: STRIP - GAP, height, strip: true }));
  const plan = { columns: columnsOf(focus, strips.length * STRIP, width), cells: strips, wanted: new Set(wanted ? pathTo(wanted) : []) };
  dice(focus, 0, height, plan);
  return plan.cells;
}

function columnsOf(focus, left, width) {
  let levels = d3.range(focus.level, d3.max(grove.levels) + 1).filter((level) => !state.hidden.has(level));
  levels = levels.filter((level) => level === focus.level || hasLevel(focus, level));
  const weight = (level) => (level === grove.top && levels.length > 1 ? 0.7 : 1);
  const unit = (width - left) / d3.sum(levels, weight);
  const columns = new Map();
  let x = left;
  for (const level of levels) {
    columns.set(level, { x, width: Math.max(unit * weight(level) - GAP, 1) });
    x += unit * weight(level);
  }
  return columns;
}

function hasLevel(topic, level) {
  return topic.level === level || topic.children.some((child) => hasLevel(child, level));
}

function dice(topic, y, height, plan) {
  const column = plan.columns.get(topic.level);
  if (column) plan.cells.push({ topic, ...column, y, height: height - Math.min(GAP, height / 4) });
  if (!topic.children.length) return;
  const below = plan.columns.get(topic.level + 1);
  const { parts, folded } = portions(topic, height, below, plan.wanted);
  let at = y;
  for (const [child, part] of parts) {
    dice(child, at, part, plan);
    at += part;
  }
  const left = y + height - at;
  if (folded.length && below && left > 1) plan.cells.push({ topic, small: folded, ...below, y: at, height: left - GAP });
}

// The heights of a topic's children: as many of the largest as can be read share the room by their sizes.
function portions(topic, height, below, wanted) {
  const children = state.size === "docs" ? topic.children : d3.sort(topic.children, (t) => -sizeOf(t));
  const asked = children.find((child) => wanted.has(child));
  let kept = d3.sort(children.filter((child) => isShown(child)), (t) => -sizeOf(t));
  const foldRoom = below && height > FOLD + READABLE ? FOLD : 0;
  const roomFor = (n) => height - (n < children.length ? foldRoom : 0);
  if (!state.all) kept = kept.slice(0, readable(kept, roomFor, height));
  const parts = new Map();
  let room = roomFor(kept.length);
  if (asked && !kept.includes(asked)) {
    if (!state.all) kept = kept.slice(0, readable(kept, (n) => roomFor(n) - READABLE - 2, 0));
    parts.set(asked, kept.length ? READABLE + 2 : room);
    room = roomFor(0) - READABLE - 2;
  }
  const total = d3.sum(kept, sizeOf);
  for (const child of kept) parts.set(child, total ? (room * sizeOf(child)) / total : room / kept.length);
  return { parts: children.filter((child) => parts.has(child)).map((child) => [child, parts.get(child)]), folded: children.filter((child) => !parts.has(child)) };
}

// How many of some topics, the largest first, can be read if they share the room; one of them where words fit at all.
function readable(sorted, roomFor, height) {
  let total = d3.sum(sorted, sizeOf);
  let n = sorted.length;
  while (n > 0 && sizeOf(sorted[n - 1]) * roomFor(n) < READABLE * total) total -= sizeOf(sorted[--n]);
  return n || (sorted.length && height >= READABLE - 1 ? 1 : 0);
}
