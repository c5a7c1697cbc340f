"""The page in a real browser. Runs where Playwright and Chromium are installed: make web."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import pytest

import dynarc
from dynarc import Sentence, Treebank
from dynarc.data import english
from dynarc.web.app import Settings, application
from dynarc.web.limits import Limits
from dynarc.web.page import standalone
from dynarc.web.service import Service
from dynarc.web.workspace import Workspace

from .browser import ARGUMENTS, chromium
from .conftest import running

playwright: Any = pytest.importorskip("playwright.sync_api", reason="the page is tested with Playwright: make web")
if chromium() is None:
    pytest.skip("no Chromium: make web, or name one by DYNARC_CHROMIUM", allow_module_level=True)

EXPECT = playwright.expect
SCREENSHOTS = os.environ.get("DYNARC_SCREENSHOTS")
TEXT = "She saw the man with a telescope."
VIEWS = ("tree", "steps", "best", "errors", "reliability")
EVIL = '<img src=x onerror="window.hurt=1">'
SVG = '"><svg onload="window.hurt=2"></svg>'
# Whether the focus has come round.
SEEN = (
    "(() => { const a = document.activeElement, old = seen.has(a) || a === document.body; seen.add(a); return old; })()"
)
SCRIPT = "</script><script>window.hurt=3</script>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield found
        found.close()


class Tab:
    """A page in the browser; whatever it complains of fails the test."""

    def __init__(self, browser: Any, address: str, *, width: int = 1280, dark: bool = False) -> None:
        self.address = address
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", accept_downloads=True
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(20_000)
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._said)
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))

    def _said(self, message: Any) -> None:
        if message.type == "error" and "status of 4" not in message.text:  # the page says itself what was refused
            self.complaints.append(message.text)

    def go(self, wanted: str = "") -> Any:
        self.page.goto("about:blank")
        self.page.goto(self.address + wanted)
        self.page.wait_for_selector("html[data-ready]")
        self.page.wait_for_selector("#panel:not([aria-busy])")
        return self.page

    def picture(self, name: str) -> None:
        if SCREENSHOTS:
            Path(SCREENSHOTS).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=Path(SCREENSHOTS) / f"{name}.png", full_page=True)

    def close(self) -> None:
        self.context.close()
        assert self.complaints == []


@pytest.fixture
def tab(browser: Any, address: str) -> Iterator[Tab]:
    opened = Tab(browser, f"{address}/")
    yield opened
    opened.close()


def words(page: Any) -> list[str]:
    found: list[str] = page.locator("#panel svg.tree .word").all_text_contents()
    return found


def built(page: Any) -> set[tuple[str, str]]:
    """(dependent, head) of the solid arcs."""
    arcs = page.locator("#panel svg.tree .arc.built:has(.line)")
    found = arcs.evaluate_all("all => all.map(a => [a.dataset.arc, a.dataset.head])")
    return {(word, head) for word, head in found}


def costs(page: Any) -> dict[str, str]:
    rows = page.locator(".action .take")
    return dict(rows.evaluate_all("all => all.map(b => [b.dataset.move, b.dataset.cost])"))


def step(page: Any, number: int) -> None:
    page.wait_for_selector(f'.player[data-step="{number}"]')


def test_parse(tab: Tab) -> None:
    page = tab.go(f"#text={quote(TEXT)}")
    assert words(page) == ["She", "saw", "the", "man", "with", "a", "telescope", "."]
    tab.picture("tree")
    page.fill("#text", "Dogs bark. Cats sleep all day.")
    page.keyboard.press("Enter")
    EXPECT(page.locator("#panel svg.tree .word")).to_have_text(["Dogs", "bark", "."])
    page.locator(".entry", has_text="Cats").click()
    EXPECT(page.locator("#panel svg.tree .word").first).to_have_text("Cats")
    arc = page.locator('#panel .arc[data-arc="1"] .label')
    arc.hover(force=True)
    EXPECT(page.locator("#tip")).to_contain_text("sleep → Cats")
    EXPECT(page.locator("#tip")).to_contain_text("head right with probability")
    grade = page.locator('#panel .arc[data-arc="1"] .line')
    assert float(grade.evaluate("a => parseFloat(getComputedStyle(a).strokeWidth)")) > 1


def test_steps_forward_and_back(tab: Tab) -> None:
    page = tab.go(f"#text={quote(TEXT)}&view=steps")
    step(page, 0)
    page.keyboard.press("ArrowRight")
    step(page, 1)
    EXPECT(page.locator(".stack .chip.marked")).to_have_text("She")
    EXPECT(page.locator(".buffer .chip.marked")).to_have_text("saw")
    page.keyboard.press("ArrowRight")
    step(page, 2)
    assert built(page) == {("1", "2")}
    page.keyboard.press("ArrowLeft")
    step(page, 1)
    assert built(page) == set()
    page.locator('[data-key="end"]').click()
    EXPECT(page.locator(".moves.final")).to_contain_text("8 of 8 heads")
    assert len(built(page)) == 8
    page.locator('[data-key="start"]').click()
    step(page, 0)
    page.locator('[data-key="play"]').click()
    step(page, 2)
    page.locator('[data-key="play"]').click()
    page.locator("summary", has_text="transitions").click()
    page.locator(".way button").nth(4).click()
    step(page, 5)


def test_a_wrong_transition_costs(tab: Tab) -> None:
    page = tab.go("#n=2&view=steps")
    page.keyboard.press("ArrowRight")
    step(page, 1)
    before = costs(page)
    assert before == {"SHIFT": "1", "LEFT": "0", "RIGHT": "2"}
    assert page.locator(".arc.ghost").count() > 0
    assert page.locator(".arc.lost").count() == 0
    EXPECT(page.locator(".verdict")).to_contain_text("Nothing is lost")
    page.locator('.take[data-move="RIGHT"]').click()
    step(page, 2)
    EXPECT(page.locator(".verdict")).to_contain_text("2 arcs are lost for good")
    EXPECT(page.locator(".verdict")).to_contain_text("wind → The")
    assert page.locator(".arc.lost:has(.line)").count() == 2
    assert costs(page) != before
    tab.picture("wrong-step")
    page.keyboard.press("ArrowLeft")
    step(page, 1)
    assert costs(page) == before


def test_the_next_mistake_of_the_parser(tab: Tab) -> None:
    page = tab.go("#n=2&view=steps")
    page.locator('[data-key="mistake"]:not([disabled])').click()
    page.wait_for_selector(".action.next.dear")
    EXPECT(page.locator(".verdict")).to_contain_text("Nothing is lost")
    page.keyboard.press("ArrowRight")
    EXPECT(page.locator(".verdict")).to_contain_text("1 arc is lost for good")


def test_every_system_plays_the_same_sentence(tab: Tab) -> None:
    page = tab.go("#n=2&view=steps")
    gold = english("dev")[1]
    for name in dynarc.systems():
        page.locator('[data-key="system"]').select_option(name)
        step(page, 0)
        page.locator('[data-key="follow"]').select_option("oracle")
        page.locator('[data-key="end"]').click()
        EXPECT(page.locator(".moves.final")).to_contain_text("10 of 10 heads")
        assert built(page) == {(str(word), str(head)) for word, head in enumerate(gold.heads, start=1)}
        if name != "arc-eager":
            page.locator('[data-key="start"]').click()
            step(page, 0)
            EXPECT(page.locator(".moves")).to_contain_text(f"No model of {name} is loaded")
        if name in ("easy-first", "covington"):
            tab.picture(name)


def test_a_dragged_word_gets_a_new_head(tab: Tab) -> None:
    page = tab.go(f"#text={quote(TEXT)}")
    assert page.locator('.arc[data-arc="7"]').first.get_attribute("data-head") == "2"
    start, end = (page.locator(f'.node[data-word="{word}"]').bounding_box() for word in (7, 4))
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + 20)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] / 2, end["y"] + 15, steps=6)
    page.mouse.up()
    EXPECT(page.locator(".edited pre")).to_contain_text("telescope")
    assert page.locator('.arc[data-arc="7"]').first.get_attribute("data-head") == "4"
    line = next(one for one in page.locator(".edited pre").text_content().splitlines() if one.startswith("7\t"))
    assert line.split("\t")[6] == "4"
    tab.picture("dragged")
    page.get_by_role("button", name="Undo all").click()
    EXPECT(page.locator(".edited")).to_have_count(0)
    assert page.locator('.arc[data-arc="7"]').first.get_attribute("data-head") == "2"


def test_an_arc_is_changed_by_keyboard(tab: Tab) -> None:
    page = tab.go(f"#text={quote(TEXT)}")
    page.locator('.node[data-word="1"]').focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.locator("#new-head").select_option("4")
    page.locator("#new-label").fill("nmod")
    page.keyboard.press("Enter")
    EXPECT(page.locator(".edited")).to_contain_text("Fixed: “telescope”")
    assert page.locator('.arc[data-arc="7"] .label').text_content() == "● nmod"
    page.locator('.node[data-word="7"]').click()
    page.locator("#new-label").fill("no-such-label")
    page.keyboard.press("Enter")
    EXPECT(page.locator("#toast")).to_contain_text("the parser does not know")


def test_errors_open_their_sentences(tab: Tab) -> None:
    page = tab.go("#view=errors")
    EXPECT(page.locator(".scores")).to_contain_text("LAS")
    tab.picture("errors")
    cell = page.locator(".matrix td.off button").first
    many = int(cell.text_content())
    cell.click()
    EXPECT(page.locator("#side .cell")).to_contain_text("that the system calls")
    page.wait_for_selector(".node.spotted")
    assert 0 < page.locator(".entry").count() <= many
    tab.picture("cell")
    page.get_by_role("button", name="Show all").click()
    EXPECT(page.locator(".found")).to_have_text("119 sentences")
    page.locator("#side select").select_option("wrong")
    page.keyboard.press("Escape")
    page.locator("#main").focus()
    page.keyboard.press("e")
    page.wait_for_selector(".node.pointed")
    EXPECT(page.locator("#toast")).to_contain_text("wrong")


def test_reliability_opens_its_sentences(tab: Tab) -> None:
    page = tab.go("#view=reliability")
    page.wait_for_selector(".plot .bin")
    tab.picture("reliability")
    page.locator(".plot .bin").first.focus()
    page.keyboard.press("Enter")
    EXPECT(page.locator("#side .cell")).to_contain_text("probability from")
    page.wait_for_selector(".node.spotted")


def test_other_trees(tab: Tab) -> None:
    page = tab.go("#n=2&view=best")
    EXPECT(page.locator(".alternatives li button")).to_have_count(5)
    page.locator(".alternatives li button").nth(1).click()
    page.wait_for_selector(".arc.fresh")
    tab.picture("alternatives")


def test_copies_and_links(tab: Tab, browser: Any, address: str, english_model: dynarc.Parser) -> None:
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = tab.go("#n=2")

    def copied(what: str) -> str:
        page.locator(".menu summary").click()
        page.locator(f'[data-copy="{what}"]').click()
        EXPECT(page.locator("#toast")).to_contain_text("copied")
        text: str = page.evaluate("navigator.clipboard.readText()")
        return text

    assert copied("CoNLL-U").encode() == english_model.parse(english("dev")[1:2]).to_bytes()
    drawn = ElementTree.fromstring(copied("SVG"))
    assert "museum" in [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    tikz = copied("TikZ")
    assert r"\deproot{3}{root}" in tikz
    assert r"The \& wind \& tore" in tikz
    page.locator(".menu summary").click()
    with page.expect_download() as download:
        page.locator('[data-save="PNG"]').click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")
    page.locator("#tab-steps").click()
    step(page, 0)
    page.keyboard.press("ArrowRight")
    step(page, 1)
    link = copied("link")
    other = Tab(browser, link)
    again = other.go()
    step(again, 1)
    EXPECT(again.locator(".stack .chip.marked")).to_have_text("The")
    other.close()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_nobody_is_left_out(browser: Any, address: str, dark: bool) -> None:
    axe = pytest.importorskip("axe_core_python.sync_playwright")
    tab = Tab(browser, f"{address}/", dark=dark)
    for view in VIEWS:
        page = tab.go(f"#n=2&view={view}")
        serious = [
            (problem["id"], [node["html"][:120] for node in problem["nodes"]])
            for problem in axe.Axe().run(page)["violations"]
            if problem["impact"] in ("serious", "critical")
        ]
        assert serious == [], view
        tab.picture(f"{'dark' if dark else 'light'}-{view}")
    tab.close()


def test_light_and_dark(browser: Any, address: str) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    tab = Tab(browser, f"{address}/", dark=True)
    page = tab.go()
    assert page.evaluate(ground) == "rgb(14, 19, 27)"
    page.locator("#theme").select_option("light")
    assert page.evaluate(ground) == "rgb(244, 245, 248)"
    page.locator("#theme").select_option("dark")
    page.emulate_media(color_scheme="light")
    assert tab.go().evaluate(ground) == "rgb(14, 19, 27)"
    tab.close()


def test_narrow_screens(browser: Any, address: str) -> None:
    tab = Tab(browser, f"{address}/", width=320)
    for view in VIEWS:
        page = tab.go(f"#n=2&view={view}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, view
        tab.picture(f"narrow-{view}")
    tab.close()


def test_every_control_is_reached_by_keyboard(tab: Tab) -> None:
    """What cannot be reached with Tab is in a group that arrow keys go about in."""
    for view in VIEWS:
        page = tab.go(f"#n=2&view={view}")
        page.evaluate("window.seen = new Set(); document.activeElement.blur()")
        for _ in range(400):
            page.keyboard.press("Tab")
            if page.evaluate(SEEN):
                break
        missed = page.evaluate(
            """[...document.querySelectorAll("button, select, input, summary, a, [role=button], [tabindex='0']")]
            .filter(e => e.checkVisibility() && !e.disabled && !seen.has(e))
            .filter(e => !e.closest("[role=tablist], .way, .rows, svg.tree"))
            .map(e => e.outerHTML.slice(0, 100))"""
        )
        assert missed == [], view


def test_long_sentences_are_wrapped(tab: Tab) -> None:
    text = (
        " ".join(["The old captain who had lost his boat in the storm saw the man with a telescope and"] * 4) + " left."
    )
    page = tab.go(f"#text={quote(text)}")
    assert len({round(box) for box in page.locator(".word").evaluate_all("all => all.map(w => w.getBBox().y)")}) > 2
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    tab.picture("long")


ODD = """\
# sent_id = odd
1\tA\t_\tDET\t_\t_\t2\tdet\t_\t_
2\tletter\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_
3\tcame\t_\tVERB\t_\t_\t0\troot\t_\t_
3.1\tcame\t_\tVERB\t_\t_\t_\t_\t_\t_
4\ttoday\t_\tADV\t_\t_\t3\tadvmod\t_\t_
5-6\tfromhome\t_\t_\t_\t_\t_\t_\t_\t_
5\tfrom\t_\tADP\t_\t_\t6\tcase\t_\t_
6\thome\t_\tNOUN\t_\t_\t2\tnmod\t_\t_

