"""Groups of flows of similar size."""

import pytest

import xoff
from xoff.results.slowdowns import groups_of


@pytest.mark.parametrize("groups", [0, -1])
def test_there_is_at_least_one_group(groups: int, small_result: xoff.Result) -> None:
    with pytest.raises(ValueError, match=rf"^groups: is {groups}; expected at least 1$"):
        groups_of(small_result.flow_rows, groups)
    assert len(groups_of(small_result.flow_rows, 1)) == 1
