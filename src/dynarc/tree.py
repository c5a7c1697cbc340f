"""Dependency trees, whole or partial."""

from collections.abc import Sequence
from typing import SupportsIndex

from dynarc import _core
from dynarc.errors import NonProjectiveError, TreeError

UNKNOWN = -1  # how the engine writes an unknown head or label


def plain_head(head: SupportsIndex | None) -> int | None:
    """The head as Python's own number, if it is a number of any kind; what is not is left for the caller to refuse."""
    if head is None or isinstance(head, bool) or not hasattr(head, "__index__"):
        return head  # type: ignore[return-value]
    return head.__index__()


class Tree:
    """Heads and labels of a sentence: heads[0] is the head of word 1, 0 is ROOT, None is unknown.

    >>> tree = Tree([2, 0, 2], ["nsubj", "root", "obj"])
    >>> tree.is_projective, tree.roots
    (True, (2,))
    """

    __slots__ = ("deprels", "heads", "sent_id")

    def __init__(
        self,
        heads: Sequence[int | None],
        deprels: Sequence[str | None] | None = None,
        *,
        sent_id: str | None = None,
    ) -> None:
        self.heads = tuple(map(plain_head, heads))
        self.deprels = None if deprels is None else tuple(deprels)
        self.sent_id = sent_id
        for word, head in enumerate(self.heads, start=1):
            if head is not None and (not isinstance(head, int) or isinstance(head, bool)):
                raise TreeError(f"{self._where}word {word} has head {head!r}, which is neither a number nor None")
            if head is not None and not 0 <= head <= len(self.heads):
                raise TreeError(
                    f"{self._where}word {word} has head {head}, but heads are 0 (ROOT) to {len(self.heads)} or None"
                )
        if self.deprels is not None and len(self.deprels) != len(self.heads):
            raise TreeError(f"{self._where}there are {len(self.heads)} heads but {len(self.deprels)} labels")
        try:
            _core.check_heads(self.engine_heads)
        except TreeError as error:
            raise TreeError(f"{self._where}{error}") from None

    @property
    def _where(self) -> str:
        return "" if self.sent_id is None else f"sentence {self.sent_id}: "

    @property
    def engine_heads(self) -> list[int]:
        """Heads as the engine takes them."""
        return [UNKNOWN if head is None else head for head in self.heads]

    @property
    def is_partial(self) -> bool:
        """Some head is unknown."""
        return None in self.heads

    @property
    def is_projective(self) -> bool:
        """No two arcs cross (a partial tree: it is part of some projective tree)."""
        return _core.crossing_arcs(self.engine_heads) is None

    @property
    def nonprojective_arcs(self) -> tuple[tuple[int, int], ...]:
        """The arcs (head, dependent) with a word strictly between that the head does not dominate.

        That is the definition of Nivre & Nilsson 2005. A word whose head is unknown counts as dominated by ROOT alone,
        so for partial trees ask first whether the tree is projective.

        >>> Tree([0, 4, 1, 1]).nonprojective_arcs
        ((4, 2),)
        """
        return tuple(_core.nonprojective_arcs(self.engine_heads))

    @property
    def gap_degrees(self) -> tuple[int, ...]:
        """Of each word, how often the words that it dominates, and itself, are interrupted by others.

        >>> Tree([0, 4, 1, 1]).gap_degrees
        (0, 0, 0, 1)
        """
        return tuple(_core.gap_degrees(self.engine_heads))

    @property
    def gap_degree(self) -> int:
        """The greatest gap degree of its words: 0 for projective trees, and for no others."""
        return max(self.gap_degrees)

    @property
    def roots(self) -> tuple[int, ...]:
        """The words attached to ROOT."""
        return tuple(word for word, head in enumerate(self.heads, start=1) if head == 0)

    def require_projective(self, needed_by: str) -> None:
        """Raises NonProjectiveError, naming two arcs that cross, unless the tree is projective."""
        crossing = _core.crossing_arcs(self.engine_heads)
        if crossing is None:
            return
        head, dependent, other_head, other = crossing
        if other_head == UNKNOWN:
            what = f"it covers word {other}, whose head could only be reached across it"
        else:
            what = f"it crosses {other_head}->{other}"
        raise NonProjectiveError(self.sent_id, (head, dependent), f"{what}, and {needed_by}")

    def __len__(self) -> int:
        return len(self.heads)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return self.heads == other.heads and self.deprels == other.deprels

    def __hash__(self) -> int:
        return hash((self.heads, self.deprels))

    def __repr__(self) -> str:
        labels = "" if self.deprels is None else f", {list(self.deprels)!r}"
        return f"Tree({list(self.heads)!r}{labels})"
