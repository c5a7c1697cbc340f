// A sentence in CoNLL-U with other heads and labels: all else stays as it is.

export function withTree(conllu, heads, deprels) {
  return conllu.split("\n").map((line) => {
    const cells = line.split("\t");
    if (!/^[0-9]+$/.test(cells[0]) || cells.length < 8) return line;
    const word = Number(cells[0]) - 1;
    cells[6] = heads[word] === null ? "_" : String(heads[word]);
    cells[7] = deprels[word] ?? "_";
    return cells.join("\t");
  }).join("\n");
}
