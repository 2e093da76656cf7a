"""Completion in shells: values of options and arguments, and `xoff completion`, which prints a shell's script."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class, get_completion_class

from xoff.cli.commands import COMPLETE
from xoff.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

_BASH = """\
_xoff_completion() {
    local IFS=$'\\n' completion word="${COMP_LINE:0:COMP_POINT}"
    word="${word##*[[:space:]]}"
    for completion in $(env COMP_WORDS="${COMP_LINE:0:COMP_POINT}" %(complete_var)s=bash_complete xoff); do
        case "$completion" in
            file,*) compopt -o default ;;
            dir,*) compopt -o dirnames ;;
            *)
                completion="${completion#plain,}"
                [[ "$completion" == *= ]] && compopt -o nospace
                [[ "$word" == *=* ]] && completion="${completion#"${word%%=*}="}"
                COMPREPLY+=("$completion")
                ;;
        esac
    done
}
complete -o nosort -F _xoff_completion xoff
"""


@add_completion_class
class Bash(BashComplete):
    """Completion for Bash where a word with `=` in it, such as `workload.load=0.5`, is one word."""

    source_template = _BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        """Returns the words before the one to complete, and its begin, from the line as it is typed."""
        line = os.environ["COMP_WORDS"]
        words = line.split()[1:]
        incomplete = words.pop() if words and not line[-1].isspace() else ""
        return words, incomplete


@click.command
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]), help="The shell to complete in.")
def completion(shell: str) -> None:
    """Print the script that completes commands, files, keys and values in a shell.

    For Bash put eval "$(xoff completion bash)" into ~/.bashrc, for Zsh eval "$(xoff completion zsh)" into ~/.zshrc; for
    Fish write the output to ~/.config/fish/completions/xoff.fish.
    """
    from xoff.cli.application import application

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(application, {}, "xoff", COMPLETE).source(), nl=False)


def keys_of_scenario(_context: click.Context, _parameter: click.Parameter, begin: str) -> list[CompletionItem[str]]:
    """Completes KEY= of a scenario, and after it the words that the key takes."""
    from xoff.glossary import vocabulary
    from xoff.scenario import catalogue

    return _settings(vocabulary.keys(catalogue.schema()), begin, _transports())


def keys_of_plan(context: click.Context, parameter: click.Parameter, begin: str) -> list[CompletionItem[str]]:
    """Completes KEY= of a plan, and where it is a scenario's that is changed, of a scenario."""
    from xoff.glossary import vocabulary
    from xoff.switches.plan.file import Plan  # brings Pydantic

    of_plan = _settings(vocabulary.keys(Plan.model_json_schema()), begin, ())
    return of_plan or keys_of_scenario(context, parameter, begin)


def parameters_of_model(_context: click.Context, _parameter: click.Parameter, begin: str) -> list[CompletionItem[str]]:
    """Completes KEY= of the fluid model that the command names."""
    from xoff.scenario import catalogue

    [model, *_] = [*_typed()[2:], ""]  # after xoff fluid
    try:
        entries = catalogue.described(model)
    except InputError:
        return []
    found = (entry["keys"] for entry in entries if entry["path"].startswith("fluid"))
    keys = [(key["path"].removeprefix("fluid."), key["about"]) for keys in found for key in keys]
    return _beginning(begin, ((f"{key}=", about) for key, about in keys))


def measures(_context: click.Context, _parameter: click.Parameter, begin: str) -> list[CompletionItem[str]]:
    """Completes a number of `summary.json`."""
    from xoff.results.measures import every

    return _beginning(begin, ((key.replace("[]", "[0]"), entry.about) for key, entry in every().items()))


def machines(_context: click.Context, _parameter: click.Parameter, begin: str) -> list[CompletionItem[str]]:
    """Completes where runs are done."""
    told = {
        "local": "processes of this machine, as many as it has cores",
        "slurm": "job arrays, by the table [slurm] of xoff.toml",
        "dask:tcp://": "workers of the Dask cluster whose scheduler has this address",
    }
    return _beginning(begin, told.items())


def bounds(context: click.Context, parameter: click.Parameter, begin: str) -> list[CompletionItem[str]]:
    """Completes MEASURE= of a limit."""
    return [CompletionItem(f"{item.value}=", help=item.help) for item in measures(context, parameter, begin)]


