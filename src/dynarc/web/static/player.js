// The step player: stack, buffer, growing arcs, and what every legal transition would do.
import { h, replace, svg, visible, percent, toast } from "./dom.js";
import { drawTree } from "./tree.js";
import { hangsOn } from "./compare.js";

const ICONS = {
  start: "M3 3h2v10H3zM13 3v10L6 8z", back: "M12 3v10L4 8z", play: "M4 2l10 6-10 6z", pause: "M3 2h4v12H3zM9 2h4v12H9z",
  next: "M4 3v10l8-5z", end: "M11 3h2v10h-2zM3 3v10l7-5z",
};
const PACE = 900;
const MANY = 14; // actions listed before the rest is folded away, as of easy-first
const LABELS = 4;

const MEANING = {
  SHIFT: "puts the front of the buffer on the stack",
  REDUCE: "takes the top off the stack",
  NOARC: "passes over this pair",
  SWAP: "puts the second of the stack back into the buffer",
};

export class Player {
  // app: {source, start, width(), changed()}; sentence with number; wanted: what a link says
  constructor(app, sentence, number, wanted = {}) {
    this.app = app;
    this.sentence = sentence;
    this.number = number;
    this.forms = sentence.forms.map(visible);
    this.gold = target(sentence);
    this.system = wanted.system ?? app.start.models[0]?.system ?? app.start.systems[0].name;
    this.follow = wanted.follow ?? "parser";
    this.history = wanted.history ?? [];
    this.ahead = [];
    this.costs = new Map(); // of transitions, by where they lead
    this.kept = new Map();
    this.asked = 0;
    this.element = h("section", { class: "player", "aria-label": "Step player" });
    this.timer = null;
  }

  get line() { return [...this.history, ...this.ahead]; }

  async begin() {
    await this.go(this.history);
    return this.element;
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
  }

  asking(history) {
    const request = { conllu: this.sentence.conllu, system: this.system, history, follow: this.follow };
    if (this.gold.tree) request.gold = { heads: this.gold.tree.heads, deprels: this.gold.tree.deprels };
    return request;
  }

  async position(history) {
    const key = [this.system, this.follow, ...history].join(" ");
    if (!this.kept.has(key)) {
      const request = this.asking(history);
      if (!this.app.source.live) request.number = this.number;
      if (this.kept.size > 500) this.kept.clear();
      this.kept.set(key, await this.app.source.step(request));
    }
    return this.kept.get(key);
  }

  async go(history, focus = null) {
    const asked = ++this.asked;
    const start = performance.now();
    let position;
    try {
      position = await this.position(history);
    } catch (failure) {
      this.stop();
      if (!this.now) replace(this.element, this.controls(), h("p", { class: "empty" }, failure.message));
      else toast(failure.message);
      return;
    }
    if (asked !== this.asked) return;
    this.before = this.now?.name === position.name ? this.now : null;
    this.now = position;
    this.history = position.history;
    this.ahead = position.ahead;
    this.show(focus);
    performance.measure("dynarc-step", { start });
    this.element.dataset.step = this.history.length;
    this.app.changed();
    this.lookAhead();
  }

  // Where the parser, going on from here, will make mistakes.
  async lookAhead() {
    const line = this.line, key = [this.system, ...line].join(" ");
    if (!this.app.source.live || !this.now.model || this.now.loss === null || this.looked === key) return;
    this.looked = key;
    const { losses } = await this.app.source.step({ ...this.asking(this.history), losses: true }).catch(() => ({ losses: [] }));
    losses.slice(1).forEach((loss, i) => this.costs.set([this.system, ...line.slice(0, i + 1)].join(" "), loss - losses[i]));
    if (this.looked === key && losses.at(-1) > losses[0]) this.show();
  }

  costOf(place) {
    return this.costs.get([this.system, ...this.line.slice(0, place + 1)].join(" "));
  }

  // To the position in which the parser is about to go wrong.
  mistake() {
    for (let place = this.history.length + (this.costOf(this.history.length) > 0 ? 1 : 0); place < this.line.length; ++place)
      if (this.costOf(place) > 0) return place;
    return null;
  }

