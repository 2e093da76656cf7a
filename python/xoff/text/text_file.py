"""Text files that the user names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.errors import ScenarioError

if TYPE_CHECKING:
    from pathlib import Path

    from xoff.errors import InputError

_INIT = "`xoff init` writes one to start from"


def read(
    path: Path,
    file: str | None,
    key: str = "",
    remedy: str = "",
    refusal: type[InputError] = ScenarioError,
    *,
    exact: bool = False,
) -> str:
    """Returns the text of a file that the user names, without a byte order mark. Raises `refusal` if it cannot.

    Args:
        path: The file to read.
        file: The file that the error names: this one, or the scenario that names it.
        key: The key of that scenario which names the file; empty if the user named it.
        remedy: The way out that the error tells; left out, a common one.
        refusal: The error that is raised.
        exact: Whether ends of lines stay as they are; else each becomes one line feed.
    """
    what = "" if not key else f" {path}"
    try:
        with path.open(encoding="utf-8-sig", newline="" if exact else None) as text:
            return text.read()
    except UnicodeDecodeError as error:
        problem = f"cannot read{what}: byte {error.start} is not UTF-8"
        raise refusal(file, key, problem, "expected a text file in UTF-8") from None
    except (OSError, ValueError) as error:  # of a name with a null byte
        reason = ((isinstance(error, OSError) and error.strerror) or str(error)).lower()
        if (path / "scenario.toml").is_file():  # a result folder
            remedy = f"expected a file, such as {path / 'scenario.toml'}"
        expected = remedy or ("expected a file, relative to the scenario's folder" if key else _INIT)
        raise refusal(file, key, f"cannot read{what}: {reason}", expected) from None
