// Elements from tags, properties and children. Text is only ever put in as text.
const SVG = "http://www.w3.org/2000/svg";

export function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

export function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "vars") for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function replace(element, ...children) {
  element.replaceChildren(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
}

// What is not to be seen, and could turn the order of what follows, is written out.
export function visible(text) {
  return String(text).replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, (char) => {
    const code = char.codePointAt(0);
    return code < 32 ? String.fromCodePoint(0x2400 + code) : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

let told;
export function toast(text) {
  const place = document.getElementById("toast");
  place.textContent = text;
  place.classList.add("on");
  clearTimeout(told);
  told = setTimeout(() => place.classList.remove("on"), 2600);
}

// A small window with what there is to know of what is pointed at.
export function tip(lines, x, y) {
  const place = document.getElementById("tip");
  if (!lines) {
    place.hidden = true;
    return;
  }
  replace(place, lines.map((line, i) => h("div", { class: i ? "more" : "first" }, line)));
  place.hidden = false;
  const box = place.getBoundingClientRect();
  place.style.left = `${Math.max(4, Math.min(x + 12, innerWidth - box.width - 8))}px`;
  place.style.top = `${Math.max(4, y - box.height - 12 < 4 ? y + 18 : y - box.height - 12)}px`;
}

export function percent(share, digits = 0) {
  if (share > 0 && share < 0.0005) return "<0.1%";
  const text = (100 * share).toFixed(share < 0.1 && digits === 0 ? 1 : digits);
  return `${text}%`;
}
