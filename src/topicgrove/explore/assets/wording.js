// Words laid out in a box, their size the fourth root of their weight.
const FAMILY = 'Inter, "Segoe UI", system-ui, -apple-system, Roboto, "Helvetica Neue", Arial, sans-serif';
const SMALLEST = 10;
const BASE = 21;
const LARGEST = 24;
const ENLARGED = [1.6, 1.45, 1.3, 1.15];
const ENOUGH_WORDS = 16;
const LEADING = 3;
const LINE = 1.16;
const LABEL_SIZE = 13;
const ruler = document.createElement("canvas").getContext("2d");
const widths = new Map();

function widthOf(text, size, bold = false) {
  const key = bold ? "b" + text : "n" + text;
  let width = widths.get(key);
  if (width === undefined) {
    ruler.font = `${bold ? 600 : 400} 50px ${FAMILY}`;
    width = ruler.measureText(text).width / 50;
    widths.set(key, width);
  }
  return width * size;
}

function cut(text, size, room, bold = false) {
  if (widthOf(text, size, bold) <= room) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (widthOf(text.slice(0, middle) + "…", size, bold) <= room) low = middle;
    else high = middle - 1;
  }
  return low > 0 ? text.slice(0, low).trimEnd() + "…" : "";
}

// One scale for the whole picture, to be enlarged where there is room.
function fontScale(topics) {
  const most = d3.max(topics, (topic) => d3.max(shownWords(topic).slice(0, 12), (w) => weightOf(topic, w))) ?? 1;
  return (weight) => Math.max(SMALLEST, BASE * Math.pow(weight / most, 0.25));
}

// How often a probable word is in the topic, or how much a distinctive one says about the topic and those below it.
const weightOf = (topic, word) => (state.by === "distinctive" ? word.score * topic.tokens : word.count);

const shownWords = (topic) => wordsOf(topic, state.by);

// Pieces for a box: words as large as they can be while enough of them fit.
function fillBox(topic, width, height, fontSize) {
  const words = shownWords(topic);
  const enough = Math.min(ENOUGH_WORDS, words.length);
  const most = LARGEST / fontSize(d3.max(words, (w) => weightOf(topic, w)) ?? 0);
  for (const factor of ENLARGED.filter((factor) => factor <= most)) {
    const pieces = flow(topic, width, height, (weight) => fontSize(weight) * factor);
    if (pieces.length >= enough && !pieces.some((piece) => piece.isCut)) return pieces;
  }
  return flow(topic, width, height, fontSize);
}

// Pieces {text, x, y, size, bold, isCut} in lines that fit into a box, top left at (0, 0).
function flow(topic, width, height, fontSize, mostLines = Infinity) {
  const pieces = [];
  const words = shownWords(topic);
  const label = grove.labels.get(topic.id) ?? (words.length ? undefined : topic.wordLabel);
  let y = 0;
  let lines = 0;
  if (label !== undefined) {
    const size = Math.min(Math.max(LABEL_SIZE, words.length ? fontSize(weightOf(topic, words[0])) : 0), LABEL_SIZE * 1.4, height - 1);
    const text = cut(shown(label), size, width, true);
    if (text) pieces.push({ text, x: 0, y: size * 0.95, size, bold: true });
    y += size * 1.3;
    lines = 1;
  }
  let line = [];
  let x = 0;
  const finish = () => {
    const tall = d3.max(line, (piece) => piece.size) ?? 0;
    for (const piece of line) pieces.push({ ...piece, y: y + tall * 0.95 });
    y += tall * LINE;
    lines += 1;
    line = [];
    x = 0;
  };
  for (const [i, word] of words.entries()) {
    const bold = i < LEADING && label === undefined;
    const size = Math.min(fontSize(weightOf(topic, word)), (height - y) / 1.05);
    if (size < SMALLEST - 0.5 || lines >= mostLines) break;
    const length = widthOf(word.text, size, bold);
    if (x > 0 && x + length > width) {
      const tall = d3.max(line, (piece) => piece.size);
      if (lines + 1 >= mostLines || y + tall * LINE + fontSize(weightOf(topic, word)) > height) break;
      finish();
    }
    const text = x === 0 ? cut(word.text, size, width, bold) : word.text;
    if (!text) break;
    line.push({ text, x, size, bold, isCut: text !== word.text });
    x += length + size * 0.42;
  }
  finish();
  return pieces;
}

function drawPieces(pieces, x, y) {
  const text = drawn("text", { class: "words" });
  for (const piece of pieces) {
    text.append(
      drawn(
        "tspan",
        {
          x: (x + piece.x).toFixed(1),
          y: (y + piece.y).toFixed(1),
          "font-size": piece.size.toFixed(1),
          "font-weight": piece.bold ? 600 : null,
        },
        piece.text
      )
    );
  }
  return text;
}
