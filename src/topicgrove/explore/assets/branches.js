// The collapsible tree: a row a leaf, words beside each node. Only rows in sight are in the document.
const ROW = 30;
const WIDEST = 360;
const NARROWEST = 170;
const MARGIN = 200;
let branchRows = [];
let branchLinks = [];
let branchFont = null;

function branchChildren(topic) {
  if (!state.open.has(topic)) return [];
  return topic.children.filter(isShown).flatMap((child) => (state.hidden.has(child.level) ? promoted(child) : [child]));
}

// Topics of a hidden level let their children through.
function promoted(topic) {
  return topic.children.filter(isShown).flatMap((child) => (state.hidden.has(child.level) ? promoted(child) : [child]));
}

function layoutBranches(width) {
  const levels = grove.levels.filter((level) => level === grove.top || !state.hidden.has(level));
  const column = Math.min(WIDEST, Math.max(NARROWEST, (width - 30) / levels.length));
  const place = new Map(levels.map((level, i) => [level, 18 + i * column]));
  const tree = d3.tree().nodeSize([ROW, column]).separation(() => 1)(d3.hierarchy(grove.root, branchChildren));
  const nodes = tree.descendants();
  const top = d3.min(nodes, (node) => node.x) - ROW;
  for (const node of nodes) {
    node.left = place.get(node.data.level);
    node.top = node.x - top;
    node.room = column - 62;
  }
  branchRows = nodes;
  branchFont = fontScale(nodes.map((node) => node.data));
  branchLinks = tree.links();
  return { width: Math.max(width, 18 + levels.length * column), height: d3.max(nodes, (n) => n.top) + ROW };
}

function drawBranches(svg, canvas) {
  const width = canvas.clientWidth;
  const size = layoutBranches(width);
  svg.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
  svg.setAttribute("width", size.width);
  svg.setAttribute("height", size.height);
  drawSight(svg, canvas);
}

// The rows between the edges of what can be seen, and a margin.
function drawSight(svg, canvas) {
  const from = canvas.scrollTop - MARGIN;
  const to = canvas.scrollTop + canvas.clientHeight + MARGIN;
  const lit = lights();
  const links = drawn("g", { class: "links", role: "none" });
  const nodes = drawn("g", { role: "none" });
  const inSight = branchRows.filter((node) => node.top > from && node.top < to);
  const pieces = new Map();
  const piecesOf = (node) => {
    if (!pieces.has(node)) pieces.set(node, oneLine(node.data, node.room, branchFont));
    return pieces.get(node);
  };
  const curve = d3.linkHorizontal();
  for (const { source, target } of branchLinks) {
    if (Math.max(source.top, target.top) < from || Math.min(source.top, target.top) > to) continue;
    const start = source.left + 15 + piecesOf(source).width;
    const faint = lit && !(lit.has(target.data) && lit.has(source.data));
    links.append(
      drawn("path", {
        class: `level-${target.data.level % 8}${faint ? " dim" : ""}`,
        d: curve({ source: [start, source.top], target: [target.left - radius(target.data), target.top] }),
        "stroke-width": (1 + 5 * Math.sqrt(sizeOf(target.data) / sizeOf(grove.root))).toFixed(1),
      })
    );
  }
  for (const node of inSight) nodes.append(drawNode(node, piecesOf(node), lit));
  svg.replaceChildren(links, nodes);
}

const radius = (topic) => 3.5 + 6 * Math.sqrt(sizeOf(topic) / Math.max(sizeOf(grove.root), 1));

function oneLine(topic, room, fontSize) {
  const pieces = flow(topic, room, ROW, (weight) => Math.min(fontSize(weight), 16), 1);
  const width = d3.max(pieces, (piece) => piece.x + widthOf(piece.text, piece.size, piece.bold)) ?? 0;
  return { pieces: pieces.map((piece) => ({ ...piece, y: 5 })), width };
}

function drawNode(node, line, lit) {
  const topic = node.data;
  const light = lit?.get(topic);
  const closed = topic.children.some(isShown) && !state.open.has(topic);
  const classes = [
    `node level-${topic.level % 8}`,
    closed ? "closed" : "",
    lit && light === undefined ? "dim" : "",
    light !== undefined ? "lit" : "",
    topic === state.selected ? "selected" : "",
  ];
  const group = drawn("g", {
    class: classes.join(" "),
    ...treeItem(topic),
    "aria-expanded": topic.children.length ? String(!closed) : null,
  });
  const x = node.left + 13;
  group.append(drawn("rect", { class: "back", x: x - 4, y: node.top - 12, width: line.width + 9, height: 24, rx: 4 }));
  if (light !== undefined) {
    const box = { x: x - 4, y: node.top - 12, width: line.width + 9, height: 24, rx: 4 };
    group.append(drawn("rect", { class: "light", ...box, "fill-opacity": 0.08 + 0.5 * light }));
  }
  const knob = drawn("g", { class: "knob", "data-knob": topic.index });
  knob.append(drawn("circle", { class: "grip", cx: node.left, cy: node.top, r: 14 }));
  knob.append(drawn("circle", { cx: node.left, cy: node.top, r: radius(topic).toFixed(1) }));
  if (closed) {
    const r = Math.min(radius(topic) - 1.5, 4);
    const cross = `M${node.left - r},${node.top}h${2 * r}M${node.left},${node.top - r}v${2 * r}`;
    knob.append(drawn("path", { d: cross }));
  }
  group.append(knob, drawPieces(line.pieces, x, node.top));
  return group;
}

function toggleBranch(topic) {
  if (!topic.children.length) return;
  if (!state.open.delete(topic)) state.open.add(topic);
  drawOverview();
}

function revealBranch(topic, canvas) {
  const node = branchRows.find((row) => row.data === topic);
  if (!node) return;
  const { scrollTop, clientHeight, scrollLeft, clientWidth } = canvas;
  if (node.top < scrollTop + ROW || node.top > scrollTop + clientHeight - ROW) canvas.scrollTop = node.top - clientHeight / 2;
  if (node.left < scrollLeft || node.left + 120 > scrollLeft + clientWidth) canvas.scrollLeft = node.left - 40;
}
