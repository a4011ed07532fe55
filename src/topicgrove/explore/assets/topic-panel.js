// What is to be known about a topic: words, relatives, documents, figures.
const FEW_RELATIVES = 8;

function topicPanel(topic) {
  return [
    breadcrumbs(topic),
    heading(topic),
    editSection(topic),
    facts(topic),
    wordSection(topic),
    relatives("Below it", topic.children, topic.docs),
    relatives("Beside it", topic.parent ? topic.parent.children.filter((t) => t !== topic) : [], topic.parent?.docs),
    documentSection(topic),
    allDocuments(topic),
    overSection(topic),
    downloadSection(topic),
  ];
}

function breadcrumbs(topic) {
  const path = pathTo(topic);
  const list = element("ol");
  for (const one of path) {
    const dot = element("i", { class: `dot level-${one.level % 8}` });
    const here = one === topic;
    const text = one.parent ? labelOf(one) : grove.labels.has(one.id) ? labelOf(one) : "All";
    list.append(
      element("li", {}, here ? element("span", { "aria-current": "true" }, dot, `Level ${one.level}`) : topicLink(one, dot, element("span", {}, text)))
    );
  }
  return element("nav", { class: "crumbs", "aria-label": "Path" }, list);
}

function topicLink(topic, ...content) {
  return element("a", { href: `#topic=${topic.id}`, title: labelOf(topic) }, ...content);
}

function heading(topic) {
  const given = grove.labels.has(topic.id);
  const title = element("h2", { class: given ? "" : "unnamed" }, labelOf(topic));
  // While training goes on, ids change from sweep to sweep, and names would move to other topics.
  const rename = isLive ? null : button("Rename", () => startRenaming(topic), { id: "rename", class: "quiet" });
  const zoom = topic.children.length && state.view !== "branches" && state.zoom !== topic;
  return element(
    "div",
    { class: "heading", id: "heading" },
    title,
    element(
      "div",
      { class: "actions" },
      element("span", { class: "id" }, `Topic ${topic.id}`),
      rename,
      editButton(topic),
      button(state.pinned === topic ? "Comparing …" : "Compare", () => pin(topic), { id: "compare", class: "quiet", "aria-pressed": String(state.pinned === topic) }),
      zoom ? button("Zoom in", () => zoomTo(topic), { class: "quiet" }) : null
    )
  );
}

function startRenaming(topic) {
  const old = grove.labels.get(topic.id) ?? "";
  const input = element("input", { id: "new-label", "aria-label": "Name of the topic", maxlength: 120, placeholder: shown(topic.wordLabel) });
  input.value = old;
  const finish = (keep) => {
    const label = input.value.trim();
    if (keep && label !== old) setLabel(topic, label);
    else showPanel();
    byId("rename")?.focus();
  };
  const form = element(
    "form",
    { class: "rename", onsubmit: (event) => (event.preventDefault(), finish(true)) },
    input,
    element("button", { class: "primary" }, "Keep"),
    button("Cancel", () => finish(false), { class: "quiet" })
  );
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    finish(false);
  });
  byId("heading").replaceChildren(form);
  input.focus();
  input.select();
}

function facts(topic) {
  const list = element("dl", { class: "facts" });
  const add = (name, value, note, title) =>
    list.append(element("div", { title }, element("dt", {}, name), element("dd", {}, value, note ? element("small", {}, note) : null)));
  add("Documents", whole(topic.docs), percent(topic.docs / grove.data.n_docs));
  add("Tokens", whole(topic.ownTokens), percent(topic.ownTokens / Math.max(grove.data.n_tokens, 1)), "Tokens assigned to this topic itself");
  if (topic.npmi !== null) {
    add("Coherence", d3.format(".2f")(topic.npmi), "NPMI", "How much more often its top words share a document than by chance: -1 to 1");
  }
  if (wordsOf(topic, "probability").length) {
    add("Distance", d3.format(".2f")(topic.distance), "nats", "How far its words are from those of all topics");
  }
  return list;
}

function bar(share, name) {
  const fill = withStyle(element("i"), { width: `${Math.max(share * 100, share > 0 ? 1.5 : 0).toFixed(1)}%` });
  return element("span", { class: name, "aria-hidden": "true" }, fill);
}

function relatives(title, topics, docs) {
  if (!topics.length) return null;
  const list = element("ul", { class: "relatives" });
  const fill = (some) => list.replaceChildren(...some.map((topic) => relative(topic, docs)));
  fill(topics.slice(0, FEW_RELATIVES));
  const section = element("section", {}, element("h3", {}, title, element("small", {}, plural(topics.length, "topic"))), list);
  if (topics.length > FEW_RELATIVES) {
    const more = button(`Show all ${whole(topics.length)}`, () => (fill(topics), more.remove()), { class: "quiet more" });
    section.append(more);
  }
  return section;
}

function relative(topic, docs) {
  const share = topic.docs / Math.max(docs, 1);
  return element(
    "li",
    { class: `level-${topic.level % 8}` },
    topicLink(topic, labelOf(topic)),
    bar(share, "bar"),
    element("span", { class: "value" }, whole(topic.docs))
  );
}

function documentSection(topic) {
  const found = representatives(topic);
  if (!found.length) return null;
  const section = element("section", {}, element("h3", {}, "Typical documents", element("small", {}, "with most of their words here")));
  if (found.some(({ row }) => grove.data.documents.text[row] || grove.data.documents.bag[row])) section.append(levelKey());
  for (const { row, share } of found) section.append(documentCard(documentAt(row), share));
  return section;
}

function levelKey() {
  const key = element("p", { class: "key" }, "Words by level");
  for (const level of d3.range(grove.data.n_levels)) {
    key.append(element("span", { class: `mark level-${level % 8}` }, String(level)));
  }
  return key;
}

function documentCard(one, share) {
  const link = element("a", { href: `#document=${encodeURIComponent(grove.data.documents.name[one.row])}` }, one.title);
  return element("article", { class: "document" }, element("h4", {}, link, element("span", { class: "value" }, percent(share))), documentText(one));
}

function documentText(one) {
  if (one.bag) return bagText(one);
  if (!one.text) return null;
  const [pieces, levels] = one.text;
  if (pieces.join("") === one.title && !levels) return null;
  const text = element("p", { class: "passage" });
  pieces.forEach((piece, i) => {
    const level = parseInt(levels[(i - 1) / 2], 36);
    text.append(i % 2 ? element("span", { class: `mark level-${level % 8}` }, shown(piece)) : shown(piece));
  });
  return text;
}

function bagText(one) {
  const text = element("p", { class: "passage bag" });
  for (let i = 0; i < one.bag.length; i += 3) {
    const [word, count, level] = one.bag.slice(i, i + 3);
    const times = count > 1 ? element("sub", {}, `×${count}`) : null;
    text.append(element("span", { class: `mark level-${level % 8}` }, grove.words[word], times), " ");
  }
  return text;
}

function downloadSection(topic) {
  const kinds = { JSON: saveJson, CSV: saveCsv, SVG: saveSvg, PNG: savePng };
  const row = element("div", { class: "downloads" });
  for (const [kind, save] of Object.entries(kinds)) {
    row.append(button(kind, () => save(topic), { id: `save-${kind.toLowerCase()}`, "aria-label": `Save this part of the tree as ${kind}` }));
  }
  return element("section", { class: "export" }, element("h3", {}, "Save this part of the tree"), row);
}
