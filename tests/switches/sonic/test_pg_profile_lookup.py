"""`pg_profile_lookup.ini`."""

import pytest

from xoff.errors import InputError
from xoff.switches.sonic import PgProfile, PgProfileLookup


def test_rows_are_read_with_their_lines() -> None:
    text = (
        "# speed cable size xon xoff threshold xon_offset\n 100000  5m 1248 2288 177632 -3 2288\n\n10000 300m 1 2 3 0\n"
    )
    (first, row), (second, short) = PgProfileLookup.parse("t.ini", text).rows
    assert (first, second) == (2, 4)
    assert row == PgProfile(speed=100_000, cable=5, size=1248, xon=2288, xoff=177_632, threshold=-3, xon_offset=2288)
    assert short.xon_offset is None
    assert short.name == "pg_lossless_10000_300m_profile"


def test_of_rows_with_one_speed_and_cable_the_last_counts() -> None:
    lookup = PgProfileLookup.parse("t.ini", "10000 5m 1 2 3 0\n10000 300m 1 2 4 0\n10000 5m 1 2 5 0\n")
    assert [line for line, _ in lookup.rows] == [2, 3]
    assert [line for line, _ in lookup.overwritten] == [1]
    assert (found := lookup.row(10_000, 5)) is not None
    assert found[1].xoff == 5


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("100000 5m 1248 2288", "t.ini: line 1: the row lacks xoff, threshold; expected speed cable size xon xoff "),
        ("100000 5m 1 2 3 0 4 5", "t.ini: line 1: the row has 8 columns; "),
        (
            "100000 5 1 2 3 0",
            "t.ini: line 1: cable: '5' is no length; expected whole metres with their unit, such as 40m",
        ),
        ("100G 5m 1 2 3 0", "t.ini: line 1: speed: '100G' is no whole number; expected digits only"),
        ("100000 5m 1 2 3 -9", "t.ini: line 1: threshold: '-9' is not allowed; expected greater than or equal to -8"),
    ],
)
def test_what_is_no_such_file_is_refused(line: str, says: str) -> None:
    with pytest.raises(InputError) as refused:
        PgProfileLookup.parse("t.ini", line)
    assert str(refused.value).startswith(says)
