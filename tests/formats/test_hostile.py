"""Files that are no text, cut off or changed: each is read, or refused in one line that names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import examples
from hpcc_files import CONFIG, FLOWS, TOPOLOGY
from xoff import InputError, formats

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = {"topology.txt": TOPOLOGY, "flow.txt": FLOWS, "config.txt": CONFIG}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all examples share."""
    return tmp_path_factory.mktemp("hostile")


def read_or_refused(folder: Path, texts: dict[str, bytes]) -> None:
    """Reads files, which may fail with one line alone."""
    for name, text in texts.items():
        (folder / name).write_bytes(text)
    refusal = None
    try:
        formats.read([folder / name for name in texts]).check()
    except InputError as error:
        refusal = error
    if refusal is not None:
        assert "\n" not in str(refusal)
        assert refusal.problem


@given(st.sampled_from([*TEXTS]), st.data())
@settings(max_examples=examples(60))
def test_a_changed_file_is_read_or_refused_in_a_line(folder: Path, name: str, data: st.DataObject) -> None:
    text = TEXTS[name].encode()
    at = data.draw(st.integers(0, len(text)))
    until = data.draw(st.integers(at, min(at + 8, len(text))))
    what = st.sampled_from(["", "-", "0", "9" * 30, "1e400", "nan", "\0", "\n", " ", "\ud7ff", "x" * 100, "1\n1"])
    change = data.draw(what | st.text(max_size=5)).encode("utf-8", "surrogatepass")
    changed = {each: of.encode() for each, of in TEXTS.items()} | {name: text[:at] + change + text[until:]}
    read_or_refused(folder, changed)


@given(st.sampled_from([*TEXTS]), st.integers(0, 200))
@settings(max_examples=examples(30))
def test_a_truncated_file_is_read_or_refused_in_a_line(folder: Path, name: str, length: int) -> None:
    whole = {each: of.encode() for each, of in TEXTS.items()}
    read_or_refused(folder, whole | {name: whole[name][:length]})


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "binary.txt"
    path.write_bytes(b"3 1 2\n\xff\xfe\x00")
    with pytest.raises(InputError, match=r"binary.txt: line \d: is no text in UTF-8; expected a text file"):
        formats.read([path])
    with pytest.raises(InputError, match=r"missing.txt: cannot read: no such file or directory"):
        formats.read([tmp_path / "missing.txt"])
    with pytest.raises(InputError, match="no file is named; expected one of"):
        formats.read([])
