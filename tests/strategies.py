"""Switch settings of scenarios, drawn by hypothesis."""

from hypothesis import strategies as st


def powers_of_two(least: int) -> st.SearchStrategy[int | str]:
    """Alphas from 2 to this power up to 128, as scenarios spell them."""
    return st.integers(least, 7).map(lambda power: f"1/{2**-power}" if power < 0 else 2**power)


RED = st.builds(
    lambda minimum, more, percent: {
        "kind": "red",
        "minimum": f"{minimum}B",
        "maximum": f"{minimum + more}B",
        "probability": percent / 100,
    },
    st.integers(0, 1 << 20),
    st.integers(1, 1 << 20),
    st.integers(1, 100),
)
