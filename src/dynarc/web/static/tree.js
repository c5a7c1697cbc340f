// A sentence drawn as SVG: words, tags, arcs of several kinds, multiword tokens, empty nodes.
import { svg, tip, visible, percent } from "./dom.js";
import { layOut, SIZE } from "./layout.js";
import { crossing, marks } from "./compare.js";

const FONT = 'system-ui, "Segoe UI", "Helvetica Neue", "Noto Sans", Arial, sans-serif';
const pen = document.createElement("canvas").getContext("2d");
const widths = new Map();

function textWidth(text, font) {
  const key = font + text;
  if (!widths.has(key)) {
    pen.font = font;
    if (widths.size > 20000) widths.clear();
    widths.set(key, Math.ceil(pen.measureText(text).width));
  }
  return widths.get(key);
}

// The arcs of a sentence as it is shown: its own, and where it is wrong those of gold.
export function arcsOf(sentence, { compare = true, fixed = {} } = {}) {
  const wrong = compare ? marks(sentence) : sentence.heads.map(() => null);
  const far = crossing(sentence.heads);
  const arcs = [];
  sentence.heads.forEach((head, i) => {
    const word = i + 1;
    if (head !== null) {
      const kinds = [wrong[i] === "head" ? "wrong" : wrong[i] === "label" ? "mislabelled" : compare && sentence.gold ? "right" : "plain"];
      if (far.has(word)) kinds.push("crossing");
      if (fixed[word]) kinds.push("fixed");
      const own = sentence.deprels[i] ?? "";
      const text = wrong[i] === "label" ? `${sentence.gold.deprels[i]}≠${own}` : own;
      arcs.push({ head, word, text: (fixed[word] ? "● " : "") + text, kinds, prob: sentence.arc_prob?.[i], labelProb: sentence.label_prob?.[i] });
    }
    if (wrong[i] === "head") arcs.push({ head: sentence.gold.heads[i], word, text: sentence.gold.deprels[i] ?? "", kinds: ["gold"] });
  });
  return arcs;
}

// options: arcs, width, label (what a screen reader says), classes(word) for words, interactive: {onword(word, event)}
export function drawTree(sentence, { arcs, width, label, classes = () => "", interactive = null, sure = true }) {
  const forms = sentence.forms.map(visible);
  const nodes = [];
  const add = (word, text, tag) => {
    const wide = Math.max(textWidth(text, `16px ${FONT}`), tag ? textWidth(tag, `600 10px ${FONT}`) + 4 : 0) + 10;
    nodes.push({ word, text, tag, width: wide, tagged: Boolean(tag) });
  };
  const empty = sentence.empty ?? [];
  for (let word = 0; word <= forms.length; ++word) {
    if (word) {
      const tag = sentence.upos?.[word - 1];
      add(word, forms[word - 1], tag && tag !== "_" ? visible(tag) : "");
    }
    for (const [before, , form] of empty) if (before === word) add(0, visible(form), "");
  }
  const texts = arcs.map((arc, place) => ({ ...arc, place, text: visible(arc.text ?? ""), width: 0 }));
  for (const arc of texts) arc.width = arc.text ? textWidth(arc.text, `12px ${FONT}`) + 4 : 4;
  const ranges = sentence.ranges ?? [];
  const found = layOut(nodes, texts, width, ranges);
  const root = svg("svg", {
    class: "tree", width: found.width, height: found.height, viewBox: `0 0 ${found.width} ${found.height}`,
    role: interactive ? "group" : "img", "aria-label": label ?? forms.join(" "),
  });
  const order = (d) => (d.arc.kinds.includes("wrong") ? 3 : d.arc.kinds.includes("gold") || d.arc.kinds.includes("fresh") ? 2 : d.arc.kinds.includes("ghost") || d.arc.kinds.includes("lost") ? 0 : 1);
  const parts = found.rows.flatMap((row) => [...row.drawn].sort((a, b) => order(a) - order(b)).map((drawn) => drawArc(sentence, forms, drawn, row, sure)));
  root.append(...parts.map(([line]) => line), ...parts.map(([, label]) => label).filter(Boolean)); // no line passes over a label
  let stop = true;
  for (const row of found.rows) {
    for (const node of row.nodes) {
      const group = drawNode(node, row.ground, classes(node.word));
      if (interactive && node.word) {
        group.setAttribute("tabindex", stop ? "0" : "-1");
        group.setAttribute("role", "button");
        group.setAttribute("aria-label", story(sentence, forms, node.word));
        stop = false;
        interactive(group, node.word);
      }
      root.append(group);
    }
    for (const [first, last, form] of ranges) drawRange(root, row, first, last, visible(form), nodes.some((n) => n.tagged));
  }
  // The same arcs may be of other kinds later, and the words too: that needs no new drawing.
  root.repaint = (others, seats) => {
    texts.forEach((arc, place) => { arc.kinds = others[place].kinds; });
    for (const group of root.querySelectorAll(".arc")) {
      const name = `arc ${texts[group.dataset.place].kinds.join(" ")}`;
      if (group.getAttribute("class") !== name) group.setAttribute("class", name);
    }
    for (const group of root.querySelectorAll(".node[data-word]")) {
      const name = `node ${seats(Number(group.dataset.word))}`;
      if (group.getAttribute("class") !== name) group.setAttribute("class", name);
    }
  };
  return root;
}

