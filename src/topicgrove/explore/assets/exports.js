// What is seen, as SVG, PNG, CSV or JSON.
const DRAWN = "rect, text, tspan, path, circle, line";
const INLINED = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linejoin", "opacity", "paint-order", "font-family", "font-size", "font-weight", "text-anchor"];

// A drawing with its colours written into it, so that it needs no style sheet.
function pictureSeen(svg) {
  const copy = svg.cloneNode(true);
  copy.classList.add("picture");
  copy.removeAttribute("id");
  svg.after(copy);
  for (const node of copy.querySelectorAll(DRAWN)) {
    const style = getComputedStyle(node);
    if (style.visibility === "hidden") node.remove();
    else for (const name of INLINED) node.setAttribute(name, style.getPropertyValue(name));
  }
  for (const node of copy.querySelectorAll("*")) {
    for (const { name } of [...node.attributes]) if (/^(class|id|role|tabindex|data-.*|aria-.*)$/.test(name)) node.removeAttribute(name);
  }
  const { x, y, width, height } = svg.viewBox.baseVal;
  copy.prepend(drawn("rect", { x, y, width, height, fill: getComputedStyle(document.body).backgroundColor }));
  for (const { name } of [...copy.attributes]) if (name !== "viewBox") copy.removeAttribute(name);
  copy.remove();
  copy.setAttribute("xmlns", SVG);
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return { text: new XMLSerializer().serializeToString(copy), width, height };
}

const svgSeen = () => (state.over ? document.querySelector(".over-chart svg") : drawing);
const nameSeen = (suffix) => fileName(state.over ? state.selected : state.zoom, `${state.over ? `over-${overState.view}` : state.view}.${suffix}`);

const saveSeenSvg = () => save(nameSeen("svg"), pictureSeen(svgSeen()).text, "image/svg+xml");

function saveSeenPng() {
  const { text, width, height } = pictureSeen(svgSeen());
  savePixels(text, width, height, nameSeen("png"));
}

// Shares of the topics that the page shows, as Python's tables have them.
function sharesSeen() {
  const one = grove.over[Math.min(overState.at, grove.over.length - 1)];
  const branch = state.selected ?? grove.root;
  const below = branch.children.filter(isShown);
  return (below.length ? below : [branch]).flatMap((topic) =>
    sharesOver(one, topic).map((found, g) => ({
      topic: topic.id,
      name: labelOf(topic),
      group: shown(one.groups[g]),
      n_docs: one.n_docs[g],
      count: found?.count ?? 0,
      share: found?.share ?? null,
      low: found?.low ?? null,
      high: found?.high ?? null,
    }))
  );
}

const saveShares = () => saveTable(sharesSeen(), nameSeen("csv"));
const saveSharesJson = () => save(nameSeen("json"), JSON.stringify(sharesSeen(), null, 1) + "\n", "application/json");

function saveTable(rows, name) {
  const columns = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => columns.map((column) => (typeof row[column] === "string" ? cell(row[column]) : row[column] ?? "")).join(","));
  save(name, [columns.join(","), ...lines].join("\n") + "\n", "text/csv");
}

// All documents of a topic, in the order of the list.
function saveDocuments(topic) {
  const rows = listedFrom(0, listed.rows.length).map(([row, share]) => {
    const one = documentAt(row);
    return { id: one.name, title: one.title, topic: one.topic.id, share: Number(share.toFixed(4)), n_words: d3.sum(one.levels) };
  });
  saveTable(rows, fileName(topic, "documents.csv"));
}
