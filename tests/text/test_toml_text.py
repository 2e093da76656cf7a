"""TOML text that is written reads back as it was."""

import tomllib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xoff.text import toml_text

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


@pytest.mark.parametrize(
    ("item", "text"),
    [
        (np.float64(0.5), "0.5"),
        (np.float32(0.25), "0.25"),
        (np.longdouble(0.5), "0.5"),
        (np.int64(-3), "-3"),
        (np.uint8(200), "200"),
        (np.bool_(True), "true"),
        (np.array([1, 2]), "[1, 2]"),
        ([np.float64(0.5), {"a": np.bool_(False)}], '[0.5, { "a" = false }]'),
        (True, "true"),
    ],
)
def test_numbers_of_numpy_are_numbers(item: object, text: str) -> None:
    assert toml_text.value(item) == text


def test_what_toml_cannot_say_is_refused() -> None:
    with pytest.raises(TypeError, match="a scenario cannot hold None; expected text"):
        toml_text.value(None)
