// A drawing as others can use it: CoNLL-U, SVG, PNG, TikZ-dependency.
import { toast } from "./dom.js";

const SHOWN = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "font-size", "font-weight", "font-style", "font-family", "text-anchor", "opacity"];

// The picture with all that its style says written into it: it looks the same anywhere.
export function toSvg(picture) {
  const copy = picture.cloneNode(true);
  const originals = [picture, ...picture.querySelectorAll("*")], copies = [copy, ...copy.querySelectorAll("*")];
  copies.forEach((element, i) => {
    const style = getComputedStyle(originals[i]);
    for (const name of SHOWN) {
      const value = style.getPropertyValue(name);
      if (value && value !== "none" && value !== "normal" || name === "fill") element.setAttribute(name, value);
    }
    for (const name of ["class", "style", "tabindex", "role", "aria-label", "data-word", "data-arc", "data-head"]) element.removeAttribute(name);
  });
  for (const element of [...copy.querySelectorAll("path")]) if (element.getAttribute("stroke") === "rgba(0, 0, 0, 0)") element.remove();
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ground.setAttribute("width", "100%");
  ground.setAttribute("height", "100%");
  ground.setAttribute("fill", getComputedStyle(picture).getPropertyValue("--card").trim() || "#ffffff");
  copy.prepend(ground);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

export async function toPng(picture, scale = 2) {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([toSvg(picture)], { type: "image/svg+xml" }));
  try {
    await new Promise((done, failed) => {
      image.onload = done;
      image.onerror = failed;
      image.src = url;
    });
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(picture.viewBox.baseVal.width * scale);
    canvas.height = Math.ceil(picture.viewBox.baseVal.height * scale);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => canvas.toBlob(done, "image/png"));
  } finally {
    URL.revokeObjectURL(url);
  }
}

const SPECIAL = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };

function tex(text) {
  return text.replace(/[\\~^#$%&_{}]/g, (char) => SPECIAL[char] ?? `\\${char}`);
}

export function toTikz(sentence) {
  const tags = sentence.upos?.some((tag) => tag && tag !== "_") ? `\n  ${sentence.upos.map(tex).join(" \\& ")} \\\\` : "";
  const edges = sentence.heads.map((head, i) => {
    if (head === null) return null;
    const label = tex(sentence.deprels[i] ?? "");
    return head ? `  \\depedge{${head}}{${i + 1}}{${label}}` : `  \\deproot{${i + 1}}{${label}}`;
  }).filter(Boolean);
  return ["\\begin{dependency}", "  \\begin{deptext}[column sep=0.8em]", `  ${sentence.forms.map(tex).join(" \\& ")} \\\\${tags}`, "  \\end{deptext}", ...edges, "\\end{dependency}", ""].join("\n");
}

export async function copyText(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  toast(`${what} copied`);
}

export async function copyImage(blob) {
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
    toast("PNG copied");
  } catch {
    save(blob, "tree.png");
  }
}

export function save(content, name, type = "text/plain") {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
  toast(`${name} saved`);
}
