"""What taggers see of words: the word and its neighbours, its beginning, end and shape; tags, if words have them."""

from collections.abc import Sequence

Word = str | tuple[str, str]  # with its tag, perhaps

WORD_TEMPLATES = (
    "w0", "w-1", "w1", "w-2", "w2", "w-1+w0", "w0+w1", "p1", "p2", "p3", "s1", "s2", "s3", "s4", "shape", "s3last",
    "s3next",
    "pos0", "pos-1", "pos1", "pos-2", "pos2", "pos-1+pos0", "pos0+pos1", "pos-1+pos0+pos1", "pos-2+pos-1+pos0",
    "pos0+pos1+pos2", "w0+pos0", "w0+pos1", "w0+pos-1",
)  # fmt: skip


def form(word: Word) -> str:
    return word if isinstance(word, str) else word[0]


def tag(word: Word) -> str | None:
    return None if isinstance(word, str) else word[1]


def word_values(words: Sequence[Word], at: int) -> dict[str, str | None]:
    """The values that WORD_TEMPLATES are about, around a place."""

    def near(offset: int) -> Word | None:
        return words[at + offset] if 0 <= at + offset < len(words) else None

    values: dict[str, str | None] = {}
    for offset in (-2, -1, 0, 1, 2):
        word = near(offset)
        values[f"w{offset}"] = "<none>" if word is None else form(word).lower()
        values[f"pos{offset}"] = None if isinstance(word, str) else "<none>" if word is None else word[1]
    if all(isinstance(word, str) for word in words):
        values.update({f"pos{offset}": None for offset in (-2, -1, 0, 1, 2)})
    here = near(0)
    text = "" if here is None else form(here)
    for length in (1, 2, 3, 4):
        values[f"p{length}"] = text[:length] if len(text) > length else None
        values[f"s{length}"] = text[-length:] if len(text) > length else None
    values["shape"] = shape(text)
    values["s3last"] = (values["w-1"] or "")[-3:]
    values["s3next"] = (values["w1"] or "")[-3:]
    return values


def shape(text: str) -> str:
    """Whether it has capitals, digits, hyphens.

    >>> shape("Mid-1990s")
    'Ad-'
    """
    first = "A" if text[:1].isupper() else "a"
    return first + ("d" if any(char.isdigit() for char in text) else "") + ("-" if "-" in text else "")
