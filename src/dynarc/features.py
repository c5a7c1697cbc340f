"""Ready-made sets of feature templates, and what templates say of a configuration.

Sets are written here as papers write them and expanded to the language of the engine (src/native/features):
`S0wp+N0l1p` is the form and tag of the stack's top with the tag of the leftmost dependent of the buffer's front,
`S0.form+S0.tag+B0.left1.tag`. Section numbers are those of FEATURES.md; groups have the names that it gives them.
"""

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from dynarc import _core
from dynarc.errors import ConfigError
from dynarc.files import name_of, read_all
from dynarc.sentence import Sentence
from dynarc.systems import System, systems
from dynarc.transition import MOVE_NUMBER, Transition
from dynarc.tree import UNKNOWN, Tree

COLUMNS = ("xpos", "feats", "lemma", "morphology")

# Where the places of the notation are in a configuration. LOWER is the same one place deeper: what is said of the pair
# (S0, N0) is then said of (S1, S0). Easy-first looks at a pair of neighbours and has no third word after it.
STACK = {f"S{i}": f"S{i}" for i in range(4)} | {f"N{i}": f"B{i}" for i in range(4)}
LOWER = {f"S{i}": f"S{i + 1}" for i in range(4)} | {"N0": "S0"} | {f"N{i}": f"B{i - 1}" for i in range(1, 4)}
PAIR = {"S0": "F1", "N0": "F2", "S1": "P1"} | {place: place for place in ("P2", "P1", "F1", "F2", "N1", "N2")}

_RELATIONS = {
    "h": "head",
    "h2": "head.head",
    "l1": "left1",
    "l2": "left2",
    "r1": "right1",
    "r2": "right2",
    "<": "previous",
    ">": "next",
    "^": "guide",
}
_ATTRIBUTES = {
    "w": "form",
    "c": "lower",  # c as in case: l is a dependent
    "m": "lemma",
    "p": "tag",
    "x": "xpos",
    "f": "feats",
    "v": "feature",
    "s1": "suffix1",
    "s2": "suffix2",
    "s3": "suffix3",
    "s4": "suffix4",
    "L": "deprel",
    "vl": "valency_left",
    "vr": "valency_right",
    "sl": "labels_left",
    "sr": "labels_right",
    "H": "has_head",
    "E": "leaf",  # E as in end
    "n": "span",
    "T": "refined",
    "A": "adposition",
    "F": "shape",  # F as in form: S is the stack
    "b1": "prefix1",  # b as in beginning
    "b2": "prefix2",
    "b3": "prefix3",
    "G": "guide_deprel",
}
_FUNCTIONS = {
    "d": "dist",
    "g": "gap",
    "hd": "head_is",
    "btw": "between",
    "each": "each_between",
    "agree": "agree",
    "ga": "guide_arc",
    "gs": "guide_side",
    "gr": "guide_reach",
}


def _any_of(names: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))  # the longest first: h2 before h


_NODE = rf"(?P<place>[SNPF]\d)(?P<relations>(?:{_any_of(_RELATIONS)})*)"
_ATOM = re.compile(rf"{_NODE}(?P<attributes>(?:{_any_of(_ATTRIBUTES)})+)")
_CALL = re.compile(rf"(?P<function>{_any_of(_FUNCTIONS)})(?:\((?P<nodes>[^,]+,[^,]+)\))?")


def expand(notation: str, places: Mapping[str, str] = STACK) -> str:
    """A template of the papers in the language of the engine; `d` alone is the distance of S0 and N0.

    >>> expand("S0wp+N0hp+d")
    'S0.form+S0.tag+B0.head.tag+dist(S0,B0)'
    """
    return "+".join(atom for part in notation.split("+") for atom in _atoms(part, places))


