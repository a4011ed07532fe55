// One box for words, topics and documents: several words, or beginnings of words.
const MOST = { words: 6, topics: 5, documents: 6 };
const PREFIX = 0.5;
let found = [];
let chosen = -1;

function findAll(query) {
  const text = query.trim().toLowerCase();
  if (!text) return [];
  const terms = termsOf(text);
  const words = findWords(text, terms).map((i) => ({
    kind: "Words",
    text: grove.words[i],
    note: plural(grove.data.word_totals[i], "token"),
    go: () => look({ word: i }),
  }));
  const topics = findTopics(text, terms).map((topic) => ({
    kind: "Topics",
    text: labelOf(topic),
    note: plural(topic.docs, "document"),
    go: () => select(topic),
  }));
  const documents = findDocuments(text, terms).map((i) => ({
    kind: "Documents",
    text: documentAt(i).title,
    note: documentAt(i).name,
    go: () => look({ document: i }),
  }));
  const isWord = words.length && words[0].text.toLowerCase() === text;
  return terms.length < 2 || isWord ? [...words, ...topics, ...documents] : [...topics, ...words, ...documents];
}

const termsOf = (text) => text.split(/\s+/).map((term) => term.replace(/^[,;.]+|[,;.]+$/g, "")).filter(Boolean);

function findWords(text, terms) {
  const whole = best(grove.words.length, (i) => lowerWords()[i], text, MOST.words);
  const each = terms.length > 1 ? terms.flatMap((term) => d3.sort(matches(term), ([, weight]) => -weight).slice(0, 2).map(([i]) => i)) : [];
  return [...new Set([...whole, ...each])].slice(0, MOST.words);
}

function lowerWords() {
  grove.lowerWords ??= grove.words.map((word) => word.toLowerCase());
  return grove.lowerWords;
}

// Topics with more of the terms come first, then those that the terms tell most about; names count as well.
function findTopics(text, terms) {
  const scores = new Map();
  const add = (topic, term, score) => {
    if (!scores.has(topic)) scores.set(topic, new Map());
    const known = scores.get(topic);
    known.set(term, Math.max(known.get(term) ?? 0, score));
  };
  for (const term of terms) {
    for (const [word, weight] of matches(term)) {
      for (const place of placesOf(word)) add(place.topic, term, weight * tells(place, word));
    }
    for (const topic of grove.topics) {
      const label = ` ${labelOf(topic).toLowerCase()}`;
      if (label.includes(` ${term}`)) add(topic, term, grove.labels.has(topic.id) ? 1 : 0.2);
      if (label === ` ${text}`) add(topic, text, 5);
    }
  }
  const rank = (known) => known.size * 100 + d3.sum(known.values());
  return d3.sort(scores, ([, known]) => -rank(known)).slice(0, MOST.topics).map(([topic]) => topic);
}

// Words that are a term or begin with it; in a phrase, any word may match.
function matches(term) {
  const found = [];
  lowerWords().forEach((word, i) => {
    const at = ` ${word}`.indexOf(` ${term}`);
    if (at >= 0) found.push([i, ` ${word} `.includes(` ${term} `) ? 1 : PREFIX]);
  });
  return term.length > 1 ? found : found.filter(([, weight]) => weight === 1);
}

const tells = ({ count, probability: p }, word) => {
  const share = grove.data.word_totals[word] / Math.max(grove.data.n_tokens, 1);
  return count ? Math.max(p * Math.log(p / Math.max(share, 1e-12)), 0) : 0;
};

// Documents whose title or name has the text, or all of the terms.
function findDocuments(text, terms) {
  const names = lowerDocuments();
  const begins = (name, term) => {
    for (let at = name.indexOf(term); at >= 0; at = name.indexOf(term, at + 1)) if (at === 0 || !/[\p{L}\p{N}]/u.test(name[at - 1])) return true;
    return false;
  };
  const rows = best(names.length, (i) => names[i], text, MOST.documents);
  if (terms.length < 2) return rows;
  const found = new Set(rows);
  for (let i = 0; i < names.length && found.size < MOST.documents; i++) {
    if (terms.every((term) => begins(names[i], term))) found.add(i);
  }
  return [...found];
}

function lowerDocuments() {
  const { title, name } = grove.data.documents;
  if (grove.lowerDocuments?.length !== name.length) grove.lowerDocuments = name.map((one, i) => shown(`${title[i]} ${one}`).toLowerCase());
  return grove.lowerDocuments;
}

// Numbers of entries that have the text: those that are it, then those that begin with it, then the others.
function best(n, nameOf, text, most) {
  const ranks = [[], [], [], []];
  for (let i = 0; i < n; i++) {
    const name = nameOf(i);
    const at = name.indexOf(text);
    if (at < 0) continue;
    const rank = name === text ? 0 : at === 0 ? 1 : /\s/.test(name[at - 1]) ? 2 : 3;
    if (ranks[rank].length < most) ranks[rank].push(i);
  }
  return ranks.flat().slice(0, most);
}
