"""How answers look in a notebook: a few figures, and our own charts inline, each a picture of its own."""

import base64
import html
from typing import Any, Iterable, List, Mapping, Tuple


def size_text(size_bytes: float) -> str:
    for unit in ("B", "KiB", "MiB"):
        if size_bytes < 1024:
            return f"{size_bytes:,.0f} B" if unit == "B" else f"{size_bytes:.2f} {unit}"
        size_bytes /= 1024
    return f"{size_bytes:.2f} GiB"


def picture(svg: str, title: str) -> str:
    """An SVG file inside a page, shut off from the page's own style."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{html.escape(title, quote=True)}" style="max-width:100%" src="data:image/svg+xml;base64,{data}"/>'


def table(rows: Iterable[Tuple[str, str]]) -> str:
    cells = "".join(
        f'<tr><th style="text-align:left">{html.escape(name)}</th><td style="text-align:left">{html.escape(value)}</td></tr>'
        for name, value in rows
    )
    return f"<table>{cells}</table>"


def answer_rows(data: Mapping[str, Any]) -> List[Tuple[str, str]]:
    rows = [("status", data["status"])]
    if data.get("energy_j") is not None:
        rows += [
            ("energy", f"{data['energy_j']:.6g} J"),
            ("time of a step", f"{data['time_s']:.6g} s"),
            ("peak RAM", f"{size_text(data['peak_ram_bytes'])} of {size_text(data['ram_budget_bytes'])}"),
            ("recomputed", f"{data['recomputed_operations']} operations"),
            ("paged", f"{data['paged_tensors']} tensors"),
        ]
    if data.get("infeasible"):
        rows.append(("why", data["infeasible"]["reason"]))
    return rows


def preformatted(text: str) -> str:
    return f"<pre>{html.escape(text)}</pre>"


def charts(plots: Iterable[Tuple[str, str]], wanted: Iterable[str]) -> str:
    by_name = dict(plots)
    return "".join(picture(by_name[name], name) for name in wanted if name in by_name)
