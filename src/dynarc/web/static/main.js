// The page: what is open, which sentence and which view of it are shown, keys and links.
import { h, replace, toast, tip, visible, percent } from "./dom.js";
import { connect, Failure } from "./source.js";
import { arcsOf, drawTree, story } from "./tree.js";
import { marks, scores, hangsOn } from "./compare.js";
import { Player } from "./player.js";
import { SentenceList } from "./list.js";
import { errorsView } from "./errors.js";
import { reliabilityView } from "./reliability.js";
import { alternativesView } from "./alternatives.js";
import { askArc, editable, editableArcs } from "./edit.js";
import { copyImage, copyText, save, toPng, toSvg, toTikz } from "./exports.js";
import { withTree } from "./conllu.js";

const EXAMPLE = "She saw the man with a telescope.";
const TREES = 5;
const element = (id) => document.getElementById(id);

const app = {
  source: null,
  start: null,
  doc: null, // {name, id, index, judged, text, get(number)}
  number: 0,
  sentence: null,
  view: "tree",
  wordError: 0,
  edits: new Map(), // by number: {fixed, sentence}
  player: null,
  best: null, // {found, chosen}
  spotted: null, // words of the open cell
  width: () => Math.max(240, element("main").clientWidth - (innerWidth < 620 ? 18 : 42)),
  changed: () => { clearTimeout(app.linking); app.linking = setTimeout(link, 250); }, // browsers count how often addresses change
  linking: null,
};

const list = new SentenceList((number) => show(number));

// Opening things.

async function begin() {
  app.source = await connect();
  app.start = await app.source.start();
  const { models, file, version } = app.start;
  element("about").textContent = models.length ? models.map((model) => `${model.name} · ${model.system}${model.dev.las ? ` · LAS ${model.dev.las.toFixed(1)}` : ""}`).join("   ") : `version ${version}`;
  element("say").hidden = !models.length;
  element("open").hidden = !app.source.live;
  replace(element("side"), list.element);
  const wanted = linked();
  try {
    if (file && !wanted.text) await openIndexed(file, wanted);
    else if (models.length) await openText(wanted.text ?? EXAMPLE, wanted);
    else replace(element("main"), h("p", { class: "empty" }, "Open a CoNLL-U file to see its trees."));
  } catch (failure) {
    fail(failure);
  }
  document.documentElement.dataset.ready = "true";
}

async function openIndexed(file, wanted = {}) {
  const index = await app.source.index(file.id);
  app.doc = { name: file.name, id: file.id, index, judged: file.gold, info: file, text: null, get: (number) => app.source.sentence(file.id, number) };
  element("side").hidden = false;
  element("frame").classList.add("with-side");
  opened();
  list.fill(index, file.gold);
  document.title = `${file.name} - dynarc`;
  await show(Math.min(wanted.number ?? 0, index.length - 1), wanted);
}

async function openText(text, wanted = {}) {
  element("text").value = text;
  const { sentences } = await app.source.drawn({ text });
  if (!sentences.length) return toast("There is no sentence in it.");
  const index = sentences.map((one) => [one.sent_id, one.text, one.forms.length, 0, 0]);
  app.doc = { name: "typed", id: null, index, judged: false, info: {}, text, get: async (number) => sentences[number] };
  const several = sentences.length > 1;
  element("side").hidden = !several;
  element("frame").classList.toggle("with-side", several);
  opened();
  if (several) list.fill(index, false);
  document.title = "dynarc";
  await show(Math.min(wanted.number ?? 0, index.length - 1), wanted);
}

function opened() {
  app.edits.clear();
  app.spotted = null;
  if (["errors", "reliability"].includes(app.view)) app.view = "tree";
}

async function show(number, wanted = {}) {
  app.player?.stop();
  app.number = number;
  app.wordError = 0;
  app.best = null;
  app.player = null;
  try {
    app.sentence = app.edits.get(number)?.sentence ?? (await app.doc.get(number));
  } catch (failure) {
    return fail(failure);
  }
  app.spotted = list.spots?.get(number) ?? null;
  if (wanted.view) app.view = wanted.view;
  else if (["errors", "reliability"].includes(app.view)) app.view = "tree";
  list.mark(number);
  return render(wanted);
}

// Drawing the middle of the page.

const VIEWS = [["tree", "Tree"], ["steps", "Steps"], ["best", "Alternatives"], ["errors", "Errors"], ["reliability", "Reliability"]];

