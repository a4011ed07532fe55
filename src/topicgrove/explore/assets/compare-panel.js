// Two topics side by side: a topic is pinned, and whatever is selected next is beside it.
const COMPARED_WORDS = { chosen: 10, probable: 6 };

function pin(topic) {
  look({ selected: topic, pinned: topic });
  say("Choose another topic to see it beside this one");
}

const isComparing = () => state.pinned !== null && state.selected !== null && state.pinned !== state.selected;

function comparePanel(left, right) {
  const both = [left, right];
  return [
    element("p", { class: "kind" }, "Side by side"),
    element(
      "div",
      { class: "beside-head" },
      ...both.map((topic) => element("div", { class: `level-${topic.level % 8}` }, element("h2", { class: "beside-name" }, topicLinkAlone(topic)), element("span", { class: "id" }, `Topic ${topic.id}`)))
    ),
    element("div", { class: "actions" }, button("Swap", () => look({ selected: left, pinned: right }), { id: "swap", class: "quiet" }), button("Stop comparing", () => look({ selected: right, pinned: null }), { id: "unpin", class: "quiet" })),
    factTable(left, right),
    comparedWords(left, right),
    ...both.map((topic) => typicalOf(topic)),
    ...both.map((topic) => overOf(topic)),
  ];
}

const topicLinkAlone = (topic) => button(labelOf(topic), () => look({ selected: topic, pinned: null }), { class: "plain" });

function factTable(left, right) {
  const common = pathTo(left).findLast((topic) => isUnder(right, topic));
  const rows = [
    ["Documents", (t) => `${whole(t.docs)} (${percent(t.docs / grove.data.n_docs)})`],
    ["Tokens", (t) => whole(t.ownTokens)],
    ["Topics below", (t) => whole(t.children.length)],
    ["Distance from all", (t) => d3.format(".2f")(t.distance)],
  ];
  if (left.npmi !== null && right.npmi !== null) rows.push(["Coherence", (t) => d3.format(".2f")(t.npmi)]);
  const body = rows.map(([name, value]) => element("tr", {}, element("td", {}, value(left)), element("th", { scope: "row" }, name), element("td", {}, value(right))));
  const note = common.parent ? `Both are below “${labelOf(common)}”.` : "They meet at the root.";
  return element("section", {}, element("table", { class: "beside-facts" }, element("tbody", {}, ...body)), element("p", { class: "lead" }, note));
}

// A word's probability in a topic, as far as the page knows it.
function probabilityIn(topic, word) {
  const listed = wordsOf(topic, "probability").find((w) => w.word === word);
  return listed?.probability ?? placesOf(word).find((place) => place.topic === topic)?.probability ?? 0;
}

const comparedOf = (topic) => [...wordsOf(topic, state.by).slice(0, COMPARED_WORDS.chosen), ...d3.sort(wordsOf(topic, "probability"), (w) => -w.count).slice(0, COMPARED_WORDS.probable)];

// Words from the most typical of one topic to the most typical of the other, with mirrored bars.
function comparedWords(left, right) {
  const words = new Set([left, right].flatMap((topic) => comparedOf(topic).map((w) => w.word)));
  const rows = [...words].map((word) => ({ word, a: probabilityIn(left, word), b: probabilityIn(right, word) }));
  const most = Math.max(d3.max(rows, (row) => Math.max(row.a, row.b)) ?? 1, 1e-9);
  const shared = rows.filter((row) => row.a > 0 && row.b > 0).length;
  const list = element("ol", { class: "mirror" });
  for (const { word, a, b } of d3.sort(rows, (row) => Math.log((row.b + 1e-5) / (row.a + 1e-5)))) {
    list.append(
      element(
        "li",
        { title: `${grove.words[word]}: ${percent(a)} and ${percent(b)}` },
        element("span", { class: `bar left level-${left.level % 8}`, "aria-hidden": "true" }, withStyle(element("i"), { width: `${((100 * a) / most).toFixed(1)}%` })),
        element("a", { href: `#word=${encodeURIComponent(grove.data.words[word])}` }, grove.words[word]),
        element("span", { class: `bar level-${right.level % 8}`, "aria-hidden": "true" }, withStyle(element("i"), { width: `${((100 * b) / most).toFixed(1)}%` })),
        element("span", { class: "unseen" }, `${percent(a)} and ${percent(b)}`)
      )
    );
  }
  return element("section", {}, element("h3", {}, "Words", element("small", {}, `${whole(shared)} of ${whole(rows.length)} in both`)), list);
}

function typicalOf(topic) {
  const found = representatives(topic).slice(0, 3);
  if (!found.length) return null;
  const list = element("ol", { class: "titles" }, ...found.map(({ row, share }) => titleRow(documentAt(row), share)));
  return element("section", {}, element("h3", {}, `Typical of ${labelOf(topic)}`), list);
}

function overOf(topic) {
  if (!grove.isComplete || !grove.over.length) return null;
  const one = grove.over[Math.min(overState.at, grove.over.length - 1)];
  if (!one.is_ordered) return null;
  const most = mostOf(one, [state.pinned, state.selected]);
  return element("section", { class: `over-own level-${topic.level % 8}` }, element("h3", {}, labelOf(topic), element("small", {}, `by ${shown(one.name).toLowerCase()}`)), smallLine(one, topic, most));
}
