// Two levels below the focus as nested boxes, their areas by documents or tokens.
const HEAD = 19;
const LEAST_BOX = { width: 54, height: 15 };
const BOX_ROUNDS = 6;

// Boxes that are too small to read are left out, the smallest first, and the others laid out again.
function treemapCells(focus, width, height) {
  const wanted = target();
  const isWanted = (child) => wanted && isUnder(wanted, child);
  const out = new Set();
  for (let round = 0; ; round++) {
    const cells = boxes(focus, width, height, (child) => isWanted(child) || (isShown(child) && !out.has(child)));
    const small = cells.filter((cell) => !isWanted(cell.topic) && (cell.width < LEAST_BOX.width || cell.height < LEAST_BOX.height));
    if (state.all || !small.length) return cells;
    const half = d3.sort(small, (cell) => sizeOf(cell.topic)).slice(0, round < BOX_ROUNDS ? Math.ceil(small.length / 2) : small.length);
    for (const cell of half) out.add(cell.topic);
  }
}

function boxes(focus, width, height, isKept) {
  const below = (topic) => (topic.level - focus.level < 2 ? topic.children.filter(isKept) : []);
  // The topics that are kept have the whole area of the topic above them.
  const above = new Map();
  const areaOf = (topic) => {
    if (topic === focus) return 1;
    if (!above.has(topic.parent)) above.set(topic.parent, areaOf(topic.parent) / Math.max(d3.sum(below(topic.parent), sizeOf), 1));
    return above.get(topic.parent) * sizeOf(topic);
  };
  const root = d3.hierarchy(focus, below).sum((topic) => (below(topic).length ? 0 : areaOf(topic)));
  d3.treemap().size([width, height]).paddingInner(2).paddingTop((node) => (node.depth === 1 && node.children ? HEAD : 0)).round(true)(root);
  const nodes = root.descendants().filter((node) => node.depth > 0 || !node.children);
  return nodes.map((node) => ({ topic: node.data, x: node.x0, y: node.y0, width: Math.max(node.x1 - node.x0, 1), height: Math.max(node.y1 - node.y0, 1), above: 0, under: 0, isBlock: Boolean(node.children) }));
}

function drawTreemap(svg, width, height) {
  const cells = treemapCells(state.zoom, width, height);
  const fontSize = fontScale(cells.filter((cell) => !cell.isBlock).map((cell) => cell.topic));
  const lit = lights();
  const group = drawn("g", { role: "none" });
  for (const cell of cells) group.append(cell.isBlock ? drawBlock(cell, lit) : drawCell(cell, fontSize, lit));
  resized(svg, width, height).replaceChildren(group);
  drawnCells = new Map(cells.map((cell) => [cell.topic, cell]));
}

function resized(svg, width, height) {
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
  return svg;
}

// A topic around those below it: its name in a line above them.
function drawBlock(cell, lit) {
  const group = drawCell({ ...cell, height: HEAD - 2 }, () => SMALLEST, lit);
  group.querySelector("text")?.remove();
  group.querySelector("rect").setAttribute("height", cell.height);
  const text = cut(labelOf(cell.topic), 12, cell.width - 2 * INSET.x, true);
  if (cell.width > 30) group.append(drawn("text", { class: "words", x: cell.x + INSET.x, y: cell.y + 14, "font-size": 12, "font-weight": 600 }, text));
  return group;
}