function offered() {
  const model = app.start.models.length > 0, { judged, info } = app.doc;
  return VIEWS.filter(([view]) => ({ tree: true, steps: true, best: model, errors: judged, reliability: judged && info.probabilities })[view]);
}

async function render(wanted = {}) {
  if (!app.doc) return;
  if (!offered().some(([view]) => view === app.view)) app.view = "tree";
  const body = h("div", { class: "card", role: "tabpanel", id: "panel", "aria-labelledby": `tab-${app.view}`, "aria-busy": "true" });
  replace(element("main"), tabs(), body);
  const asked = app.view;
  try {
    const content = await { tree: treeView, steps: stepsView, best: bestView, errors: errorsPart, reliability: reliabilityPart }[asked](wanted);
    if (asked === app.view) replace(body, content);
  } catch (failure) {
    if (!(failure instanceof Failure)) console.error(failure);
    replace(body, h("p", { class: "empty", role: "alert" }, failure.message));
  }
  body.removeAttribute("aria-busy");
  link();
}

function tabs() {
  const chosen = offered();
  const go = (view, focus) => {
    app.player?.stop();
    app.view = view;
    render().then(() => (focus ? element(`tab-${view}`) : element("panel").querySelector('[data-key="next"]'))?.focus()); // arrow keys then step
  };
  return h("div", { class: "tabs", role: "tablist", "aria-label": "Views", onkeydown: (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const place = chosen.findIndex(([view]) => view === app.view);
    go(chosen[(place + step + chosen.length) % chosen.length][0], true);
    event.preventDefault();
    event.stopPropagation();
  } }, chosen.map(([view, name]) => h("button", {
    type: "button", role: "tab", id: `tab-${view}`, "aria-selected": view === app.view ? "true" : "false", "aria-controls": "panel", tabindex: view === app.view ? 0 : -1, onclick: () => go(view, view !== "steps"),
  }, name)));
}

function heading() {
  const { doc, number, sentence } = app;
  const several = doc.index.length > 1;
  const where = sentence.sent_id && doc.id ? visible(sentence.sent_id) : several ? `Sentence ${number + 1}` : "";
  const found = sentence.gold ? scores(sentence) : null;
  return h("div", { class: "heading" },
    h("h2", {}, where || "Your sentence", several ? h("small", {}, `${(number + 1).toLocaleString("en")} of ${doc.index.length.toLocaleString("en")}`) : null),
    found ? h("p", { class: "figures" }, `${found.heads} of ${found.words} heads right, ${found.both} with their labels`) : null,
    sentence.tree_prob !== null && sentence.tree_prob !== undefined ? h("p", { class: "figures" }, `whole tree right: ${percent(sentence.tree_prob)}`) : null,
    h("span", { class: "turn" },
      several ? h("button", { type: "button", class: "quiet", "aria-label": "Previous sentence (p)", onclick: () => beside(-1) }, "←") : null,
      several ? h("button", { type: "button", class: "quiet", "aria-label": "Next sentence (n)", onclick: () => beside(1) }, "→") : null,
      doc.judged ? h("button", { type: "button", class: "quiet", id: "next-error", onclick: nextError }, "Next error ", h("kbd", {}, "e")) : null,
      copyMenu()));
}

async function treeView() {
  const { sentence } = app;
  const edit = app.edits.get(app.number);
  const arcs = arcsOf(sentence, { compare: Boolean(sentence.gold), fixed: edit?.fixed ?? {} });
  const picture = draw(sentence, arcs);
  const sure = sentence.arc_prob?.some((p) => p !== null);
  return [heading(),
    h("div", { class: "figure", id: "figure" }, picture),
    h("div", { class: "under" }, legend(sentence, arcs, sure),
      h("p", { class: "note" }, "Drag a word onto its new head (or above the arcs, for ROOT); click it, or press Enter, to choose head and label.")),
    edit ? edited(edit) : null];
}

function draw(sentence, arcs) {
  const spots = new Set(app.spotted ?? []);
  const classes = (word) => `${spots.has(word) ? "spotted" : ""}${word === app.wordError ? " pointed" : ""}`;
  const picture = drawTree(sentence, { arcs, width: app.width(), classes, label: `Dependency tree: ${sentence.text}`, interactive: editable(change, (word) => ask(word)) });
  editableArcs(picture, change, (word) => ask(word));
  return picture;
}

