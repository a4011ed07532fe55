// One box for words, topics and documents.
const MOST = { words: 6, topics: 4, documents: 6 };
let found = [];
let chosen = -1;

function findAll(query) {
  const text = query.trim().toLowerCase();
  if (!text) return [];
  return [
    ...best(grove.words.length, (i) => grove.words[i], text, MOST.words).map((i) => ({
      kind: "Words",
      text: grove.words[i],
      note: plural(grove.data.word_totals[i], "token"),
      go: () => look({ word: i }),
    })),
    ...best(grove.topics.length, (i) => labelOf(grove.topics[i]), text, MOST.topics).map((i) => ({
      kind: "Topics",
      text: labelOf(grove.topics[i]),
      note: plural(grove.topics[i].docs, "document"),
      go: () => select(grove.topics[i]),
    })),
    ...best(grove.data.documents.name.length, documentName, text, MOST.documents).map((i) => ({
      kind: "Documents",
      text: documentAt(i).title,
      note: documentAt(i).name,
      go: () => look({ document: i }),
    })),
  ];
}

const documentName = (i) => `${grove.data.documents.title[i]} ${grove.data.documents.name[i]}`;

// Numbers of entries that have the text: those that are it, then those that begin with it, then the others.
function best(n, nameOf, text, most) {
  const ranks = [[], [], [], []];
  for (let i = 0; i < n; i++) {
    const name = nameOf(i).toLowerCase();
    const at = name.indexOf(text);
    if (at < 0) continue;
    const rank = name === text ? 0 : at === 0 ? 1 : /\s/.test(name[at - 1]) ? 2 : 3;
    if (ranks[rank].length < most) ranks[rank].push(i);
  }
  return ranks.flat().slice(0, most);
}

function showFound() {
  const box = byId("suggestions");
  const query = byId("search").value;
  found = findAll(query);
  chosen = found.length ? 0 : -1;
  const rows = [];
  found.forEach((one, i) => {
    if (i === 0 || found[i - 1].kind !== one.kind) rows.push(element("p", { class: "group", role: "presentation" }, one.kind));
    rows.push(
      element(
        "div",
        { role: "option", id: `found-${i}`, "aria-selected": "false", onpointerdown: (event) => (event.preventDefault(), choose(i)) },
        element("span", {}, one.text),
        element("small", {}, one.note)
      )
    );
  });
  if (!found.length) rows.push(element("p", { class: "group", role: "presentation" }, nothingFound()));
  box.replaceChildren(...rows);
  box.hidden = !query.trim();
  byId("search").setAttribute("aria-expanded", String(!box.hidden));
  mark(chosen);
}

function nothingFound() {
  const rows = grove.data.documents.name.length;
  return rows && rows < grove.data.n_docs ? `Nothing found; the page holds ${whole(rows)} of ${whole(grove.data.n_docs)} documents` : "Nothing found";
}

function mark(i) {
  byId(`found-${chosen}`)?.setAttribute("aria-selected", "false");
  chosen = i;
  const option = byId(`found-${i}`);
  option?.setAttribute("aria-selected", "true");
  option?.scrollIntoView({ block: "nearest" });
  if (option) byId("search").setAttribute("aria-activedescendant", option.id);
  else byId("search").removeAttribute("aria-activedescendant");
}

function choose(i) {
  const one = found[i];
  closeSearch();
  byId("search").blur();
  one?.go();
}

function closeSearch() {
  byId("suggestions").hidden = true;
  byId("search").setAttribute("aria-expanded", "false");
  byId("search").removeAttribute("aria-activedescendant");
}

function setUpSearch() {
  const input = byId("search");
  input.addEventListener("input", showFound);
  input.addEventListener("focus", () => input.value && showFound());
  input.addEventListener("blur", closeSearch);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (found.length) mark((chosen + (event.key === "ArrowDown" ? 1 : found.length - 1)) % found.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (chosen >= 0 && !byId("suggestions").hidden) choose(chosen);
    } else if (event.key === "Escape") {
      event.stopPropagation();
      if (byId("suggestions").hidden) input.blur();
      else closeSearch();
    }
  });
}
