// The sentences of a file, as many as there are: only those in sight are in the document.
import { h, replace, visible } from "./dom.js";

const HIGH = 58; // pixels of an entry

export class SentenceList {
  // choose(number) is called with the sentence that was picked
  constructor(choose) {
    this.choose = choose;
    this.index = [];
    this.found = [];
    this.spots = null; // of a cell: words by sentence
    this.current = -1;
    this.query = "";
    this.only = "all";
    this.find = h("input", { type: "search", id: "find", placeholder: "Search", "aria-label": "Search the sentences", oninput: () => { this.query = this.find.value; this.filter(); } });
    this.kind = h("select", { "aria-label": "Which sentences", onchange: () => { this.only = this.kind.value; this.filter(); } },
      h("option", { value: "all" }, "all"), h("option", { value: "wrong" }, "with errors"), h("option", { value: "right" }, "without"));
    this.count = h("p", { class: "found", role: "status" });
    this.chosen = h("p", { class: "cell" });
    this.rows = h("ul", { class: "rows" });
    this.pad = h("div", { class: "pad" }, this.rows);
    this.scroller = h("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": "List of sentences", onkeydown: (event) => this.key(event) }, this.pad);
    this.scroller.addEventListener("scroll", () => this.draw(), { passive: true });
    addEventListener("resize", () => this.draw());
    this.element = [h("div", { class: "search" }, this.find, this.kind), this.chosen, this.count, this.scroller];
  }

  fill(index, judged) {
    this.index = index;
    this.lower = null;
    this.judged = judged;
    this.kind.hidden = !judged;
    this.only = this.kind.value = "all";
    this.query = this.find.value = "";
    this.cell(null);
  }

  // Shows the sentences of a cell only; null shows all again.
  cell(cell) {
    this.spots = cell ? new Map(cell.spots) : null;
    this.chosen.hidden = !cell;
    if (cell)
      replace(this.chosen, h("b", {}, visible(cell.title ?? cell.name)), " ", visible(cell.meaning), " ",
        h("button", { type: "button", class: "quiet", onclick: () => this.cell(null) }, "Show all"));
    this.filter();
  }

  filter() {
    this.lower ??= this.index.map(([id, text]) => `${id ?? ""}\n${text}`.toLowerCase());
    const words = this.query.toLowerCase().trim();
    this.found = [];
    for (let i = 0; i < this.index.length; ++i) {
      if (this.spots && !this.spots.has(i)) continue;
      const wrong = this.index[i][3] + this.index[i][4] > 0;
      if ((this.only === "wrong" && !wrong) || (this.only === "right" && wrong)) continue;
      if (words && !this.lower[i].includes(words)) continue;
      this.found.push(i);
    }
    const all = this.index.length.toLocaleString("en"), some = this.found.length.toLocaleString("en");
    this.count.textContent = this.found.length === this.index.length ? `${all} ${all === "1" ? "sentence" : "sentences"}` : `${some} of ${all} sentences`;
    this.pad.style.height = `${this.found.length * HIGH}px`;
    this.scroller.scrollTop = 0;
    this.draw();
  }

  draw() {
    const top = this.scroller.scrollTop, room = this.scroller.clientHeight || 600;
    const first = Math.max(0, Math.floor(top / HIGH) - 4), last = Math.min(this.found.length, Math.ceil((top + room) / HIGH) + 4);
    this.rows.style.transform = `translateY(${first * HIGH}px)`;
    replace(this.rows, this.found.slice(first, last).map((number) => this.entry(number)));
  }

  entry(number) {
    const [id, text, words, heads, labels] = this.index[number];
    const wrong = heads + labels;
    const note = this.judged ? (wrong ? h("span", { class: "wrong-count" }, `${wrong} wrong`) : h("span", { class: "right-count" }, "✓")) : `${words} words`;
    return h("li", {}, h("button", { type: "button", tabindex: -1, class: number === this.current ? "entry current" : "entry", "aria-current": number === this.current ? "true" : null, onclick: () => this.choose(number) },
      h("span", { class: "top" }, h("span", { class: "id" }, id ? visible(id) : `sentence ${number + 1}`), h("span", {}, note)),
      h("span", { class: "text" }, visible(text))));
  }

  mark(number) {
    this.current = number;
    const place = this.found.indexOf(number), top = place * HIGH;
    if (place >= 0 && (top < this.scroller.scrollTop || top + HIGH > this.scroller.scrollTop + this.scroller.clientHeight)) this.scroller.scrollTop = Math.max(0, top - this.scroller.clientHeight / 3);
    this.draw();
  }

  // The sentence so many places further in what is shown.
  beside(step, fits = () => true) {
    let place = this.found.indexOf(this.current);
    if (place < 0) place = step > 0 ? -1 : this.found.length;
    for (place += step; place >= 0 && place < this.found.length; place += step) if (fits(this.index[this.found[place]])) return this.found[place];
    return null;
  }

  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (!step) return;
    const place = Math.min(this.found.length - 1, Math.max(0, this.found.indexOf(this.current) + step));
    if (this.found.length) this.choose(this.found[place]);
    event.preventDefault();
    event.stopPropagation();
  }
}