def _atoms(part: str, places: Mapping[str, str]) -> list[str]:
    if found := _ATOM.fullmatch(part):
        node = _node(found, places)
        return [f"{node}.{_ATTRIBUTES[a]}" for a in re.findall(_any_of(_ATTRIBUTES), found["attributes"])]
    if found := _CALL.fullmatch(part):
        nodes = []
        for text in (found["nodes"] or "S0,N0").split(","):
            if not (argument := re.fullmatch(_NODE, text)):
                raise ValueError(f"{text!r} is not a node")
            nodes.append(_node(argument, places))
        return [f"{_FUNCTIONS[found['function']]}({','.join(nodes)})"]
    raise ValueError(f"{part!r} is not an atom")


def _node(found: re.Match[str], places: Mapping[str, str]) -> str:
    relations = re.findall(_any_of(_RELATIONS), found["relations"])
    return ".".join([places[found["place"]], *(_RELATIONS[r] for r in relations)])


def _expanded(notation: Iterable[str], places: Mapping[str, str] = STACK) -> list[str]:
    """All templates of some groups, but for those about places that there are none of."""
    out = []
    for group in notation:
        for template in group.split():
            used = re.findall(r"[SNPF]\d", template) + (["S0", "N0"] if re.search(r"\bd\b(?!\()", template) else [])
            if all(place in places for place in used):
                out.append(expand(template, places))
    return out


def _once(templates: Iterable[str]) -> tuple[str, ...]:
    """Each template once: two that differ only in the order of their atoms say the same."""
    kept: dict[frozenset[str], str] = {}
    for template in templates:
        kept.setdefault(frozenset(template.split("+")), template)
    return tuple(kept.values())


# Section 2: Zhang & Nivre 2011, tables 1 and 2.
ZHANG_NIVRE = {
    "single words": "S0wp S0w S0p N0wp N0w N0p N1wp N1w N1p N2wp N2w N2p",
    "word pairs": "S0wp+N0wp S0wp+N0w S0w+N0wp S0wp+N0p S0p+N0wp S0w+N0w S0p+N0p N0p+N1p",
    "three words": "N0p+N1p+N2p S0p+N0p+N1p S0hp+S0p+N0p S0p+S0l1p+N0p S0p+S0r1p+N0p S0p+N0p+N0l1p",
    "distance": "S0w+d S0p+d N0w+d N0p+d S0w+N0w+d S0p+N0p+d",
    "valency": "S0w+S0vr S0p+S0vr S0w+S0vl S0p+S0vl N0w+N0vl N0p+N0vl",
    "unigrams": "S0hw S0hp S0L S0l1w S0l1p S0l1L S0r1w S0r1p S0r1L N0l1w N0l1p N0l1L",
    "third order": """
        S0h2w S0h2p S0hL S0l2w S0l2p S0l2L S0r2w S0r2p S0r2L N0l2w N0l2p N0l2L
        S0p+S0l1p+S0l2p S0p+S0r1p+S0r2p S0p+S0hp+S0h2p N0p+N0l1p+N0l2p""",
    "label sets": "S0w+S0sr S0p+S0sr S0w+S0sl S0p+S0sl N0w+N0sl N0p+N0sl",
}

# Section 3: Goldberg & Nivre 2013, arc-hybrid.
HYBRID_2013 = {
    "singles": "S0w S0p S0wp S1w S1p S1wp N0w N0p N0wp N1w N1p N1wp",
    "pairs": """
        S0w+S1w S0p+S1p S0p+N0p S0wp+S1p S0p+S1wp S0w+S1wp S0wp+S1w
        S0w+N0w S0p+N1p S0wp+N0p S0p+N0wp S0w+N0wp S0wp+N0w N0wp+N1p""",
    "triples": "S0p+N0p+N1p S1p+S0p+N0p S0w+N0p+N1p S1p+S0w+N0p S2p+S1p+S0p",
    "children": """
        S1p+S1r1p+N0p S1p+S1r1p+S0p S1p+S1l1p+S0p S1p+S0p+S0l1p S1p+S0r1p+S0p
        S0p+S1l1p+S0w S1p+S0w+S0r1p S0p+S1r1p+S0w S1p+S0w+S0l1p
        S0p+S0r1p+N0p S0p+S0r1p+N1p S0p+S0l1p+N0p S0p+N0p+N0l1p S0p+S0l1p+N0w S0p+S0r1p+N0w S0p+N0w+N0l1p""",
    "four": "S0p+N0p+N0l1p+S0r1p S0p+S1p+S0l1p+S1r1p",
}


