// How training went, as lines over the sweeps.
const CHART = { width: 420, height: 250, left: 58, right: 14, top: 12, bottom: 30 };

function showTraining() {
  const history = grove.data.history;
  const page = byId("training-page");
  if (!history.iteration.length) {
    page.replaceChildren(
      element("div", { class: "nothing" }, element("h2", {}, "No history of training"), element("p", {}, "This page was made from a tree alone. Make it from the model to see how it was trained."))
    );
    return;
  }
  const sweeps = history.iteration;
  const levels = d3.range(grove.data.n_levels);
  const speed = history.seconds.map((seconds) => grove.data.n_tokens / Math.max(seconds, 1e-9));
  const last = history.topics.at(-1);
  const charts = [
    chart("Log joint", "log p(w, z, c): how well tree and assignments explain the words", sweeps, [{ values: history.log_joint, level: 1 }]),
    chart("Topics", "on each level of the tree", sweeps, levels.map((level) => ({ values: history.topics.map((row) => row[level]), level, name: `Level ${level}` }))),
    chart("Speed", "tokens resampled per second", sweeps, [{ values: speed, level: 3 }], true),
  ];
  if (history.perplexity.some((value) => value !== null)) {
    charts.push(chart("Held-out perplexity", "the lower the better", sweeps, [{ values: history.perplexity, level: 2 }]));
  }
  const time = d3.sum(history.seconds);
  const lead = `${plural(sweeps.at(-1), "sweep")} over ${plural(grove.data.n_tokens, "token")}; ${whole(d3.sum(last))} topics after the last` + (sweeps.length === sweeps.at(-1) ? `; ${d3.format(".3~g")(time)} seconds.` : ".");
  page.replaceChildren(element("div", { class: "training-head" }, element("h2", {}, "Training"), element("p", { class: "lead" }, lead)), element("div", { class: "charts" }, ...charts));
}

function chart(title, note, sweeps, series, fromZero = false) {
  const { width, height, left, right, top, bottom } = CHART;
  const lines = series.map((one) => ({ ...one, points: sweeps.map((sweep, i) => [sweep, one.values[i]]).filter(([, value]) => value !== null && value !== undefined) }));
  const values = lines.flatMap((line) => line.points.map(([, value]) => value));
  const [least, most] = values.length ? d3.extent(values) : [0, 1];
  const room = (most - least || Math.abs(most) || 1) * 0.06;
  const low = fromZero || least >= 0 && least < (most - least) ? 0 : least - room;
  const high = most + room;
  const x = (sweep) => left + ((sweep - sweeps[0]) / Math.max(sweeps.at(-1) - sweeps[0], 1)) * (width - left - right);
  const y = (value) => height - bottom - ((value - low) / (high - low)) * (height - top - bottom);
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}: ${note}` });
  const step = d3.format(most >= 10000 || least <= -10000 ? ".3~s" : ",.4~g");
  for (const tick of d3.ticks(low, high, 5)) {
    svg.append(
      drawn("line", { class: "grid", x1: left, x2: width - right, y1: y(tick), y2: y(tick) }),
      drawn("text", { class: "tick", x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, step(tick).replace("G", "B"))
    );
  }
  for (const tick of d3.ticks(sweeps[0], sweeps.at(-1), 5).filter(Number.isInteger)) {
    svg.append(drawn("text", { class: "tick", x: x(tick), y: height - 9, "text-anchor": "middle" }, whole(tick)));
  }
  const path = d3.line(([sweep]) => x(sweep), ([, value]) => y(value));
  for (const line of lines) {
    svg.append(drawn("path", { class: `line level-${line.level % 8}`, d: path(line.points) }));
    if (line.points.length < 12) for (const [sweep, value] of line.points) svg.append(drawn("circle", { class: `spot level-${line.level % 8}`, cx: x(sweep), cy: y(value), r: 3 }));
  }
  return chartFigure(title, note, svg, lines, sweeps, x, y);
}

function chartFigure(title, note, svg, lines, sweeps, x, y) {
  const reading = element("span", { class: "reading" });
  const cursor = drawn("line", { class: "cursor", y1: CHART.top, y2: CHART.height - CHART.bottom, visibility: "hidden" });
  svg.append(cursor);
  const number = (value) => d3.format(Math.abs(value) >= 1000 ? ",.0f" : ",.4~g")(value);
  const read = (sweep) => {
    const parts = lines.map((line) => {
      const at = line.points[d3.bisector((point) => point[0]).center(line.points, sweep)];
      return at ? `${line.name ? `${line.name}: ` : ""}${number(at[1])}` : "";
    });
    reading.textContent = parts.join(" · ");
  };
  read(sweeps.at(-1));
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * CHART.width;
    const sweep = sweeps[d3.minIndex(sweeps, (s) => Math.abs(x(s) - at))];
    cursor.setAttribute("x1", x(sweep));
    cursor.setAttribute("x2", x(sweep));
    cursor.setAttribute("visibility", "visible");
    read(sweep);
  });
  svg.addEventListener("pointerleave", () => (cursor.setAttribute("visibility", "hidden"), read(sweeps.at(-1))));
  const names = lines.filter((line) => line.name).map((line) => element("span", {}, element("i", { class: `dot level-${line.level % 8}` }), line.name));
  return element("figure", { class: "chart" }, element("figcaption", {}, element("h3", {}, title, element("small", {}, note)), reading), svg, names.length ? element("p", { class: "key" }, ...names) : null);
}
