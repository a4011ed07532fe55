// Buttons in a topic's panel that add edits.
const MOST_CHOICES = 500;
const MOST_PARTS = 9;
let isEditing = false;

function editSection(topic) {
  if (isLive || !topic.parent) return null;
  const gone = removedBy(topic);
  const pending = edits.filter((edit) => isAbout(edit, topic) || edit === gone);
  const notes = pending.length ? element("ul", { class: "pending", "aria-label": "Edits of this topic" }, ...pending.map((edit) => element("li", {}, told(edit)))) : null;
  const body = gone || !isEditing ? [] : [mergeForm(topic), moveForm(topic), splitForm(topic), orderForm(topic)];
  if (!notes && !body.length) return null;
  return element("section", { class: "editing" }, notes, ...body);
}

function editButton(topic) {
  if (isLive || !topic.parent || removedBy(topic)) return null;
  const toggle = () => {
    isEditing = !isEditing;
    showPanel();
    byId("edit").focus();
  };
  return button("Edit", toggle, { id: "edit", class: "quiet", "aria-expanded": String(isEditing) });
}

// A form of one line: what it does, a choice, and a button.
function editForm(id, text, field, name, submit) {
  return element(
    "form",
    { class: "edit-form", id, onsubmit: (event) => (event.preventDefault(), submit()) },
    element("label", {}, element("span", {}, text), field),
    element("button", { class: "small-button" }, name)
  );
}

function choiceOf(topics) {
  const select = element("select", {});
  for (const topic of topics.slice(0, MOST_CHOICES)) select.append(element("option", { value: topic.id }, cut(labelOf(topic), 13, 330)));
  return select;
}

function mergeForm(topic) {
  const free = (other) => other !== topic && !removedBy(other);
  const beside = topic.parent.children.filter(free);
  const elsewhere = grove.topics.filter((other) => other.level === topic.level && other.parent !== topic.parent && free(other));
  const others = [...beside, ...elsewhere];
  if (!others.length) return null;
  const choice = choiceOf(others);
  return editForm("merge", "Merge into this topic", choice, "Merge", () => addEdit({ do: "merge", topics: [topic.id, Number(choice.value)], into: topic.id }));
}

function moveForm(topic) {
  const parents = grove.topics.filter((other) => other.level === topic.level - 1 && other !== topic.parent && !removedBy(other));
  if (!parents.length) return null;
  const choice = choiceOf(parents);
  return editForm("move", "Move below", choice, "Move", () => addEdit({ do: "move", topic: topic.id, parent: Number(choice.value) }));
}

function splitForm(topic) {
  const parts = element("input", { type: "number", min: 2, max: MOST_PARTS, value: 2, required: true });
  return editForm("split", "Split into", parts, "Split", () => addEdit({ do: "split", topic: topic.id, into: Number(parts.value) }));
}

function orderForm(topic) {
  const siblings = topic.parent.children;
  const at = siblings.indexOf(topic);
  const shift = (by, id) => () => {
    const ids = siblings.map((other) => other.id);
    [ids[at], ids[at + by]] = [ids[at + by], ids[at]];
    addEdit({ do: "reorder", parent: topic.parent.id, children: ids });
    byId(id)?.focus();
  };
  return element(
    "div",
    { class: "edit-form" },
    button("Earlier", shift(-1, "earlier"), { id: "earlier", class: "small-button", disabled: at === 0 }),
    button("Later", shift(1, "later"), { id: "later", class: "small-button", disabled: at === siblings.length - 1 }),
    button("Delete", () => addEdit({ do: "delete", topic: topic.id }), { id: "delete", class: "small-button" })
  );
}