def _for_each(notation: str, letter: str, values: Iterable[str]) -> str:
    return " ".join(notation.replace(letter, value) for value in values)


def _for_pairs(notation: str, pairs: Iterable[tuple[str, str]]) -> str:
    return " ".join(notation.replace("X", x).replace("Y", y) for x, y in pairs)


def stack_groups(system: str) -> dict[str, str]:
    """Section 5, `stack`: what it says for this system."""
    pairs = [("S1", "S0"), ("S0", "N0"), *([("S2", "S0")] if system == "attardi" else [])]
    # Only here can a word in the buffer have dependents.
    front = system in ("arc-hybrid", "arc-hybrid-swap")
    return {
        "singles": _for_each("Xwp Xw Xp", "X", ("S0", "S1", "S2", "N0", "N1", "N2")),
        "pairs": _for_pairs("Xwp+Ywp Xwp+Yw Xw+Ywp Xwp+Yp Xp+Ywp Xw+Yw Xp+Yp", pairs),
        "distance": _for_pairs(
            "Xw+d(X,Y) Xp+d(X,Y) Yw+d(X,Y) Yp+d(X,Y) Xw+Yw+d(X,Y) Xp+Yp+d(X,Y)",
            pairs,
        ),
        "tags": "N0p+N1p S2p+S1p+S0p S1p+S0p+N0p S0p+N0p+N1p N0p+N1p+N2p"
        + (" S2p+S0p+N0p" if system == "attardi" else ""),
        "tags of dependents": _for_pairs("Xp+Xl1p+Yp Xp+Xr1p+Yp Xp+Yp+Yl1p Xp+Yp+Yr1p", pairs),
        "valency": _for_each("Xw+Xvl Xp+Xvl Xw+Xvr Xp+Xvr", "X", ("S0", "S1"))
        + (" N0w+N0vl N0p+N0vl" if front else ""),
        "label sets": _for_each("Xw+Xsl Xp+Xsl Xw+Xsr Xp+Xsr", "X", ("S0", "S1"))
        + (" N0w+N0sl N0p+N0sl" if front else ""),
        "children": _for_each("Xw Xp XL", "X", _children(front)),
        "rows of children": _for_each("Xp+Xl1p+Xl2p Xp+Xr1p+Xr2p", "X", ("S0", "S1")),
    }


def _children(front: bool) -> list[str]:
    places = [f"{place}{child}" for place in ("S0", "S1") for child in ("l1", "l2", "r1", "r2")]
    return places + (["N0l1", "N0l2"] if front else [])


# Section 5, `covington`: section 2 with S0 = i and N0 = j, and these. S1 is i-1, which may be ROOT.
COVINGTON = {
    **ZHANG_NIVRE,
    "neighbours of i": "S1w S1p S0>w S0>p",
    "head of j": "N0hw N0hp N0hL",
    "dependents of j": "N0r1w N0r1p N0r1L",
    "heads": "S0p+N0p+S0H S0p+N0p+N0H",
}

