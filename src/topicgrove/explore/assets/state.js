// What is looked at, and the address that says so: #topic=17, #word=moon, #document=name, #compare=3,17, #over=17,
// #training.
const state = {
  view: "icicle",
  size: "docs",
  by: "distinctive",
  lambda: 0.6,
  minDocs: 1,
  hidden: new Set(),
  open: new Set(),
  all: false,
  zoom: null,
  scale: 1,
  top: 0,
  selected: null,
  pinned: null,
  word: null,
  document: null,
  training: false,
  over: false,
};

const isShown = (topic) => topic.parent === null || topic.docs >= state.minDocs;
const isElsewhere = () => state.training || state.over;
const sizeOf = (topic) => (state.size === "docs" ? topic.docs : topic.tokens);

function address() {
  if (state.training) return "training";
  if (state.over) return state.selected ? `over=${state.selected.id}` : "over";
  if (state.word !== null) return `word=${encodeURIComponent(grove.data.words[state.word])}`;
  if (state.document !== null) return `document=${encodeURIComponent(grove.data.documents.name[state.document])}`;
  if (isComparing()) return `compare=${state.pinned.id},${state.selected.id}`;
  return state.selected ? `topic=${state.selected.id}` : "";
}

function readAddress(hash) {
  const [name, value] = hash.replace(/^#/, "").split(/=(.*)/s);
  const wanted = { training: name === "training", over: name === "over", pinned: null, selected: null, word: null, document: null };
  const text = decoded(value ?? "");
  if (name === "topic" || name === "over") wanted.selected = grove.byId.get(Number(text)) ?? null;
  if (name === "word") wanted.word = grove.wordIndex.get(text) ?? null;
  if (name === "document") {
    const row = grove.data.documents.name.indexOf(text);
    wanted.document = row < 0 ? null : row;
  }
  if (name === "compare") [wanted.pinned, wanted.selected] = text.split(",").map((id) => grove.byId.get(Number(id)) ?? null);
  const isFound = wanted.training || wanted.over || wanted.selected || wanted.word !== null || wanted.document !== null;
  if (name && !isFound && (grove.isComplete || name !== "document")) say(`This page has no ${shown(decoded(hash.replace(/^#/, "").replace("=", " ")))}`);
  return wanted;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Look at something: a topic, a word, a document, or the history of training.
function look(wanted) {
  Object.assign(state, { selected: null, pinned: null, word: null, document: null, training: false, over: false }, wanted);
  if (location.hash.slice(1) !== address()) location.hash = address();
  show();
  tellParent();
}

const select = (topic) => look({ selected: topic, pinned: state.pinned });

function followAddress() {
  if (location.hash.slice(1) === address()) return;
  look(readAddress(location.hash));
}

function zoomTo(topic) {
  const from = state.zoom;
  state.zoom = topic;
  resetScale();
  drawOverview(from);
}

// A notebook that has the page in a frame may want to know.
function tellParent() {
  if (window.parent === window) return;
  window.parent.postMessage({ source: "topicgrove", topic: state.selected ? state.selected.id : null }, "*");
}

// Topics that the selection lights up, from 0 to 1; null where nothing is lit.
function lights() {
  if (state.word !== null) {
    const places = placesOf(state.word);
    const most = d3.max(places, (place) => place.probability) ?? 1;
    return new Map(places.map((place) => [place.topic, Math.sqrt(place.probability / most)]));
  }
  if (state.document !== null) {
    const { topic, levels } = documentAt(state.document);
    const most = Math.max(d3.max(levels), 1);
    return new Map(pathTo(topic).map((t) => [t, levels[t.level] / most]));
  }
  return null;
}
