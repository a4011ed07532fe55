// Elements with text in them. Text from a corpus only ever becomes text: nothing here parses HTML.
const SVG = "http://www.w3.org/2000/svg";
const isLive = "live" in document.documentElement.dataset;
const byId = (id) => document.getElementById(id);

function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function drawn(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function button(text, onclick, attributes = {}) {
  return element("button", { type: "button", onclick, ...attributes }, text);
}

// Lengths set by script: the page's policy allows no style attributes.
function withStyle(node, properties) {
  for (const [name, value] of Object.entries(properties)) node.style.setProperty(name, value);
  return node;
}

// What would act instead of showing, such as marks that turn the direction of writing, is shown as an escape.
function shown(text) {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (c) =>
    c === "\u200c" || c === "\u200d" || c === "\n" ? c : `\\u${c.codePointAt(0).toString(16).padStart(4, "0")}`
  );
}

const whole = d3.format(",");
const percent = (share) => (share > 0 && share < 0.001 ? "<0.1%" : d3.format(share < 0.0995 ? ".1%" : ".0%")(share));
const plural = (n, one, many = one + "s") => `${whole(n)} ${n === 1 ? one : many}`;

let messageTimer = 0;
function say(text) {
  byId("message").textContent = text;
  clearTimeout(messageTimer);
  messageTimer = setTimeout(() => (byId("message").textContent = ""), 6000);
}