# Section 4. T is the refined tag, E whether a word has no dependents, n its span, A an adposition's form.
_WINDOW = ("P2", "P1", "F1", "F2", "N1", "N2")
_NEIGHBOURS = tuple(pairwise(_WINDOW))
_PAIRS = (("F1", "F2"), ("P1", "F1"), ("P1", "F2"), ("F2", "N1"), ("F1", "N1"))
_BIGRAMS_PLUS = _for_pairs("XT+YT+Xl1p+Yl1p XT+YT+Xl1p+Yr1p XT+YT+Xr1p+Yl1p XT+YT+Xr1p+Yr1p", _PAIRS)
EASY_FIRST_2010 = {
    "distance": _for_pairs("g(X,Y) XT+YT+g(X,Y)", _NEIGHBOURS),
    "leaf": _for_each("XT+XE", "X", _WINDOW),
    "length": _for_each("XT+Xn", "X", _WINDOW),
    "unigram": _for_each("Xw XT", "X", _WINDOW),
    "unigram+": _for_each("XT+Xl1p XT+Xr1p XT+Xl1p+Xr1p", "X", _WINDOW),
    "bigram": _for_pairs("XT+YT Xw+Yw XT+Yw Xw+YT", _PAIRS),
    "bigram+": _BIGRAMS_PLUS,
    "PP": """
        F1w+F2A+F2r1p P1w+F2A+F2r1p F1T+F2A+F2r1w P1T+F2A+F2r1w
        P1w+F1A+F1r1p P1T+F1A+F1r1w
        F2w+N1A+N1r1p F1w+N1A+N1r1p F2T+N1A+N1r1w F1T+N1A+N1r1w""",
}
# Two of the nine in `context` are among the triples: F2T+F2r1p+N1T and F1T+F1l1p+P1T.
EASY_FIRST_2013 = {
    **ZHANG_NIVRE,
    "bigram+": _BIGRAMS_PLUS,
    "triples": _for_pairs("XT+YT+Xl1p XT+YT+Xr1p XT+YT+Yl1p XT+YT+Yr1p", _PAIRS),
    "context": """
        F2T+F2r1p+N1T F2T+F2r1p+N1T+F1T F1T+F1l1p+P1T F1T+F1l1p+P1T+F2T
        F2T+F2r1p+N1T+N2T F1T+F1l1p+P1T+P2T P1T+F1T+F2T+N1T F1T+F2T+F2r1p+N1T+N2T F2T+F1T+F1l1p+P1T+P2T""",
    "two children": "F1T+F1r1p+F1r2p F1T+F1l1p+F1l2p F2T+F2r1p+F2r2p F2T+F2l1p+F2l2p",
    "two children and a neighbour": """
        F2T+F2r1p+F2r2p+N1T F1T+F1l1p+F1l2p+P1T F1T+F1r1p+F1r2p+F2T F2T+F2l1p+F2l2p+F1T""",
}