function legend(sentence, arcs, sure) {
  const kinds = new Set(arcs.flatMap((arc) => arc.kinds));
  const items = [];
  if (sure) items.push(h("span", { class: "scale" }, "doubtful ", h("span", { class: "ramp" }), " sure"));
  const names = { wrong: "wrong head", gold: "what gold has", mislabelled: "gold≠found label", crossing: "crossing arc", fixed: "fixed by you" };
  for (const [kind, text] of Object.entries(names)) if (kinds.has(kind)) items.push(h("span", { class: `swatch ${kind}` }, text));
  if (sentence.ranges?.length) items.push(h("span", { class: "swatch range" }, "multiword token"));
  if (sentence.empty?.length) items.push(h("span", { class: "swatch empty-node" }, "empty node"));
  return h("p", { class: "legend" }, items);
}

async function stepsView(wanted) {
  app.player ??= new Player(app, app.sentence, app.number, wanted);
  if (app.player.now) {
    app.player.show();
    return [heading(), app.player.element];
  }
  return [heading(), await app.player.begin()];
}

async function bestView() {
  const { sentence } = app;
  app.best ??= { found: await app.source.kbest({ conllu: sentence.conllu, k: TREES }), chosen: 0 };
  const { found, chosen } = app.best;
  const tree = found.trees[chosen], first = found.trees[0];
  const gold = chosen ? { heads: first.heads, deprels: first.deprels } : null;
  const shown = { ...tree, empty: [], gold };
  const differing = arcsOf(shown, { compare: chosen > 0 }).filter((arc) => !arc.kinds.includes("gold"));
  for (const arc of differing) arc.kinds = arc.kinds.map((kind) => (kind === "wrong" || kind === "mislabelled" ? "fresh" : kind));
  return [heading(), h("div", { class: "figure", id: "figure" }, drawTree(shown, { arcs: differing, width: app.width(), label: `Tree ${chosen + 1}: ${sentence.text}` })),
    alternativesView(found, chosen, (place) => { app.best.chosen = place; render(); })];
}

async function errorsPart() {
  const found = await app.source.errors(app.doc.id);
  return errorsView(found, async (name) => openCell(await app.source.cell(app.doc.id, name)));
}

async function reliabilityPart() {
  const found = await app.source.reliability(app.doc.id);
  return reliabilityView(found, async (number, title) => openCell({ ...(await app.source.bin(app.doc.id, number)), title }));
}

function openCell(cell) {
  list.cell(cell);
  if (cell.spots.length) show(cell.spots[0][0], { view: "tree" });
}

// Changing arcs.

const modelLabels = () => [...new Set([...(app.start.models[0]?.labels ?? []), ...app.sentence.deprels.filter(Boolean)])].sort();

function ask(word) {
  const edit = app.edits.get(app.number);
  const parser = app.start.models.length > 0;
  askArc(app.sentence, word, modelLabels(), { fixed: parser && edit?.fixed[word], parser }, (arc) => change(word, arc?.head, arc?.label, arc === null));
}

async function change(word, head, label = null, release = false) {
  const before = app.edits.get(app.number) ?? { fixed: {}, first: app.sentence };
  const fixed = { ...before.fixed };
  if (release) delete fixed[word];
  else fixed[word] = { head, label };
  try {
    const sentence = app.start.models.length ? await completed(before.first, fixed) : altered(app.sentence, word, head, label);
    if (Object.keys(fixed).length) app.edits.set(app.number, { fixed, first: before.first, sentence });
    else app.edits.delete(app.number);
    app.sentence = Object.keys(fixed).length ? sentence : before.first;
    app.best = null;
    app.player = null;
    await render();
    const form = visible(sentence.forms[word - 1]);
    toast(release ? `${form} is left to the parser` : `${form} now hangs on ${head ? visible(sentence.forms[head - 1]) : "ROOT"}`);
  } catch (failure) {
    toast(failure.message);
  }
}

// The parser's tree with the fixed arcs in it.
async function completed(first, fixed) {
  const arcs = Object.entries(fixed).map(([word, arc]) => ({ word: Number(word), ...arc }));
  if (!arcs.length) return first;
  const { sentences } = await app.source.drawn({ conllu: first.conllu, fixed: arcs });
  return { ...sentences[0], gold: first.gold };
}

// Without a parser only the arc itself changes.
function altered(sentence, word, head, label) {
  if (head && hangsOn(sentence.heads, head, word)) throw new Failure(`That would make a cycle: “${sentence.forms[head - 1]}” hangs on “${sentence.forms[word - 1]}”.`);
  const heads = [...sentence.heads], deprels = [...sentence.deprels];
  heads[word - 1] = head;
  if (label) deprels[word - 1] = label;
  return { ...sentence, heads, deprels, arc_prob: null, label_prob: null, tree_prob: null, conllu: withTree(sentence.conllu, heads, deprels) };
}

