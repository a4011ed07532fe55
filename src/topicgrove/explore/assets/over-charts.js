// Lines, streams and bars of shares by group.
const SMALL = { width: 260, height: 116, left: 34, right: 8, top: 8, bottom: 20 };
const LARGE = { width: 1100, height: 460, left: 44, right: 190, top: 14, bottom: 28 };
const MOST_LINES = 14;
const MOST_BARS = 12;
const fewIn = (one) => Math.max(10, Math.round(0.05 * d3.mean(one.n_docs)));

// Without first and last groups of few documents, whose shares say little.
function wellKnown(one) {
  const few = fewIn(one);
  const from = Math.max(one.n_docs.findIndex((n) => n >= few), 0);
  const last = one.n_docs.findLastIndex((n) => n >= few);
  const to = last > from ? last : one.groups.length - 1;
  return { ...one, groups: one.groups.slice(0, to + 1), from: last > from ? from : 0, isTrimmed: last > from && (from > 0 || to < one.groups.length - 1) };
}

const overScales = (one, size, most) => ({
  x: (g) => size.left + ((g - (one.from ?? 0)) / Math.max(one.groups.length - 1 - (one.from ?? 0), 1)) * (size.width - size.left - size.right),
  y: (share) => size.height - size.bottom - (Math.min(share, most) / Math.max(most, 1e-9)) * (size.height - size.top - size.bottom),
});

function overAxes(svg, one, size, most, { x, y }, ticks) {
  for (const tick of d3.ticks(0, most, ticks)) {
    svg.append(drawn("line", { class: "grid", x1: size.left, x2: size.width - size.right, y1: y(tick), y2: y(tick) }));
    svg.append(drawn("text", { class: "tick", x: size.left - 6, y: y(tick) + 4, "text-anchor": "end" }, tick ? percent(tick) : "0"));
  }
  groupTicks(svg, one, size, x);
}

function groupTicks(svg, one, size, x) {
  const first = one.from ?? 0;
  const last = one.groups.length - 1 - first;
  const n = Math.min(last, size === SMALL ? 1 : 8);
  const room = (size.width - size.left - size.right) / Math.max(n, 1) - 6;
  for (const g of new Set(d3.range(n + 1).map((i) => Math.round((i * last) / Math.max(n, 1))))) {
    const anchor = g === 0 ? "start" : g === last ? "end" : "middle";
    svg.append(drawn("text", { class: "tick", x: x(g + first), y: size.height - 6, "text-anchor": last ? anchor : "start" }, cut(shown(one.groups[g + first]), 11, room)));
  }
}

const overSvg = (size, label) => drawn("svg", { viewBox: `0 0 ${size.width} ${size.height}`, role: "img", "aria-label": label });

// The top of a scale: of shares in groups that have enough documents, where there are such groups.
function mostOf(one, topics) {
  const cells = topics.flatMap((topic) => sharesOver(one, topic)).filter((cell) => cell !== null);
  const known = cells.filter((cell) => cell.docs >= fewIn(one));
  return Math.max(d3.max(known.length ? known : cells, (cell) => (cell.share + cell.high) / 2) ?? 1, 1e-6);
}

function smallLine(one, topic, common) {
  const cells = sharesOver(one, topic);
  const most = common ?? mostOf(one, [topic]);
  const scales = overScales(one, SMALL, most);
  const { x, y } = scales;
  const svg = overSvg(SMALL, `${labelOf(topic)}: share by ${shown(one.name)}`);
  overAxes(svg, one, SMALL, most, scales, 2);
  const isThere = (cell) => cell !== null;
  const band = d3.area().defined(isThere).x((cell) => x(cell.g)).y0((cell) => y(cell.low)).y1((cell) => y(cell.high));
  const line = d3.line().defined(isThere).x((cell) => x(cell.g)).y((cell) => y(cell.share));
  svg.append(drawn("path", { class: "band", d: band(cells) }), drawn("path", { class: "line", d: line(cells) }));
  for (const cell of cells.filter((one, i) => one && !cells[i - 1] && !cells[i + 1])) svg.append(drawn("circle", { class: "spot", cx: x(cell.g), cy: y(cell.share), r: 2.5 }));
  return svg;
}