# What FEATURE_STUDY.md 2 recommends for arc-eager on top of section 2.
STUDY = {
    "s1": """
        S1w S1p S1p+S0p S1p+N0p S1p+S0p+N0p S1w+N0p S1p+N0w S1w+N0w S1w+S0p S1p+S0w
        S1p+S0p+N0p+S0L S1p+S0p+S1L S0L+S1p+hd(S0,S1) S1w+S0p+N0p S1p+N0p+S1L""",
    "n3": """
        N3p N3w N1p+N2p N1p+N2p+N3p N0p+N1p+N2p+N3p S0p+N0p+N1p+N2p N0w+N1w N0w+N1p N0p+N1w
        S0w+N1p S0p+N1w S0p+N1p S0p+N0p+N1w S0p+N0w+N1p S0w+N0p+N1p""",
    "kase": """
        S0w+N0l1w S0p+N0l1w S0p+N0p+N0l1w S0w+N0l1w+N0p S0l1w+N0p S0l1w+S0p+N0p S0l1w+N0l1w S0l1p+N0l1p+S0p+N0p
        S0r1w+N0p S0r1w+N0w S0p+S0r1w+N0p N0l1w+N0w S0l1w+S0w S0p+N0l1w+S0r1p""",
    "btwset": "btw(S0,N0) btw(S0,N0)+S0p+N0p each(S0,N0)+S0p+N0p",
    "suf": """
        S0s2p S0s3p N0s2p N0s3p N1s2p N1s3p N2s3 S0s2p+N0p S0s3p+N0p S0p+N0s2p S0p+N0s3p S0s2+N0s2 S0s3+N0s3
        S0s3+N0w S0w+N0s3 S0s2p+N0s2p S1s3+S0p+N0p S0r1s3+S0p+N0p S0s3p+d N0s3p+d""",
    # Where FEATS are empty, other parts of words say some of what they would.
    "affix": """
        S0Fp N0Fp N1Fp S0Fp+N0Fp S1F+S0p+N0p
        S0b1p S0b2p S0b3p N0b1p N0b2p N0b3p N1b1p N1b2p N1b3p""",
    "low": "S0c N0c N1c S0c+N0c S0c+N0p S0p+N0c S0cp+N0cp S0hc S0l1c S0r1c N0l1c",
    "ispan": """
        S0>p+S0p+N0p N0<p+S0p+N0p N0<w+N0p S0<p+S0p+N0p N0<p+S0>p+S0p+N0p N0<w+N0w S0<w+S0p N0<p+N0p+N1p+S0p""",
    "xpos": """
        S0x N0x N1x N2x S0hx S0l1x S0r1x N0l1x S0x+N0x N0x+N1x N0x+N1x+N2x S0x+N0x+N1x S0x+N0w S0w+N0x S0wx+N0wx
        S0x+N0x+d S0hx+S0x+N0x S0x+S0l1x+N0x S0x+S0r1x+N0x S0x+N0x+N0l1x S0x+N0p S0p+N0x""",
    "feats": """
        S0f N0f N1f S0f+N0f S0f+N0p S0p+N0f S0fp+N0fp S0f+N0w S0w+N0f S0p+N0fp+d S0fp+N0p+d S0hf+S0f+N0f N0fp+N1fp
        S1fp+N0fp S0r1f+S0f+N0p N0l1f+N0p+S0p S0fp+N0fp+N1p N0l1f+N0f S0fp+S0sl N0fp+N0sl S0l1f+S0f""",
    "feats1": """
        S0v+S0p S0v+S0p+N0p S0v+S0p+N0w S0v+S0p+N0p+N1p S0v+S0p+N0p+S0L S0v+N0p+d
        N0v+N0p N0v+S0p+N0p N0v+N0p+S0w N0v+S0p+N0p+N1p N0v+S0p+N0p+S0L N0v+S0p+d
        N1v+N1p N1v+S0p+N0p S0hv+S0p+N0p S1v+S1p+N0p""",
    "featp": "S0v+N0v agree(S0,N0)+S0p+N0p agree(S0,N0)+S0p+N0p+d",
    "lemma": """
        S0m N0m N1m S0m+N0m S0m+N0p S0p+N0m S0mp+N0mp S0hm S0l1m S0r1m N0l1m
        S1m N2m S0m+N0l1m S0m+d N0m+d""",
}
# What the second pass sees of the tree of the first: whether it has the arc, with which label; where the heads of both
# words are, whether dependents are still to come, as there.
GUIDE = """
    ga(S0,N0) ga(S0,N0)+S0p+N0p ga(S0,N0)+S0G+N0G ga(S0,N0)+S0w+N0w ga(S0,N0)+S0G+S0p+N0p ga(S0,N0)+N0G+S0p+N0p
    gs(S0,N0)+gr(S0,N0) gs(N0,S0)+gr(N0,S0) gs(S0,N0)+gs(N0,S0)+gr(S0,N0)+gr(N0,S0)
    gs(S0,N0)+gs(N0,S0)+gr(S0,N0)+gr(N0,S0)+S0H gs(S0,N0)+gr(S0,N0)+S0p+N0p gs(N0,S0)+gr(N0,S0)+S0p+N0p
    gs(S0,N0)+S0G+S0L gs(N0,S0)+N0G S0^p+S0p+N0p+gs(S0,N0) N0^p+S0p+N0p+gs(N0,S0) S0G+S0H+gr(S0,N0)+S0p"""
