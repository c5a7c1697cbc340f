"""Errors say one clear sentence, carry what they are about, and survive a process boundary."""

import copy
import pickle

import pytest

from dynarc import errors
from dynarc.errors import (
    AutomatonError,
    ConfigError,
    ConlluError,
    DynarcError,
    EvaluationError,
    FileError,
    IllegalTransition,
    ModelFormatError,
    NonProjectiveError,
    OracleError,
    TreeError,
)

EVERY_ERROR = [
    (DynarcError("it went wrong"), "it went wrong"),
    (ConlluError("a.conllu", 7, "found 3 columns"), "a.conllu:7: found 3 columns"),
    (ConlluError("a.conllu", None, "there is no such file"), "a.conllu: there is no such file"),
    (ConlluError("a.conllu", 7, "HEAD is 'x'", 13), "a.conllu:7:13: HEAD is 'x'"),
    (EvaluationError("out.conllu", 31, "2 words have head 0"), "out.conllu:31: 2 words have head 0"),
    (FileError("a.parquet", None, "cannot be read"), "a.parquet: cannot be read"),
    (TreeError("word 2 is its own head"), "word 2 is its own head"),
    (NonProjectiveError("weblog-31", (4, 7)), "sentence weblog-31: arc 4->7 is not projective"),
    (NonProjectiveError(None, (4, 7)), "arc 4->7 is not projective"),
    (
        NonProjectiveError("s1", (4, 7), "arc-hybrid derives projective trees only"),
        "sentence s1: arc 4->7 is not projective: arc-hybrid derives projective trees only",
    ),
    (OracleError("the static oracle left its path"), "the static oracle left its path"),
    (AutomatonError("there is no state 3"), "there is no state 3"),
    (IllegalTransition("REDUCE needs a head"), "REDUCE needs a head"),
    (ModelFormatError("en.dynarc: the header is cut off"), "en.dynarc: the header is cut off"),
    (ConfigError("epochs is -1"), "epochs is -1"),
    (ConfigError("epochs is -1", "epochs"), "epochs is -1"),
    (
        ConfigError("unknown system 'arc-lazy'", "system", ("arc-eager", "easy-first")),
        "unknown system 'arc-lazy': system must be one of arc-eager, easy-first",
    ),
    (
        ConfigError("no protocol 'x'", allowed=["ud", "full"]),
        "no protocol 'x': it must be one of ud, full",
    ),
]


def test_every_class_is_covered() -> None:
    defined = {c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, DynarcError)}
    assert defined == {type(error) for error, _ in EVERY_ERROR}


@pytest.mark.parametrize(("error", "message"), EVERY_ERROR, ids=repr)
def test_message(error: DynarcError, message: str) -> None:
    assert str(error) == message


@pytest.mark.parametrize("error", [error for error, _ in EVERY_ERROR], ids=repr)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_keeps_everything(error: DynarcError, protocol: int) -> None:
    back = pickle.loads(pickle.dumps(error, protocol))
    assert type(back) is type(error)
    assert (str(back), back.args, vars(back)) == (str(error), error.args, vars(error))


@pytest.mark.parametrize("error", [error for error, _ in EVERY_ERROR], ids=repr)
def test_copy_keeps_everything(error: DynarcError) -> None:
    back = copy.deepcopy(error)
    assert (type(back), str(back), vars(back)) == (type(error), str(error), vars(error))


def test_attributes() -> None:
    bad_line = ConlluError("a.conllu", 7, "found 3 columns")
    assert (bad_line.path, bad_line.line, bad_line.reason) == ("a.conllu", 7, "found 3 columns")
    crossing = NonProjectiveError("s1", (4, 7))
    assert (crossing.sent_id, crossing.arc) == ("s1", (4, 7))
    option = ConfigError("no", "system", ["arc-eager"])
    assert (option.key, option.allowed) == ("system", ("arc-eager",))


def test_allowed_may_be_an_iterator() -> None:
    option = ConfigError("no", "system", iter(["arc-eager", "easy-first"]))
    assert option.allowed == ("arc-eager", "easy-first")
    assert pickle.loads(pickle.dumps(option)).allowed == option.allowed


def test_non_projective_is_a_tree_error() -> None:
    assert issubclass(NonProjectiveError, TreeError)
