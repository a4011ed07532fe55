// All documents: those in the table, and those in a packed block, which is unpacked after the first paint.
const DOCUMENTS_A_PAGE = 20;
const ORDERS = { share: "share of their words here", title: "title", length: "length" };

async function unpack(text) {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < characters.length; i++) bytes[i] = characters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

// Until it is done, only documents of the table are listed and found.
async function completeDocuments(made) {
  const block = made.data.more_documents;
  if (block) {
    const more = await unpack(block);
    const n = more.name.length;
    const width = more.levels.length / n;
    more.levels = d3.range(n).map((i) => more.levels.slice(i * width, (i + 1) * width));
    const columns = made.data.documents;
    for (const name of Object.keys(columns)) columns[name] = columns[name].concat(more[name] ?? Array(n).fill(null));
  }
  if (made.data.over) made.over = await unpack(made.data.over);
  made.rowsInOrder = inTreeOrder(made);
  made.isComplete = true;
}

// Rows of documents by the places of their topics in reading order: those below a topic follow each other.
function inTreeOrder(made) {
  const leaves = made.data.documents.leaf;
  const starts = new Uint32Array(made.topics.length + 1);
  for (const leaf of leaves) starts[made.topics[leaf].order + 1] += 1;
  for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
  const at = starts.slice();
  const rows = new Uint32Array(leaves.length);
  leaves.forEach((leaf, row) => (rows[at[made.topics[leaf].order]++] = row));
  return { rows, starts };
}

const rowsBelow = (topic) => grove.rowsInOrder.rows.subarray(grove.rowsInOrder.starts[topic.order], grove.rowsInOrder.starts[topic.last + 1]);

const rowsOf = (topic) => (hasSeveralPaths() ? Uint32Array.from(rowsWithWordsIn(topic).keys()) : rowsBelow(topic));

// Shares of documents' words in a topic, as if each document had one more of average length and share.
function sharesIn(topic, rows) {
  const columns = grove.data.documents;
  const own = hasSeveralPaths() ? rowsWithWordsIn(topic) : null;
  const n = rows.length;
  const inside = new Float64Array(n);
  const lengths = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const levels = columns.levels[rows[i]];
    inside[i] = own ? own.get(rows[i]) : levels[topic.level] ?? 0;
    for (const tokens of levels) lengths[i] += tokens;
  }
  const mean = d3.mean(lengths) || 1;
  const share = d3.sum(inside) / (d3.sum(lengths) || 1);
  for (let i = 0; i < n; i++) inside[i] = (inside[i] + mean * share) / (lengths[i] + mean);
  return { lengths, shares: inside };
}

// Places of all documents in the order of titles, in which the packed ones come already.
function titleRanks() {
  if (grove.titleRanks) return grove.titleRanks;
  const { title, name } = grove.data.documents;
  const keys = title.map((text, row) => (text || name[row]).toLowerCase());
  const sorted = d3.range(keys.length).sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b));
  grove.titleRanks = new Uint32Array(sorted.length);
  sorted.forEach((row, rank) => (grove.titleRanks[row] = rank));
  return grove.titleRanks;
}

// A topic's documents in an order: rows, their shares, and what they are ordered by. Only pages that are looked at are
// sorted, as there may be many documents.
const listed = { topic: null, order: "share", start: 0 };

function listDocuments(topic, order) {
  if (listed.topic === topic && listed.order === order && listed.grove === grove) return;
  const rows = rowsOf(topic);
  const { lengths, shares } = sharesIn(topic, rows);
  const keys = new Float64Array(rows.length);
  const ranks = order === "title" ? titleRanks() : null;
  for (let i = 0; i < keys.length; i++) keys[i] = ranks ? ranks[rows[i]] : order === "share" ? -shares[i] : -lengths[i];
  const index = new Uint32Array(rows.length);
  for (let i = 0; i < index.length; i++) index[i] = i;
  const compare = (a, b) => keys[a] - keys[b] || rows[a] - rows[b];
  Object.assign(listed, { topic, order, grove, start: 0, rows, shares, index, compare });
}

// The documents from one place of the order to another: [row, share].
function listedFrom(start, end) {
  const { index, compare, rows, shares } = listed;
  if (start > 0) d3.quickselect(index, start, 0, index.length - 1, compare);
  if (end < index.length) d3.quickselect(index, end, start, index.length - 1, compare);
  return Array.from(index.subarray(start, end).sort(compare), (i) => [rows[i], shares[i]]);
}

function allDocuments(topic) {
  if (!grove.data.documents.name.length) return null;
  const section = element("section", { class: "all-documents", id: "all-documents" });
  if (grove.isComplete) fillDocuments(section, topic, listed.order);
  else section.append(element("p", { class: "empty" }, "Reading the list of documents …"));
  return section;
}

function fillDocuments(section, topic, order) {
  listDocuments(topic, order);
  const total = listed.rows.length;
  const choice = element("select", { id: "documents-order", onchange: (event) => turn(topic, event.target.value, 0, "documents-order") });
  for (const [name, text] of Object.entries(ORDERS)) choice.append(element("option", { value: name, selected: name === order }, text));
  const list = element("ol", { class: "titles", id: "titles" });
  const end = Math.min(listed.start + DOCUMENTS_A_PAGE, total);
  for (const [row, share] of listedFrom(listed.start, end)) list.append(titleRow(documentAt(row), share));
  const missing = total < topic.docs && !hasSeveralPaths() ? `the page lists ${whole(total)} of ${whole(topic.docs)}` : whole(total);
  section.replaceChildren(
    element("div", { class: "section-head" }, element("h3", {}, "All documents", element("small", {}, missing)), element("label", { class: "order" }, "By ", choice)),
    list,
    element("div", { class: "list-end" }, total > DOCUMENTS_A_PAGE ? pager(topic, total) : "", button("CSV", () => saveDocuments(topic), { id: "save-documents", class: "quiet", "aria-label": "Save the list of documents as CSV" }))
  );
}

function titleRow(one, share) {
  const link = element("a", { href: `#document=${encodeURIComponent(grove.data.documents.name[one.row])}`, title: one.title }, one.title);
  return element("li", {}, link, element("span", { class: "value", title: plural(d3.sum(one.levels), "token") }, percent(share)));
}

function pager(topic, total) {
  const last = Math.floor((total - 1) / DOCUMENTS_A_PAGE) * DOCUMENTS_A_PAGE;
  const to = (start, text, id, name) => button(text, () => turn(topic, listed.order, start, id), { id, class: "quiet", "aria-label": name, disabled: start < 0 || start > last });
  const range = `${whole(listed.start + 1)} to ${whole(Math.min(listed.start + DOCUMENTS_A_PAGE, total))} of ${whole(total)}`;
  return element(
    "nav",
    { class: "pager", "aria-label": "Pages of documents" },
    to(listed.start - DOCUMENTS_A_PAGE, "‹", "documents-back", "Previous documents"),
    element("span", { role: "status" }, range),
    to(listed.start + DOCUMENTS_A_PAGE, "›", "documents-on", "Next documents"),
    to(last, "»", "documents-last", "Last documents")
  );
}

function turn(topic, order, start, focus) {
  listDocuments(topic, order);
  listed.start = start;
  fillDocuments(byId("all-documents"), topic, order);
  byId(focus)?.focus();
}
