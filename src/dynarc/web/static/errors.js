// Scores of a file, labels taken for labels, and wrong heads: every number opens its sentences.
import { h, visible } from "./dom.js";

export function errorsView(found, open) {
  const { scores } = found;
  const figure = (name, value, hint) => h("div", { class: "score", title: hint }, h("b", {}, value), h("span", {}, name));
  return h("section", { class: "errors", "aria-label": "Errors" },
    h("div", { class: "scores" },
      figure("UAS", scores.UAS.toFixed(2), "words with the right head, in percent"),
      figure("LAS", scores.LAS.toFixed(2), "words with the right head and label, in percent"),
      figure("CLAS", scores.CLAS.toFixed(2), "the same of content words"),
      figure("words", found.words.toLocaleString("en")),
      figure("wrong heads", found.wrong_heads.toLocaleString("en")),
      figure("wrong labels", found.wrong_labels.toLocaleString("en"))),
    h("h3", {}, "Labels", h("small", {}, "gold down, found across; click a number to see its sentences")),
    matrix(found, open),
    h("p", { class: "note" }, `Red is the share of a gold label's words that were called something else, green of those that were not. ${found.of_labels > found.labels.length ? `The ${found.labels.length} labels with most errors, of ${found.of_labels}.` : ""}`),
    h("h3", {}, "Wrong heads"),
    h("div", { class: "kinds" },
      kinds("By place in the gold tree", found.structure, found.wrong_heads, open),
      kinds("By side and distance", found.distance, found.wrong_heads, open),
      kinds("By part of speech: word:gold head>found head", found.tags.slice(0, 12), found.wrong_heads, open)));
}

function matrix(found, open) {
  const by = new Map(found.matrix.map((cell) => [`${cell.gold}\n${cell.system}`, cell]));
  const head = h("tr", {}, h("td", {}), found.labels.map((label) => h("th", { scope: "col" }, h("span", {}, visible(label)))), h("th", { scope: "col" }, h("span", {}, "words")));
  const rows = found.labels.filter((label) => found.totals[label]).map((gold) => {
    const total = found.totals[gold];
    return h("tr", {}, h("th", { scope: "row" }, visible(gold)), found.labels.map((system) => {
      const cell = by.get(`${gold}\n${system}`);
      if (!cell) return h("td", {});
      const own = gold === system, share = cell.count / total;
      const heat = own ? 0.35 * share : Math.min(0.55, 0.06 + 0.5 * Math.sqrt(share));
      const openable = own ? cell.head_wrong > 0 : true;
      const text = cell.count.toLocaleString("en");
      const label = own ? `${gold}, rightly: ${text}; ${cell.head_wrong} of them with a wrong head` : `${gold} found as ${system}: ${text} of ${total}`;
      return h("td", { class: own ? "own" : "off", vars: { "--heat": heat.toFixed(2) } },
        openable ? h("button", { type: "button", title: label, "aria-label": label, onclick: () => open(cell.name) }, text) : text);
    }), h("td", { class: "sum" }, total.toLocaleString("en")));
  });
  return h("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Labels, gold against found" }, h("table", { class: "matrix" }, h("thead", {}, head), h("tbody", {}, rows)));
}

function kinds(title, cells, all, open) {
  return h("div", {}, h("h4", {}, title), h("ul", { class: "bars" }, cells.map((cell) =>
    h("li", {}, h("button", { type: "button", class: "bar-row", onclick: () => open(cell.name), title: cell.meaning },
      h("span", { class: "bar-name" }, visible(cell.name)),
      h("span", { class: "bar-fill", vars: { "--share": (cell.count / Math.max(1, all)).toFixed(4) } }, h("span", {})),
      h("span", { class: "bar-count" }, cell.count.toLocaleString("en")))))));
}
