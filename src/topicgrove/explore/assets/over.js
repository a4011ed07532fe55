// Shares of topics over time or by class: the topics below the selected one.
const OVER_PANELS = 24;
const overState = { at: 0, view: "panels", isSameScale: true, hasAll: false };

const Z = 1.96;

// Shares of a topic by group with Wilson's intervals at 95 %; null for groups without documents.
function sharesOver(one, topic) {
  const n = one.groups.length;
  return one.groups.map((group, g) => {
    const docs = one.n_docs[g];
    if (!docs) return null;
    const k = one.counts[topic.index * n + g];
    const spread = Z * Math.sqrt((k * (docs - k)) / docs + (Z * Z) / 4);
    const end = (sign) => Math.min(Math.max((k + (Z * Z) / 2 + sign * spread) / (docs + Z * Z), 0), 1);
    return { group, g, count: k, docs, share: k / docs, low: end(-1), high: end(1) };
  });
}

function showOver() {
  const page = byId("over-page");
  if (!grove.isComplete) return page.replaceChildren(element("p", { class: "nothing" }, "Reading the shares …"));
  if (!grove.over.length) {
    return page.replaceChildren(element("div", { class: "nothing" }, element("h2", {}, "No dates and classes"), element("p", {}, "Make the page with the field that has them: topicgrove explore MODEL --corpus INPUT --by FIELD.")));
  }
  const one = grove.over[Math.min(overState.at, grove.over.length - 1)];
  const branch = state.selected ?? grove.root;
  const below = branch.children.filter(isShown);
  const topics = below.length ? below : [branch];
  if (!one.is_ordered && overState.view === "lines") overState.view = "panels";
  page.replaceChildren(overHead(one, branch, topics), overBody(one, topics));
}

function overHead(one, branch, topics) {
  const crumbs = element("ol");
  for (const topic of pathTo(branch)) {
    const dot = element("i", { class: `dot level-${topic.level % 8}` });
    const text = topic.parent ? labelOf(topic) : "All";
    crumbs.append(element("li", {}, topic === branch ? element("span", { "aria-current": "true" }, dot, element("span", {}, text)) : element("a", { href: `#over=${topic.id}` }, dot, element("span", {}, text))));
  }
  const views = one.is_ordered ? { panels: "Panels", lines: "Lines", stream: "Stream" } : { panels: "Panels", stream: "Stacked" };
  const view = element("div", { class: "switch", role: "group", "aria-label": "View" });
  for (const [name, text] of Object.entries(views)) {
    view.append(button(text, () => changeOver({ view: name }, `over-${name}`), { id: `over-${name}`, "aria-pressed": String(overState.view === name) }));
  }
  const choice = element("select", { id: "over-by", "aria-label": "By", onchange: (event) => changeOver({ at: Number(event.target.value) }, "over-by") });
  grove.over.forEach((other, i) => choice.append(element("option", { value: i, selected: other === one }, shown(other.name))));
  const scale = overState.view === "panels" ? button("Same scale", () => changeOver({ isSameScale: !overState.isSameScale }, "over-scale"), { id: "over-scale", class: "quiet", "aria-pressed": String(overState.isSameScale) }) : null;
  const saves = { CSV: saveShares, JSON: saveSharesJson, ...(overState.view !== "panels" && one.is_ordered ? { SVG: saveSeenSvg, PNG: saveSeenPng } : {}) };
  const savers = Object.entries(saves).map(([kind, saveIt]) => button(kind, saveIt, { id: `over-save-${kind.toLowerCase()}`, class: "quiet", "aria-label": `Save what is seen as ${kind}` }));
  const title = branch.parent ? labelOf(branch) : "All topics";
  return element(
    "div",
    { class: "over-head" },
    element("nav", { class: "crumbs", "aria-label": "Path" }, crumbs),
    element("div", { class: "over-title" }, element("h2", {}, title), element("div", { class: "over-tools" }, grove.over.length > 1 ? choice : null, view, scale, ...savers)),
    element("p", { class: "lead" }, `Share of ${plural(d3.sum(one.n_docs), "document")} by ${shown(one.name).toLowerCase()}, in ${plural(topics.length, "topic")}. ${overNote(one)}`)
  );
}

function overNote(one) {
  if (overState.view === "panels") return one.is_ordered ? "Bands are 95 % intervals." : "Choose a topic to see those below it.";
  return one.is_ordered && wellKnown(one).isTrimmed ? `The first and last ones with fewer than ${whole(fewIn(one))} documents are left out.` : "Choose a topic to see those below it.";
}

function changeOver(changes, focus) {
  Object.assign(overState, changes);
  showOver();
  byId(focus)?.focus();
}

function overBody(one, topics) {
  const body = element("div", { class: `over-body as-${overState.view}` });
  if (overState.view !== "panels") {
    body.append(overChart(one, topics), overKey(topics));
    return body;
  }
  const few = overState.hasAll ? topics : topics.slice(0, OVER_PANELS);
  const most = overState.isSameScale ? mostOf(one, few) : null;
  body.append(...few.map((topic) => overPanel(one, topic, most)));
  if (few.length < topics.length) body.append(button(`Show all ${whole(topics.length)}`, () => changeOver({ hasAll: true }, "over-panels"), { class: "quiet", id: "over-all" }));
  return body;
}

function overPanel(one, topic, most) {
  return element(
    "a",
    { class: `over-panel level-${topic.level % 8}`, href: `#over=${topic.id}`, title: labelOf(topic) },
    element("span", { class: "over-name" }, element("strong", {}, labelOf(topic)), element("small", {}, whole(topic.docs))),
    one.is_ordered ? smallLine(one, topic, most) : smallBars(one, topic, most)
  );
}

// In the panel of a topic: its own line, and the way to those below it.
function overSection(topic) {
  if (!grove.isComplete && grove.data.over) return element("section", { id: "over-own" });
  if (!grove.over.length) return null;
  const one = grove.over[Math.min(overState.at, grove.over.length - 1)];
  const more = element("a", { class: "more", href: `#over=${topic.id}` }, "Topics below it");
  return element("section", { id: "over-own", class: `over-own level-${topic.level % 8}` }, element("div", { class: "section-head" }, element("h3", {}, `By ${shown(one.name).toLowerCase()}`), more), one.is_ordered ? smallLine(one, topic, null) : smallBars(one, topic, null));
}
