// The map: a column a level, a cell a topic, its height by documents or tokens.
const STRIP = 26;
const GAP = 1.5;
const LEAST_HEIGHT = 3;
const INSET = { x: 7, y: 4 };
const CAPTION_ROOM = 46;

// Cells {topic, x, y, width, height} below a focus, and blocks of topics too small to be drawn.
function icicleLayout(focus, width, height, withStrips) {
  const above = withStrips ? pathTo(focus).slice(0, -1).filter((t) => !state.hidden.has(t.level)) : [];
  const strips = above.map((topic, i) => ({ topic, x: i * STRIP, y: 0, width: STRIP - GAP, height, strip: true }));
  const left = strips.length * STRIP;
  const deepest = d3.max(grove.levels);
  let levels = d3.range(focus.level, deepest + 1).filter((level) => !state.hidden.has(level));
  levels = levels.filter((level) => level === focus.level || hasLevel(focus, level));
  const weight = (level) => (level === grove.top && levels.length > 1 ? 0.7 : 1);
  const unit = (width - left) / d3.sum(levels, weight);
  const columns = new Map();
  let x = left;
  for (const level of levels) {
    columns.set(level, { x, width: Math.max(unit * weight(level) - GAP, 1) });
    x += unit * weight(level);
  }
  const cells = [];
  dice(focus, 0, height, columns, cells);
  return strips.concat(cells);
}

function hasLevel(topic, level) {
  return topic.level === level || topic.children.some((child) => hasLevel(child, level));
}

function dice(topic, y, height, columns, cells) {
  const column = columns.get(topic.level);
  if (column) cells.push({ topic, ...column, y, height: Math.max(height - GAP, 1) });
  const total = d3.sum(topic.children, sizeOf);
  const children = state.size === "docs" ? topic.children : d3.sort(topic.children, (t) => -sizeOf(t));
  const small = [];
  let at = y;
  for (const child of children) {
    const part = total ? (height * sizeOf(child)) / total : 0;
    if (part < LEAST_HEIGHT || !isShown(child)) {
      small.push(child);
      continue;
    }
    dice(child, at, part, columns, cells);
    at += part;
  }
  const below = columns.get(topic.level + 1);
  if (small.length && below && y + height - at > 1) {
    cells.push({ topic, small, ...below, y: at, height: Math.max(y + height - at - GAP, 1) });
  }
}

let drawnCells = new Map();

function drawIcicle(svg, cells, width, height) {
  const fontSize = fontScale(cells.filter((cell) => !cell.small).map((cell) => cell.topic));
  const lit = lights();
  const group = drawn("g", { role: "none" });
  for (const cell of cells) group.append(cell.small ? drawSmall(cell, lit) : drawCell(cell, fontSize, lit));
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
  svg.replaceChildren(group);
}

function drawCell(cell, fontSize, lit) {
  const { topic, x, y, width, height } = cell;
  const light = lit?.get(topic);
  const even = topic.parent && topic.parent.children.indexOf(topic) % 2;
  const classes = [
    `cell level-${topic.level % 8}`,
    even ? "even" : "",
    lit && light === undefined ? "dim" : "",
    light !== undefined ? "lit" : "",
    topic === state.selected ? "selected" : "",
  ];
  const group = drawn("g", { class: classes.join(" "), ...treeItem(topic) });
  const rounding = Math.min(4, height / 3);
  group.append(drawn("rect", { x, y, width, height, rx: rounding }));
  if (light !== undefined) {
    group.append(drawn("rect", { class: "light", x, y, width, height, rx: rounding, "fill-opacity": 0.08 + 0.5 * light }));
  }
  if (cell.strip) group.append(stripLabel(cell));
  else if (height > 12 && width > 24) {
    const inset = Math.min(INSET.y, (height - 11) / 2);
    const pieces = fillBox(topic, width - 2 * INSET.x, height - 2 * inset, fontSize);
    group.append(drawPieces(pieces, x + INSET.x, y + inset));
    const last = d3.max(pieces, (piece) => piece.y) ?? 0;
    if (height - last > CAPTION_ROOM) group.append(caption(cell));
  }
  return group;
}

function caption({ topic, x, y, width, height }) {
  const text = cut(plural(topic.docs, "document"), 11.5, width - 2 * INSET.x);
  return drawn("text", { class: "words caption", x: x + INSET.x, y: y + height - 9, "font-size": 11.5 }, text);
}

function stripLabel({ topic, x, height }) {
  const text = cut(labelOf(topic), 11.5, height - 24);
  return drawn("text", { class: "words", "font-size": 11.5, transform: `translate(${x + 8.5},12) rotate(90)` }, text);
}

function drawSmall({ topic, small, x, y, width, height }, lit) {
  const hit = lit && small.some((t) => [...lit.keys()].some((other) => isUnder(other, t)));
  const group = drawn("g", {
    class: `small${hit ? " lit" : lit ? " dim" : ""}${height < 9 ? " thin" : ""}`,
    "data-small": topic.index,
    role: "treeitem",
    "aria-label": `${plural(small.length, "smaller topic")} of ${labelOf(topic)}`,
    "aria-selected": "false",
  });
  group.append(drawn("rect", { x, y, width, height, rx: Math.min(4, height / 3) }));
  if (height > 13) {
    const text = cut(`+ ${whole(small.length)} smaller`, 11, width - 14);
    group.append(drawn("text", { class: "words", x: x + INSET.x, y: y + Math.min(height / 2 + 4, 16), "font-size": 11 }, text));
  }
  return group;
}

function treeItem(topic) {
  return {
    id: `topic-${topic.index}`,
    "data-topic": topic.index,
    role: "treeitem",
    "aria-level": topic.level - grove.top + 1,
    "aria-selected": topic === state.selected ? "true" : "false",
    "aria-label": `${labelOf(topic)}, ${plural(topic.docs, "document")}`,
  };
}

// The new picture grows out of the old one.
function animateZoom(svg, before, from, to) {
  if (!from || from === to || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const anchor = isUnder(to, from) ? to : from;
  const old = before.get(anchor);
  const now = drawnCells.get(anchor);
  if (!old || !now || !svg.firstChild.animate) return;
  const scale = [old.width / now.width, old.height / now.height];
  const shift = [old.x - now.x * scale[0], old.y - now.y * scale[1]];
  svg.firstChild.animate(
    [
      { transform: `translate(${shift[0]}px, ${shift[1]}px) scale(${scale[0]}, ${scale[1]})`, opacity: 0.35 },
      { transform: "none", opacity: 1 },
    ],
    { duration: 280, easing: "cubic-bezier(.2,.7,.2,1)" }
  );
}