function edited({ fixed, first, sentence }) {
  const words = Object.keys(fixed).map((word) => `“${visible(first.forms[word - 1])}”`).join(", ");
  const others = sentence.heads.filter((head, i) => !fixed[i + 1] && (head !== first.heads[i] || sentence.deprels[i] !== first.deprels[i])).length;
  return h("section", { class: "edited", "aria-label": "Your changes" },
    h("p", {}, `Fixed: ${words}. `, others ? `The parser has changed ${others} other ${others === 1 ? "arc" : "arcs"} to go with it.` : ""),
    h("p", { class: "buttons" },
      h("button", { type: "button", class: "main", onclick: () => copyText(app.sentence.conllu, "CoNLL-U") }, "Copy the new CoNLL-U"),
      h("button", { type: "button", onclick: () => { app.edits.delete(app.number); show(app.number); } }, "Undo all")),
    h("pre", { tabindex: 0, "aria-label": "The sentence in CoNLL-U" }, visible(sentence.conllu.trimEnd()).replaceAll("␊", "\n").replaceAll("␉", "\t")));
}

// Going about.

function beside(step) {
  const next = app.doc.index.length > 1 ? list.beside(step) : null;
  if (next !== null) show(next);
}

function nextError() {
  const wrong = marks(app.sentence);
  for (let word = app.wordError + 1; word <= wrong.length; ++word)
    if (wrong[word - 1]) {
      app.wordError = word;
      app.view = "tree";
      return render().then(() => {
        const at = element("figure")?.querySelector(`[data-word="${word}"]`);
        at?.scrollIntoView({ block: "nearest", inline: "center" });
        at?.focus({ preventScroll: true });
        toast(story(app.sentence, app.sentence.forms.map(visible), word));
      });
    }
  const next = list.beside(1, ([, , , heads, labels]) => heads + labels > 0);
  if (next === null) return toast("There are no more errors after this one.");
  return show(next, { view: "tree" }).then(nextError);
}

function copyMenu() {
  const picture = () => element("panel").querySelector("svg.tree");
  const name = () => (app.sentence.sent_id ?? "sentence").replace(/[^\w.-]+/g, "_").slice(0, 60) || "sentence";
  const shown = () => (app.view === "best" ? app.best.found.trees[app.best.chosen] : app.sentence);
  const entries = [
    ["CoNLL-U", () => copyText(shown().conllu, "CoNLL-U"), () => save(shown().conllu, `${name()}.conllu`)],
    ["SVG", () => copyText(toSvg(picture()), "SVG"), () => save(toSvg(picture()), `${name()}.svg`, "image/svg+xml")],
    ["PNG", async () => copyImage(await toPng(picture())), async () => save(await toPng(picture()), `${name()}.png`)],
    ["TikZ", () => copyText(toTikz(shown()), "TikZ"), () => save(toTikz(shown()), `${name()}.tex`)],
  ];
  const menu = h("details", { class: "menu", onkeydown: (event) => { if (event.key === "Escape") { menu.open = false; menu.firstChild.focus(); event.stopPropagation(); } } },
    h("summary", {}, "Copy as"),
    h("div", { class: "sheet" },
      entries.map(([format, copy, keep]) => h("div", { class: "line" }, h("span", {}, format),
        h("button", { type: "button", class: "quiet", "data-copy": format, "aria-label": `Copy ${format}`, onclick: () => { menu.open = false; copy(); } }, "Copy"),
        h("button", { type: "button", class: "quiet", "data-save": format, "aria-label": `Save ${format}`, onclick: () => { menu.open = false; keep(); } }, "Save"))),
      app.source.live ? h("div", { class: "line" }, h("span", {}, "Link"), h("button", { type: "button", class: "quiet", "data-copy": "link", "aria-label": "Copy a link to this", onclick: () => { menu.open = false; link(); copyText(location.href, "Link"); } }, "Copy")) : null));
  return menu;
}

// Links say what is shown, after the #, which browsers do not send.

function link() {
  if (!app.doc) return;
  const parts = new URLSearchParams();
  if (app.doc.text !== null) parts.set("text", app.doc.text);
  if (app.number) parts.set("n", app.number + 1);
  if (app.view !== "tree") parts.set("view", app.view);
  if (app.view === "steps" && app.player?.now) {
    parts.set("system", app.player.system);
    if (app.player.follow !== "parser") parts.set("follow", app.player.follow);
    if (app.player.history.length) parts.set("steps", app.player.history.join(" "));
  }
  const hash = `#${parts}`;
  if (hash !== location.hash) history.replaceState(null, "", hash);
}