"""


def test_a_file_without_a_model(browser: Any) -> None:
    """Crossing arcs, a multiword token and an empty node; arcs change alone, and never to a cycle."""
    space = Workspace(dynarc.read_conllu(ODD.encode()), name="odd.conllu")
    with running(application(Service({}, Limits()), Settings(), space)) as address:
        tab = Tab(browser, f"{address}/")
        page = tab.go()
        assert page.locator(".arc.crossing:has(.line)").evaluate_all("all => all.map(a => a.dataset.arc)") == ["6"]
        assert page.locator(".tree .range").text_content() == "fromhome"
        assert page.locator(".tree .empty-form").text_content() == "came"
        tab.picture("odd")
        page.locator('.node[data-word="3"]').click()
        page.locator("#new-head").select_option("2")
        page.keyboard.press("Tab")
        page.locator("dialog button.main").click()
        EXPECT(page.locator("#toast")).to_contain_text("That would make a cycle")
        page.locator('.node[data-word="6"]').click()
        page.locator("#new-head").select_option("3")
        page.locator("dialog button.main").click()
        EXPECT(page.locator(".edited pre")).to_contain_text("6\thome\t_\tNOUN\t_\t_\t3\tnmod")
        page.locator("#tab-steps").click()
        step(page, 0)
        EXPECT(page.locator(".verdict")).to_contain_text("There is no gold tree")
        tab.close()


def hostile() -> Treebank:
    plain = Sentence(
        [EVIL, SVG, SCRIPT, "javascript:alert(1)"],
        upos=[EVIL, "NOUN", SVG, "X"],
        heads=[2, 0, 2, 2],
        deprels=[SVG, "root", EVIL.replace(" ", "\u00a0"), SCRIPT],
        sent_id=EVIL,
        text=f"{EVIL} {SVG} {SCRIPT}",
        ranges=[(1, 2, SVG)],
    )
    return Treebank([plain, plain.copy()])


def test_sentences_never_execute(browser: Any, tmp_path: Path, english_model: dynarc.Parser) -> None:
    space = Workspace(hostile(), name=f"{EVIL}.conllu", parser=english_model)
    with running(application(Service({"en": english_model}, Limits()), Settings(), space)) as address:
        tab = Tab(browser, f"{address}/")
        for view in VIEWS:
            page = tab.go(f"#view={view}")
            assert page.evaluate("window.hurt") is None
        page = tab.go(f"#text={quote(EVIL + ' ' + SVG + ' ' + SCRIPT)}&view={quote(EVIL)}&steps={quote(SVG)}")
        page.locator(".word").first.click()
        page.keyboard.press("Escape")
        assert page.evaluate("window.hurt") is None
        assert page.locator("main img, main script, main svg svg").count() == 0
        tab.close()
    file = tmp_path / "page.html"
    file.write_text(standalone(Workspace(hostile(), name=EVIL, gold=hostile())), encoding="utf-8")
    tab = Tab(browser, file.as_uri())
    for view in ("tree", "steps", "errors"):
        page = tab.go(f"#view={view}")
        assert page.evaluate("window.hurt") is None
    assert page.locator("main img, main script").count() == 0
    tab.close()


def test_scripts_from_elsewhere_are_refused(browser: Any, address: str) -> None:
    tab = Tab(browser, f"{address}/")
    page = tab.go()
    page.evaluate(
        "const s = document.createElement('script'); s.textContent = 'window.hurt = 4'; document.body.append(s)"
    )
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<button id=bad onclick=\"window.hurt=5\">x</button>')"
    )
    page.evaluate("document.getElementById('bad').click()")
    assert page.evaluate("window.hurt") is None
    assert any("Content Security Policy" in said or "content security policy" in said for said in tab.complaints)
    tab.complaints.clear()
    tab.close()


def test_a_page_that_is_a_file(browser: Any, tmp_path: Path, english_model: dynarc.Parser) -> None:
    gold = english("dev")[:6]
    parsed = english_model.parse(gold, confidence=True)
    file = tmp_path / "page.html"
    file.write_text(standalone(Workspace(parsed, name="dev.conllu", gold=gold), played=2), encoding="utf-8")
    tab = Tab(browser, file.as_uri())
    page = tab.go("#n=2")
    assert words(page)[:3] == ["The", "wind", "tore"]
    page.locator("#find").fill("stranger")
    EXPECT(page.locator(".found")).to_have_text("1 of 6 sentences")
    page.locator("#find").fill("")
    page.locator("#tab-steps").click()
    step(page, 0)
    page.locator('[data-key="system"]').select_option("arc-standard")
    page.locator('[data-key="next"]').click()
    step(page, 1)
    page.keyboard.press("ArrowRight")
    step(page, 2)
    page.keyboard.press("ArrowRight")
    step(page, 3)
    page.locator(".dear .take").first.click()
    step(page, 4)
    EXPECT(page.locator(".verdict")).to_contain_text("lost for good")
    tab.picture("file-steps")
    page.locator("#tab-errors").click()
    EXPECT(page.locator(".scores")).to_contain_text("UAS")
    page.locator("#tab-reliability").click()
    page.wait_for_selector(".plot .bin")
    page.locator("#tab-tree").click()
    page.locator('.node[data-word="2"]').click()
    page.locator("#new-head").select_option("5")
    page.keyboard.press("Tab")
    page.locator("dialog button.main").click()
    EXPECT(page.locator(".edited pre")).to_contain_text("2\twind")
    tab.close()


def test_a_file_is_opened_on_the_page(tab: Tab, tmp_path: Path) -> None:
    page = tab.go()
    many = tmp_path / "many.conllu"
    data = english("dev").to_bytes()
    many.write_bytes(b"".join(data.replace(b"sent_id = ", f"sent_id = {n}-".encode()) for n in range(9)))
    page.locator("#file").set_input_files(many)
    EXPECT(page.locator(".found")).to_have_text("1,071 sentences")
    assert page.locator(".entry").count() < 60
    page.locator(".scroller").focus()
    page.keyboard.press("ArrowDown")
    EXPECT(page.locator(".entry.current .id")).to_have_text("0-story-020")
    page.locator(".scroller").evaluate("s => { s.scrollTop = s.scrollHeight }")
    EXPECT(page.locator(".entry .id").last).to_have_text(re.compile("^8-"))
    bad = tmp_path / "bad.conllu"
    bad.write_text("1\tno\n", encoding="utf-8")
    page.locator("#file").set_input_files(bad)
    EXPECT(page.locator("#toast")).to_contain_text("bad.conllu:1")