// The groups in which a topic has the largest shares.
function smallBars(one, topic, common) {
  const cells = d3.sort(sharesOver(one, topic).filter((cell) => cell !== null), (cell) => -cell.share);
  const most = common ?? mostOf(one, [topic]);
  const list = element("span", { class: "group-bars" });
  for (const cell of cells.slice(0, MOST_BARS)) {
    const title = `${shown(cell.group)}: ${whole(cell.count)} of ${plural(cell.docs, "document")}, ${percent(cell.low)} to ${percent(cell.high)}`;
    list.append(element("span", { class: "group-bar", title }, element("span", {}, shown(cell.group)), bar(Math.min(cell.share / most, 1), "bar"), element("span", { class: "value" }, percent(cell.share))));
  }
  return list;
}

const toneOf = (i) => `level-${1 + (i % 7)}`;

function overChart(whole, topics) {
  const one = wellKnown(whole);
  const few = topics.slice(0, MOST_LINES);
  if (!one.is_ordered) return stackedBars(whole, few);
  const svg = overState.view === "lines" ? lineChart(one, few) : streamChart(one, few);
  svg.addEventListener("click", (event) => {
    const part = event.target.closest("[data-topic]");
    if (part) look({ over: true, selected: grove.topics[part.dataset.topic] });
  });
  svg.addEventListener("pointermove", (event) => showOverTip(one, event, svg));
  svg.addEventListener("pointerleave", () => (byId("tip").hidden = true));
  return element("div", { class: "over-chart", tabindex: 0, role: "group", "aria-label": "Chart" }, svg);
}

function lineChart(one, topics) {
  const rows = topics.map((topic) => sharesOver(one, topic).slice(one.from));
  const most = d3.max(rows, (cells) => d3.max(cells, (cell) => cell?.share)) ?? 1;
  const scales = overScales(one, LARGE, most);
  const svg = overSvg(LARGE, `Shares of ${plural(topics.length, "topic")} by ${shown(one.name)}`);
  overAxes(svg, one, LARGE, most, scales, 5);
  const line = d3.line().defined((cell) => cell !== null).x((cell) => scales.x(cell.g)).y((cell) => scales.y(cell.share));
  const ends = [];
  rows.forEach((cells, i) => {
    svg.append(drawn("path", { class: `line ${toneOf(i)}`, d: line(cells), "data-topic": topics[i].index }), drawn("path", { class: "reach", d: line(cells), "data-topic": topics[i].index }));
    const last = cells.findLast((cell) => cell !== null);
    if (last) ends.push({ i, y: scales.y(last.share) });
  });
  endLabels(svg, topics, ends);
  return svg;
}

// Names beside the ends of lines, pushed apart.
function endLabels(svg, topics, ends) {
  const sorted = d3.sort(ends, (end) => end.y);
  sorted.forEach((end, i) => (end.y = Math.max(end.y, i ? sorted[i - 1].y + 15 : LARGE.top)));
  for (let i = sorted.length - 1, low = LARGE.height - LARGE.bottom; i >= 0; i--, low -= 15) sorted[i].y = Math.min(sorted[i].y, low);
  for (const { i, y } of sorted) {
    const x = LARGE.width - LARGE.right + 8;
    svg.append(drawn("circle", { class: `spot ${toneOf(i)}`, cx: x + 4, cy: y, r: 4 }));
    svg.append(drawn("text", { class: "words", x: x + 14, y: y + 4, "font-size": 12, "data-topic": topics[i].index }, cut(labelOf(topics[i]), 12, LARGE.right - 26)));
  }
}

function streamChart(one, topics) {
  const rows = topics.map((topic) => sharesOver(one, topic));
  const table = d3.range(one.from, one.groups.length).map((g) => rows.map((cells) => cells[g]?.share ?? 0));
  const layers = d3.stack().keys(d3.range(topics.length)).offset(d3.stackOffsetSilhouette)(table);
  const extent = d3.max(layers, (layer) => d3.max(layer, (pair) => pair[1])) || 1;
  const size = { ...LARGE, left: 16, right: 16 };
  const { x } = overScales(one, size, 1);
  const middle = (size.height - size.bottom + size.top) / 2;
  const y = (value) => middle - (value / extent) * (middle - size.top);
  const area = d3.area().x((pair, i) => x(i + one.from)).y0((pair) => y(pair[0])).y1((pair) => y(pair[1])).curve(d3.curveMonotoneX);
  const svg = overSvg(size, `Stream of ${plural(topics.length, "topic")} by ${shown(one.name)}`);
  layers.forEach((layer, i) => svg.append(drawn("path", { class: `layer ${toneOf(i)}`, d: area(layer), "data-topic": topics[i].index })));
  layers.forEach((layer, i) => streamLabel(svg, layer, topics[i], (at) => x(at + one.from), y, size));
  groupTicks(svg, one, size, x);
  return svg;
}

