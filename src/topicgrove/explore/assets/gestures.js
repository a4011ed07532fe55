// Zooming and moving the drawing by wheel, fingers, mouse and keys.
const MOST_SCALE = 200;
const WHEEL_SPEED = 0.0018;
let isDragging = false;

const isNarrow = () => matchMedia("(max-width: 720px)").matches;
const isScaled = () => state.scale > 1;

function resetScale() {
  Object.assign(state, { scale: 1, top: 0 });
}

// The topic under a point stays there, even if others come into sight.
function scaleBy(factor, y) {
  const old = state.scale;
  const before = layoutHere();
  state.scale = Math.min(Math.max(old * factor, 1), MOST_SCALE);
  if (state.scale === old) return;
  const at = before.findLast((cell) => !cell.strip && !cell.small && cell.y <= y + state.top && y + state.top < cell.y + cell.height + GAP);
  const after = at && layoutHere().find((cell) => cell.topic === at.topic && !cell.small);
  const part = at ? (y + state.top - at.y) / at.height : 0;
  state.top = after ? after.y + part * after.height - y : ((y + state.top) * state.scale) / old - y;
  moveBy(0);
}

function moveBy(dy) {
  const most = canvas.clientHeight * (state.scale - 1);
  state.top = Math.min(Math.max(state.top + dy, 0), most);
  if (!isScaled()) state.top = 0;
  drawSoon();
}

let isDue = false;
function drawSoon() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    drawOverview();
  });
}

const heightAt = (clientY) => clientY - canvas.getBoundingClientRect().top;
const canScale = () => state.view === "icicle";

function setUpGestures() {
  canvas.addEventListener("wheel", onWheel, { passive: false });
  setUpPinch();
  setUpDrag();
}

function onWheel(event) {
  if (state.view === "branches" || (isNarrow() && !event.ctrlKey)) return;
  event.preventDefault();
  byId("tip").hidden = true;
  if (!canScale()) return step(event);
  const lines = event.deltaMode === 1 ? 30 : 1;
  if (event.shiftKey) moveBy((event.deltaY || event.deltaX) * lines);
  else scaleBy(Math.exp(-event.deltaY * lines * WHEEL_SPEED * (event.ctrlKey ? 6 : 1)), heightAt(event.clientY));
}

// In views of two levels the wheel goes a level in or out.
let lastStep = 0;
function step(event) {
  if (event.timeStamp - lastStep < 350) return;
  lastStep = event.timeStamp;
  if (event.deltaY > 0) return state.zoom.parent && zoomTo(state.zoom.parent);
  const at = grove.topics[event.target.closest("[data-topic]")?.dataset.topic];
  const next = at && pathTo(at).find((topic) => topic.parent === state.zoom);
  if (next?.children.length) zoomTo(next);
}

// Two fingers zoom; one moves what is zoomed in.
function setUpPinch() {
  let last = null;
  const read = (event) => {
    const [a, b] = event.touches;
    if (!a) return null;
    return b ? { apart: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY), y: (a.clientY + b.clientY) / 2, n: 2 } : { y: a.clientY, n: 1 };
  };
  canvas.addEventListener("touchstart", (event) => (last = read(event)), { passive: true });
  canvas.addEventListener("touchend", (event) => (last = read(event)), { passive: true });
  canvas.addEventListener(
    "touchmove",
    (event) => {
      const now = read(event);
      if (!canScale() || !last || now.n !== last.n || (now.n === 1 && !isScaled())) return;
      event.preventDefault();
      if (now.n === 2) scaleBy(now.apart / Math.max(last.apart, 1), heightAt(now.y));
      moveBy(last.y - now.y);
      last = now;
    },
    { passive: false }
  );
}

function setUpDrag() {
  let from = null;
  canvas.addEventListener("pointerdown", (event) => {
    isDragging = false;
    if (event.pointerType === "mouse" && event.button === 0 && canScale() && isScaled()) from = event.clientY;
  });
  addEventListener("pointermove", (event) => {
    if (from === null || (!isDragging && Math.abs(event.clientY - from) < 5)) return;
    isDragging = true;
    moveBy(from - event.clientY);
    from = event.clientY;
  });
  addEventListener("pointerup", () => (from = null));
}