  forward() { return this.ahead.length ? this.go(this.line.slice(0, this.history.length + 1)) : this.stop(); }
  back() { return this.history.length ? this.go(this.history.slice(0, -1)) : undefined; }
  jump(place) { return this.go(this.line.slice(0, place)); }

  play() {
    if (this.timer) this.stop();
    else {
      if (!this.ahead.length) this.go([]);
      this.timer = setInterval(() => (this.ahead.length ? this.forward() : (this.stop(), this.show())), PACE);
    }
    this.show();
  }

  take(option) {
    this.stop();
    this.costs.set([this.system, ...this.history, option.transition].join(" "), option.cost);
    return this.go([...this.history, option.transition], "first");
  }

  choose(system) {
    this.stop();
    this.system = system;
    this.now = null;
    return this.go([], "system");
  }

  name(node) { return node ? this.forms[node - 1] : "ROOT"; }

  show(focus) {
    const held = document.activeElement?.dataset?.key;
    const figure = this.picture();
    const before = this.controls(), after = [this.verdict(), this.state(), this.moves(), this.way()];
    if (figure.parentNode === this.element && figure.previousSibling) {
      figure.previousSibling.replaceWith(before);
      while (figure.nextSibling) figure.nextSibling.remove();
      this.element.append(...after);
    } else replace(this.element, before, figure, ...after);
    if (held) this.element.querySelector(`[data-key="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
    else if (focus) this.element.querySelector(`[data-key="${focus}"]`)?.focus({ preventScroll: true });
  }

  controls() {
    const now = this.now, place = this.history.length, all = this.line.length;
    const button = (key, icon, label, action, off) =>
      h("button", { type: "button", class: "step", "data-key": key, "aria-label": label, title: label, disabled: off, onclick: action },
        svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[icon] })));
    const systems = this.app.start.systems.map(({ name, projective }) =>
      h("option", { value: name, selected: name === this.system }, projective ? name : `${name} (all trees)`));
    const own = this.app.start.models.length > 0;
    return h("div", { class: "controls" },
      h("label", {}, "System ", h("select", { "data-key": "system", onchange: (event) => this.choose(event.target.value) }, systems)),
      own ? h("label", {}, "Play follows ", h("select", {
        "data-key": "follow",
        onchange: (event) => { this.follow = event.target.value; this.go(this.history); },
      }, [["parser", "the parser"], ["oracle", "the oracle"]].map(([value, text]) => h("option", { value, selected: value === this.follow }, text)))) : null,
      h("span", { class: "transport", role: "group", "aria-label": "Playing" },
        button("start", "start", "To the start", () => this.jump(0), !place),
        button("back", "back", "Back one step (left arrow)", () => { this.stop(); this.back(); }, !place),
        button("play", this.timer ? "pause" : "play", this.timer ? "Pause (space)" : "Play (space)", () => this.play(), !now),
        button("next", "next", "One step on (right arrow)", () => { this.stop(); this.forward(); }, !this.ahead.length),
        button("end", "end", "To the end", () => this.jump(all), !this.ahead.length)),
      now?.model && now.loss !== null ? h("button", {
        type: "button", "data-key": "mistake", disabled: this.mistake() === null, onclick: () => { this.stop(); this.jump(this.mistake()); },
        title: "To where the parser is about to take a transition that costs something (m)",
      }, "Next mistake") : null,
      h("label", { class: "slider" }, h("span", { class: "hidden" }, "Step"),
        h("input", {
          type: "range", min: 0, max: all, value: place, "data-key": "slider", "aria-valuetext": `step ${place} of ${all}`,
          oninput: (event) => { this.stop(); this.jump(Number(event.target.value)); },
        }),
        h("output", { class: "count" }, `${place} / ${all}`)));
  }

  picture() {
    const now = this.now, gold = this.gold.tree;
    const arcs = [];
    const fresh = this.before && now.history.length === this.before.history.length + 1 ? now.heads.findIndex((head, i) => head !== null && this.before.heads[i] !== head) + 1 : 0;
    now.heads.forEach((head, i) => {
      const word = i + 1;
      if (head !== null) {
        const kinds = ["built"];
        if (gold && gold.heads[i] !== null) kinds.push(head === gold.heads[i] ? "right" : "wrong");
        if (word === fresh) kinds.push("fresh");
        arcs.push({ head, word, text: now.deprels[i] ?? "", kinds });
      } else if (now.best && now.best[i][0] !== null) {
        const [reach, label] = now.best[i];
        arcs.push({ head: reach, word, text: label ?? "any", kinds: ["ghost", ...(gold && gold.heads[i] === reach ? [] : ["astray"])] });
      }
      if (gold && gold.heads[i] !== null && now.best && now.best[i][0] !== gold.heads[i])
        arcs.push({ head: gold.heads[i], word, text: gold.deprels?.[i] ?? "", kinds: ["lost"] });
    });
    const stack = new Set(now.stack), buffer = new Set(now.buffer);
    const classes = (word) => (word === now.stack.at(-1) && now.name !== "easy-first" ? "in-stack top" : stack.has(word) ? "in-stack" : word === now.buffer[0] ? "in-buffer front" : buffer.has(word) ? "in-buffer" : "done");
    const label = `Arcs built so far: ${this.arcs().join("; ") || "none"}`;
    const shape = JSON.stringify([this.app.width(), arcs.map(({ head, word, text, kinds }) => [head, word, text, kinds.includes("lost")])]);
    if (shape === this.shape) {
      this.drawing.repaint(arcs, classes);
      this.drawing.setAttribute("aria-label", label);
    } else {
      this.shape = shape;
      this.drawing = drawTree(this.sentence, { arcs, width: this.app.width(), label, classes, sure: false });
    }
    const kinds = new Set(arcs.flatMap((arc) => arc.kinds));
    const names = { right: "built, right", wrong: "built, wrong", ghost: "best that can still be built", astray: "… though not gold", lost: "gold, lost for good" };
    const legend = Object.entries(names).filter(([kind]) => kinds.has(kind)).map(([kind, text]) => h("span", { class: `swatch s-${kind}` }, text));
    this.frame ??= h("div", { class: "figure" });
    if (this.frame.firstChild !== this.drawing) replace(this.frame, this.drawing);
    replace((this.legend ??= h("p", { class: "legend" })), legend);
    return (this.figure ??= h("div", {}, this.frame, this.legend));
  }

  arcs() {
    return this.now.heads.map((head, i) => (head === null ? null : `${this.name(head)} → ${this.forms[i]}`)).filter(Boolean);
  }

  state() {
    const now = this.now;
    const chip = (node, kind) => h("span", { class: `chip ${kind}${node ? "" : " root"}` }, this.name(node));
    const row = (title, nodes, kind, marked, hint) =>
      h("div", { class: `pile ${kind}` }, h("h3", {}, title, hint ? h("small", {}, hint) : null),
        h("div", { class: "chips", tabindex: 0, role: "group", "aria-label": title },
          nodes.length ? nodes.map((node, i) => chip(node, i === marked ? "marked" : "")) : h("span", { class: "none" }, "empty")));
    if (now.name === "easy-first")
      return h("div", { class: "state one" }, row("List", now.stack, "stack", -1, "words that still have to find a head; neighbours are joined, in any order"));
    const first = now.name === "covington" ? "List" : "Stack";
    return h("div", { class: "state" },
      row(first, now.stack, "stack", now.stack.length - 1, "its top at the right"),
      now.passed.length ? row("Passed over", now.passed, "passed", -1) : null,
      row("Buffer", now.buffer, "buffer", 0, "its front at the left"));
  }

  moves() {
    const now = this.now;
    if (now.final) {
      const gold = this.gold.tree;
      const right = gold ? now.heads.filter((head, i) => head === gold.heads[i]).length : 0;
      return h("div", { class: "moves final" }, h("h3", {}, "Nothing is left to do"),
        gold ? h("p", {}, `${right} of ${gold.heads.length} heads are as in ${this.gold.name}.`) : null);
    }
    const groups = grouped(now.options);
    const even = now.options.every((option) => option.prob === null);
    if (groups.length > MANY) groups.sort((a, b) => b.prob - a.prob || (a.cost ?? 0) - (b.cost ?? 0));
    const rows = groups.map((group, i) => this.action(group, i, even, groups.length));
    const folded = rows.length > MANY ? h("details", { class: "more" }, h("summary", {}, `${rows.length - MANY} more`), rows.splice(MANY)) : null;
    const priced = now.loss !== null;
    return h("div", { class: "moves" },
      h("h3", {}, "What can be done", h("small", {}, priced ? "cost: gold arcs it loses for good. Take any, also a wrong one." : "take any of them")),
      h("div", { class: "actions" }, rows), folded,
      now.left_out ? h("p", { class: "note" }, `${now.left_out.toLocaleString("en")} improbable labels are not listed.`) : null,
      even ? h("p", { class: "note" }, `No model of ${this.now.name} is loaded, so the bars are even${priced ? "; the costs are real" : ""}.`) : null);
  }

  action(group, place, even, all) {
    const best = group.options[0];
    const [head, dependent] = group.arc ?? [];
    const what = group.arc
      ? h("span", { class: "what" }, h("b", {}, this.name(head)), " → ", h("b", {}, this.name(dependent)))
      : h("span", { class: "what" }, this.meaning(group.move));
    const share = even ? 1 / all : group.prob;
    const others = group.options.slice(1);
    const near = others.slice(0, LABELS), rest = others.slice(LABELS);
    const chip = (option) => h("button", {
      type: "button", class: `choice ${worth(option.cost)}`, onclick: () => this.take(option),
      "aria-label": `${option.transition}${option.prob === null ? "" : `, ${percent(option.prob)}`}${price(option.cost)}`,
    }, option.label ?? group.move, h("small", {}, option.prob === null ? "" : percent(option.prob)));
    const next = this.ahead[0] && group.options.some((option) => option.transition === this.ahead[0]);
    return h("div", { class: `action ${worth(best.cost)}${next ? " next" : ""}` },
      h("button", {
        type: "button", class: "take", "data-key": place ? null : "first", "data-move": group.move, "data-cost": best.cost, onclick: () => this.take(best),
        "aria-label": `${best.transition}${group.arc ? `: ${this.name(head)} to ${this.name(dependent)}` : ""}${even ? "" : `, ${percent(share)}`}${price(best.cost)}${next ? ", comes next" : ""}`,
      },
      h("span", { class: "move" }, group.move, best.label ? h("i", {}, visible(best.label)) : null),
      what,
      h("span", { class: `gauge${even ? " even" : ""}`, vars: { "--share": Math.max(share, 0.002).toFixed(4) } }, h("span", {}), h("em", {}, even ? "" : percent(share))),
      best.cost === null ? null : h("span", { class: "cost" }, best.cost === 0 ? "0" : `+${best.cost}`)),
      near.length ? h("div", { class: "labels" }, near.map(chip),
        rest.length ? unfolding(`${rest.length} labels more`, () => h("div", { class: "labels" }, rest.map(chip))) : null) : null);
  }

  meaning(move) {
    const now = this.now, front = now.buffer[0], top = now.stack.at(-1);
    if (move === "SHIFT" && now.name === "covington") return ["done with ", h("b", {}, this.name(front)), ": on to the next word"];
    if (move === "SHIFT" && front !== undefined) return [h("b", {}, this.name(front)), " goes onto the stack"];
    if (move === "REDUCE" && top !== undefined) return [h("b", {}, this.name(top)), " leaves the stack"];
    if (move === "NOARC" && top !== undefined) return ["no arc between ", h("b", {}, this.name(top)), " and ", h("b", {}, this.name(front))];
    if (move === "SWAP" && now.stack.length > 1) return [h("b", {}, this.name(now.stack.at(-2))), " goes back to the buffer"];
    return MEANING[move] ?? "";
  }

  verdict() {
    const now = this.now, gold = this.gold.tree;
    const notes = [];
    if (now.loss === null) notes.push(h("p", {}, "Without a tree to compare with there are no costs."));
    else if (now.loss === 0 && now.best.some(([head], i) => gold.heads[i] !== null && head !== gold.heads[i]))
      notes.push(h("p", { class: "good" }, h("b", {}, "Nothing more is lost."), " The dotted arcs cross others and are out of reach from the start; dashed ones are what is left to build."));
    else if (now.loss === 0) notes.push(h("p", { class: "good" }, h("b", {}, "Nothing is lost."), ` All of ${this.gold.name} can still be reached; dashed arcs are what is left to build.`));
    else {
      const lost = now.best.map(([head], i) => (gold.heads[i] !== null && head !== gold.heads[i] ? `${this.name(gold.heads[i])} → ${this.forms[i]}` : null)).filter(Boolean);
      const several = now.loss === 1 ? "arc is" : "arcs are";
      notes.push(h("p", { class: "bad" }, h("b", {}, `${now.loss} ${several} lost for good. `),
        lost.length ? `Out of reach: ${lost.slice(0, 6).join(", ")}${lost.length > 6 ? " …" : ""}. ` : "A label is wrong. ",
        now.final ? "" : "The dashed arcs are the best tree that can still be built."));
    }
    if (!this.gold.real && this.gold.tree) notes.push(h("p", { class: "note" }, "There is no gold tree: costs are counted against the tree that is shown."));
    if (now.note) notes.push(h("p", { class: "note" }, now.note));
    return h("div", { class: "verdict", role: "status" }, notes);
  }

  way() {
    const folded = unfolding(`All ${this.line.length} transitions`, () => this.transitions(), this.open);
    folded.classList.add("path");
    folded.addEventListener("toggle", () => { this.open = folded.open; });
    return folded;
  }

  transitions() {
    const place = this.history.length;
    const items = this.line.map((t, i) => {
      const cost = this.costOf(i);
      return h("li", { class: i < place ? "taken" : "to-come" },
        h("button", {
          type: "button", class: cost > 0 ? "astray" : "", tabindex: i === place - 1 || (i === 0 && !place) ? 0 : -1,
          "aria-label": `Step ${i + 1}: ${t}${cost > 0 ? `, costs ${cost}` : ""}`, onclick: () => { this.stop(); this.jump(i + 1); },
        }, visible(t)));
    });
    const list = h("ol", { class: "way", "aria-label": "The derivation", onkeydown: (event) => roam(event, list) }, items);
    requestAnimationFrame(() => {
      const at = items[Math.max(0, place - 1)];
      if (at) list.scrollTop = Math.max(0, at.offsetTop - list.offsetTop - 40);
    });
    return list;
  }
}

// What is made only when somebody wants to see it.
function unfolding(title, make, open = false) {
  const folded = h("details", {}, h("summary", {}, title));
  const unfold = () => { if (folded.open && folded.childElementCount === 1) folded.append(make()); };
  folded.addEventListener("toggle", unfold);
  if (open) {
    folded.open = true;
    unfold();
  }
  return folded;
}

function roam(event, list) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const buttons = [...list.querySelectorAll("button")];
  const next = buttons[buttons.indexOf(document.activeElement) + step];
  if (next) next.focus();
  event.preventDefault();
  event.stopPropagation();
}

// One entry for each action, its labels by probability, or the free ones first.
function grouped(options) {
  const groups = new Map();
  for (const option of options) {
    const key = `${option.move}@${option.node}`;
    if (!groups.has(key)) groups.set(key, { move: option.move, node: option.node, arc: option.arc, options: [], prob: 0, cost: null });
    const group = groups.get(key);
    group.options.push(option);
    group.prob += option.prob ?? 0;
    if (option.cost !== null) group.cost = Math.min(group.cost ?? Infinity, option.cost);
  }
  for (const group of groups.values()) group.options.sort((a, b) => (b.prob ?? 0) - (a.prob ?? 0));
  return [...groups.values()];
}

function worth(cost) {
  return cost === null || cost === undefined ? "" : cost === 0 ? "free" : "dear";
}

function price(cost) {
  return cost === null || cost === undefined ? "" : cost === 0 ? ", costs nothing" : `, costs ${cost}`;
}

// What costs are counted against: gold if there is such a tree, else the tree that is shown, if it is one.
function target(sentence) {
  if (sentence.gold && isTree(sentence.gold.heads)) return { tree: sentence.gold, name: "the gold tree", real: true };
  if (isTree(sentence.heads) && sentence.heads.some((head) => head !== null)) return { tree: sentence, name: "the tree that is shown", real: false };
  return { tree: null, name: "", real: false };
}

function isTree(heads) {
  return heads.every((head, i) => head === null || (head !== i + 1 && !(head && hangsOn(heads, head, i + 1))));
}