// A name where its layer is thickest, if it fits.
function streamLabel(svg, layer, topic, x, y, size) {
  const text = cut(labelOf(topic), 12.5, 210);
  const half = widthOf(text, 12.5) / 2 + 4;
  const places = d3.range(layer.length).map((i) => {
    const at = Math.min(Math.max(x(i), size.left + half), size.width - size.right - half);
    const under = layer.filter((pair, j) => Math.abs(x(j) - at) <= half + 10);
    return { at, low: d3.max(under, (pair) => pair[0]), high: d3.min(under, (pair) => pair[1]) };
  });
  const { at, low, high } = places[d3.maxIndex(places, (place) => place.high - place.low)];
  if (y(low) - y(high) < 14) return;
  svg.append(drawn("text", { class: "words", x: at, y: (y(low) + y(high)) / 2 + 4, "font-size": 12.5, "text-anchor": "middle" }, text));
}

// A bar for every group, its parts the topics.
function stackedBars(one, topics) {
  const list = element("div", { class: "stacked" });
  const groups = d3.sort(d3.range(one.groups.length).filter((g) => one.n_docs[g]), (g) => -one.n_docs[g]);
  const rows = topics.map((topic) => sharesOver(one, topic));
  const most = d3.max(groups, (g) => d3.sum(rows, (cells) => cells[g].share)) || 1;
  for (const g of groups) {
    const parts = element("span", { class: "parts" });
    rows.forEach((cells, i) => {
      if (!cells[g].count) return;
      const title = `${labelOf(topics[i])}: ${percent(cells[g].share)} of ${shown(one.groups[g])}`;
      parts.append(withStyle(element("a", { class: toneOf(i), href: `#over=${topics[i].id}`, title, tabindex: -1, "aria-label": title }), { width: `${((100 * cells[g].share) / most).toFixed(2)}%` }));
    });
    list.append(element("div", { class: "group-row" }, element("span", { class: "group-name", title: shown(one.groups[g]) }, shown(one.groups[g])), parts, element("span", { class: "value" }, whole(one.n_docs[g]))));
  }
  return list;
}

function overKey(topics) {
  const list = element("ul", { class: "over-key" });
  topics.slice(0, MOST_LINES).forEach((topic, i) => list.append(element("li", {}, element("a", { href: `#over=${topic.id}` }, element("i", { class: `dot ${toneOf(i)}` }), labelOf(topic)))));
  if (topics.length > MOST_LINES) list.append(element("li", { class: "empty" }, `and ${whole(topics.length - MOST_LINES)} smaller ones, in the panels`));
  return list;
}

function showOverTip(one, event, svg) {
  const part = event.target.closest("[data-topic]");
  const tip = byId("tip");
  tip.hidden = !part || event.pointerType === "touch";
  for (const other of svg.querySelectorAll("[data-topic]")) other.classList.toggle("faint", Boolean(part) && other.dataset.topic !== part.dataset.topic);
  if (tip.hidden) return;
  const box = svg.getBoundingClientRect();
  const { width, left, right } = svg.viewBox.baseVal.width === LARGE.width && overState.view === "lines" ? LARGE : { ...LARGE, left: 16, right: 16 };
  const first = one.from ?? 0;
  const at = (((event.clientX - box.left) / box.width) * width - left) / (width - left - right);
  const last = one.groups.length - 1;
  const g = Math.min(Math.max(Math.round(first + at * (last - first)), first), last);
  const topic = grove.topics[part.dataset.topic];
  const cell = sharesOver(one, topic)[g];
  const told = cell ? `${shown(cell.group)}: ${percent(cell.share)}, ${percent(cell.low)} to ${percent(cell.high)}` : `${shown(one.groups[g])}: no documents`;
  tip.replaceChildren(element("strong", {}, labelOf(topic)), element("span", {}, told));
  withStyle(tip, { left: `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`, top: `${event.clientY + 18}px` });
}
