// The words of a topic as bars: the distinctive ones, or the relevant ones with a slider between rare and probable.
function wordSection(topic) {
  const section = element("section", { class: "words-of", id: "words-of" });
  fillWords(section, topic);
  return section;
}

function fillWords(section, topic) {
  const isRelevant = state.by === "relevance";
  const tab = (by, text) => button(text, () => (chooseWords(by), byId(`by-${by}`).focus()), { id: `by-${by}`, "aria-pressed": String(state.by === by) });
  const head = element(
    "div",
    { class: "section-head" },
    element("h3", {}, "Words"),
    element("div", { class: "switch", role: "group", "aria-label": "Words by" }, tab("distinctive", "Distinctive"), tab("relevance", "Relevant"))
  );
  const words = wordsOf(topic, state.by).slice(0, grove.data.n_top_words);
  const shown = words.length ? [barsHead(isRelevant), wordList(topic, words, isRelevant)] : [element("p", { class: "empty" }, "No words of its own.")];
  section.replaceChildren(head, ...(isRelevant ? [relevanceSlider(topic)] : []), ...shown);
}

function barsHead(isRelevant) {
  const apart = isRelevant
    ? element("span", { title: "The share of the word's tokens in the corpus that are in this topic" }, "of its tokens")
    : element("span", { title: "p log(p / q): how much the word sets the topic and those below it apart from the rest of the tree" }, "sets apart");
  return element("div", { class: "bars-head", "aria-hidden": "true" }, element("span"), element("span", {}, "probability"), apart);
}

function wordList(topic, words, isRelevant) {
  const most = { probability: d3.max(words, (w) => w.probability), score: d3.max(words, (w) => w.score) || 1 };
  const list = element("ol", { class: `bars level-${topic.level % 8}` });
  for (const word of words) {
    const told = isRelevant ? `relevance ${d3.format(".3f")(word.relevance)}` : `distinctiveness ${d3.format(".4f")(word.score)}`;
    const title = `${word.text}: probability ${d3.format(".4f")(word.probability)}, ${plural(word.count, "token")}, ${told}`;
    const apart = isRelevant ? word.count / grove.data.word_totals[word.word] : word.score / most.score;
    list.append(
      element(
        "li",
        { title },
        element("a", { href: `#word=${encodeURIComponent(grove.data.words[word.word])}` }, word.text),
        bar(word.probability / most.probability, "bar"),
        element("span", { class: "value" }, percent(word.probability)),
        bar(apart, "bar apart")
      )
    );
  }
  return list;
}

function relevanceSlider(topic) {
  const value = element("output", { for: "lambda" }, state.lambda.toFixed(2));
  const slider = element("input", {
    type: "range",
    id: "lambda",
    min: 0,
    max: 1,
    step: 0.05,
    "aria-label": "Relevance, lambda: from rare elsewhere to probable here",
    oninput: (event) => slide(topic, Number(event.target.value), value),
  });
  slider.value = state.lambda;
  const title = "λ log p + (1 − λ) log(p / q) (Sievert and Shirley 2014), where p is the word's probability here and q its share of all tokens";
  return element("div", { class: "relevance", title }, "rare elsewhere", slider, "probable", value);
}

function slide(topic, lambda, value) {
  state.lambda = lambda;
  value.textContent = lambda.toFixed(2);
  const section = byId("words-of");
  const words = wordsOf(topic, "relevance").slice(0, grove.data.n_top_words);
  section.querySelector(".bars")?.replaceWith(wordList(topic, words, true));
  drawSoon();
}

// The words of the panel and of the drawing are chosen together.
function chooseWords(by) {
  state.by = by;
  byId("by").value = by;
  if (state.selected && byId("words-of")) fillWords(byId("words-of"), state.selected);
  drawOverview();
}
