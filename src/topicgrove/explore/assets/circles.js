// Topics as circles: those with similar words are near their siblings, and below a topic means inside its circle.
const LEAST_RADIUS = 17;
const MOST_PUSHES = 8e5;
const NARROW = 0.9;

// Circles {topic, x, y, r} of two levels below a focus.
function circlesOf(focus, width, height) {
  const radius = Math.min(width, height) / 2 - 4;
  const aspect = Math.sqrt(Math.min(Math.max(width / height, 0.4), 2.5));
  const found = [];
  const wanted = target();
  const place = (topic, x, y, r, depth) => {
    const isIn = (child) => isShown(child) || (wanted && isUnder(wanted, child));
    const children = topic.children.filter(isIn);
    const within = depth === 1 ? fitted(pushed(children, aspect), width - 12, height - 22) : enclosed(pushed(children, 1), r);
    for (const one of within) {
      const isWanted = wanted && isUnder(wanted, one.topic);
      if (one.r < (state.all ? 0.6 : LEAST_RADIUS) && !isWanted) continue;
      const circle = { topic: one.topic, x: x + one.x, y: y + one.y, r: Math.max(one.r, isWanted ? 6 : 0), depth };
      found.push(circle);
      const from = found.length;
      const hasRoom = state.all || circle.r > 1.5 * LEAST_RADIUS || (isWanted && one.topic !== wanted);
      if (depth < 2 && hasRoom) place(one.topic, circle.x, circle.y, circle.r * NARROW, depth + 1);
      circle.hasOthers = found.length > from;
    }
  };
  if (focus.children.length) place(focus, width / 2, height / 2, radius, 1);
  else found.push({ topic: focus, x: width / 2, y: height / 2, r: radius, depth: 1 });
  return found;
}

// Siblings where their words put them, pushed apart until none overlap.
function pushed(topics, aspect) {
  const circles = topics.map((topic) => ({ topic, r: Math.sqrt(Math.max(sizeOf(topic), 1)) }));
  const spread = Math.sqrt(d3.sum(circles, (one) => one.r * one.r));
  for (const one of circles) {
    const [x, y] = grove.data.topics.place[one.topic.index];
    Object.assign(one, { x: x * spread * aspect, y: (y * spread) / aspect });
  }
  if (circles.length > 250) d3.packSiblings(circles);
  else pushApart(circles, aspect);
  return circles;
}

const scaled = (circles, middle, scale) => circles.map(({ topic, x, y, r }) => ({ topic, x: (x - middle.x) * scale, y: (y - middle.y) * scale, r: r * scale * 0.97 }));

function enclosed(circles, radius) {
  if (!circles.length) return [];
  const around = d3.packEnclose(circles);
  return scaled(circles, around, radius / around.r);
}

function fitted(circles, width, height) {
  if (!circles.length) return [];
  const [left, right] = [d3.min(circles, (one) => one.x - one.r), d3.max(circles, (one) => one.x + one.r)];
  const [top, bottom] = [d3.min(circles, (one) => one.y - one.r), d3.max(circles, (one) => one.y + one.r)];
  return scaled(circles, { x: (left + right) / 2, y: (top + bottom) / 2 }, Math.min(width / (right - left), height / (bottom - top)));
}

function pushApart(circles, aspect) {
  const rounds = Math.min(240, Math.ceil(MOST_PUSHES / (circles.length * circles.length)));
  for (let round = 0; round < rounds; round++) {
    const pull = round < rounds * 0.75 ? 0.035 : 0;
    for (let i = 0; i < circles.length; i++) {
      const a = circles[i];
      a.x -= (a.x * pull) / aspect;
      a.y -= a.y * pull * aspect;
      for (let j = 0; j < i; j++) separate(a, circles[j], i, j);
    }
  }
}

function separate(a, b, i, j) {
  let dx = a.x - b.x;
  let dy = a.y - b.y;
  let apart = Math.hypot(dx, dy);
  const least = (a.r + b.r) * 1.04;
  if (apart >= least) return;
  // Two in one place go apart in a direction of their own.
  if (apart < 1e-6) [dx, dy, apart] = [Math.cos(i + 2 * j), Math.sin(i + 2 * j), 1];
  const shift = (least - Math.min(apart, least)) / apart;
  const part = (b.r * b.r) / (a.r * a.r + b.r * b.r);
  a.x += dx * shift * part;
  a.y += dy * shift * part;
  b.x -= dx * shift * (1 - part);
  b.y -= dy * shift * (1 - part);
}

function drawCircles(svg, width, height) {
  const circles = circlesOf(state.zoom, width, height);
  const lit = lights();
  const group = drawn("g", { role: "none" });
  const names = drawn("g", { role: "none", class: "names" });
  for (const circle of circles) group.append(drawCircle(circle, lit, names));
  resized(svg, width, height).replaceChildren(group, names);
  drawnCells = new Map(circles.map((one) => [one.topic, { ...one, width: 2 * one.r, height: 2 * one.r }]));
}

function drawCircle({ topic, x, y, r, hasOthers }, lit, names) {
  const light = lit?.get(topic);
  const classes = [`cell circle level-${topic.level % 8}`, lit && light === undefined ? "dim" : "", light !== undefined ? "lit" : "", topic === state.selected ? "selected" : ""];
  const group = drawn("g", { class: classes.join(" "), ...treeItem(topic) });
  const box = { x: x - r, y: y - r, width: 2 * r, height: 2 * r, rx: r };
  group.append(drawn("rect", box));
  if (light !== undefined) group.append(drawn("rect", { class: "light", ...box, "fill-opacity": 0.08 + 0.5 * light }));
  if (r >= 13) names.append(circleName(topic, x, y, r, hasOthers));
  return group;
}

// Words in the middle, or a name at the top where others are inside.
function circleName(topic, x, y, r, hasOthers) {
  const text = drawn("text", { class: `words${hasOthers ? " over-others" : ""}`, "text-anchor": "middle" });
  const size = Math.max(SMALLEST, Math.min(13, r / 3.4));
  const room = 1.75 * r;
  const words = grove.labels.has(topic.id) ? [labelOf(topic)] : labelOf(topic).split(", ");
  const lines = hasOthers ? [cut(labelOf(topic), 12.5, Math.max(room, 110), true)] : words.slice(0, r > 26 ? 3 : r > 19 ? 2 : 1).map((word) => cut(word, size, room * (r > 26 ? 0.95 : 0.9)));
  const top = hasOthers ? y - r + 13 : y - ((lines.length - 1) * size * 1.15) / 2 + size * 0.35;
  lines.forEach((line, i) => text.append(drawn("tspan", { x: x.toFixed(1), y: (top + i * size * 1.15).toFixed(1), "font-size": (hasOthers ? 12.5 : size).toFixed(1), "font-weight": hasOthers || i === 0 ? 600 : null }, line)));
  return text;
}
