"""The page of the atlas: it stands alone, tells every row, and can be read on any screen and without a mouse."""

import json
import os
import re
import shutil
import subprocess
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest

from judges import program
from xoff.reproduce import page, paper_rows
from xoff.reproduce.atlas import find, shipped
from xoff.reproduce.readme import Readme

NOWHERE = Path("nowhere")


class Page(HTMLParser):
    """Collects start tags and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@cache
def atlas() -> Page:
    """The page of all figures."""
    return Page(page.render(paper_rows.read(shipped()), find(), NOWHERE))


def test_it_loads_nothing() -> None:
    for tag, attributes in atlas().tags:
        assert tag not in {"script", "iframe", "object"}
        assert (attributes.get("src") or "data:").startswith("data:")
        if tag == "link":
            assert attributes["href"] == "data:,"


def test_ids_are_unique_and_links_lead_somewhere() -> None:
    ids = [attributes["id"] for _, attributes in atlas().tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [str(attributes["href"]) for tag, attributes in atlas().tags if tag == "a"]
    assert {link[1:] for link in links if link.startswith("#")} <= set(ids)
    assert all(link.startswith(("#", "https://")) for link in links)


def test_every_picture_has_a_text_and_every_table_headings() -> None:
    assert all(attributes["alt"] for tag, attributes in atlas().tags if tag == "img")
    tables = sum(tag == "table" for tag, _ in atlas().tags)
    assert 0 < tables <= sum(tag == "thead" for tag, _ in atlas().tags)


def test_counts_are_those_of_the_rows() -> None:
    figures, rows = find(), paper_rows.read(shipped())
    counts = page.counted(page.papers(rows, figures, NOWHERE))
    assert counts.total() == len(rows)
    text = " ".join(atlas().text.split())
    for end, count in counts.items():
        assert re.search(rf"{end}\s*{count} of {len(rows)} rows", text)


def test_every_claim_stands_there_with_its_verdict() -> None:
    [figure] = find(["dctcp/fig12"])
    [paper] = page.papers([], [figure], NOWHERE)
    [shown] = paper.figures
    assert {row.interval for row in shown.claims} == {""}, "one seed has no interval"
    period = next(row for row in shown.claims if row.claim.startswith("10 flows: period"))
    assert (period.verdict, period.look) == ("differs", "bad")
    assert "<code>switch.marking.queue.when" in period.explained
    assert [name for name, _ in shown.provenance][:2] == ["values", "commit"]


def test_what_nobody_measured_is_said(tmp_path: Path) -> None:
    source = Path(__file__).parent / "figures"
    root = Path(shutil.copytree(source, tmp_path / "figures"))
    (root / "nobody" / "fig1" / "README.md").write_text("# nobody/fig1: small\n", encoding="utf-8")
    [figure] = find(["nobody/fig1"], root)
    [paper] = page.papers([], [figure], NOWHERE)
    [shown] = paper.figures
    assert {row.verdict for row in shown.claims} == {"not measured", "not simulated"}
    assert (shown.plot, shown.numbers) == ("", [("flows.all.count", "not measured")])


def test_a_readme_is_cut_into_its_parts_and_no_markup_of_its_own_comes_through() -> None:
    text = """# bcc/fig9: a figure

![A plot](paper.svg)

**Claimed** (section 1). It is <b>so</b>; see [bcc/fig2](../fig2) and [a decision](../../../docs/decisions/0001.md).

**Measured** (one seed).

| a | b |
|---|---|
| 1 | 2 |

**Differs.** By a [tenth](https://example.org/).

**Set up.** As in [dsh/fig17](../../dsh/fig17/README.md).
"""
    readme = Readme(text, "bcc/fig9")
    assert readme.picture == "A plot"
    assert "&lt;b&gt;so" in readme.claimed
    assert '<a href="#bcc-fig2">bcc/fig2</a> and a decision.' in readme.claimed
    assert '<a href="https://example.org/">tenth</a>' in readme.differs
    assert "<table>" in readme.rest
    assert '<a href="#dsh-fig17">' in readme.rest
    assert "Claimed" not in readme.rest


PROBE = """<script>addEventListener("load", () => {
  document.querySelectorAll("details").forEach(each => each.open = true);
  const all = [...document.querySelectorAll("body *")];
  const name = each => each.tagName + " " + each.textContent.slice(0, 40);
  parent.postMessage(JSON.stringify({
    width: innerWidth,
    overflows: document.documentElement.scrollWidth > innerWidth,
    beyond: all.filter(each => each.getBoundingClientRect().right > innerWidth + 1 && !each.closest(".panel, .scroll"))
      .map(name),
    unreachable: all.filter(each => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0
      && /auto|scroll/.test(getComputedStyle(each).overflowX) && each.tabIndex < 0).map(name),
  }), "*");
})</script></body>"""
FRAME = """<pre></pre><iframe src="page.html" width="{width}" height="800" style="border: 0"></iframe>
<script>addEventListener("message", told => document.querySelector("pre").textContent = told.data)</script>"""


@pytest.mark.parametrize("width", [390, 1440])
def test_it_fits_a_phone_and_a_screen_without_errors(tmp_path: Path, width: int) -> None:
    rows = [row for row in paper_rows.read(shipped()) if row.paper == "bcc"]
    html = page.render(rows, find(["bcc"]), NOWHERE)
    (tmp_path / "page.html").write_text(html.replace("</body>", PROBE), encoding="utf-8")
    frame = tmp_path / "frame.html"  # a window of its own is at least 500 wide
    frame.write_text(FRAME.format(width=width), encoding="utf-8")
    command = [
        program("chromium", "chromium"),
        "--headless=new",
        "--disable-gpu",
        "--window-size=1600,1000",
        "--enable-logging=stderr",
    ]
    command += ["--no-sandbox"] if os.getuid() == 0 else []
    command += [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=10000", "--dump-dom", frame.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert "CONSOLE" not in done.stderr
    found = re.search(r"<pre>(.*?)</pre>", done.stdout, re.DOTALL)
    assert found
    assert json.loads(found[1].replace("&gt;", ">")) == {
        "width": width,
        "overflows": False,
        "beyond": [],
        "unreachable": [],
    }
