"""Names that input files get in a result folder."""

from xoff.scenario import inputs


def test_files_of_one_name_get_names_of_their_own() -> None:
    assert inputs.names(["a/flows.csv", "b/flows.csv", "sizes.csv"]) == {
        "a/flows.csv": "inputs/flows.csv",
        "b/flows.csv": "inputs/flows-2.csv",
        "sizes.csv": "inputs/sizes.csv",
    }


def test_names_given_once_stay() -> None:
    once = list(inputs.names(["a/flows.csv", "b/flows.csv"]).values())
    assert list(inputs.names(once).values()) == once
