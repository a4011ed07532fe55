// What the panel says of a word, of a document, and of nothing in particular.
function wordPanel(word) {
  const total = grove.data.word_totals[word];
  const places = placesOf(word);
  const list = element("ul", { class: "relatives places" });
  for (const { topic, count, probability: p } of places) {
    list.append(
      element(
        "li",
        { class: `level-${topic.level % 8}`, title: `${plural(count, "token")}; probability ${d3.format(".4f")(p)} in the topic` },
        topicLink(topic, element("i", { class: `dot level-${topic.level % 8}` }), labelOf(topic)),
        bar(count / total, "bar"),
        element("span", { class: "value" }, percent(count / total))
      )
    );
  }
  const told = d3.sum(places, (place) => place.count);
  return [
    element("p", { class: "kind" }, "Word"),
    element("div", { class: "heading" }, element("h2", {}, grove.words[word])),
    element("p", { class: "lead" }, `${plural(total, "token")}. The map shows where it lives: the stronger the colour, the more probable the word.`),
    element("section", {}, element("h3", {}, "Where its tokens are", element("small", {}, plural(places.length, "topic"))), list),
    told < total ? element("p", { class: "empty" }, `The other ${percent(1 - told / total)} are spread over further topics.`) : null,
  ];
}

function documentPanel(row) {
  const one = documentAt(row);
  const total = Math.max(d3.sum(one.levels), 1);
  const path = pathTo(one.topic);
  const stack = element("div", { class: "stack", role: "img", "aria-label": one.levels.map((n, l) => `level ${l}: ${percent(n / total)}`).join(", ") });
  one.levels.forEach((n, level) => {
    if (n) stack.append(withStyle(element("i", { class: `level-${level % 8}`, title: `Level ${level}: ${percent(n / total)}` }), { "flex-grow": n }));
  });
  const list = element("ol", { class: "relatives" });
  for (const topic of path) {
    const share = one.levels[topic.level] / total;
    list.append(
      element(
        "li",
        { class: `level-${topic.level % 8}` },
        topicLink(topic, element("i", { class: `dot level-${topic.level % 8}` }), topic.parent ? labelOf(topic) : "All"),
        bar(share, "bar"),
        element("span", { class: "value" }, percent(share))
      )
    );
  }
  const text = documentText(one);
  return [
    element("p", { class: "kind" }, "Document"),
    element("div", { class: "heading" }, element("h2", {}, one.title), element("div", { class: "actions" }, element("span", { class: "id" }, one.name))),
    element("p", { class: "lead" }, plural(d3.sum(one.levels), "token")),
    ...(severalPathsSections(one) ?? [
      element("section", {}, element("h3", {}, "Path and proportions"), stack, list),
      text ? element("section", {}, element("h3", {}, "Words by level"), levelKey(), text) : null,
    ]),
    othersIn(one),
  ];
}

function othersIn(one) {
  const others = representatives(one.topic).filter(({ row }) => row !== one.row);
  if (!others.length) return null;
  const section = element("section", {}, element("h3", {}, "Typical of its topic"));
  for (const { row, share } of others) section.append(documentCard(documentAt(row), share));
  return section;
}

function welcomePanel() {
  const root = grove.root;
  const perLevel = d3.rollup(grove.topics, (topics) => topics.length, (topic) => topic.level);
  const levels = element("ul", { class: "per-level" });
  for (const [level, n] of perLevel) {
    levels.append(element("li", {}, element("i", { class: `dot level-${level % 8}` }), `Level ${level}`, element("span", { class: "value" }, plural(n, "topic"))));
  }
  const key = (name, text) => element("li", {}, element("kbd", {}, name), text);
  return [
    element("p", { class: "kind" }, "Overview"),
    element("div", { class: "heading" }, element("h2", {}, "A tree of ", plural(grove.topics.length, "topic"))),
    element("p", { class: "lead" }, `Learned from ${plural(grove.data.n_docs, "document")}. General words gather at the root, special ones further down. Choose a topic to read it.`),
    element("section", {}, levels),
    relatives("Largest topics", root.children, root.docs),
    element(
      "section",
      { class: "keys" },
      element("h3", {}, "Keys"),
      element("ul", {}, key("← → ↑ ↓", "walk through the tree"), key("Enter", "zoom in, or open and close a branch"), key("+ −", "magnify the map"), key("/", "search"), key("Esc", "back"))
    ),
  ];
}

function showPanel() {
  const panel = byId("panel");
  let content = welcomePanel;
  if (state.word !== null) content = () => wordPanel(state.word);
  else if (state.document !== null) content = () => documentPanel(state.document);
  else if (isComparing()) content = () => comparePanel(state.pinned, state.selected);
  else if (state.selected) content = () => topicPanel(state.selected);
  panel.replaceChildren(...content().filter(Boolean));
}
