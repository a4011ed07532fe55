// Documents whose words are in several branches: all of them, and words in the colours of their topics.
const N_COLOURED = 7;

const hasSeveralPaths = () => grove.data.documents.spread?.some((flat) => flat !== null) ?? false;

// Topics of a document with their tokens, most tokens first.
function topicsOf(row) {
  const flat = grove.data.documents.spread?.[row] ?? null;
  return flat && d3.range(0, flat.length, 2).map((i) => ({ topic: grove.topics[flat[i]], count: flat[i + 1] }));
}

// Its branches: each topic below the root with the document's topics in it, those with most tokens first.
function branchesOf(found) {
  const branches = d3.groups(found, ({ topic }) => pathTo(topic)[1] ?? topic);
  const sorted = branches.map(([top, topics]) => ({ top, topics: d3.sort(topics, ({ topic }) => topic.order), count: d3.sum(topics, (t) => t.count) }));
  return d3.sort(sorted, (branch) => -branch.count);
}

function severalPathsSections(one) {
  const found = topicsOf(one.row);
  if (!found) return null;
  const total = Math.max(d3.sum(one.levels), 1);
  const colour = new Map(found.slice(0, N_COLOURED).map(({ topic }, i) => [topic, `level-${i + 1}`]));
  const list = element("ul", { class: "relatives several", id: "document-branches" });
  for (const { top, topics, count } of branchesOf(found)) {
    const isAlone = topics.length === 1 && topics[0].topic === top;
    if (!isAlone) list.append(shareOf(top, count / total, colour, "branch"));
    for (const { topic, count: own } of topics) list.append(shareOf(topic, own / total, colour, isAlone ? "branch" : "inside"));
  }
  const text = textByTopic(one, colour);
  return [
    element("section", {}, element("h3", {}, "All its topics", element("small", {}, "with shares of its words")), list),
    text ? element("section", {}, element("h3", {}, "Words by topic"), text) : null,
  ];
}

function shareOf(topic, share, colour, kind) {
  const dot = element("i", { class: `dot ${kind === "branch" && !colour.has(topic) ? "level-0" : colour.get(topic) ?? "level-0"}` });
  return element("li", { class: kind }, topicLink(topic, dot, topic.parent ? labelOf(topic) : "All"), bar(share, "bar"), element("span", { class: "value" }, percent(share)));
}

function textByTopic(one, colour) {
  const topics = grove.data.documents.word_topics?.[one.row];
  if (!topics) return null;
  const text = element("p", { class: one.bag ? "passage bag" : "passage", id: "words-by-topic" });
  const mark = (topic, ...content) => element("span", { class: `mark ${colour.get(topic) ?? "level-0"}`, title: labelOf(topic) }, ...content);
  if (one.bag) {
    topics.forEach((topic, i) => {
      const [word, count] = one.bag.slice(3 * i, 3 * i + 2);
      text.append(mark(grove.topics[topic], grove.words[word], count > 1 ? element("sub", {}, `×${count}`) : null), " ");
    });
    return text;
  }
  if (!one.text) return null;
  one.text[0].forEach((piece, i) => text.append(i % 2 ? mark(grove.topics[topics[(i - 1) / 2]], shown(piece)) : shown(piece)));
  return text;
}

// Rows of the documents with words in a topic, and their words in it.
function rowsWithWordsIn(topic) {
  const spread = grove.data.documents.spread;
  const inside = new Map();
  spread.forEach((flat, row) => {
    for (let i = 0; flat && i < flat.length; i += 2) if (flat[i] === topic.index) inside.set(row, flat[i + 1]);
  });
  return inside;
}
