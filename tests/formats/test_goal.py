"""GOAL schedules of ATLAHS and LogGOPSim as jobs."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import examples
from foreign_files import SCHEDULE, TWO_LINKS, written
from xoff import InputError, formats

if TYPE_CHECKING:
    from pathlib import Path


def imported(folder: Path, text: str | bytes) -> formats.Imported:
    """Reads a schedule alone."""
    path = folder / "schedule.goal"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return formats.read([path])


def rows(folder: Path, of: formats.Imported) -> list[str]:
    """Rows of the only CSV."""
    return of.save(folder / "out", force=True)[1].read_text().splitlines()[1:]


def test_sends_are_flows_and_receives_join_them(tmp_path: Path) -> None:
    of = imported(tmp_path, SCHEDULE)
    assert of.found[0].content == "3 ranks, 3 computations, 3 sends, 3 receives"
    assert rows(tmp_path, of) == [
        "line4,host0,,,,,0,5000,1",
        "line5.start,host0,host0,0,,line4,0,,",
        "line5,host0,host1,3000,3,line5.start,0,,",
        "line7,host0,host1,10,3,line5.start,0,,",
        "line14,host1,host1,0,,line5,0,,",
        "line15,host1,host1,0,,line7 line14,0,,",
        "line17,host1,host2,3000,3,line15,0,,",
        "line21,host2,host2,0,,line17,0,,",
        "line22,host2,,,,,0,7,0",
        "line23,host2,,,,line21,0,9,3",
    ]
    assert [left.content for left in of.left_out] == ["no topology"]
    of.check()


def test_flows_of_hosts_with_two_links_go_over_both(tmp_path: Path) -> None:
    schedule = """num_ranks 2
