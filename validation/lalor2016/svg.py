"""Charts as inline SVG: no script, no network, and names that do not collide on one page."""

from __future__ import annotations

import html
import re
from importlib import import_module
from typing import Any

from psyirt.errors import InputError

_NAMES = re.compile(r'\bid="([^"]+)"')
_OPENING = re.compile(r"<svg\b[^>]*>")
_SIZE = re.compile(r'\b(width|height)="([\d.]+)(?:px)?"')


def need_charts() -> None:
    """Refuse early, in one line, where the charting libraries are absent.

    Raises
    ------
    InputError
        If altair or vl-convert cannot be imported.
    """
    try:
        import_module("altair")
        import_module("vl_convert")
    except ImportError as error:
        raise InputError(
            f"the pictures need {error.name}, which is not installed", "", "Install it: pip install 'psyirt[report]'"
        ) from error


def render(chart: Any, name: str, alt: str) -> str:
    """An altair chart as an SVG element.

    Parameters
    ----------
    chart : altair chart
        The picture.
    name : str
        Unique on the page; begins every id inside the picture.
    alt : str
        What the picture shows, for those who cannot see it.
    """
    import vl_convert

    return inline(vl_convert.vegalite_to_svg(chart.to_json()), name, alt)


def inline(svg: str, name: str, alt: str) -> str:
    """An SVG document made fit for a page: scales with its column, has a text alternative, ids of its own."""
    opening = _OPENING.search(svg)
    if opening is None:
        raise ValueError("no svg element")
    size = {side: float(value) for side, value in _SIZE.findall(opening.group())}
    body = svg[opening.end() :]
    for old in sorted(set(_NAMES.findall(body)), key=len, reverse=True):
        body = body.replace(f'id="{old}"', f'id="{name}-{old}"').replace(f"#{old})", f"#{name}-{old})")
        body = body.replace(f'href="#{old}"', f'href="#{name}-{old}"')
    width, height = f"{size['width']:g}", f"{size['height']:g}"
    title = f'<title id="{name}-title">{html.escape(alt)}</title>'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="{name}-title" class="chart" '
        f'viewBox="0 0 {width} {height}" style="max-width:{width}px">{title}'
    )
    return head + body
