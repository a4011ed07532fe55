// The map: a column a level, a cell a topic, its height by documents or tokens.
const INSET = { x: 7, y: 4 };
const CAPTION_ROOM = 46;
let drawnCells = new Map();

// Draw the cells between two heights.
function drawIcicle(svg, cells, width, height, top = 0) {
  const fontSize = fontScale(cells.filter((cell) => !cell.small).map((cell) => cell.topic));
  const lit = lights();
  const group = drawn("g", { role: "none" });
  for (const cell of cells) {
    if (cell.y + cell.height < top || cell.y > top + height) continue;
    const seen = inSight(cell, top, height);
    group.append(cell.small ? drawSmall(seen, lit) : drawCell(seen, fontSize, lit));
  }
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
  svg.replaceChildren(group);
}

// The part of a cell that can be seen, and a little more where it goes on.
function inSight(cell, top, height) {
  const y = Math.max(cell.y - top, -8);
  const end = Math.min(cell.y + cell.height - top, height + 8);
  return { ...cell, y, height: Math.max(end - y, 0.5), above: y < 0 ? 8 : 0, under: end > height ? 8 : 0 };
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
  else if (height - cell.above - cell.under > 11.5 && width > 24) group.append(...cellWords(cell, fontSize));
  return group;
}

function cellWords({ topic, x, y, width, height, above, under }, fontSize) {
  const room = height - above - under;
  const inset = Math.min(INSET.y, (room - 11) / 2);
  const pieces = fillBox(topic, width - 2 * INSET.x, room - 2 * inset, fontSize);
  const text = drawPieces(pieces, x + INSET.x, y + above + inset);
  const last = d3.max(pieces, (piece) => piece.y) ?? 0;
  return room - last > CAPTION_ROOM ? [text, caption({ topic, x, y, width, height: height - under })] : [text];
}

function caption({ topic, x, y, width, height }) {
  const room = width - 2 * INSET.x;
  const text = [plural(topic.docs, "document"), whole(topic.docs)].find((one) => widthOf(one, 11.5) <= room) ?? "";
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
