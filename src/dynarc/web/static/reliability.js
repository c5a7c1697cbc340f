// Is it right as often as it says? Ten bins of probability, each opening its sentences.
import { h, svg, percent } from "./dom.js";

const W = 520, H = 400, L = 54, R = 16, T = 16, B = 52;

export function reliabilityView(found, open) {
  const x = (p) => L + p * (W - L - R), y = (p) => H - B - p * (H - T - B);
  const most = Math.max(...found.bins.map((bin) => bin.items));
  const picture = svg("svg", { class: "plot", viewBox: `0 0 ${W} ${H}`, role: "group", "aria-label": "Reliability diagram: share of right arcs by probability" });
  for (let i = 0; i <= 10; i += 2) {
    picture.append(svg("path", { class: "grid", d: `M${L} ${y(i / 10)} H${W - R}` }), svg("text", { class: "tick end", x: L - 8, y: y(i / 10) + 4 }, `${i * 10}%`), svg("text", { class: "tick", x: x(i / 10), y: H - B + 20 }, `${i * 10}%`));
  }
  picture.append(svg("path", { class: "ideal", d: `M${x(0)} ${y(0)} L${x(1)} ${y(1)}` }));
  picture.append(svg("text", { class: "axis", x: (L + W - R) / 2, y: H - 8 }, "probability that was said"), svg("text", { class: "axis", x: -(T + H - B) / 2, y: 12, transform: "rotate(-90)" }, "share that was right"));
  found.bins.forEach((bin, i) => {
    if (!bin.items) return;
    const said = `${bin.items.toLocaleString("en")} arcs: ${percent(bin.said, 1)} said, ${percent(bin.accuracy, 1)} right`;
    const go = () => open(i, `${percent(bin.low)} to ${percent(bin.high)} sure`);
    const bar = svg("g", { class: "bin", tabindex: 0, role: "button", "aria-label": `${said}. Show them.`, onclick: go, onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); go(); } } },
      svg("title", {}, said),
      svg("rect", { class: "bin-hit", x: x(bin.low), y: T, width: x(bin.high) - x(bin.low), height: H - T - B }),
      svg("rect", { class: "bin-bar", x: x(bin.low) + 3, y: y(bin.accuracy), width: x(bin.high) - x(bin.low) - 6, height: y(0) - y(bin.accuracy), rx: 3 }),
      svg("path", { class: "gap", d: `M${x(bin.said)} ${y(bin.said)} V${y(bin.accuracy)}` }),
      svg("circle", { class: "dot", cx: x(bin.said), cy: y(bin.accuracy), r: 3 + 6 * Math.sqrt(bin.items / most) }));
    picture.append(bar);
  });
  const part = found.words < found.of ? ` A sample of ${found.words.toLocaleString("en")} of its ${found.of.toLocaleString("en")} words.` : "";
  return h("section", { class: "reliability", "aria-label": "Reliability" },
    h("div", { class: "scores" },
      h("div", { class: "score" }, h("b", {}, percent(found.said, 1)), h("span", {}, "sure, on average")),
      h("div", { class: "score" }, h("b", {}, percent(found.accuracy, 1)), h("span", {}, "of heads right")),
      h("div", { class: "score" }, h("b", {}, percent(found.ece, 2)), h("span", {}, "calibration error"))),
    h("p", {}, `Dots on the dashed line are right as often as was said; below it, the parser was too sure. The larger a dot, the more arcs.${part} Click a bar to see its sentences.`),
    picture);
}
