"""Draws the automata of docs/explanation/generic.md: tags, and chunks, of three words."""

from pathlib import Path

from dynarc.generic import Automaton, Chunking, Oracle, Tagging, sequence

FOLDER = Path(__file__).parent
WORDS, TAGS, CHUNKS = ["old", "men", "sleep"], ["J", "N", "V"], ["B-NP", "I-NP", "O"]


def composed(oracle: Oracle) -> Automaton:
    return oracle.constraints.compose(oracle.rest).project("input")


def main() -> None:
    tagging, chunking = Tagging(["J", "N", "V"]), Chunking(["NP"])
    tags = tagging.constraints(WORDS), tagging.loss(WORDS, TAGS)
    chunks = chunking.constraints(WORDS), chunking.loss(WORDS, CHUNKS)
    pictures = {
        "constraints": (tags[0], "C: what may be said of three words"),
        "loss": (tags[1], "T: what a difference costs"),
        "gold": (sequence(TAGS), "D: what is right"),
        "composed": (composed(Oracle(*tags, TAGS)), "C, T and D composed: everything that may be said, with its loss"),
        "chunks": (composed(Oracle(*chunks, CHUNKS)), "The same for chunks, where whole chunks are right or wrong"),
    }
    for name, (automaton, title) in pictures.items():
        (FOLDER / f"generic-{name}.svg").write_text(automaton.to_svg(title=title), encoding="utf-8")


if __name__ == "__main__":
    main()