def names(_context: click.Context, _parameter: click.Parameter, begin: str) -> list[CompletionItem[str]]:
    """Completes an algorithm, a key or a measure, which `xoff explain` knows."""
    from xoff.glossary import vocabulary
    from xoff.results.measures import every
    from xoff.scenario import catalogue

    of_algorithms = ((entry["name"], entry["about"]) for entry in catalogue.algorithms())
    of_measures = ((key, entry.about) for key, entry in every().items())
    return _beginning(begin, (*of_algorithms, *vocabulary.keys(catalogue.schema()), *of_measures))


def chips(_context: click.Context, _parameter: click.Parameter, begin: str) -> list[CompletionItem[str]]:
    """Completes the name of a switching chip."""
    from xoff.scenario import catalogue

    return _beginning(begin, ((entry["name"], entry["about"]) for entry in catalogue.chips()))


def starters(_context: click.Context, _parameter: click.Parameter, begin: str) -> list[CompletionItem[str]]:
    """Completes a kind of scenario to start from."""
    from xoff.glossary import glossary

    return _beginning(begin, ((entry["name"], entry["about"]) for entry in glossary.scenarios()))


def checks(_context: click.Context, _parameter: click.Parameter, begin: str) -> list[CompletionItem[str]]:
    """Completes a check of `xoff lint`."""
    from xoff.switches.lint import CHECKS

    return _beginning(begin, ((check.__name__, (check.__doc__ or "").splitlines()[0]) for check in CHECKS))


def ports(_context: click.Context, _parameter: click.Parameter, begin: str) -> list[CompletionItem[str]]:
    """Completes a port of the network of a scenario or of a result."""
    from xoff.scenario.scenario import Scenario

    files = [file for file in map(Path, _typed()) if file.suffix == ".toml" or (file / "scenario.toml").is_file()]
    if not files:
        return []
    [file, *_] = files
    try:
        network = Scenario.load(file / "scenario.toml" if file.is_dir() else file).topology
    except InputError:
        return []
    named = (port for port in network.ports if _is_word(port.name))
    return _beginning(begin, ((port.name, f"to {port.peer_node}") for port in named))


def _settings(described: Iterable[tuple[str, str]], begin: str, transports: Iterable[str]) -> list[CompletionItem[str]]:
    key, equals, value = begin.partition("=")
    if equals:
        return [CompletionItem(f"{key}={word}", help=about) for word, about in _words(key) if word.startswith(value)]
    found: dict[str, str] = {}
    for path, about in described:
        for name in transports if path.startswith("transport.") else ("",):
            found.setdefault(f"{path.replace('transport.', f'transport.{name}.', 1) if name else path}=", about)
    return _beginning(begin, found.items())


def _words(key: str) -> list[tuple[str, str]]:
    """Returns the words that a key of a scenario takes, with the meaning of each."""
    from xoff.scenario import catalogue

    path = re.sub(r"\[\d+\]", "", re.sub(r"^transport\.[^.]+\.", "transport.", key))
    try:
        [entry, *_] = catalogue.described(path)
    except InputError:
        return []
    if entry["takes"] == "true or false":
        return [("true", ""), ("false", "")]
    return [(choice["name"], choice["about"]) for choice in entry["choices"]]


def _transports() -> list[str]:
    """Returns the names of transports of the scenario that the command names; `NAME` where it cannot be read."""
    from xoff.text import toml_text

    for file in (file for file in map(Path, _typed()) if file.suffix == ".toml"):
        try:
            found = toml_text.parse(file.read_text(encoding="utf-8")).get("transport")
        except (OSError, ValueError):
            continue
        if isinstance(found, dict):
            return [name for name in found if _is_word(name)]
    return ["NAME"]


def _is_word(name: str) -> bool:
    """Whether a shell takes a name of a file as it is: what is completed becomes part of a command."""
    return re.fullmatch(r"[A-Za-z0-9_.:/-]+", name) is not None


def _typed() -> list[str]:
    """Returns the words of the line that a shell asks about; Click parses no line that is not complete."""
    return os.environ.get("COMP_WORDS", "").split()


def _beginning(begin: str, found: Iterable[tuple[str, str]]) -> list[CompletionItem[str]]:
    return [CompletionItem(name, help=about) for name, about in dict(found).items() if name.startswith(begin)]