function linked() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const known = (name, values) => (values.includes(parts.get(name)) ? parts.get(name) : undefined);
  return {
    text: parts.get("text") ?? undefined,
    number: Math.max(0, (Number.parseInt(parts.get("n") ?? "1", 10) || 1) - 1),
    view: known("view", VIEWS.map(([view]) => view)),
    system: known("system", app.start.systems.map(({ name }) => name)),
    follow: known("follow", ["parser", "oracle"]),
    history: parts.get("steps")?.split(" ").filter(Boolean),
  };
}

// Keys, colours, files.

const KEYS = [["→ ←", "one step on, back (Steps)"], ["space", "play, pause (Steps)"], ["m", "to the parser's next mistake (Steps)"], ["n p", "next, previous sentence"], ["e", "next error"], ["1 … 5", "views"], ["/", "search"], ["t", "type a sentence"], ["?", "this list"]];

function help() {
  const dialog = element("dialog");
  replace(dialog, h("form", { method: "dialog" }, h("h2", { id: "dialog-title" }, "Keys"), h("dl", { class: "keys" }, KEYS.map(([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)])),
    h("p", { class: "note" }, "In the tree, arrow keys go from word to word and Enter changes an arc."), h("p", { class: "buttons" }, h("button", { type: "submit", class: "main" }, "Close"))));
  dialog.setAttribute("aria-labelledby", "dialog-title");
  dialog.showModal();
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || element("dialog").open) return;
  const inside = event.target.closest?.("input, select, textarea, [role=tablist]");
  if (inside && !(inside.type === "range" && event.key === " ")) return;
  const steps = app.view === "steps" && app.player?.now;
  const onButton = event.target.closest?.("button, summary, [role=button], a");
  const actions = {
    ArrowRight: steps && (() => { app.player.stop(); app.player.forward(); }),
    ArrowLeft: steps && (() => { app.player.stop(); app.player.back(); }),
    m: steps && app.player.mistake() !== null && (() => { app.player.stop(); app.player.jump(app.player.mistake()); }),
    " ": steps && !onButton && (() => app.player.play()),
    n: () => beside(1), p: () => beside(-1), e: () => app.doc?.judged && nextError(),
    "/": () => !element("side").hidden && list.find.focus(), t: () => element("text").focus(), "?": help,
  };
  if (/^[1-5]$/.test(event.key) && app.doc) {
    const view = offered()[Number(event.key) - 1]?.[0];
    if (view) actions[event.key] = () => { app.player?.stop(); app.view = view; render(); };
  }
  if (!actions[event.key]) return;
  event.preventDefault();
  actions[event.key]();
}

function colours(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("dynarc-theme", theme);
  } catch { /* a page that is a file may keep nothing */ }
}

function fail(failure) {
  if (!(failure instanceof Failure)) console.error(failure);
  if (app.sentence) toast(failure.message);
  else replace(element("main"), h("p", { class: "empty", role: "alert" }, failure.message));
}

async function openFile(file) {
  if (!file) return;
  toast(`Reading ${file.name} …`);
  try {
    await openIndexed(await app.source.open(file.name, file));
    toast(`${file.name} is open`);
  } catch (failure) {
    fail(failure);
  }
}

let theme = "auto";
try {
  theme = localStorage.getItem("dynarc-theme") ?? "auto";
} catch { /* as above */ }
element("theme").value = theme;
colours(element("theme").value || "auto");
element("theme").addEventListener("change", (event) => { colours(event.target.value); render(); });
element("help").addEventListener("click", help);
element("open").addEventListener("click", () => element("file").click());
element("file").addEventListener("change", (event) => { openFile(event.target.files[0]); event.target.value = ""; });
element("say").addEventListener("submit", (event) => {
  event.preventDefault();
  if (element("text").value.trim()) openText(element("text").value).catch(fail);
});
addEventListener("keydown", pressed);
addEventListener("scroll", () => tip(null), { passive: true });
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => { event.preventDefault(); if (app.source?.live) openFile(event.dataTransfer.files[0]); });
addEventListener("hashchange", () => location.reload());
let wide = innerWidth, resized;
addEventListener("resize", () => {
  if (innerWidth === wide) return;
  wide = innerWidth;
  clearTimeout(resized);
  resized = setTimeout(render, 120);
});
begin().catch(fail);
