"""Flips one term of one cost formula at a time and expects the comparison with brute force to notice.

Every operator in the functions named below is changed in turn; the changed file is compiled with a judge that runs the
comparison for short sentences. `make test` tries every eighth mutant, `make mutation` all. A mutant that gives the same
answers as the real code has survived. Those whose change no answer can depend on are listed with the reason.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NATIVE = HERE.parent.parent / "src" / "native"
FLAGS = ["-std=c++20", "-O1", "-D_GLIBCXX_ASSERTIONS", "-w"]
SOURCES = ["treebank/gold.cpp", "systems/stack_state.cpp", "systems/reduction_search.cpp"]
SOURCES += ["systems/arc_standard.cpp", "systems/attardi.cpp"]

HEADERS = {
    "ArcEager": "systems/arc_eager.hpp",
    "ArcHybrid": "systems/arc_hybrid.hpp",
    "ArcHybridSwap": "systems/arc_hybrid_swap.hpp",
    "ArcStandard": "systems/arc_standard.hpp",
    "Attardi": "systems/attardi.hpp",
    "Covington": "systems/covington.hpp",
    "EasyFirst": "systems/easy_first.hpp",
}

# The functions that make up the cost formulas, by file and by the system that shows their effect.
FORMULAS = {
    ("systems/arc_eager.hpp", "ArcEager"): ["lost", "unreachable", "cost", "loss", "one_root_loss", "exact_for"],
    ("systems/arc_hybrid.hpp", "ArcHybrid"): ["lost", "unreachable", "cost", "loss", "watches_root", "exact_for"],
    ("systems/easy_first.hpp", "EasyFirst"): ["lost", "unreachable", "exact_for"],
    ("systems/covington.hpp", "Covington"): ["loss", "ahead", "home_of_headless", "at_end"],
    ("systems/arc_hybrid_swap.hpp", "ArcHybridSwap"): [
        "cost",
        "loss",
        "swap_required",
        "arcs_lost",
        "swapped_back_later",
        "head_below_top",
        "lost",
        "unreachable",
    ],
    ("systems/reduction_search.cpp", "ArcStandard"): ["step", "orphans", "present_dependents", "may_remove"],
    ("systems/reduction_search.cpp", "Attardi"): ["present", "orphan", "finished", "available", "may_take"],
    ("systems/arc_standard.cpp", "ArcStandard"): ["ArcStandard::table"],
    ("systems/attardi.cpp", "Attardi"): ["Attardi::table", "Attardi::reduced_buffer"],
    ("systems/reduction_costs.hpp", "ArcStandard"): ["cost", "loss", "built"],
    ("treebank/gold.hpp", "Covington"): ["arc_cost"],
    ("treebank/gold.hpp", "ArcHybrid"): ["label_cost"],
}

FLIPS = [
    (re.compile(r" == "), " != "),
    (re.compile(r" != "), " == "),
    (re.compile(r" && "), " || "),
    (re.compile(r" \|\| "), " && "),
    (re.compile(r" < "), " <= "),
    (re.compile(r" > "), " >= "),
    (re.compile(r" <= "), " < "),
    (re.compile(r" >= "), " > "),
    (re.compile(r" \+= "), " -= "),
    (re.compile(r" -= "), " += "),
    (re.compile(r" \+ "), " - "),
    (re.compile(r" - "), " + "),
    (re.compile(r"(?<![\w!=])!(?=[\w(])"), ""),
]

NEVER_EQUAL = "two different nodes never have the same number or rank"
SEARCH_INSTEAD = "the search answers instead of the formula, and says the same"
LESS_REDUCED = "Algorithm 1 is exact with any buffer, reduced or not; this leaves more of it"
EMPTY_CELL = "combines with cells that are empty"
WAITING = "a removal that is not legal yet can wait for the next shift at the same cost"
ONE_ROOT = "gold with one root: a second child of ROOT is wrong, and costs as much as any wrong arc"

GOES_HOME = (
    "const bool goes_home = g == home && (home == kRoot || d > home || !s.headless(home) || ahead(s, kRoot, home));"
)

# (file, line of code, change): why no answer can depend on it.
EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "systems/arc_eager.hpp",
        "return !system.options().single_root || (gold.single_root() != kNone && gold.uniform());",
        "|| -> &&",
    ): SEARCH_INSTEAD,
    (
        "systems/arc_hybrid.hpp",
        "return gold.projective() && (!system.options().single_root || gold.single_root() != kNone);",
        "|| -> &&",
    ): SEARCH_INSTEAD,
    (
        "systems/easy_first.hpp",
        "return gold.projective() && (!system.options().single_root || gold.single_root() != kNone);",
        "|| -> &&",
    ): SEARCH_INSTEAD,
    ("systems/arc_hybrid_swap.hpp", "if (y > x && rank_[y] < rank_[x]) return true;", "< -> <="): NEVER_EQUAL,
    ("systems/arc_hybrid_swap.hpp", "if (y > x && rank_[y] < rank_[x]) return true;", "> -> >="): NEVER_EQUAL,
    (
        "systems/arc_hybrid_swap.hpp",
        "return system_.legal(s, {Move::swap}) && rank_[s.stack(0)] > rank_[s.buffer(0)];",
        "> -> >=",
    ): NEVER_EQUAL,
    ("systems/arc_standard.cpp", "const bool single_first = options_.single_root && !root_last();", "! -> "): ONE_ROOT,
    (
        "systems/arc_standard.cpp",
        "if (single_first && stack.size() == 1 && stack[0] == kRoot && !rest.empty()) {",
        "== -> != #1",
    ): ONE_ROOT,
    (
        "systems/arc_standard.cpp",
        "if (single_first && stack.size() == 1 && stack[0] == kRoot && !rest.empty()) {",
        "== -> != #2",
    ): ONE_ROOT,
    (
        "systems/arc_standard.cpp",
        "if (h != kNone && in_buffer[h] && missing[h] > 0 && --missing[h] == 0) ready.push_back(h);",
        "> -> >=",
    ): "a count of 0 falls to -1, which is not 0 either",
    ("systems/arc_standard.cpp", "if (spent >= kNever) continue;", ">= -> >"): "never plus anything is still never",
    (
        "systems/attardi.cpp",
        "const auto cell = [&](int i, int j) -> Cell& { return cells[static_cast<std::size_t>(i) * (size + 1) + j]; };",
        "+ -> - #1",
    ): "another numbering without collisions",
    (
        "systems/attardi.cpp",
        "for (int h = 0; h < i; ++h) add(cell(i, i + 1), h, h, i, 0);",
        "< -> <=",
    ): "an item resting on itself combines with nothing",
    (
        "systems/attardi.cpp",
        "for (int k = std::max(i + 2, depth); k < i + d; ++k) combine(i, k, i + d);",
        "+ -> - #1",
    ): EMPTY_CELL,
    (
        "systems/attardi.cpp",
        "for (int k = std::max(i + 2, depth); k < i + d; ++k) combine(i, k, i + d);",
        "< -> <=",
    ): EMPTY_CELL,
    ("systems/attardi.cpp", "if (i >= depth && !is_gold && head[to] != kBelow) return;", ">= -> >"): (
        "the restriction saves time; without it Algorithm 1 is exact too"
    ),
    ("systems/attardi.cpp", "if (x != k && at[gold.head(x)] < 0) sound = false;", "< -> <="): LESS_REDUCED,
    ("systems/attardi.cpp", "if (at[x] >= 0 && x != k && on_stack[d]) sound = false;", "&& -> || #1"): LESS_REDUCED,
    ("systems/attardi.cpp", "if (at[x] >= 0 && x != k && on_stack[d]) sound = false;", "&& -> || #2"): LESS_REDUCED,
    ("systems/attardi.cpp", "if (!sound || last - first + 1 != inside) continue;", "+ -> -"): LESS_REDUCED,
    ("systems/attardi.cpp", "if (!sound || last - first + 1 != inside) continue;", "- -> +"): LESS_REDUCED,
    (
        "systems/covington.hpp",
        GOES_HOME,
        "> -> >=",
    ): "no word is its own gold head",
    ("systems/covington.hpp", "for (Node d = 1; d < n; ++d) {", "< -> <="): "a cycle has a word before the last",
    ("systems/covington.hpp", "if (x <= kRoot || seen_[x] != d) continue;", "<= -> <"): "ROOT is never marked as seen",
    ("systems/covington.hpp", "while (x > kRoot && seen_[x] == kNone) {", "> -> >="): "ROOT has no way up",
    (
        "systems/reduction_search.cpp",
        "return may_take(k, t, t.s1) || (rules_.two && may_take(k, t, t.s2));",
        "&& -> ||",
    ): WAITING,
}
# Lines that are part of a listed function but not of a formula.
NOT_COSTS = ("if (!patient && fourth(size)",)


@dataclass(frozen=True)
class Mutant:
    file: str
    system: str
    start: int  # of the text to replace
    end: int
    new: str
    line: int
    code: str
    change: str  # as EQUIVALENT names it: with its place if the line has the operator more than once

    def __str__(self) -> str:
        return f"{Path(self.file).name}:{self.line}:{self.start}:{self.new.strip() or 'no !'}"


def function_bodies(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Where the bodies of the functions of that name begin and end."""
    found = False
    for match in re.finditer(rf"\b{re.escape(name)}\([^;{{}}]*\)(?: const)?(?: override)? {{", text):
        if "return" in text[text.rfind("\n", 0, match.start()) : match.start()]:
            continue
        depth, at = 1, match.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        found = True
        yield match.end(), at
    assert found, f"no function {name}"


