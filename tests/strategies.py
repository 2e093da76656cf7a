"""Switch settings of scenarios, and texts that somebody has changed, drawn by hypothesis."""

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

_STRANGE = ["", "-", "0", "9" * 30, "1e400", "nan", "\0", "\n", " ", "\ud7ff", "x" * 100, "1\n1"]


@st.composite
def changed(draw: st.DrawFn, text: str) -> str:
    """A text with some other characters in the place of up to eight."""
    at = draw(st.integers(0, len(text)))
    until = draw(st.integers(at, min(at + 8, len(text))))
    return text[:at] + draw(st.sampled_from(_STRANGE) | st.text(max_size=5)) + text[until:]
