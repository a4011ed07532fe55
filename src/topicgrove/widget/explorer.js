// The explorer's page in a frame that can do nothing to the notebook but say what is selected.

function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.title = "Tree of topics";
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.style.cssText = "width: 100%; border: 1px solid #8884; border-radius: 6px;";
  let loaded = false;

  const resize = () => {
    frame.style.height = `${model.get("height")}px`;
  };
  // The page follows its address, as it does in a window of its own.
  const select = () => {
    const topic = model.get("selected");
    if (loaded) frame.contentWindow.location.replace(`about:srcdoc#${topic === null ? "" : `topic=${topic}`}`);
  };
  const load = () => {
    loaded = true;
    if (model.get("selected") !== null) select();
  };
  const hear = (event) => {
    // What the page says before it is loaded is its own beginning, not somebody's choice.
    if (!loaded || event.source !== frame.contentWindow || event.data?.source !== "topicgrove") return;
    const { topic } = event.data;
    if (topic !== null && !Number.isInteger(topic)) return;
    if (topic === model.get("selected")) return;
    model.set("selected", topic);
    model.save_changes();
  };

  // A page that begins in a frame without a size has nothing to fit its map to.
  const start = new ResizeObserver(() => {
    if (frame.clientWidth === 0) return;
    start.disconnect();
    frame.addEventListener("load", load);
    frame.srcdoc = model.get("page");
  });
  window.addEventListener("message", hear);
  model.on("change:selected", select);
  model.on("change:height", resize);
  resize();
  el.append(frame);
  start.observe(frame);

  return () => {
    start.disconnect();
    window.removeEventListener("message", hear);
    model.off("change:selected", select);
    model.off("change:height", resize);
  };
}

export default { render };