# In systems that take a word off the stack when it gets its head, nothing in view has one: these say nothing.
_ABOUT_HEADS = re.compile(r"[SBPFN]\d\.(?:head\b|deprel|has_head)|head_is")


def _column_groups(columns: Collection[str]) -> list[str]:
    groups = []
    if "xpos" in columns:
        groups.append("xpos")
    groups.append("feats" if "feats" in columns else "affix")
    # The study: these help where words say much about their role (Greek, Hungarian, Turkish, Basque), elsewhere they
    # cost time and gain nothing.
    if "morphology" in columns:
        groups += ["feats1", "featp"]
        if "lemma" in columns:
            groups.append("lemma")
    return groups


def _of_study(names: Iterable[str], places: Mapping[str, str] = STACK) -> list[str]:
    return _expanded((STUDY[name] for name in names), places)


def _default(system: str, columns: Collection[str]) -> list[str]:
    """FEATURE_STUDY.md 2 for arc-eager; for the others the set of section 5 or 4 and the groups that carry over."""
    more = _column_groups(columns)
    groups = ["kase", "btwset", "suf", "low", "ispan", *more]
    if system == "arc-eager":
        return _expanded(ZHANG_NIVRE.values()) + _of_study(["s1", "n3", *groups])
    if system == "covington":
        return _expanded([*COVINGTON.values(), "N0L"]) + _of_study(["n3", *groups])  # S1 is i-1 here: no `s1`
    if system == "easy-first":
        plain = [EASY_FIRST_2010[name] for name in ("leaf", "unigram", "bigram", "PP")]
        out = [*_easy_first_2013(), *_expanded(plain, PAIR), *_of_study(["suf", "low", *more], PAIR)]
    else:
        # Arcs are built between S1 and S0, and in arc-hybrid also between S0 and N0.
        views = [LOWER, STACK] if system.startswith("arc-hybrid") else [LOWER]
        out = _expanded([*stack_groups(system).values(), "S1p+N0p S1w+N0p S1p+N0w"]) + _of_study(["n3"])
        for places in views:
            out += _of_study(groups, places)
    return [template for template in out if not _ABOUT_HEADS.search(template)]


def guide_templates(system: str) -> tuple[str, ...]:
    """The templates by which a second pass sees the tree of the first."""
    if system in ("arc-eager", "covington"):
        return _once(_expanded([GUIDE]))
    views = {"easy-first": [PAIR], "arc-hybrid": [LOWER, STACK], "arc-hybrid-swap": [LOWER, STACK]}
    out = [t for places in views.get(system, [LOWER]) for t in _expanded([GUIDE], places)]
    return _once(t for t in out if not _ABOUT_HEADS.search(t))


def _easy_first_2013() -> list[str]:
    return [t for t in _expanded(EASY_FIRST_2013.values(), PAIR) if ".head." not in t]


_STACK_SYSTEMS = ("arc-standard", "arc-hybrid", "attardi", "arc-hybrid-swap")
# Which systems each set is for. Sets about S0 and N0 can be used wherever there are such places.
_SETS: dict[str, tuple[str, ...]] = {
    "default": systems(),
    "zhang-nivre": tuple(name for name in systems() if name != "easy-first"),
    "hybrid-2013": tuple(name for name in systems() if name != "easy-first"),
    "stack": _STACK_SYSTEMS,
    "covington": ("covington",),
    "easy-first-2010": ("easy-first",),
    "easy-first-2013": ("easy-first",),
}


def feature_sets() -> tuple[str, ...]:
    """The names of all ready-made sets."""
    return tuple(_SETS)


