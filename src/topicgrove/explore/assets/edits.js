// What people change: names, and edits that `topicgrove apply-edits` makes in the model. Kept in the browser's storage.
let edits = [];
let isKept = false;

const storageKey = () => `topicgrove:${grove.data.fingerprint ?? grove.data.title}`;

function keep() {
  if (isLive) return;
  const names = {};
  for (const [id, label] of grove.labels) if (grove.data.labels[id] !== label) names[id] = label;
  for (const id of Object.keys(grove.data.labels)) if (!grove.labels.has(Number(id))) names[id] = null;
  try {
    localStorage.setItem(storageKey(), JSON.stringify({ names, edits }));
    isKept = true;
  } catch {
    isKept = false;
  }
}

function recall() {
  edits = [];
  if (isLive) return;
  try {
    const kept = JSON.parse(localStorage.getItem(storageKey()) ?? "{}");
    for (const [id, label] of Object.entries(kept.names ?? {})) {
      if (typeof label === "string" && label.trim()) grove.labels.set(Number(id), label);
      else grove.labels.delete(Number(id));
    }
    edits = Array.isArray(kept.edits) ? kept.edits.filter(isEdit) : [];
    isKept = true;
  } catch {
    edits = [];
  }
  orderChildren();
}

const isId = (id) => Number.isInteger(id) && id >= 0;
const areIds = (ids) => Array.isArray(ids) && ids.every(isId);
const FORMS = {
  rename: (edit) => isId(edit.topic) && typeof edit.name === "string",
  merge: (edit) => areIds(edit.topics) && isId(edit.into),
  move: (edit) => isId(edit.topic) && isId(edit.parent),
  split: (edit) => isId(edit.topic) && isId(edit.into),
  delete: (edit) => isId(edit.topic),
  reorder: (edit) => isId(edit.parent) && areIds(edit.children),
};
const isEdit = (edit) => edit !== null && typeof edit === "object" && Object.hasOwn(FORMS, edit.do) && FORMS[edit.do](edit);

// A rename replaces an earlier one of the same topic, a new order an earlier one of the same children.
function addEdit(edit) {
  const isSame = (other) => other.do === edit.do && (edit.do === "rename" ? other.topic === edit.topic : edit.do === "reorder" && other.parent === edit.parent);
  const before = edits.find(isSame);
  if (edit.do === "rename" && before) edit.was = before.was;
  edits = [...edits.filter((other) => !isSame(other)), edit];
  editsChanged();
}

function undoEdit() {
  const last = edits.at(-1);
  if (!last) return;
  edits = edits.slice(0, -1);
  if (last.do === "rename") {
    if (last.was) grove.labels.set(last.topic, last.was);
    else grove.labels.delete(last.topic);
  }
  editsChanged();
  say(`Taken back: ${told(last)}`);
}

function editsChanged() {
  keep();
  orderChildren();
  showEdits();
  drawnAs = "";
  show();
}

// Siblings in the order that edits give them.
function orderChildren() {
  for (const topic of grove.topics) {
    const order = edits.findLast((edit) => edit.do === "reorder" && edit.parent === topic.id)?.children;
    topic.childrenAsTrained ??= topic.children;
    const place = new Map((order ?? []).map((id, i) => [id, i]));
    topic.children = order ? d3.sort(topic.childrenAsTrained, (child) => place.get(child.id) ?? Infinity) : topic.childrenAsTrained;
  }
  number(grove.root, 0);
  drawnLayout = null;
  if (grove.isComplete) grove.rowsInOrder = inTreeOrder(grove);
}

// The edit that removes a topic, if any.
const removes = (edit, topic) => (edit.do === "delete" && pathTo(topic).some((t) => t.id === edit.topic)) || (edit.do === "merge" && edit.into !== topic.id && edit.topics.includes(topic.id));
const removedBy = (topic) => edits.find((edit) => removes(edit, topic));
const isAbout = (edit, topic) => edit.topic === topic.id || edit.parent === topic.id || Boolean(edit.topics?.includes(topic.id));

const nameOf = (id) => (grove.byId.has(id) ? labelOf(grove.byId.get(id)) : `topic ${id}`);

function told(edit) {
  const others = () => edit.topics.filter((id) => id !== edit.into).map(nameOf).join("; ");
  if (edit.do === "rename") return `Name topic ${edit.topic} “${shown(edit.name)}”`;
  if (edit.do === "merge") return `Merge “${others()}” into “${nameOf(edit.into)}”`;
  if (edit.do === "move") return `Move “${nameOf(edit.topic)}” below “${nameOf(edit.parent)}”`;
  if (edit.do === "split") return `Split “${nameOf(edit.topic)}” into ${whole(edit.into)}`;
  if (edit.do === "delete") return `Delete “${nameOf(edit.topic)}”`;
  return `Order the topics below “${nameOf(edit.parent)}”`;
}

function saveEdits() {
  const plain = edits.map(({ was, ...edit }) => edit);
  const content = { format: "topicgrove-edits", version: 1, model: grove.data.fingerprint ?? "", edits: plain };
  save(fileName(null, "edits.json"), JSON.stringify(content, null, 1) + "\n", "application/json");
  say(`${plural(plain.length, "edit")} saved; topicgrove apply-edits makes them in the model`);
}

function showEdits() {
  const list = byId("edits");
  list.replaceChildren(...edits.map((edit) => element("li", {}, told(edit))));
  byId("edits-state").textContent = plural(edits.length, "edit");
  byId("save-edits").disabled = byId("undo-edit").disabled = !edits.length;
  byId("menu").classList.toggle("unsaved", edits.length > 0);
}
