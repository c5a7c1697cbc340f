"""Positions of derivations: right and wrong ones, in every system, with a parser and without."""

import random

import pytest

import dynarc
from dynarc import ConfigError, IllegalTransition, Sentence, Tree, TreeError
from dynarc.data import english
from dynarc.player import Player

NONPROJECTIVE = Sentence(
    ["A", "letter", "came", "today", "from", "home"],
    heads=[2, 3, 0, 3, 6, 2],
    deprels=["det", "nsubj", "root", "advmod", "case", "nmod"],
)


@pytest.mark.parametrize("name", dynarc.systems())
@pytest.mark.parametrize("sentence", [english("dev")[1], NONPROJECTIVE], ids=["projective", "nonprojective"])
def test_the_best_tree_misses_as_much_as_the_loss_says(name: str, sentence: Sentence) -> None:
    rng = random.Random(7)
    player = Player(sentence, dynarc.system(name), gold=sentence.tree)
    for _ in range(4):
        history: list[str] = []
        while True:
            here = player.position(history)
            assert here.best is not None
            missed = sum(head != gold for (head, _), gold in zip(here.best, sentence.heads, strict=True))
            if player.exact:
                assert missed == here.loss
            if here.state.is_final:
                break
            option = rng.choice(here.options)
            after = player.position([*history, option.transition])
            assert here.loss is not None
            assert option.cost is not None
            if player.exact and option.transition.label in (None, *sentence.deprels):
                assert after.loss == here.loss + option.cost
            history.append(str(option.transition))


def test_a_parser_goes_on_as_it_parses(english_model: dynarc.Parser) -> None:
    sentence = english("dev")[1]
    player = Player(sentence, parser=english_model, gold=sentence.tree)
    first = player.position()
    last = player.position(first.ahead)
    parsed = english_model.parse(english("dev")[1:2])[0]
    assert last.state.is_final
    assert last.state.output == list(parsed.heads)
    assert [str(step.chosen) for step in english_model.trace(sentence)] == [str(t) for t in first.ahead]
    here = player.position(first.ahead[:3])
    assert sum(option.prob or 0.0 for option in here.options) == pytest.approx(1)


def test_a_parser_is_led_astray_and_goes_on_from_there(english_model: dynarc.Parser) -> None:
    sentence = english("dev")[1]
    player = Player(sentence, parser=english_model, gold=sentence.tree)
    wrong = player.position(["SHIFT", "SHIFT"])  # a determiner that finds no head
    assert wrong.loss == 1
    assert wrong.ahead
    assert player.position([*map(str, wrong.state.history), *wrong.ahead]).state.is_final
    by_oracle = player.position(["SHIFT", "SHIFT"], follow_oracle=True)
    last = player.position([*by_oracle.state.history, *by_oracle.ahead])
    assert last.loss == 1


def test_a_label_that_is_left_out_is_the_parsers(english_model: dynarc.Parser) -> None:
    player = Player(Sentence(["They", "slept"]), parser=english_model)
    assert str(player.position(["SHIFT", "LEFT"]).state.history[-1]) == "LEFT(nsubj)"
    with pytest.raises(IllegalTransition, match="transition 2 has a label that the parser cannot give"):
        player.position(["SHIFT", "LEFT(agent)"])
    with pytest.raises(IllegalTransition, match="transition 1 is not legal"):
        player.position(["LEFT"])


def test_without_gold_there_are_no_costs() -> None:
    here = Player(Sentence(["Go"]), dynarc.system("arc-hybrid")).position()
    assert (here.loss, here.best, here.ahead) == (None, None, ())
    assert [(option.prob, option.cost) for option in here.options] == [(None, None)]


def test_labels_of_one_player_do_not_stay() -> None:
    ts = dynarc.system("arc-eager")
    before = len(ts.label_table.names)
    Player(Sentence(["Go"]), ts, gold=Tree([0], ["a label of its own"])).position()
    assert len(ts.label_table.names) == before


def test_bad_input() -> None:
    with pytest.raises(ConfigError, match="needs a transition system or a parser"):
        Player(Sentence(["Go"]))
    with pytest.raises(TreeError, match="2 words, but its gold tree 1"):
        Player(Sentence(["Go", "on"]), dynarc.system("arc-eager"), gold=Tree([0]))
    with pytest.raises(IllegalTransition, match="transition 1"):
        Player(Sentence(["Go"]), dynarc.system("arc-eager")).position(["REDUCE"])


@pytest.mark.parametrize("name", ["arc-eager", "arc-standard", "attardi"])
def test_where_exact_costs_take_too_long_crossing_arcs_are_lifted(name: str) -> None:
    player = Player(NONPROJECTIVE, dynarc.system(name), gold=NONPROJECTIVE.tree, limit=1)
    here = player.position()
    if player.note:
        assert "lifted" in player.note
        assert here.loss == 0
        assert [head for head, _ in here.best or ()] == [2, 3, 0, 3, 6, 3]
    assert player.position(here.ahead).state.is_final
    assert name == "attardi" or player.note


def test_losses_rise_where_mistakes_are(english_model: dynarc.Parser) -> None:
    sentence = english("dev")[1]
    player = Player(sentence, parser=english_model, gold=sentence.tree)
    way = player.position().ahead
    losses = player.losses(way)
    assert losses == [player.position(way[:number]).loss for number in range(len(way) + 1)]
    parsed = english_model.parse(english("dev")[1:2])[0]
    wrong = sum(head != gold for head, gold in zip(parsed.heads, sentence.heads, strict=True))
    assert losses[0] == 0
    assert losses[-1] >= wrong == 1
