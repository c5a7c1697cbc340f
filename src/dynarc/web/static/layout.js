// Where words, arcs and labels go: pure numbers, in as many rows as the width needs.
export const SIZE = { gap: 16, stem: 9, pad: 22, level: 23, foot: 16, edge: 22, top: 6, below: 44, between: 26, margin: 14 };

// nodes: [{word, width}], word 0 for empty nodes; arcs: [{head, word, width}], head 0 for ROOT; width: of the picture.
export function layOut(nodes, arcs, width, ranges = []) {
  const place = new Map(nodes.map((node, i) => [node.word, i]).filter(([word]) => word));
  const spans = arcs.map((arc) => {
    const at = place.get(arc.word), from = arc.head ? place.get(arc.head) : at;
    return { arc, left: Math.min(at, from), right: Math.max(at, from), upright: at === from };
  });
  spread(spans, place);
  const room = Math.max(120, width - 2 * SIZE.margin);
  const rows = [];
  let first = 0;
  while (first < nodes.length) {
    const row = longest(nodes, spans, first, room, ranges, place);
    rows.push(row);
    first = row.last + 1;
  }
  let top = SIZE.top;
  const tags = nodes.some((node) => node.tagged);
  const below = SIZE.below - (tags ? 0 : 16) + (ranges.length ? 22 : 0);
  for (const row of rows) {
    row.ground = top + row.levels * SIZE.level + SIZE.foot;
    top = row.ground + below + SIZE.between;
  }
  return { rows, width: Math.max(...rows.map((row) => row.width)) + 2 * SIZE.margin, height: top - SIZE.between + 6 };
}

// How far from the middle of its word each arc ends: dependents on the left share a stem, then heads on the left, the
// nearest first; ROOT; heads on the right; dependents on the right. So arcs that nest do not cross where they end.
function spread(spans, place) {
  const stems = new Map();
  const add = (node, side, order, span, end) => {
    if (!stems.has(node)) stems.set(node, []);
    stems.get(node).push({ side, order, span, end });
  };
  for (const span of spans) {
    const at = place.get(span.arc.word), long = span.right - span.left;
    if (span.upright) add(at, 0, 0, span, "tip");
    else if (span.left !== at) add(at, -1, long, span, "tip");
    else add(at, 1, -long, span, "tip");
    if (!span.upright) add(span.left === at ? span.right : span.left, span.left === at ? -2 : 2, 0, span, "tail");
  }
  for (const ends of stems.values()) {
    ends.sort((a, b) => a.side - b.side || a.order - b.order);
    let number = -1, before = null;
    for (const end of ends) {
      const shared = before && Math.abs(end.side) === 2 && before.side === end.side;
      if (!shared) ++number;
      end.place = number;
      before = end;
    }
    for (const end of ends) end.span[end.end] = (end.place - number / 2) * SIZE.stem;
  }
}

function longest(nodes, spans, first, room, ranges, place) {
  let last = first, used = nodes[first].width;
  while (last + 1 < nodes.length && used + SIZE.gap + nodes[last + 1].width <= room) used += SIZE.gap + nodes[++last].width;
  for (;;) {
    const row = stretch(nodes, spans, first, last);
    if (row.width <= room || last === first) return row;
    do --last; while (last > first && ranges.some(([a, b]) => place.get(a) <= last && last < place.get(b)));
  }
}

function stretch(nodes, spans, first, last) {
  const seen = spans.filter((span) => span.right >= first && span.left <= last);
  const x = new Map();
  const end = (span, side) => (span.upright ? span.tip : (side === "left") === (span.tipLeft ?? tipIsLeft(span)) ? span.tip : span.tail);
  for (let i = first; i <= last; ++i) {
    let at = i === first ? nodes[i].width / 2 : x.get(i - 1) + (nodes[i - 1].width + nodes[i].width) / 2 + SIZE.gap;
    for (const span of seen) {
      const wide = span.arc.width;
      if (span.upright) {
        if (span.left === i) at = Math.max(at, wide / 2 - span.tip);
      } else if (span.right === i && span.left >= first) {
        at = Math.max(at, x.get(span.left) + end(span, "left") + wide + SIZE.pad - end(span, "right"));
      } else if (span.right === i) {
        at = Math.max(at, wide + SIZE.pad + SIZE.edge - end(span, "right"));
      }
    }
    x.set(i, at);
  }
  let width = x.get(last) + nodes[last].width / 2;
  for (const span of seen) {
    if (span.upright) width = Math.max(width, x.get(span.left) + span.tip + span.arc.width / 2);
    else if (span.right > last && span.left >= first)
      width = Math.max(width, x.get(span.left) + end(span, "left") + span.arc.width + SIZE.pad + SIZE.edge);
  }
  const drawn = leveled(seen, first, last).map(({ span, level }) => ({
    arc: span.arc,
    level,
    upright: span.upright,
    openLeft: span.left < first,
    openRight: span.right > last,
    start: span.left < first ? 0 : x.get(span.left) + end(span, "left"),
    end: span.right > last ? width : x.get(span.right) + end(span, "right"),
    tip: span.upright || (tipIsLeft(span) ? span.left >= first : span.right <= last) ? (tipIsLeft(span) ? "left" : "right") : null,
  }));
  for (const one of drawn.filter((d) => d.upright)) {
    const [from, to] = [one.start - one.arc.width / 2 - 4, one.start + one.arc.width / 2 + 4];
    const under = drawn.filter((d) => !d.upright && d.start <= to && d.end >= from).map((d) => d.level);
    one.level = Math.max(0, ...under) + 1;
  }
  const levels = Math.max(0, ...drawn.map((d) => d.level));
  return { first, last, nodes: nodes.slice(first, last + 1).map((node, i) => ({ ...node, x: x.get(first + i) })), drawn, width, levels };
}

function tipIsLeft(span) {
  return span.arc.head === 0 || span.arc.word < span.arc.head;
}

// Each arc as low as it can be above all shorter ones that it shares a stretch with.
function leveled(spans, first, last) {
  const top = new Map();
  const sloping = spans.filter((span) => !span.upright).sort((a, b) => a.right - a.left - (b.right - b.left) || a.left - b.left);
  const found = sloping.map((span) => {
    let level = 0;
    const [from, to] = [Math.max(span.left, first - 1), Math.min(span.right, last + 1)];
    for (let gap = from; gap < to; ++gap) level = Math.max(level, top.get(gap) ?? 0);
    ++level;
    for (let gap = from; gap < to; ++gap) top.set(gap, level);
    return { span, level };
  });
  return [...found, ...spans.filter((span) => span.upright).map((span) => ({ span, level: 1 }))];
}