def feature_set(name: str, system: str, *, columns: Collection[str]) -> tuple[str, ...]:
    """The templates of a ready-made set for a transition system.

    `columns` matters to `default` only: which of "xpos", "feats" and "lemma" are filled, and "morphology" if FEATS say
    so much that single features are worth their time (see `filled_columns`).

    >>> len(feature_set("zhang-nivre", "arc-eager", columns=()))
    72
    >>> feature_set("hybrid-2013", "arc-hybrid", columns=())[:3]
    ('S0.form', 'S0.tag', 'S0.form+S0.tag')
    """
    if name not in _SETS:
        raise ConfigError(f"there is no feature set {name!r}", "features", feature_sets())
    if system not in systems():
        raise ConfigError(f"unknown transition system {system!r}", "system", systems())
    if system not in _SETS[name]:
        fitting = tuple(other for other, those in _SETS.items() if system in those)
        raise ConfigError(f"the feature set {name!r} is not for {system}", "features", fitting)
    for column in columns:
        if column not in COLUMNS:
            raise ConfigError(f"{column!r} is no column that features depend on", "columns", COLUMNS)
    match name:
        case "zhang-nivre":
            return _once(_expanded(ZHANG_NIVRE.values()))
        case "hybrid-2013":
            return _once(_expanded(HYBRID_2013.values()))
        case "stack":
            return _once(_expanded(stack_groups(system).values()))
        case "covington":
            return _once(_expanded(COVINGTON.values()))
        case "easy-first-2010":
            return _once(_expanded(EASY_FIRST_2010.values(), PAIR))
        case "easy-first-2013":
            return _once(_easy_first_2013())
    return _once(_default(system, columns))


# Mean number of features of a word from which single ones help. FEATURE_STUDY.md: they do for Basque (1.8), Hungarian
# (2.2), Turkish (2.7) and Greek (2.9), not for English (1.4) and French (1.7).
_RICH = 1.75


def filled_columns(sentences: Iterable[Sentence]) -> frozenset[str]:
    """What `columns` of a feature set should be for a treebank: columns of which most words have a value.

    FEATS need fewer: many words have none in any language.

    >>> sorted(filled_columns([Sentence(["Go", "!"], upos=["VERB", "PUNCT"], lemmas=["go", "!"], heads=[0, 1])]))
    ['lemma']
    """
    words = xpos = lemmas = with_feats = features = 0
    for sentence in sentences:
        words += len(sentence)
        xpos += sum(value != "_" for value in sentence.xpos)
        lemmas += sum(value != "_" for value in sentence.lemmas)
        bundles = [bundle for bundle in sentence.feats if bundle != "_"]
        with_feats += len(bundles)
        features += sum(bundle.count("|") + 1 for bundle in bundles)
    found = {"xpos": 2 * xpos > words, "lemma": 2 * lemmas > words, "feats": 5 * with_feats > words}
    found["morphology"] = features > _RICH * words
    return frozenset(column for column, filled in found.items() if filled)


def resolve(
    features: str | os.PathLike[str] | Sequence[str], system: str, columns: Collection[str] = ()
) -> tuple[str, ...]:
    """The templates that a user asks for: the name of a set, a file with one template per line, or a list of them.

    In a file `#` starts a comment. Text that is no name is taken for a file if there is one, or if it looks like one.

    >>> resolve(["S0.form", "B0.tag"], "arc-eager")
    ('S0.form', 'B0.tag')
    """
    if isinstance(features, str):
        if features in _SETS:
            return feature_set(features, system, columns=columns)
        if not Path(features).is_file() and not re.search(r"[/\\]|\.\w+$", features):
            raise ConfigError(
                f"there is no feature set {features!r}, and no file of that name", "features", feature_sets()
            )
    if isinstance(features, str | os.PathLike):
        return _from_file(features)
    templates = tuple(features)
    _core.check_templates(templates)
    if not templates:
        raise ConfigError("there must be at least one feature template", "features")
    return templates