def mutants() -> Iterator[Mutant]:
    for (file, system), functions in FORMULAS.items():
        text = (NATIVE / file).read_text(encoding="utf-8")
        for name in functions:
            for begin, end in function_bodies(text, name):
                for pattern, new in FLIPS:
                    for match in pattern.finditer(text, begin, end):
                        start_of_line = text.rfind("\n", 0, match.start()) + 1
                        line = text[start_of_line : text.find("\n", match.start())]
                        if "//" in text[start_of_line : match.start()]:
                            continue
                        code = line.split("//")[0].strip()
                        if code.startswith(NOT_COSTS):
                            continue
                        number = text.count("\n", 0, match.start()) + 1
                        change = f"{match.group().strip()} -> {new.strip()}"
                        before = line[: match.start() - start_of_line]
                        if len(pattern.findall(line)) > 1:
                            change += f" #{len(pattern.findall(before)) + 1}"
                        yield Mutant(file, system, *match.span(), new, number, code, change)


def compiles(arguments: list[str | Path]) -> str:
    """Empty if it does, else what the compiler says."""
    done = subprocess.run(["g++", *FLAGS, *map(str, arguments)], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr[:2000] or "failed"


def compile_(arguments: list[str | Path]) -> None:
    assert not (message := compiles(arguments)), message


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the precompiled standard headers and the parts that mutants share."""
    if shutil.which("g++") is None:
        pytest.skip("mutants are compiled with g++, which is not installed")
    folder = tmp_path_factory.mktemp("mutation")
    shutil.copy(HERE / "standard.hpp", folder)
    compile_(["-x", "c++-header", folder / "standard.hpp", "-o", folder / "standard.hpp.gch"])
    for source in SOURCES:
        compile_(["-I", NATIVE, "-c", NATIVE / source, "-o", folder / f"{Path(source).stem}.o"])
    return folder


def verdict(workshop: Path, system: str, changed: Path | None, file: str = "") -> str:
    """What the judge prints, with the tree of `changed` before the real one on the include path."""
    folder = workshop if changed is None else changed
    include: list[str | Path] = ["-I", workshop, "-I", NATIVE]
    if changed is not None:
        include = ["-I", changed, *include]
    objects = [workshop / f"{Path(source).stem}.o" for source in SOURCES]
    program = folder / f"judge-{system}"
    chosen = [f"-DSYSTEM={system}", f'-DHEADER="{HEADERS[system]}"']
    if file.endswith(".cpp"):
        assert changed is not None
        if message := compiles([*include, "-c", changed / file, "-o", changed / "mutant.o"]):
            return message
        objects = [changed / "mutant.o" if o.stem == Path(file).stem else o for o in objects]
        judge = workshop / f"judge-{system}.o"
        if not judge.exists():
            compile_([*include, *chosen, "-c", HERE / "judge.cpp", "-o", judge])
        main: list[str | Path] = [judge]
    else:
        main = [*chosen, HERE / "judge.cpp"]
    if message := compiles([*include, *main, *objects, "-o", program]):
        return message
    try:
        done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=30)
    except subprocess.TimeoutExpired:
        return "endless"
    return f"{done.returncode}\n{done.stdout}"


@pytest.fixture(scope="session")
def truth(workshop: Path) -> dict[str, str]:
    """What the judge prints of the real code, by system; filled as needed."""
    return {}


def chosen_mutants() -> list[Mutant]:
    """All of them with DYNARC_MUTANTS=all (`make mutation`), else some of each file: compiling takes its time."""
    step = 1 if os.environ.get("DYNARC_MUTANTS") == "all" else 24
    by_file = groupby(sorted(mutants(), key=lambda mutant: (mutant.file, mutant.start)), key=lambda mutant: mutant.file)
    return [mutant for _, of_file in by_file for mutant in list(of_file)[::step]]


@pytest.mark.slow
@pytest.mark.parametrize("mutant", chosen_mutants(), ids=str)
def test_mutant_is_caught(mutant: Mutant, workshop: Path, truth: dict[str, str], tmp_path: Path) -> None:
    if mutant.system not in truth:
        truth[mutant.system] = verdict(workshop, mutant.system, None)
        assert truth[mutant.system].startswith("0\n"), "the judge fails on the real code"
    text = (NATIVE / mutant.file).read_text(encoding="utf-8")
    path = tmp_path / mutant.file
    path.parent.mkdir(parents=True)
    path.write_text(text[: mutant.start] + mutant.new + text[mutant.end :], encoding="utf-8")
    caught = verdict(workshop, mutant.system, tmp_path, mutant.file) != truth[mutant.system]
    key = (mutant.file, mutant.code, mutant.change)
    if key in EQUIVALENT:
        assert not caught, f"{key} is listed as invisible, but was caught: take it off the list"
    else:
        assert caught, f"survived: {key}"


def test_real_formulas_have_no_mismatch(workshop: Path, truth: dict[str, str]) -> None:
    """The judge itself: exact oracles of the real code print no mismatch."""
    for system in ("ArcEager", "EasyFirst", "Attardi"):
        printed = truth.setdefault(system, verdict(workshop, system, None))
        assert printed.startswith("0\n")
        rows = [list(map(int, line.split())) for line in printed.splitlines()[1:]]
        assert rows
        if system == "Attardi":
            assert all(row[1:] == [0, 0, 0, 0] for row in rows)


def test_the_list_of_invisible_changes_is_true() -> None:
    """Every entry still names a line and a change that exist."""
    assert EQUIVALENT.keys() <= {(mutant.file, mutant.code, mutant.change) for mutant in mutants()}
