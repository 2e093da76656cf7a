"""`--set` on the tables of a plan."""

from __future__ import annotations

import tomllib

import pytest

from xoff.text.toml_changes import NotChangedError, change

TWO = """\
title = "T"
ports = [{ count = 1 }, { count = 2, rate = "1Gbps" }]
congestion = { scheme = "bcc", ramp = "8us" }
"""


def changed(*texts: str) -> dict[str, object]:
    table = tomllib.loads(TWO)
    change(table, texts, ("congestion",))
    return table


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("ports.count=3", "ports", [{"count": 3}, {"count": 3, "rate": "1Gbps"}]),
        ("ports[1].rate=", "ports", [{"count": 1}, {"count": 2}]),
        ("ports[0].rate=100Gbps", "ports", [{"count": 1, "rate": "100Gbps"}, {"count": 2, "rate": "1Gbps"}]),
        ("ports=[{ count = 9 }]", "ports", [{"count": 9}]),
        ("title=1979-05-27", "title", "1979-05-27"),
        ("title=a = b", "title", "a = b"),
        ("headroom.ratio=1/4", "headroom", {"ratio": "1/4"}),
        ('printed."t.beta_1"=5kB', "printed", {"t.beta_1": "5kB"}),
        ("congestion.ramp=9us", "congestion", {"scheme": "bcc", "ramp": "9us"}),
        ('congestion={ ramp = "9us" }', "congestion", {"scheme": "bcc", "ramp": "9us"}),
        ("congestion={}", "congestion", {}),
        ('congestion={ scheme = "hpcc" }', "congestion", {"scheme": "hpcc"}),
        ("congestion.scheme=hpcc", "congestion", {"scheme": "hpcc"}),
        ("congestion.scheme=bcc", "congestion", {"scheme": "bcc", "ramp": "8us"}),
    ],
)
def test_a_key_is_changed(text: str, key: str, value: object) -> None:
    assert changed(text) == tomllib.loads(TWO) | {key: value}


def test_another_scheme_begins_anew_whatever_the_order() -> None:
    hpcc = {"scheme": "hpcc", "flows": 50}
    for texts in (("congestion.scheme=hpcc", "congestion.flows=50"), ("congestion.flows=50", "congestion.scheme=hpcc")):
        assert changed(*texts)["congestion"] == hpcc


def test_what_is_left_out_is_not_there() -> None:
    assert "congestion" not in changed("congestion=")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("title", "--set title: no `=`; expected KEY=VALUE, such as ports.rate=100Gbps"),
        ("ports[x].rate=1", 'key "ports[x].rate": malformed; expected one such as ports.rate or ports[1].rate'),
        ("ports[2].rate=1", "ports[2]: `ports` has 2, counted from 0; expected an index below 2"),
        ("congestion[0].ramp=1", "congestion[0]: `congestion` is no list; expected `congestion` without an index"),
        ("title.x=1", "title: is no table; expected a key that stands in a table"),
        ("ports[0]=1", "ports[0]: one entry of a list is not changed by itself; expected the whole list, ports=[...], "
         "or a key of its tables"),
    ],
)  # fmt: skip
def test_what_cannot_be_changed_is_said(text: str, says: str) -> None:
    with pytest.raises(NotChangedError) as refused:
        changed(text)
    assert str(refused.value) == says
