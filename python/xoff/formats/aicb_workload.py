"""Workload text of AICB, as SimAI takes it: layers of a training job as a job of flows.

The first line names the kind of training and the sizes of its groups, the second one the number of layers. Each layer
has a name, a number, and three times computation in nanoseconds, collective and bytes: forward, for the gradient of its
input and for that of its weights. A last number is the time in nanoseconds that follows each of its collectives.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from xoff.errors import InputError
from xoff.formats import hpcc_settings, job_rows
from xoff.formats.draft import Draft, Flows, Found, Place
from xoff.formats.job_rows import Ranks
from xoff.formats.lines import MOST_BYTES, MOST_NS, numbered, refusal, whole
from xoff.formats.training_pass import LATENCY_NS, NAMES, Groups, Layer, Part, Pass
from xoff.text.line import quoted
from xoff.text.units import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

NAME = "AICB workload"
ABOUT = "workload text of AICB or SimAI"

_PRIORITY = 3
"""Priority group of all flows in SimAI's front end."""
_MICRO = "MICRO"
_KINDS = ("HYBRID_TRANSFORMER_FWD_IN_BCKWD", "HYBRID_TRANSFORMER", _MICRO)
_OTHER_KINDS = (
    "DATA",
    "MODEL",
    "HYBRID_DATA_MODEL",
    "HYBRID_MODEL_DATA",
    "HYBRID_CUSTOMIZED",
    "HYBRID_DLRM",
    "HYBRID_DLRM_ENHANCED",
    "DISTRIBUTED_INFERENCE",
)
_OPERATIONS = ("ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL")
_GROUPS = {"": "", "_EP": "EP", "_DP_EP": "DP_EP"}
_NOT_CARRIED = ("BROADCAST", "ALLREDUCEALLTOALL")
_HAS = "expected NAME NUMBER, then three times NANOSECONDS COLLECTIVE BYTES, and NANOSECONDS"
_FIELDS = 12
_MOST_LAYERS = 10**6


def recognises(lines: Sequence[str]) -> bool:
    """Whether the kind of training is named first, and the number of layers stands below."""
    first, second = [*(line.split() for line in lines[:2]), [], []][:2]
    is_known = bool(first) and first[0] in (*_KINDS, *_OTHER_KINDS)
    return is_known and (len(lines) < 2 or (len(second) == 1 and second[0].isdigit()))


def read(path: Path, draft: Draft) -> None:
    """Reads all layers, and counts the flows of their collectives. Raises InputError."""
    ranks = Ranks(draft.network_for(path, "collectives of GPUs"), _PRIORITY)
    lines = ((number, fields) for number, line in numbered(path) if (fields := line.split()))
    header, first = next(lines, (1, [""]))
    groups = _groups(path, draft, header, first, len(ranks))
    layers = _layers(path, draft, lines)
    steps = Pass(path, groups, ranks, layers, one_way=first[0] == _MICRO)
    if not steps.flows:
        problem = f"has no collective of several of the {len(ranks)} GPUs"
        raise InputError(str(path), "", problem, f"expected some; the topology has groups of {groups}")
    latency = f"each waits {LATENCY_NS / 1000:g} us before it is sent (delay_ns), as in SimAI with AS_SEND_LAT=6"
    draft.leave(Place(path.name, 1), "latencies of flows", latency)
    if steps.alone:
        collectives = counted(steps.alone, "collective")
        draft.leave(
            Place(path.name, layers[0].line), f"{collectives} of one GPU", f"nothing is sent in groups of {groups}"
        )
    of_lines = (layers[0].line, layers[-1].line)
    draft.flows.append(Flows(path, "job", job_rows.ALL_COLUMNS, steps.rows, steps.flows, of_lines, {_PRIORITY}))
    told = (
        f"{counted(len(layers), 'layer')}, {counted(steps.collectives, 'collective')}, {counted(steps.flows, 'flow')}"
    )
    draft.found.append(Found(str(path), NAME, f"{told} of {len(ranks):,} GPUs ({groups})"))
    draft.settle_unless_told(hpcc_settings.settle)


def _groups(path: Path, draft: Draft, line: int, fields: list[str], gpus: int) -> Groups:
    """Returns the groups that the first line names. Raises InputError."""
    if fields[0] not in _KINDS:
        raise refusal(
            path, line, f"the kind of training is {quoted(fields[0])}", f"expected one of {', '.join(_KINDS)}"
        )
    values: dict[str, int] = {}
    for word, value in pairwise([*fields[1:], ""]):
        if not word.isdigit():
            key = word.rstrip(":")
            values[key] = whole(path, line, key, value)
    tensor = values.pop("model_parallel_NPU_group", 0) or (1 if fields[0] == _MICRO else gpus)
    expert = values.pop("ep", 0) or 1
    if gpus % tensor or gpus // tensor % expert:
        problem = f"{gpus} GPUs do not divide into groups of {tensor} (TP), and those into {expert} (EP)"
        raise refusal(path, line, problem, "expected a topology with a multiple of both")
    _leave_rest(path, draft, line, values, gpus)
    return Groups(gpus, tensor, expert)


