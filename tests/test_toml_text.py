"""What is written reads back as it was."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xoff import toml_text

scalars = (
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab_. \"'é", max_size=4), inner, max_size=4),
    max_leaves=10,
)


@given(st.dictionaries(st.text("abc_-. ", max_size=5), values, max_size=5))
def test_a_document_reads_back(table: dict[str, object]) -> None:
    assert tomllib.loads(toml_text.document(table)) == table


def test_what_toml_cannot_say_is_refused() -> None:
    with pytest.raises(TypeError, match="a scenario cannot hold None; expected text"):
        toml_text.value(None)
