// The search box and the list of what it finds.
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
