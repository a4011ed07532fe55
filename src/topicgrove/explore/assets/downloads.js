// Names as JSON for Python, and parts of the tree as JSON, CSV, SVG and PNG.
let unsaved = false;

function save(name, content, type) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

const fileName = (topic, suffix) => `${(grove.data.title || "tree").replace(/[^\p{L}\p{N}._-]+/gu, "-")}${topic?.parent ? `-topic-${topic.id}` : ""}.${suffix}`;

function setLabel(topic, label) {
  const was = grove.labels.get(topic.id) ?? null;
  if (label) grove.labels.set(topic.id, label);
  else grove.labels.delete(topic.id);
  unsaved = true;
  labelsChanged();
  if (label) addEdit({ do: "rename", topic: topic.id, name: label, was });
  else dropRename(topic);
}

function dropRename(topic) {
  edits = edits.filter((edit) => edit.do !== "rename" || edit.topic !== topic.id);
  editsChanged();
}

function labelsChanged() {
  byId("labels-state").textContent = unsaved ? "not saved yet" : plural(grove.labels.size, "name");
  keep();
  show();
}

function saveLabels() {
  const labels = Object.fromEntries([...grove.labels].sort(([a], [b]) => a - b));
  save(fileName(null, "names.json"), JSON.stringify(labels, null, 1) + "\n", "application/json");
  unsaved = false;
  labelsChanged();
  say(`${plural(grove.labels.size, "name")} saved`);
}

async function loadLabels(file) {
  try {
    const read = readLabels(JSON.parse(await file.text()));
    for (const [id, label] of read) {
      const topic = grove.byId.get(id);
      if (topic && grove.labels.get(id) !== label) setLabel(topic, label);
      else grove.labels.set(id, label);
    }
    labelsChanged();
    say(`${plural(read.length, "name")} loaded`);
  } catch (error) {
    say(`${file.name}: ${error.message}`);
  }
}

function readLabels(labels) {
  if (labels === null || typeof labels !== "object" || Array.isArray(labels)) throw new Error("names must be an object from topic ids to texts");
  return Object.entries(labels).map(([id, label]) => {
    if (!/^\d+$/.test(id)) throw new Error(`there is a name for ${id}, which is no topic`);
    if (typeof label !== "string" || !label.trim()) throw new Error(`the name of topic ${id} must be a text that is not blank`);
    return [Number(id), label];
  });
}

// label is the old name of name.
function nested(topic) {
  const name = grove.labels.get(topic.id) ?? topic.wordLabel;
  return {
    id: topic.id,
    parent: topic.parent ? topic.parent.id : null,
    level: topic.level,
    name,
    n_docs: topic.docs,
    n_tokens: topic.ownTokens,
    words: wordsOf(topic, "distinctive").slice(0, 20).map((w) => ({ word: grove.data.words[w.word], distinctive: w.score })),
    children: topic.children.map(nested),
    label: name,
  };
}

const saveJson = (topic) => save(fileName(topic, "json"), JSON.stringify(nested(topic), null, 1) + "\n", "application/json");

function saveCsv(topic) {
  const rows = [["id", "parent", "level", "name", "n_docs", "n_tokens", "words", "label"]];
  const add = (t) => {
    const words = wordsOf(t, "distinctive").slice(0, 10).map((w) => w.text);
    const name = cell(labelOf(t));
    rows.push([t.id, t.parent ? t.parent.id : -1, t.level, name, t.docs, t.ownTokens, cell(words.join(", ")), name]);
    t.children.forEach(add);
  };
  add(topic);
  save(fileName(topic, "csv"), rows.map((row) => row.join(",")).join("\n") + "\n", "text/csv");
}

// Spreadsheets compute what begins with one of these signs.
function cell(text) {
  const plain = text.replace(/\t/g, "\\t").replace(/\r?\n/g, "\\n");
  const safe = /^\s*[=+\-@]/.test(plain) ? `'${plain}` : plain;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const PICTURE = { width: 1200, height: 800 };
const STYLED = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "opacity", "font-family", "font-weight"];

// The map of a part of the tree, with its colours written into it.
function picture(topic) {
  const svg = drawn("svg", { xmlns: SVG, class: "picture" });
  document.body.append(svg);
  const cells = icicleLayout(topic, PICTURE.width, PICTURE.height, { hasStrips: false });
  drawIcicle(svg, cells, PICTURE.width, PICTURE.height);
  for (const node of svg.querySelectorAll("rect, text")) {
    const style = getComputedStyle(node);
    for (const name of STYLED) node.setAttribute(name, style.getPropertyValue(name));
    node.removeAttribute("class");
  }
  for (const group of svg.querySelectorAll("g")) {
    const opacity = getComputedStyle(group).opacity;
    for (const { name } of [...group.attributes]) group.removeAttribute(name);
    if (opacity !== "1") group.setAttribute("opacity", opacity);
  }
  const back = drawn("rect", { width: "100%", height: "100%", fill: getComputedStyle(document.body).backgroundColor });
  svg.prepend(back);
  svg.removeAttribute("class");
  svg.remove();
  return new XMLSerializer().serializeToString(svg);
}

const saveSvg = (topic) => save(fileName(topic, "svg"), picture(topic), "image/svg+xml");

const savePng = (topic) => savePixels(picture(topic), PICTURE.width, PICTURE.height, fileName(topic, "png"));

function savePixels(text, width, height, name) {
  const image = new Image();
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  image.onload = () => {
    const canvas = element("canvas", { width: 2 * width, height: 2 * height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    URL.revokeObjectURL(address);
    canvas.toBlob((blob) => save(name, blob), "image/png");
  };
  image.onerror = () => say("The picture could not be made");
  image.src = address;
}
