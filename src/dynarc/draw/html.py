"""Pages with drawings and tables: one file each, readable offline, in light and dark.

Text is escaped wherever it comes from. What is HTML already says so by its type, `Html`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from dynarc.draw.model import Drawing
from dynarc.draw.svg import FONTS, picture, stylesheet
from dynarc.draw.text import visible

# Pixels a drawing may take before it is broken into rows.
WIDTH = 1040
# What the marks of a drawing against gold mean.
MARKS = "Solid red arcs are the system's wrong ones, dashed green ones what gold has instead, amber labels gold≠system."
_GENERATOR = '<meta name="generator" content="dynarc">'
# More headings than this are folded away.
MANY = 12

CSS = f""":root {{ color-scheme: light dark; --ground: #ffffff; --text: #1f2328; --faint: #656d76; --rule: #d0d7de;
  --raised: #f6f8fa; --link: #0550ae; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --ground: #0d1117; --text: #e6edf3; --faint: #8b949e; --rule: #30363d; --raised: #161b22; --link: #79c0ff; }}
}}
body {{ font: 15px/1.5 {FONTS}; background: var(--ground); color: var(--text); max-width: {WIDTH + 40}px;
  margin: 0 auto; padding: 1.5rem; }}
h1 {{ font-size: 1.6rem; }}
h2 {{ font-size: 1.05rem; margin: 2.2rem 0 .6rem; border-bottom: 1px solid var(--rule); padding-bottom: .3rem;
  overflow-wrap: anywhere; }}
a {{ color: var(--link); text-decoration: none; }}
a:hover {{ text-decoration: underline; }}
h2 a {{ color: inherit; }}
nav ol {{ columns: 18rem; column-gap: 2.5rem; padding-left: 2.2rem; overflow-wrap: anywhere; }}
.figure {{ overflow-x: auto; margin: .5rem 0; }}
table {{ border-collapse: collapse; margin: .5rem 0; }}
th, td {{ padding: .25rem .8rem .25rem 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--rule); }}
th {{ color: var(--faint); font-weight: 600; }}
.key {{ color: var(--faint); font-size: 13px; }}
.number {{ text-align: right; font-variant-numeric: tabular-nums; }}
@media print {{ nav {{ display: none; }} section {{ break-inside: avoid; }} }}"""


class Html(str):
    """A text that is HTML already."""

    __slots__ = ()


class Figure(str):
    """A number as it is to be shown; aligned as numbers are."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Section:
    """Part of a page; `anchor` is what links to it name."""

    heading: str
    body: str | Html
    anchor: str


def markup(value: object) -> Html:
    """Anything as HTML: escaped, unless it is HTML."""
    return value if isinstance(value, Html) else Html(escape(visible(str(value))))


def drawing(d: Drawing, *, width: int | None = WIDTH) -> Html:
    """A picture for a page."""
    return Html(f'<div class="figure">{picture(d, width=width)}</div>\n')


def table(header: Sequence[object], rows: Iterable[Sequence[object]]) -> Html:
    """A table; numbers are aligned at the right, and so are the titles above them. Scrolls where it is too wide."""
    rows = list(rows)
    models = rows[0] if rows else [""] * len(header)
    titles = "".join(_cell("th", cell, model) for cell, model in zip(header, models, strict=True))
    lines = ["<tr>" + "".join(_cell("td", cell, cell) for cell in row) + "</tr>" for row in rows]
    return Html(
        "\n".join(
            [
                '<div class="figure"><table>',
                f"<thead><tr>{titles}</tr></thead>",
                "<tbody>",
                *lines,
                "</tbody>",
                "</table></div>\n",
            ]
        )
    )


def _cell(tag: str, value: object, model: object) -> str:
    number = isinstance(model, int | float | Figure) and not isinstance(model, bool)
    return f'<{tag} class="number">{markup(value)}</{tag}>' if number else f"<{tag}>{markup(value)}</{tag}>"


def join(*parts: object) -> Html:
    """Several pieces one after the other."""
    return Html("".join(map(markup, parts)))


def page(title: str, sections: Sequence[Section], *, lead: str | Html = "", css: str = "") -> str:
    """The whole file; `css` adds to the rules of the page."""
    body = [f"<h1>{markup(title)}</h1>", *([f"<p>{markup(lead)}</p>"] if lead else []), *_contents(sections)]
    for section in sections:
        anchor = escape(section.anchor)
        heading = f'<h2><a href="#{anchor}">{markup(section.heading)}</a></h2>'
        body.append(f'<section id="{anchor}">\n{heading}\n{markup(section.body)}</section>')
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            _GENERATOR,
            f"<title>{markup(title)}</title>",
            "\n".join(["<style>", CSS, stylesheet("auto"), *([css] if css else []), "</style>"]),
            "</head>",
            "<body>",
            *body,
            "</body>",
            "</html>\n",
        ]
    )


def is_page(path: str) -> bool:
    """Whether a file is a page that was made here, so that it may be made anew."""
    try:
        with Path(path).open("rb") as file:
            return _GENERATOR.encode() in file.read(1000)
    except (OSError, ValueError):
        return False


def _contents(sections: Sequence[Section]) -> list[str]:
    if len(sections) < 2:
        return []
    items = [f'<li><a href="#{escape(s.anchor)}">{markup(s.heading)}</a></li>' for s in sections]
    opening = "<details>" if len(sections) > MANY else "<details open>"
    return [
        "<nav>",
        opening,
        f"<summary>{len(sections)} sections</summary>",
        "<ol>",
        *items,
        "</ol>",
        "</details>",
        "</nav>",
    ]
