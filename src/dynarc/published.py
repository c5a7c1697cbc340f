"""Figures of the papers that are shown beside ours."""

from typing import NamedTuple


class PublishedBin(NamedTuple):
    """A bin of the best action's probability: items, rounded where the paper rounds them, and percent right."""

    low: float
    items: int
    right: int


_LOWS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def _column(*cells: tuple[int, int]) -> tuple[PublishedBin, ...]:
    return tuple(PublishedBin(low, *cell) for low, cell in zip(_LOWS, cells, strict=True))


# Goldberg 2013, Table 4: maximum entropy with a dynamic oracle, sampling, k = 0; dev sets, gold tags, no punctuation.
GOLDBERG_2013 = {
    "de": _column(
        (7, 71), (51, 51), (121, 54), (292, 54), (666, 66), (787, 66), (840, 73), (1500, 78), (18500, 97), (800, 100)
    ),
    "en": _column(
        (1, 0), (38, 55), (139, 54), (323, 62), (1200, 64), (1400, 69), (1700, 74), (2900, 82), (69000, 98), (1700, 100)
    ),
    "es": _column(
        (3, 66), (26, 57), (83, 65), (206, 65), (642, 68), (694, 73), (853, 77), (1200, 80), (16000, 97), (370, 100)
    ),
    "fr": _column(
        (2, 1), (17, 64), (58, 72), (146, 57), (453, 66), (469, 70), (546, 73), (810, 78), (13000, 97), (366, 100)
    ),
    "ko": _column(
        (0, 0), (2, 100), (29, 55), (178, 63), (464, 55), (616, 60), (739, 65), (1100, 72), (9000, 96), (588, 100)
    ),
    "sv": _column(
        (2, 50), (21, 57), (100, 61), (193, 63), (578, 62), (636, 70), (747, 75), (1200, 80), (14000, 96), (493, 100)
    ),
}
LANGUAGES = {"de": "German", "en": "English", "es": "Spanish", "fr": "French", "ko": "Korean", "sv": "Swedish"}


def short_count(items: int) -> str:
    """A count as the paper prints it.

    >>> short_count(493), short_count(1200), short_count(14000)
    ('493', '1.2k', '14k')
    """
    return str(items) if items < 1000 else f"{items / 1000:g}k"
