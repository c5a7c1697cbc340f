// The most probable trees of a sentence, and what each has instead.
import { h, visible, percent } from "./dom.js";

export function alternativesView(found, chosen, show) {
  const first = found.trees[0];
  const rows = found.trees.map((tree, i) => {
    const changes = tree.heads.map((head, w) => {
      if (head === first.heads[w] && tree.deprels[w] === first.deprels[w]) return null;
      const name = head ? tree.forms[head - 1] : "ROOT";
      return h("li", {}, h("b", {}, visible(tree.forms[w])), " ← ", visible(name), h("i", {}, ` ${visible(tree.deprels[w] ?? "")}`));
    }).filter(Boolean);
    return h("li", { class: i === chosen ? "current" : "" },
      h("button", { type: "button", "aria-pressed": i === chosen ? "true" : "false", onclick: () => show(i) },
        h("span", { class: "rank" }, `${i + 1}`),
        h("span", { class: "gauge", vars: { "--share": Math.max(0.002, tree.probability).toFixed(4) } }, h("span", {}), h("em", {}, percent(tree.probability, 1))),
        h("ul", { class: "changes" }, i === 0 ? h("li", {}, "the most probable tree") : changes)));
  });
  const proof = found.exact ? "The search has shown that these are the best." : found.proven ? `The first ${found.proven} are shown to be the best; the others are good, but there may be better ones.` : "There may be better ones: the search was cut short.";
  return h("section", { class: "alternatives", "aria-label": "Most probable trees" }, h("ol", {}, rows), h("p", { class: "note" }, proof, " The probability is that of the derivation."));
}
