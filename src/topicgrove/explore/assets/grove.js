// The tree out of the data: topics know their parents, children, words and documents.
let grove = null;

function makeGrove(data) {
  const columns = data.topics;
  const topics = columns.id.map((id, index) => ({
    index,
    id,
    wordLabel: columns.label[index],
    level: columns.level[index],
    docs: columns.n_docs[index],
    ownTokens: columns.n_tokens[index],
    tokens: columns.n_tokens[index],
    npmi: columns.npmi[index],
    distance: columns.distance[index],
    parent: null,
    children: [],
  }));
  topics.forEach((topic, i) => {
    if (i === 0) return;
    topic.parent = topics[columns.parent[i]];
    topic.parent.children.push(topic);
  });
  for (let i = topics.length - 1; i > 0; i--) topics[i].parent.tokens += topics[i].tokens;
  const made = {
    data,
    topics,
    root: topics[0],
    top: topics[0].level,
    levels: [...new Set(columns.level)],
    byId: new Map(topics.map((topic) => [topic.id, topic])),
    labels: new Map(),
    words: data.words.map(shown),
    wordIndex: new Map(data.words.map((word, i) => [word, i])),
  };
  for (const [id, label] of Object.entries(data.labels)) made.labels.set(Number(id), label);
  number(made.root, 0);
  return made;
}

// Where a topic comes in reading order, so that neighbours on a level can be found.
function number(topic, next) {
  topic.order = next++;
  for (const child of topic.children) next = number(child, next);
  topic.last = next - 1;
  return next;
}

function pathTo(topic) {
  const path = [];
  for (let t = topic; t; t = t.parent) path.unshift(t);
  return path;
}

const isUnder = (topic, above) => pathTo(topic).includes(above);

// Words of a topic: "distinctive", by "relevance", or by "probability", the posterior mean of its own words.
function wordsOf(topic, by) {
  topic.words ??= readWords(topic);
  if (by === "probability") return topic.words.filter((w) => w.count > 0);
  if (by === "relevance") return relevantWords(topic, state.lambda);
  topic.distinctive ??= topic.words.filter((w) => w.score > 0).sort((a, b) => b.score - a.score);
  return topic.distinctive;
}

// Sievert and Shirley's relevance (2014): lambda log p + (1 - lambda) log(p / q), where q is the word's share of all tokens.
function relevantWords(topic, lambda) {
  if (topic.relevant?.lambda === lambda) return topic.relevant.words;
  const log = (w) => Math.log(w.probability) - (1 - lambda) * Math.log(grove.data.word_totals[w.word] / grove.data.n_tokens);
  const words = topic.words.filter((w) => w.count > 0).map((w) => ({ ...w, relevance: log(w) }));
  topic.relevant = { lambda, words: d3.sort(words, (w) => -w.relevance).slice(0, grove.data.n_top_words) };
  return topic.relevant.words;
}

function readWords(topic) {
  const flat = grove.data.topics.words[topic.index];
  const words = [];
  for (let i = 0; i < flat.length; i += 3) {
    const [word, count, score] = flat.slice(i, i + 3);
    words.push({ word, text: grove.words[word], count, score, probability: probability(topic, count) });
  }
  return words;
}

function probability(topic, count) {
  const beta = grove.data.beta[topic.level];
  return (count + beta) / Math.max(topic.ownTokens + grove.data.n_words * beta, 1);
}

// A name that somebody gave, or the words that set the topic apart.
function labelOf(topic) {
  const label = grove.labels.get(topic.id);
  return shown(label ?? topic.wordLabel);
}

function representatives(topic) {
  const flat = grove.data.topics.documents[topic.index];
  return d3.range(0, flat.length, 2).map((i) => ({ row: flat[i], share: flat[i + 1] }));
}

function documentAt(row) {
  const columns = grove.data.documents;
  const name = shown(columns.name[row]);
  return {
    row,
    name,
    title: shown(columns.title[row]) || `Document ${name}`,
    topic: grove.topics[columns.leaf[row]],
    levels: columns.levels[row],
    text: columns.text[row],
    bag: columns.bag[row],
  };
}

// Where a word is: topics with their tokens of it and its probability there.
function placesOf(word) {
  const flat = grove.data.where[word];
  return d3.range(0, flat.length, 2).map((i) => {
    const topic = grove.topics[flat[i]];
    return { topic, count: flat[i + 1], probability: probability(topic, flat[i + 1]) };
  });
}
