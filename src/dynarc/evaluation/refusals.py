"""Why two documents cannot be compared, in words: what differs, where, and what to do about it."""

from dynarc._core import Document, Refusal
from dynarc.errors import EvaluationError
from dynarc.evaluation.sources import Named

_ALIGN = "to score text that was cut into other words or sentences, use protocol ud"
_OTHER = "score it by another protocol, such as full"


def error_of(refusal: Refusal, gold: Named, system: Named) -> EvaluationError:
    """The error to raise for what the engine has found."""
    match refusal.kind:
        case "empty" | "span" | "no form" | "roots" | "unknown head" | "cycle":
            return _one_file(refusal, system if refusal.in_system else gold)
        case "sentences":
            more, less = (system, gold) if refusal.in_system else (gold, system)
            what = "one more sentence" if refusal.number == 1 else f"{refusal.number:,} more sentences"
            reason = f"from here on there {'is' if refusal.number == 1 else 'are'} {what} than in {less.path}"
            line = refusal.system_line if refusal.in_system else refusal.gold_line
            return EvaluationError(more.path, line, f"{reason}; {_ALIGN}, if the text is the same")
        case "text":
            reason = (
                f"the text is {_quoted(refusal.system_text)} here, but {_quoted(refusal.gold_text)} at "
                f"{gold.path}:{refusal.gold_line}; nothing but spaces may differ"
            )
        case "word":
            reason = (
                f"{_sentence(system.read, refusal.sentence)}: word {refusal.number} is {_quoted(refusal.system_text)}, "
                f"but {_quoted(refusal.gold_text)} at {gold.path}:{refusal.gold_line}; {_ALIGN}"
            )
        case "length":
            there = f"{gold.path}:{refusal.gold_line}"
            goes_on = f"goes on with {_quoted(refusal.system_text or refusal.gold_text)}"
            which = f"{goes_on}, but not at {there}" if refusal.in_system else f"ends, but at {there} {goes_on}"
            reason = f"{_sentence(system.read, refusal.sentence)}: after word {refusal.number} it {which}; {_ALIGN}"
        case _:
            raise AssertionError(refusal.kind)
    return EvaluationError(system.path, refusal.system_line, reason)


def _one_file(refusal: Refusal, fault: Named) -> EvaluationError:
    """What is wrong with one of the two, whatever the other may be."""
    line = refusal.system_line if refusal.in_system else refusal.gold_line
    match refusal.kind:
        case "empty":
            return EvaluationError(fault.path, None, "there is no sentence to score")
        case "span":
            reason = "multiword tokens of the two files overlap for too long: their words cannot be aligned"
            return EvaluationError(fault.path, None, reason)
        case "no form":
            reason = "FORM has no characters, so protocol ud cannot find it in the text"
            return EvaluationError(fault.path, line, reason)
        case "roots":
            roots = "no word has" if refusal.number == 0 else f"{refusal.number} words have"
            reason = f"{roots} head 0, but protocol ud takes sentences with exactly one root"
        case "unknown head":
            reason = f"word {refusal.number} has no head, but protocol ud takes whole trees only"
        case _:
            reason = f"word {refusal.number} is its own ancestor, but protocol ud takes trees only"
    return EvaluationError(fault.path, line, f"{_sentence(fault.read, refusal.sentence)}: {reason}; {_OTHER}")


def _sentence(document: Document, index: int) -> str:
    sent_id = document.comment_value(index, "sent_id")
    return f"sentence {index + 1}" + (f" ({sent_id})" if sent_id else "")


def _quoted(text: str) -> str:
    """As it may stand in a one-line message."""
    if not text:
        return "at its end"
    return repr(text if len(text) <= 40 else text[:37] + "...")
