// What trees are like: wrong arcs, crossing arcs, cycles.

// For each word null, "head" or "label", as dynarc.draw.model.compare has it.
export function marks(sentence) {
  const gold = sentence.gold;
  if (!gold) return sentence.heads.map(() => null);
  return sentence.heads.map((head, i) => {
    if (gold.heads[i] === null) return null;
    if (head !== gold.heads[i]) return "head";
    return gold.deprels[i] === null || gold.deprels[i] === sentence.deprels[i] ? null : "label";
  });
}

// Words whose arcs are not projective: some word under the arc hangs outside of it, and not on its head.
export function crossing(heads) {
  const found = new Set();
  heads.forEach((head, i) => {
    const word = i + 1;
    if (!head) return;
    const [left, right] = [Math.min(word, head), Math.max(word, head)];
    for (let inner = left + 1; inner < right; ++inner) {
      const above = heads[inner - 1];
      if (above === null || (above >= left && above <= right) || hangsOn(heads, above, head)) continue;
      found.add(word);
      return;
    }
  });
  return found;
}

export function hangsOn(heads, word, ancestor) {
  for (let i = 0; i <= heads.length && word && word !== ancestor; ++i) word = heads[word - 1];
  return word === ancestor;
}

export function scores(sentence) {
  const found = marks(sentence);
  const known = sentence.gold ? sentence.gold.heads.filter((head) => head !== null).length : 0;
  const heads = found.filter((mark) => mark === "head").length;
  const labels = found.filter((mark) => mark === "label").length;
  return { words: known, heads: known - heads, both: known - heads - labels };
}