rank 0 {
a: calc 5 cpu 1
b: send 4001b to 1
b requires a
}
rank 1 {
c: recv 4001b from 0
d: calc 7
d irequires c
}
"""
    of = formats.read(written(tmp_path, topology=TWO_LINKS, schedule=schedule))
    assert rows(tmp_path, of) == [
        "line3,host0,,,,,0,5,1",
        "line4,host0,host1,2001,3,line3,0,,",
        "line3_2,host0_2,,,,,0,5,1",
        "line4_2,host0_2,host1_2,2001,3,line3_2,0,,",
        "line8.start,host1,host1,0,,,0,,",
        "line8,host1,host1,0,,line4 line8.start,0,,",
        "line9,host1,,,,line8.start,0,7,0",
        "line8_2.start,host1_2,host1_2,0,,,0,,",
        "line8_2,host1_2,host1_2,0,,line4_2 line8_2.start,0,,",
        "line9_2,host1_2,,,,line8_2.start,0,7,0",
    ]
    run = of.scenario().run()
    assert run.summary["flows"]["unfinished"] == 0


def binary(ranks: list[list[tuple[int, int, int, int, int]]], waits: list[list[tuple[int, int, bool]]]) -> bytes:
    """Writes a schedule as txt2bin does: nodes of kind, peer, amount, tag, cpu; triples of who waits for whom, how."""
    table, data = [], b""
    begin = 4 + 2 + 16 * len(ranks)
    for nodes, of_rank in zip(ranks, waits, strict=True):
        table.append(begin + len(data))
        roots = [at for at in range(len(nodes)) if all(waiting != at for waiting, _, _ in of_rank)]
        data += struct.pack(f"<{2 + len(roots)}I", len(nodes), len(roots), *roots)
        appendix: list[int] = []
        for at, (kind, peer, amount, tag, cpu) in enumerate(nodes):
            lists = [[who for who, whom, how in of_rank if whom == at and how is start] for start in (False, True)]
            firsts = (len(appendix), len(appendix) + len(lists[0]))
            appendix += [*lists[0], *lists[1]]
            count = sum(who == at for who, _, _ in of_rank)
            told = (count, kind, peer, amount, tag, cpu, 0, len(lists[0]), firsts[0], len(lists[1]), firsts[1])
            data += struct.pack("<IBIQIBBIIII", *told)
        data += struct.pack(f"<{len(appendix)}I", *appendix)
        table.append(begin + len(data))
    return struct.pack(f"<QIBB{len(table)}Q", 4223, len(ranks), 3, 0, *table) + data


BINARY = binary(
    [
        [(3, 0, 5000, 0, 1), (1, 1, 3000, 7, 0), (1, 1, 10, 7, 0)],
        [(2, 0, 3000, 7, 0), (2, 0, 10, 7, 0), (1, 2, 3000, 0, 0)],
        [(2, 1, 3000, 0, 0), (3, 0, 7, 0, 0), (3, 0, 9, 0, 3)],
    ],
    [[(1, 0, False), (2, 1, True)], [(1, 0, False), (2, 1, False)], [(2, 0, False)]],
)


def test_a_binary_schedule_is_the_job_of_its_text(tmp_path: Path) -> None:
    text, compiled = rows(tmp_path, imported(tmp_path, SCHEDULE)), rows(tmp_path, imported(tmp_path, BINARY))
    lines = (4, 5, 7, 14, 15, 17, 21, 22, 23)
    names = {f"line{line}": f"{at // 3}.{at % 3}" for at, line in enumerate(lines)}
    renamed = []
    for row in text:
        fields = row.split(",")
        for column in (0, 5):
            words = (word.partition(".") for word in fields[column].split())
            fields[column] = " ".join(f"{names[word]}{dot}{rest}" for word, dot, rest in words)
        renamed.append(",".join(fields))
    assert compiled == renamed


def test_receives_from_anyone_take_what_is_left(tmp_path: Path) -> None:
    text = (
        "num_ranks 3\nrank 0 {\na: recv 5b from -1 tag -1\nb: recv 5b from 2 tag 1\nc: recv 5b from -1 tag 2\n}\n"
        "rank 1 {\nsend 5b to 0 tag 3\n}\nrank 2 {\nsend 5b to 0 tag 1\nsend 0b to 0 tag 2\nsend 5b to 2 tag 9\n}\n"
    )
    of = imported(tmp_path, text)
    assert [row.split(",")[5] for row in rows(tmp_path, of)][:3] == ["line8", "line11", "line12"]
    told = {left.content: left.reason for left in of.left_out}
    assert told["0 bytes (1 send)"] == "a flow has at least 1 byte"
    assert told["no receive (1 send)"] == "sent all the same"
    assert "any source or tag (2 receives)" in told
    of.check()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("num_ranks 1\nrank 0 {\na: calc 5\nb requires a\n}\n", 'line 4: there is no operation "b" in rank 0'),
        ("num_ranks 2\nrank 0 {\na: recv 5b from 1\n}\n", "line 3: receives what no rank sends"),
        ("num_ranks 2\nrank 0 {\na: send 5b to 2\n}\n", "line 3: there is no rank 2"),
        ("num_ranks 2\nrank 0 {\na: calc 5\na: calc 5\n}\n", 'line 4: "a" is no label, or there twice in rank 0'),
        ("num_ranks 2\nrank 0 {\na: calc 5 gpu 7\n}\n", "line 3: is no operation of a schedule"),
        ("num_ranks 2\nrank 0 {\na: calc 5 cpu\n}\n", "line 3: is no operation of a schedule"),
        ("num_ranks 2\nrank 0 {\na: send 5 to 1\n}\n", 'line 3: send "5"'),
        ("num_ranks 2\nrank 0 {\na: calc 5\n", "line 3: rank 0 does not end"),
        ("num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n", "line 4: rank 0 is there twice"),
        ("num_ranks 2\na: calc 5\n", 'line 2: "a:" is of no rank'),
        ("num_ranks 2\na requires b\nrank 0 {\n}\n", "line 2: a dependency is of no rank"),
        ("num_ranks 2\n", "line 1: there is no operation"),
    ],
)
def test_what_is_wrong_is_named_by_its_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError) as refused:
        imported(tmp_path, text)
    assert told in str(refused.value)


@given(st.integers(0, len(BINARY)), st.integers(0, len(BINARY) - 1), st.integers(0, 255))
@settings(max_examples=examples(80))
def test_a_damaged_binary_is_read_or_refused_in_a_line(
    tmp_path_factory: pytest.TempPathFactory, length: int, at: int, byte: int
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    changed = bytearray(BINARY)
    changed[at] = byte
    for damaged in (bytes(changed), BINARY[:length]):
        refusal = ""
        try:
            imported(folder, damaged).check()
        except InputError as error:
            refusal = str(error)
        assert "\n" not in refusal


def test_a_cycle_is_refused(tmp_path: Path) -> None:
    of = imported(tmp_path, "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n")
    with pytest.raises(InputError, match="wait for one another"):
        of.check()