function drawNode(node, ground, extra) {
  const x = node.x + SIZE.margin, y = ground + 19;
  if (!node.word) {
    return svg("g", { class: "node empty-node" },
      svg("rect", { class: "empty-box", x: x - node.width / 2 + 1, y: ground + 4, width: node.width - 2, height: 21, rx: 5 }),
      svg("text", { class: "empty-form", x, y }, node.text));
  }
  return svg("g", { class: `node ${extra}`, "data-word": node.word },
    svg("rect", { class: "seat", x: x - node.width / 2, y: ground + 1, width: node.width, height: node.tag ? 39 : 26, rx: 6 }),
    svg("text", { class: "word", x, y }, node.text),
    node.tag ? svg("text", { class: "tag", x, y: y + 15 }, node.tag) : null);
}

function drawRange(root, row, first, last, form, tagged) {
  const inside = row.nodes.filter((node) => node.word >= first && node.word <= last);
  if (!inside.length) return;
  const y = row.ground + (tagged ? 43 : 29);
  const [from, to] = [inside[0].x - inside[0].width / 2 + 4 + SIZE.margin, inside.at(-1).x + inside.at(-1).width / 2 - 4 + SIZE.margin];
  root.append(svg("path", { class: "bracket", d: `M${from} ${y} v5 H${to} v-5` }), svg("text", { class: "range", x: (from + to) / 2, y: y + 18 }, form));
}

function drawArc(sentence, forms, drawn, row, sure) {
  const { arc } = drawn;
  const left = drawn.start + SIZE.margin, right = drawn.end + SIZE.margin;
  const ground = row.ground, y = ground - SIZE.foot - (drawn.level - 1) * SIZE.level;
  const tipped = drawn.tip, x = tipped === "left" ? left : right, end = ground - 6;
  let d, middle;
  if (drawn.upright) {
    d = `M${left} ${y + 7} V${end}`;
    middle = left;
  } else {
    const c = Math.min(10, (right - left) / 2);
    d = drawn.openLeft ? `M${left} ${y}` : `M${left} ${tipped === "left" ? end : ground} V${y + c} q0 ${-c} ${c} ${-c}`;
    d += drawn.openRight ? ` H${right}` : ` H${right - c} q${c} 0 ${c} ${c} V${tipped === "right" ? end : ground}`;
    middle = (Math.max(left, SIZE.margin) + right) / 2;
  }
  const graded = sure && arc.prob !== undefined && arc.prob !== null && !arc.kinds.some((kind) => ["gold", "ghost", "lost"].includes(kind));
  const part = (...children) => {
    const group = svg("g", {
      class: `arc ${arc.kinds.join(" ")}${graded ? " graded" : ""}`, "data-arc": arc.word, "data-head": arc.head, "data-place": arc.place,
      vars: graded ? { "--sure": arc.prob.toFixed(3) } : {},
    }, ...children);
    group.addEventListener("pointermove", (event) => tip(told(sentence, forms, arc), event.clientX, event.clientY));
    group.addEventListener("pointerleave", () => tip(null));
    return group;
  };
  const opened = [[drawn.openLeft, left, 1], [drawn.openRight, right, -1]].filter(([open]) => open);
  const line = part(
    svg("path", { class: "line", d }),
    tipped ? svg("path", { class: "point", d: `M${x} ${ground} l-4 -7 h8 z` }) : null,
    opened.map(([, at, inward]) => svg("path", { class: "open", d: `M${at} ${y} h${inward * 12}` })),
    svg("path", { class: "hit", d }));
  const wide = arc.width + 4;
  const label = arc.text && part(
    svg("rect", { class: "plate", x: middle - wide / 2, y: y - 8, width: wide, height: 16, rx: 4 }),
    svg("text", { class: "label", x: middle, y: y + 4 }, arc.text));
  return [line, label];
}

function name(forms, node) {
  return node ? forms[node - 1] : "ROOT";
}

// What there is to say of an arc.
function told(sentence, forms, arc) {
  const lines = [`${name(forms, arc.head)} → ${name(forms, arc.word)}`];
  const shown = arc.text ? `label ${arc.text}` : "no label";
  const kinds = {
    gold: "gold, but not found", wrong: "wrong head", mislabelled: "wrong label (gold≠found)", crossing: "not projective: it crosses others",
    ghost: "not built yet; part of the best tree still reachable", lost: "gold, and lost for good", fixed: "fixed by you",
  };
  lines.push(shown);
  if (arc.prob !== undefined && arc.prob !== null) lines.push(`head right with probability ${percent(arc.prob, 1)}`);
  if (arc.labelProb !== undefined && arc.labelProb !== null) lines.push(`head and label right: ${percent(arc.labelProb, 1)}`);
  for (const kind of arc.kinds) if (kinds[kind]) lines.push(kinds[kind]);
  return lines;
}

export function story(sentence, forms, word) {
  const head = sentence.heads[word - 1], label = sentence.deprels[word - 1] ?? "no label";
  const wrong = marks(sentence)[word - 1];
  const prob = sentence.arc_prob?.[word - 1];
  const where = head === null ? "no head" : head ? `${label} of ${forms[head - 1]}` : `${label}, under ROOT`;
  return `${forms[word - 1]}: ${where}${prob === undefined || prob === null ? "" : `, ${percent(prob)} sure`}${wrong ? `, wrong ${wrong}` : ""}`;
}
