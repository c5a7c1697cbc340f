"""The engine of dynarc. Use the classes of the dynarc package instead."""

from collections.abc import Sequence
from typing import Any, overload

class Document:
    """
    The bytes of a CoNLL-U or CoNLL-X document, where things are in them, and changes.
    """

    @staticmethod
    def read(
        source: object,
        first_line: int = 1,
        starts_file: bool = True,
        ends_file: bool = True,
        check_trees: bool = True,
        skip_bad: bool = False,
    ) -> Document: ...
    @property
    def sentences(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def words(self) -> int: ...
    @property
    def lines(self) -> int: ...
    @property
    def whole(self) -> bool:
        """No sentence was left out for its problems."""

    @property
    def changed(self) -> bool: ...
    @property
    def problems(self) -> list[tuple[int, int, str]]: ...
    def length(self, sentence: int) -> int: ...
    def line(self, sentence: int) -> int: ...
    def word_line(self, sentence: int, word: int) -> int: ...
    def cells(self, sentence: int, column: int) -> list[str]: ...
    def heads(self, sentence: int) -> list[int | None]: ...
    def all_rows(self, sentence: int) -> list[tuple[int, tuple[str, ...]]]: ...
    def comments(self, sentence: int) -> str: ...
    def comment_value(self, sentence: int, key: str) -> str | None: ...
    def set_cell(self, sentence: int, word: int, column: int, value: str) -> None: ...
    def set_head(self, sentence: int, word: int, head: int | None) -> None: ...
    def set_tree(self, sentence: int, heads: Sequence[int], labels: Sequence[int], texts: Sequence[str]) -> None: ...
    def set_comments(self, sentence: int, lines: str) -> None: ...
    def write(self, first: int, last: int, faithful: bool) -> bytes: ...
    def write_conllx(self, first: int, last: int) -> bytes: ...
    def fill(self, column: int, value: str) -> None: ...
    def copy(self) -> Document: ...
    def column_buffers(self, column: int) -> tuple[bytes, bytes]: ...
    def row_heads(self) -> bytes: ...
    def row_kinds(self) -> bytes: ...
    def sentence_rows(self) -> bytes:
        """
        Where each sentence's rows begin, and where the last one's end, as 64-bit numbers.
        """

def last_boundary(source: object) -> int:
    """
    Where the last complete sentence of the bytes ends, its blank line included; 0 if none does.
    """

def column_names() -> list[str]: ...

MAX_LINE: int = 16777216

MAX_SENTENCE: int = 268435456

class Evaluation:
    """What was counted for two documents."""

    @property
    def metrics(self) -> list[str]: ...
    @property
    def table(self) -> bytes: ...
    @property
    def scored(self) -> bytes: ...
    @property
    def labels(self) -> list[tuple[str, int, int, int, int, int]]: ...
    @property
    def distances(self) -> list[tuple[int, int, int, int, int, int, int]]: ...
    @property
    def lengths(self) -> list[tuple[int, int, int, int, int, int, int]]: ...
    @property
    def columns(self) -> list[tuple[str, int, int]]: ...
    @property
    def words(self) -> int: ...
    @property
    def system_words(self) -> int: ...
    @property
    def punctuation(self) -> int: ...
    @property
    def unknown_heads(self) -> int: ...
    @property
    def unattached(self) -> int: ...
    @property
    def aligned(self) -> int: ...
    @property
    def aligned_content(self) -> int: ...
    @property
    def tags_from_xpos(self) -> bool: ...
    @property
    def bad_deps_line(self) -> int: ...
    @property
    def bad_deps_in_system(self) -> bool: ...

class Refusal:
    """Why two documents cannot be compared."""

    @property
    def kind(self) -> str: ...
    @property
    def in_system(self) -> bool: ...
    @property
    def sentence(self) -> int: ...
    @property
    def gold_line(self) -> int: ...
    @property
    def system_line(self) -> int: ...
    @property
    def number(self) -> int: ...
    @property
    def gold_text(self) -> str: ...
    @property
    def system_text(self) -> str: ...

class Pair:
    """A gold document and one of a system, to be compared."""

    def __init__(self, gold: Document, system: Document) -> None: ...
    def forms(self) -> list[str]: ...
    def official(
        self, bare: Sequence[str], lowered: Sequence[int], bare_lowered: Sequence[int]
    ) -> Evaluation | Refusal: ...
    def same_words(self, protocol: str, punctuation: Sequence[bool]) -> Evaluation | Refusal: ...

def bootstrap(
    first: Sequence[bytes],
    second: Sequence[bytes],
    metrics: int,
    chosen: Sequence[int],
    draws: int,
    seed: int,
    level: float,
) -> list[tuple[float, float, float, tuple[float, float], tuple[float, float], tuple[float, float], int]]: ...

class Gold:
    """A gold tree with prices; unknown heads and labels are -1."""

    def __init__(
        self, heads: Sequence[int], labels: Sequence[int], prices: Sequence[int], label_prices: Sequence[int]
    ) -> None: ...
    def label_cost(self, head: int, dependent: int, label: int) -> int: ...
    @property
    def projective(self) -> bool: ...
    @property
    def complete(self) -> bool: ...

class State:
    def copy(self) -> State: ...
    @property
    def words(self) -> int: ...
    @property
    def stack(self) -> list[int]: ...
    @property
    def buffer(self) -> list[int]: ...
    @property
    def heads(self) -> list[int]: ...
    @property
    def labels(self) -> list[int]: ...
    @property
    def history(self) -> list[tuple[int, int, int]]: ...
    @property
    def pair(self) -> tuple[int, int]: ...
    @property
    def is_final(self) -> bool: ...
    def legal(self) -> list[tuple[int, int]]: ...
    def is_legal(self, move: int, node: int) -> bool: ...
    def arc(self, move: int, node: int) -> tuple[int, int] | None: ...
    def apply(self, move: int, node: int, label: int) -> None: ...
    def undo(self) -> None: ...
    def finish(self) -> list[int]: ...
    def identical(self, other: State) -> bool: ...

class Oracle:
    def cost(self, state: State, move: int, node: int, label: int) -> int: ...
    def loss(self, state: State) -> int: ...
    def costs(self, state: State) -> list[tuple[int, int, int]]: ...
    @property
    def exact(self) -> bool: ...
    @property
    def note(self) -> str: ...

class System:
    @staticmethod
    def make(name: str, root_last: bool, attach: bool, single_root: bool) -> System: ...
    @property
    def name(self) -> str: ...
    @property
    def projective(self) -> bool: ...
    @property
    def moves(self) -> list[int]: ...
    def initial(self, words: int) -> State: ...
    def state(
        self, stack: Sequence[int], buffer: Sequence[int], heads: Sequence[int], labels: Sequence[int], i: int, j: int
    ) -> State: ...
    def derivation(self, gold: Gold, reduce_when_possible: bool) -> list[tuple[int, int, int]] | None: ...
    def static_transition(
        self, state: State, gold: Gold, reduce_when_possible: bool
    ) -> tuple[int, int, int] | None: ...
    def on_derivation(self, state: State, gold: Gold, reduce_when_possible: bool) -> bool: ...
    def oracle(self, gold: Gold, method: str, inexact_formula: bool, limit: int) -> Oracle: ...

def system_names() -> list[str]: ...
def move_names() -> list[str]: ...
def default_root_last(name: str) -> bool: ...
def check_heads(heads: Sequence[int]) -> None:
    """Raises TreeError unless the heads (-1 = unknown) form a tree."""

def crossing_arcs(heads: Sequence[int]) -> tuple[int, int, int, int] | None:
    """
    Two arcs (head, dependent, head, dependent) that no projective tree holds together, if any.
    """

def check(
    system: str,
    root_last: bool,
    attach: bool,
    single_root: bool,
    words: int,
    golds: str,
    method: str,
    inexact_formula: bool,
    partial: bool,
    labels: int,
    label_price: int,
    unit: int,
    weights: int,
    samples: int,
    seed: int,
    threads: int,
) -> dict[str, Any]: ...
def check_decomposition(
    system: str, root_last: bool, attach: bool, single_root: bool, words: int, golds: str
) -> dict[str, Any]: ...
def check_derivable(system: str, root_last: bool, attach: bool, single_root: bool, words: int) -> dict[str, Any]: ...
def time_walks(
    system: str,
    root_last: bool,
    attach: bool,
    single_root: bool,
    golds: Sequence[Sequence[int]],
    errors: float,
    shifted: float,
    seed: int,
    repeat: int,
    limit: int,
) -> dict[str, Any]: ...
def random_derivable_tree(system: str, root_last: bool, single_root: bool, words: int, seed: int) -> list[int]: ...
def nonprojective_arcs(heads: Sequence[int]) -> list[tuple[int, int]]:
    """
    Arcs (head, dependent) with a word between that the head does not dominate; unknown heads are -1.
    """

def gap_degrees(heads: Sequence[int]) -> list[int]:
    """The gap degree of each word; unknown heads are -1."""

def projectivize(
    heads: Sequence[int], labels: Sequence[int], encoding: str
) -> tuple[list[int], list[tuple[int, int, bool, bool]]]:
    """The heads of the lifted tree and its labels with marks."""

def deprojectivize(
    heads: Sequence[int], labels: Sequence[tuple[int, int, bool, bool]], encoding: str, by_distance: bool
) -> list[int]:
    """The heads after every lifted word was moved back."""

class EncodedLabels:
    """Labels with marks, each with a dense number."""

    def __len__(self) -> int: ...
    def __getitem__(self, arg: int, /) -> tuple[int, int, bool, bool]: ...
    def find(self, label: tuple[int, int, bool, bool]) -> int: ...
    def rewrite(self, labels: Sequence[tuple[int, int, bool, bool]]) -> list[tuple[int, int, bool, bool]]: ...

class EncodedLabelCounter:
    def __init__(self) -> None: ...
    def add(self, labels: Sequence[tuple[int, int, bool, bool]]) -> None: ...
    def keep(self, min_count: int) -> EncodedLabels: ...

class ModelSpec:
    """What a model is made of, but for its vocabularies and weights."""

    def __init__(
        self,
        system: str,
        root_last: bool,
        attach: bool,
        single_root: bool,
        templates: Sequence[str],
        xpos: bool,
        valency_cap: int,
        labels: int,
        word_labels: int,
        first_root_label: int,
        other: int,
        rest: Sequence[tuple[int, int]] = [],
        right_to_left: bool = False,
        label_values: Sequence[int] = [],
        roots: Sequence[tuple[str, float, int]] = [],
    ) -> None: ...

class LearnOptions:
    def __init__(
        self,
        fixed: bool,
        learner: str,
        random_best: bool,
        after_epoch: int,
        probability: float,
        reduce_when_possible: bool,
        aggressiveness: float,
        cost_sensitive: bool,
        max_loss: bool,
        price_unit: float,
        seed: int,
        sample: bool = False,
        alpha: float = 1.0,
        rho: float = 0.01,
        l1: float = 0.0,
        legal_only: bool = False,
        least_gradient: float = 0.0001,
        canonical: bool = False,
    ) -> None: ...

class EpochReport:
    @property
    def sentences(self) -> int: ...
    @property
    def words(self) -> int: ...
    @property
    def states(self) -> int: ...
    @property
    def updates(self) -> int: ...
    @property
    def explored(self) -> int: ...
    @property
    def off_path(self) -> int: ...
    @property
    def skipped(self) -> int: ...
    @property
    def given_up(self) -> int: ...

class PackedWeights:
    """Weights as a model file holds them."""

    def __init__(
        self,
        key_bits: int,
        rows_of_size: bytes,
        keys: bytes,
        classes: bytes,
        class_bytes: int,
        values: bytes,
        scale: float,
    ) -> None: ...
    @property
    def key_bits(self) -> int: ...
    @property
    def scale(self) -> float: ...
    @property
    def rows_of_size(self) -> bytes: ...
    @property
    def keys(self) -> bytes: ...
    def classes(self, width: int) -> bytes: ...
    @property
    def values(self) -> bytes: ...

class Model:
    def pack(self, key_bits: int, prune: float, quantised: bool, rest: bool = False) -> PackedWeights: ...
    @staticmethod
    def unpack(spec: ModelSpec, texts: Sequence[Sequence[str]], packed: PackedWeights, rest: PackedWeights) -> Model:
        """`packed` is used up."""

    def set_guide(self, guide: Model, labels: Sequence[int]) -> None: ...
    @property
    def sharpness(self) -> float:
        """What scores are multiplied by before they become probabilities."""

    @sharpness.setter
    def sharpness(self, arg: float, /) -> None: ...
    @property
    def folded(self) -> bool:
        """Whether sums of features are kept while parsing."""

    @property
    def has_rest(self) -> bool: ...
    @property
    def texts(self) -> list[list[str]]: ...
    @property
    def keys(self) -> bytes: ...
    @property
    def begin(self) -> bytes: ...
    @property
    def labels(self) -> bytes: ...
    @property
    def values(self) -> bytes: ...
    @property
    def classes(self) -> int: ...
    @property
    def features(self) -> int: ...
    @property
    def weights(self) -> int: ...
    def parse(
        self, document: Document, first: int, last: int, threads: int, layout: str = "auto"
    ) -> list[tuple[list[int], list[int]]]: ...
    def parsed(self, document: Document, threads: int, labels: Sequence[str], layout: str = "auto") -> Document:
        """A copy of the document with the trees of the parser in it."""

class Training:
    def __init__(
        self,
        spec: ModelSpec,
        document: Document,
        trees: Sequence[tuple[int, Sequence[int], Sequence[int]]],
        min_count: int,
        options: LearnOptions,
        guides: Sequence[tuple[Sequence[int], Sequence[int]]] = [],
        prices: Sequence[tuple[Sequence[int], Sequence[int]]] = [],
        start: Model | None = None,
        labels_now: Sequence[int] = [],
    ) -> None:
        """
        With `start`, goes on with the weights of that model; `labels_now` are the new numbers of its labels.
        """

    def epoch(self) -> EpochReport: ...
    def state(self) -> bytes: ...
    def restore(self, state: bytes) -> None: ...
    def model(self, others: Sequence[Training] = []) -> Model: ...

def check_templates(texts: Sequence[str]) -> None:
    """
    Raises ConfigError, with the column, at the first template that is wrong.
    """

def likelihood_gradient(scores: Sequence[float], wanted: Sequence[bool]) -> list[float]:
    """
    Of the logarithm of the probability of what is wanted, by the score of each.
    """

def exponential(x: float) -> float:
    """The engine's own, which learners use."""

def attribute_names() -> list[str]: ...
def use_simd(name: str) -> None:
    """
    For tests: which vectors sums are made with: portable, avx2, avx512, or auto for what DYNARC_SIMD says.
    """

def simd() -> str:
    """Which vectors are used."""

word_attributes: int = 16

def can_contain(system: str, root_last: bool, attach: bool, single_root: bool, heads: Sequence[int]) -> bool:
    """Whether some tree that the system derives has all these heads."""

def parse_fixed(
    model: Model,
    document: Document,
    fixed: Sequence[tuple[Sequence[int], Sequence[int]]],
    sets: Sequence[Sequence[int]],
    threads: int,
) -> list[tuple[str, list[int], list[int]]]:
    """
    Parses every sentence with the heads given for its words, and labels out of the sets given for them.
    """

class Steps:
    """A sentence on its way through a parser."""

    def __init__(self, model: Model, document: Document, sentence: int) -> None: ...
    @property
    def is_final(self) -> bool: ...
    def offers(self) -> tuple[list[tuple[int, int, int, float, float]], int]:
        """
        All that is legal: move, node, label, score, log of probability; and the place of the best.
        """

    def take(self, place: int) -> None:
        """Takes one of what was offered last."""

    def follow(self, transitions: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
        """
        Takes transitions (move, node, label), the best label where there is none. Says which were taken.
        """

    def rest(self) -> list[tuple[int, int, int]]:
        """Goes on to the end, and says how: (move, node, label)."""

class TreeSearch:
    """The trees of a sentence, the most probable one first."""

    def __init__(self, model: Model, document: Document, sentence: int, wanted: int, limit: int) -> None: ...
    def next(self) -> tuple[list[int], list[int], float, bool] | None:
        """
        Heads, labels, log of the probability, and whether no other tree is more probable; None if that was all.
        """

    @property
    def exhausted(self) -> bool:
        """Whether all trees were found."""

class ProbabilityMap:
    """From evidence to a probability."""

    def __init__(
        self,
        bias: float,
        columns: Sequence[float],
        deprels: Sequence[float],
        tags: Sequence[float],
        head_tags: Sequence[float],
        knots: Sequence[float],
        values: Sequence[float],
    ) -> None: ...
    def without_line(self) -> ProbabilityMap:
        """The same without what comes after the logistic function."""

    @property
    def bias(self) -> float: ...
    @property
    def columns(self) -> list[float]: ...
    @property
    def deprels(self) -> list[float]: ...
    @property
    def tags(self) -> list[float]: ...
    @property
    def head_tags(self) -> list[float]: ...
    @property
    def knots(self) -> list[float]: ...
    @property
    def values(self) -> list[float]: ...

class Evidence:
    """
    What speaks for and against arcs, transitions or trees, one row for each.
    """

    def __len__(self) -> int: ...
    def fit(self, rows: Sequence[int], right: Sequence[bool], columns: int, kinds: bool, line: bool) -> ProbabilityMap:
        """
        The map under which it is likeliest that these rows were right and wrong.
        """

    def apply(self, by: ProbabilityMap, rows: Sequence[int]) -> list[float]: ...
    def probabilities(self) -> list[float]:
        """Of states: that of the best class, as it is."""

first_value: int = 3

def evidence_columns() -> list[str]: ...

class Judged:
    """Parses, and what is known of their arcs and of the states on the way."""

    def __init__(self) -> None: ...
    def extend(self, other: Judged, deprels: Sequence[int], tags: Sequence[int], elsewhere: bool) -> None:
        """
        Adds what another parser was judged by, whose labels and tags have these numbers here.
        """

    @property
    def trees(self) -> list[tuple[list[int], list[int]]]: ...
    @property
    def words(self) -> Evidence: ...
    @property
    def states(self) -> Evidence: ...
    @property
    def right(self) -> list[bool]: ...

def judged(
    model: Model, document: Document, gold: Sequence[tuple[Sequence[int], Sequence[int]]], samples: int, threads: int
) -> Judged:
    """
    Parses, with evidence for every arc; if there is gold, also for the best class of every state.
    """

def sure(
    model: Model, arcs: ProbabilityMap, labels: ProbabilityMap, document: Document, samples: int, threads: int
) -> list[tuple[list[int], list[int], list[float], list[float]]]:
    """
    Parses, with the probabilities that heads are right, and that heads and labels are.
    """

def tree_evidence(words: Sequence[Sequence[float]]) -> Evidence:
    """Of trees whose words have these probabilities."""

def likeliest_sharpness(
    model: Model, document: Document, gold: Sequence[tuple[Sequence[int], Sequence[int]]], states: int
) -> float:
    """
    What to multiply scores by, so that the oracle's classes are likeliest.
    """

def feature_values(
    spec: ModelSpec,
    document: Document,
    sentence: int,
    labels: Sequence[str],
    transitions: Sequence[tuple[int, int, int]],
    focus: int,
    guide: tuple[Sequence[int], Sequence[int]] = ([], []),
) -> list[list[list[str]]]:
    """
    The texts of each template's atoms, as often as it fires. `focus` is the left node of easy-first's pair.
    """

def feature_keys(
    spec: ModelSpec,
    document: Document,
    sentence: int,
    labels: Sequence[str],
    transitions: Sequence[tuple[int, int, int]],
    focus: int,
) -> list[int]:
    """
    The keys of the same features: first those of all templates that always fire once.
    """

class Automaton:
    """Of dynarc.generic.Automaton: states and symbols are numbers."""

    def __init__(self) -> None: ...
    def copy(self) -> Automaton: ...
    def add_state(self) -> int: ...
    def add_states(self, count: int) -> None: ...
    def add_arc(self, source: int, read: int, written: int, weight: float, target: int) -> None: ...
    def add_arcs(self, source: int, symbols: Sequence[int], weight: float, target: int) -> None: ...
    def set_final(self, state: int, weight: float) -> None: ...
    def set_start(self, state: int) -> None: ...
    @property
    def start(self) -> int: ...
    @property
    def states(self) -> int: ...
    @property
    def arc_count(self) -> int: ...
    def final_weight(self, state: int) -> float: ...
    def arcs(self, state: int) -> list[tuple[int, int, float, int]]: ...
    @property
    def is_acceptor(self) -> bool: ...
    def trimmed(self) -> Automaton: ...
    def projected(self, output: bool) -> Automaton: ...
    def inverted(self) -> Automaton: ...
    def relabelled(self, numbers: Sequence[int]) -> Automaton: ...
    @staticmethod
    def union_of(parts: Sequence[Automaton], weights: Sequence[float]) -> Automaton: ...
    def without_epsilons(self) -> Automaton: ...
    def determinized(self, limit: int) -> Automaton | None: ...
    def shortest_distance(self, reverse: bool) -> list[float]: ...
    def shortest_path(self) -> tuple[float, list[tuple[int, int, float, int]]]: ...
    def compose(self, other: Automaton) -> Automaton: ...

class LazyComposition:
    def __init__(self, first: Automaton, second: Automaton) -> None: ...
    def arcs(self, state: int) -> list[tuple[int, int, float, int]]: ...
    def final_weight(self, state: int) -> float: ...
    def pair(self, state: int) -> tuple[int, int]: ...
    @property
    def states(self) -> int: ...
    def shortest_path(self) -> tuple[float, list[tuple[int, int, float, int]]]: ...

class OracleMachine:
    @overload
    def __init__(self, constraints: Automaton, rest: Automaton) -> None: ...
    @overload
    def __init__(self, losses: Automaton) -> None: ...
    @property
    def states(self) -> int: ...
    @property
    def edges(self) -> int: ...
    def has_symbol(self, symbol: int) -> bool: ...

class OracleWalk:
    def __init__(self, machine: OracleMachine) -> None: ...
    def copy(self) -> OracleWalk: ...
    def values(self) -> list[tuple[int, float]]: ...
    def advance(self, action: int) -> bool: ...
    @property
    def loss(self) -> float: ...
    @property
    def stopped(self) -> bool: ...
    @property
    def size(self) -> int: ...

class FeatureKeys:
    """Features as the engine knows them."""

    def __init__(self, texts: list[str | None]) -> None: ...
    def __len__(self) -> int: ...

class NamedTemplates:
    def __init__(self, templates: Sequence[Sequence[int]], values: int) -> None: ...
    def keys(self, values: list[str | None]) -> FeatureKeys: ...

class LinearModel:
    """Weights of features for classes."""

    @property
    def classes(self) -> int: ...
    @property
    def features(self) -> int: ...
    @property
    def weights(self) -> int: ...
    def scores(self, features: FeatureKeys) -> list[float]: ...
    def best(self, features: FeatureKeys, allowed: Sequence[int]) -> int:
        """The place of the best of those that are allowed."""

    def pack(self, key_bits: int, prune: float, quantised: bool) -> PackedWeights: ...
    @staticmethod
    def unpack(packed: PackedWeights, classes: int) -> LinearModel: ...

class Decisions:
    """Decisions that were collected, to be learned from again and again."""

    def __init__(self) -> None: ...
    def add(self, features: FeatureKeys, allowed: Sequence[int], costs: Sequence[float]) -> None: ...
    def __len__(self) -> int: ...

class LinearLearner:
    def __init__(self, classes: int, options: LearnOptions) -> None: ...
    @property
    def classes(self) -> int: ...
    def start_epoch(self) -> None: ...
    @property
    def report(self) -> EpochReport: ...
    def learn(self, features: FeatureKeys, allowed: Sequence[int], costs: Sequence[float]) -> int:
        """Learns from a decision; the place of the action to go on with."""

    def follow(self, features: FeatureKeys, allowed: Sequence[int], costs: Sequence[float], follow: bool) -> int: ...
    def best(self, features: FeatureKeys, allowed: Sequence[int]) -> int: ...
    def fit(self, decisions: Decisions) -> None: ...
    def model(self) -> LinearModel: ...

class ColumnSpec:
    """What a tagger finds, and what it is given."""

    def __init__(self, target: int, given: Sequence[int], beam: int = 1) -> None: ...

class TagReport:
    @property
    def words(self) -> int: ...
    @property
    def wrong(self) -> int: ...
    @property
    def updates(self) -> int: ...

class ColumnTagger:
    @staticmethod
    def unpack(
        spec: ColumnSpec,
        groups: Sequence[str],
        begin: Sequence[int],
        texts: Sequence[str],
        forms: bytes,
        ambiguity: bytes,
        fixed: bytes,
        packed: PackedWeights,
    ) -> ColumnTagger: ...
    def pack(self, key_bits: int, prune: float, quantised: bool) -> PackedWeights: ...
    @property
    def groups(self) -> list[str]: ...
    @property
    def begin(self) -> list[int]: ...
    @property
    def texts(self) -> list[str]: ...
    @property
    def forms(self) -> bytes: ...
    @property
    def ambiguity(self) -> bytes: ...
    @property
    def fixed(self) -> bytes: ...
    @property
    def features(self) -> int: ...
    @property
    def weights(self) -> int: ...

class ColumnTaggers:
    """Taggers of several columns, each given those before it."""

    def __init__(self, taggers: Sequence[ColumnTagger]) -> None: ...
    def tag(self, document: Document, threads: int, again: bool) -> None:
        """
        Fills columns of sentences in which no word has them; of all sentences if `again`.
        """

class ColumnTraining:
    def __init__(
        self,
        spec: ColumnSpec,
        document: Document,
        sentences: Sequence[int],
        min_count: int = 2,
        fixed_count: int = 20,
        explore_after: int = 1,
        seed: int = 1,
        fixed_share: float = 1.0,
    ) -> None: ...
    def epoch(self) -> TagReport: ...
    def tagger(self) -> ColumnTagger: ...

def edit_script(form: str, lemma: str) -> str:
    """How a form becomes its lemma, as text."""

def apply_script(script: str, form: str) -> str | None:
    """The lemma of a form by a script; None if it is not for such forms."""

class Tokenizer:
    @staticmethod
    def unpack(
        cuts: PackedWeights, ends: PackedWeights, never_ends: bytes, scripts: Sequence[str], splits: PackedWeights
    ) -> Tokenizer: ...
    @property
    def never_ends(self) -> bytes: ...
    def pack(self, part: str, key_bits: int, prune: float, quantised: bool) -> PackedWeights: ...
    @property
    def scripts(self) -> list[str]: ...
    def conllu(
        self,
        text: bytes,
        threads: int,
        ranges: bool = False,
        first_sentence: int = 1,
        first_character: int = 0,
        starts_text: bool = True,
    ) -> bytes:
        """The text as CoNLL-U, with forms only."""

    def document(
        self,
        text: bytes,
        threads: int,
        ranges: bool = False,
        first_sentence: int = 1,
        first_character: int = 0,
        starts_text: bool = True,
    ) -> Document:
        """The same as a document."""

class TokenizerReport:
    @property
    def tokens(self) -> int: ...
    @property
    def wrong_cuts(self) -> int: ...
    @property
    def wrong_ends(self) -> int: ...
    @property
    def wrong_splits(self) -> int: ...

class TokenizerTraining:
    def __init__(self, document: Document, seed: int = 1) -> None: ...
    def epoch(self) -> TokenizerReport: ...
    def tokenizer(self) -> Tokenizer: ...

def find_invalid_utf8(text: bytes) -> int:
    """
    The first byte that is not part of a valid character; the size if all is well.
    """