def _from_file(path: str | os.PathLike[str]) -> tuple[str, ...]:
    name = name_of(path)
    first: dict[str, int] = {}  # where each template stands
    try:
        lines = bytes(read_all(path, name)).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ConfigError(f"{name}: is not valid UTF-8", "features") from None
    for number, line in enumerate(lines, start=1):
        template = line.partition("#")[0].strip()
        if not template:
            continue
        try:
            if template in first:
                raise ConfigError(f"feature template {template!r} stands in line {first[template]} already")
            _core.check_templates([template])
        except ConfigError as error:
            raise ConfigError(f"{name}:{number}: {error}", "features") from None
        first[template] = number
    if not first:
        raise ConfigError(f"{name}: there is no feature template in it", "features")
    return tuple(first)


def feature_values(
    sentence: Sentence,
    templates: Sequence[str],
    system: System,
    transitions: Iterable[Transition | str] = (),
    *,
    tag: str = "upos",
    valency_cap: int = 3,
    focus: int | None = None,
    guide: Tree | None = None,
) -> dict[str, list[tuple[str, ...]]]:
    """What each template says of a sentence after some transitions from the start: the values of its atoms as text.

    A template fires once, with NULL for what is not there. Only one about many values (`S0.feature`) is listed as
    often as there are values, or not at all. Sets are their members, sorted, with commas. For easy-first `focus` is the
    left word of the pair. `guide` is the tree of an earlier pass, if templates ask for it.

    >>> from dynarc import system
    >>> s = Sentence(["They", "eat"], upos=["PRON", "VERB"], heads=[2, 0])
    >>> feature_values(s, ["S0.form+B0.tag", "S1.form"], system("arc-eager"), ["SHIFT"])
    {'S0.form+B0.tag': [('They', 'VERB')], 'S1.form': [('NULL',)]}
    """
    spec, labels, steps = _described(templates, system, transitions, tag, valency_cap, guide)
    origin, index = sentence.origin
    earlier: tuple[list[int], list[int]] = ([], [])
    if guide is not None:
        numbers = [UNKNOWN if name is None else labels.index(name) for name in guide.deprels or [None] * len(guide)]
        earlier = (guide.engine_heads, numbers)
    at = UNKNOWN if focus is None else focus
    found = _core.feature_values(spec, origin.document, index, labels, steps, at, earlier)
    return {template: [tuple(firing) for firing in firings] for template, firings in zip(templates, found, strict=True)}


def _described(
    templates: Sequence[str],
    system: System,
    transitions: Iterable[Transition | str],
    tag: str,
    valency_cap: int,
    guide: Tree | None,
) -> tuple[_core.ModelSpec, list[str], list[tuple[int, int, int]]]:
    """Templates, system and transitions as the engine takes them, with the labels by their numbers there."""
    if tag not in ("upos", "xpos"):
        raise ConfigError(f"tag={tag!r} is no column of tags", "tag", ("upos", "xpos"))
    taken = [Transition.parse(t) if isinstance(t, str) else t for t in transitions]
    used = [t.label for t in taken] + list((guide.deprels if guide is not None else None) or [])
    labels = list(dict.fromkeys(label for label in used if label is not None))
    numbers = {label: number for number, label in enumerate(labels)}
    steps = [
        (
            MOVE_NUMBER[t.move],
            UNKNOWN if t.node is None else t.node,
            UNKNOWN if t.label is None else numbers[t.label],
        )
        for t in taken
    ]
    spec = _core.ModelSpec(
        system=system.name,
        root_last=system.root == "last",
        attach=system.headless == "attach",
        single_root=system.single_root,
        templates=list(templates),
        xpos=tag == "xpos",
        valency_cap=valency_cap,
        labels=len(labels),
        word_labels=len(labels),
        first_root_label=0,
        other=UNKNOWN,
    )
    return spec, labels, steps
