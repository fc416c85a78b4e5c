"""The few pieces of HTML a page is made of; all text is escaped here."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from string import Template

STYLE = """
:root { color-scheme: light; --ink: #1d1d1f; --soft: #5b5b60; --rule: #d9d9de; --bad: #a40000; --good: #1b5e20; }
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; color: var(--ink);
  background: #fff; margin: 0 auto; padding: 1.2rem 1rem 4rem; max-width: 68rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .4rem 0 .3rem; }
h2 { font-size: 1.25rem; margin: 2.6rem 0 .5rem; padding-top: .8rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1.02rem; margin: 1.5rem 0 .3rem; }
p, ul { max-width: 46rem; margin: .5rem 0; }
ul { padding-left: 1.2rem; } li { margin: .25rem 0; }
.soft, figcaption, .note { color: var(--soft); font-size: .9rem; }
nav { font-size: .92rem; display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: .8rem 0; }
a { color: #0b57a4; }
.scroll { overflow-x: auto; margin: .6rem 0; }
table { border-collapse: collapse; font-size: .9rem; }
caption { text-align: left; font-weight: 600; padding: .2rem 0 .3rem; }
th, td { padding: .28rem .65rem; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
th { font-weight: 600; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.words { min-width: 14rem; } td.tight { white-space: nowrap; }
.bad { color: var(--bad); font-weight: 600; } .good { color: var(--good); }
.figures { display: flex; flex-wrap: wrap; gap: 1.2rem 1.6rem; margin: .8rem 0; }
figure { margin: 0; flex: 0 1 auto; width: 20.6rem; max-width: 100%; }
figure h3 { margin: 0 0 .2rem; }
svg.chart { width: 100%; height: auto; display: block; }
.box { border-left: 4px solid #8a8a92; padding: .1rem 0 .1rem 1rem; margin: 1.1rem 0; }
.box h3 { margin-top: 0; }
.box.bad-box { border-color: var(--bad); } .box.good-box { border-color: var(--good); }
@media (max-width: 44rem) {
  .stacked thead { display: none; }
  .stacked table, .stacked tbody, .stacked tr, .stacked td, .stacked caption { display: block; }
  .stacked tr { border-bottom: 1px solid var(--rule); padding: .4rem 0; }
  .stacked td, .stacked td.number, .stacked td.tight { border: 0; padding: .1rem 0; text-align: left;
    white-space: normal; }
  .stacked td::before { content: attr(data-head) ": "; color: var(--soft); }
}
@media (max-width: 30rem) { body { padding: .8rem .8rem 3rem; } h1 { font-size: 1.4rem; }
  th, td { padding: .25rem .35rem; } table { font-size: .84rem; } }
@media print { h2 { break-after: avoid; } figure { break-inside: avoid; } }
""".strip()

_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
$style
</style>
</head>
<body>
$body
</body>
</html>
""")


class Markup(str):
    """Text that is HTML already and is not escaped again."""

    __slots__ = ()


def text(value: object) -> Markup:
    """A value as escaped text; Markup stays as it is."""
    return value if isinstance(value, Markup) else Markup(html.escape(str(value)))


def page(title: str, parts: Iterable[Markup]) -> str:
    """A whole document."""
    return _PAGE.substitute(title=text(title), style=STYLE, body="\n".join(parts))


def element(name: str, *inner: object, css: str = "", ident: str = "") -> Markup:
    """An element around escaped text or markup."""
    marks = (f' id="{html.escape(ident)}"' if ident else "") + (f' class="{html.escape(css)}"' if css else "")
    return Markup(f"<{name}{marks}>{''.join(text(part) for part in inner)}</{name}>")


def paragraph(*inner: object, css: str = "") -> Markup:
    """A paragraph."""
    return element("p", *inner, css=css)


def section(title: str, ident: str) -> Markup:
    """A heading that can be linked to."""
    return element("h2", title, ident=ident)


def bullets(items: Iterable[object]) -> Markup:
    """A list."""
    return element("ul", *(element("li", item) for item in items))


def verdict(agrees: bool, words: str) -> Markup:
    """A verdict in words, coloured as well."""
    return element("span", words, css="good" if agrees else "bad")


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[object]], *, stacked: bool = False) -> Markup:
    """A table that scrolls sideways on a narrow screen.

    Parameters
    ----------
    caption : str
        Above the table.
    head : sequence of str
        Columns; one that ends in '#' holds numbers, in '~' long words, in '!' words not to be broken.
    rows : iterable of sequences
        Cells.
    stacked : bool
        Whether a narrow screen shows each row as a list of its cells instead, for tables of many or long columns.
    """
    css = {"#": "number", "~": "words", "!": "tight"}
    kinds = [css.get(name[-1:], "") for name in head]
    names = [name.rstrip("#~! ") for name in head]
    cells = [element("th", name, css=kind) for name, kind in zip(names, kinds, strict=True)]
    body = [
        element(
            "tr", *(_cell(*parts) for parts in zip(row, kinds, names if stacked else [""] * len(names), strict=True))
        )
        for row in rows
    ]
    inner = (element("caption", caption), element("thead", element("tr", *cells)), element("tbody", *body))
    return element("div", element("table", *inner), css="scroll stacked" if stacked else "scroll")


def _cell(value: object, kind: str, head: str) -> Markup:
    """A cell that knows its column's name where it may be shown without the head."""
    css = f' class="{kind}"' if kind else ""
    named = f' data-head="{html.escape(head)}"' if head else ""
    return Markup(f"<td{named}{css}>{text(value)}</td>")


def figure(picture: str, caption: str, title: str = "") -> Markup:
    """A picture with its caption."""
    head = [element("h3", title)] if title else []
    return element("figure", *head, Markup(picture), element("figcaption", caption))


def figures(*each: Markup) -> Markup:
    """Pictures side by side where there is room."""
    return element("div", *each, css="figures")


def box(kind: str, *inner: object) -> Markup:
    """A set-off part: good, bad or plain."""
    return element("div", *inner, css=f"box {kind}-box")
