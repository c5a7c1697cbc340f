// Changing arcs: a word is dragged onto its new head, or both are chosen in a dialog.
import { h, replace, svg, visible } from "./dom.js";

const FAR = 6; // pixels before a click becomes a drag

// Makes the words of a drawing draggable. drop(word, head) is called with 0 for ROOT; open(word) for a click or Enter.
export function editable(drop, open) {
  return (group, word) => {
    group.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        event.stopPropagation();
        open(word);
        return;
      }
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const other = group.ownerSVGElement.querySelector(`[data-word="${word + step}"]`);
      if (other) {
        group.setAttribute("tabindex", "-1");
        other.setAttribute("tabindex", "0");
        other.focus();
      }
      event.preventDefault();
      event.stopPropagation();
    });
    group.addEventListener("pointerdown", (event) => begin(event, group, word, drop, open));
  };
}

// Arcs can be taken, too, by their lines and labels.
export function editableArcs(picture, drop, open) {
  for (const arc of picture.querySelectorAll(".arc:not(.gold)"))
    arc.addEventListener("pointerdown", (event) => {
      const word = Number(arc.dataset.arc);
      begin(event, picture.querySelector(`[data-word="${word}"]`), word, drop, open);
    });
}

function begin(event, group, word, drop, open) {
  if (event.button !== 0 || !group) return;
  event.preventDefault();
  const picture = group.ownerSVGElement, box = picture.getBoundingClientRect();
  const scale = picture.viewBox.baseVal.width / box.width;
  const start = [event.clientX, event.clientY];
  const line = svg("path", { class: "drag" });
  let moved = false, over = null;

  const target = (x, y) => {
    const found = document.elementsFromPoint(x, y).find((element) => element.closest?.("[data-word]"))?.closest("[data-word]");
    if (found && picture.contains(found)) return found;
    return null;
  };
  const move = (to) => {
    if (!moved && Math.hypot(to.clientX - start[0], to.clientY - start[1]) < FAR) return;
    if (!moved) {
      moved = true;
      picture.append(line);
      picture.classList.add("dragging");
      group.classList.add("held");
    }
    const from = group.getBoundingClientRect();
    const at = [(from.x + from.width / 2 - box.x) * scale, (from.y - box.y) * scale];
    const end = [(to.clientX - box.x) * scale, (to.clientY - box.y) * scale];
    line.setAttribute("d", `M${at[0]} ${at[1]} Q${(at[0] + end[0]) / 2} ${Math.min(at[1], end[1]) - 30} ${end[0]} ${end[1]}`);
    over?.classList.remove("over");
    over = target(to.clientX, to.clientY);
    over?.classList.add("over");
    picture.classList.toggle("to-root", !over && to.clientY < box.top + 12);
  };
  const end = (to) => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    line.remove();
    group.classList.remove("held");
    over?.classList.remove("over");
    const root = picture.classList.contains("to-root");
    picture.classList.remove("dragging", "to-root");
    if (to.type === "pointercancel") return;
    if (!moved) open(word);
    else if (over && Number(over.dataset.word) !== word) drop(word, Number(over.dataset.word));
    else if (root) drop(word, 0);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}

// The dialog of one word. done({head, label}) with what was chosen, or done(null) to leave it to the parser.
export function askArc(sentence, word, labels, { fixed, parser }, done) {
  const dialog = document.getElementById("dialog");
  const forms = sentence.forms.map(visible);
  const head = h("select", { id: "new-head" },
    h("option", { value: 0, selected: sentence.heads[word - 1] === 0 }, "ROOT"),
    forms.map((form, i) => (i + 1 === word ? null : h("option", { value: i + 1, selected: sentence.heads[word - 1] === i + 1 }, `${i + 1} ${form}`))));
  const label = h("input", { id: "new-label", list: "known-labels", value: sentence.deprels[word - 1] ?? "", autocomplete: "off", spellcheck: "false" });
  const close = () => dialog.close();
  const form = h("form", {
    method: "dialog",
    onsubmit: (event) => {
      event.preventDefault();
      close();
      done({ head: Number(head.value), label: label.value.trim() || null });
    },
  },
  h("h2", { id: "dialog-title" }, `The arc of “${forms[word - 1]}”`),
  h("p", {}, h("label", { for: "new-head" }, "Head "), head),
  h("p", {}, h("label", { for: "new-label" }, "Label "), label, h("datalist", { id: "known-labels" }, labels.map((one) => h("option", { value: one })))),
  h("p", { class: "buttons" },
    h("button", { type: "submit", class: "main" }, parser ? "Fix it, and parse the rest" : "Change it"),
    fixed ? h("button", { type: "button", onclick: () => { close(); done(null); } }, "Leave it to the parser") : null,
    h("button", { type: "button", onclick: close }, "Cancel")));
  replace(dialog, form);
  dialog.setAttribute("aria-labelledby", "dialog-title");
  dialog.showModal();
}