def _leave_rest(path: Path, draft: Draft, line: int, values: Mapping[str, int], gpus: int) -> None:
    """Notes the numbers of the first line that the scenario does not have."""
    place = Place(path.name, line)
    announced = values.get("all_gpus", gpus)
    if announced not in (0, gpus):
        draft.leave(place, f"all_gpus {announced}", f"the topology has {gpus}, which take its place as in SimAI")
    stages = {key: values[key] for key in ("pp", "vpp", "ga", "pp_comm") if values.get(key, 1) > 1}
    if values.get("pp", 1) > 1 or "pp_comm" in stages:
        told = ", ".join(f"{key} {value}" for key, value in stages.items())
        draft.leave(place, told, "pipeline stages do not send, as in SimAI's simulation: all GPUs have all layers")
    again = [f"{key} {values[key]}" for key in ("checkpoints", "checkpoint_initiates") if values.get(key)]
    if again:
        draft.leave(place, ", ".join(again), "no layer goes forward again on the way back")
    known = {"all_gpus", "pp", "vpp", "ga", "pp_comm", "checkpoints", "checkpoint_initiates"}
    others = [f"{key} {value}" for key, value in values.items() if key not in known]
    if others:
        draft.leave(place, ", ".join(others), "means nothing in SimAI's simulation")


def _layers(path: Path, draft: Draft, lines: Iterator[tuple[int, list[str]]]) -> list[Layer]:
    """Returns all layers. Raises InputError."""
    header, fields = next(lines, (2, [""]))
    announced = whole(path, header, "the number of layers", fields[0], 1, _MOST_LAYERS)
    layers: list[Layer] = []
    left: dict[str, int] = {}
    time_ns = 0
    for number, fields in lines:
        if len(layers) == announced:
            told = f"lines beyond the {counted(announced, 'layer')} that line {header} announces"
            draft.leave(Place(path.name, number), told, "not read, as SimAI does not read them")
            break
        layers.append(_layer(path, number, fields, left))
        time_ns += sum(part.compute_ns for part in layers[-1].parts) + 3 * layers[-1].update_ns
        if time_ns > MOST_NS:
            raise refusal(path, number, "computes for more than 100,000 s up to here", "expected nanoseconds")
    if len(layers) < announced:
        problem = f"the file ends after {len(layers)} of {announced} layers"
        raise refusal(
            path, layers[-1].line if layers else header, problem, f"expected as many as line {header} announces"
        )
    for kind, number in left.items():
        draft.leave(Place(path.name, number), kind, "nothing is sent, as in SimAI's simulation")
    return layers


def _layer(path: Path, number: int, fields: list[str], left: dict[str, int]) -> Layer:
    if len(fields) != _FIELDS:
        raise refusal(path, number, f"has {len(fields)} fields", _HAS)
    parts = []
    for at, name in zip(range(2, 11, 3), NAMES, strict=True):
        compute = whole(path, number, f"the time of {name}", fields[at], 0, MOST_NS)
        size = whole(path, number, f"the size of {name}", fields[at + 2], 0, MOST_BYTES)
        operation, group = _collective(path, number, fields[at + 1])
        if size and operation in _NOT_CARRIED:
            left.setdefault(fields[at + 1], number)
        is_sent = size and operation in _OPERATIONS
        parts.append(Part(compute, operation if is_sent else "", group or ("DP" if at == 8 else "TP"), size))
    update = whole(path, number, "the time behind collectives", fields[11], 0, MOST_NS)
    forward, of_input, of_weights = parts
    return Layer(number, (forward, of_input, of_weights), update)


def _collective(path: Path, number: int, text: str) -> tuple[str, str]:
    """Returns the operation and the group of a collective. Raises InputError."""
    operation, *group = text.split("_", 1)
    suffix = f"_{group[0]}" if group else ""
    if operation not in (*_OPERATIONS, *_NOT_CARRIED, "NONE") or suffix not in _GROUPS:
        expected = f"expected NONE, {', '.join(_OPERATIONS)}, perhaps with _EP or _DP_EP"
        raise refusal(path, number, f"there is no collective {quoted(text)}", expected)
    return operation, _GROUPS[suffix]
