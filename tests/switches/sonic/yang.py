"""ConfigDB as an instance of SONiC's YANG models (RFC 7951), for `yanglint` to validate.

Tables and keys by sonic-buildimage, src/sonic-yang-models, where every table is a list in a container of its name.
"""

from __future__ import annotations

import io
import subprocess
import tarfile
from typing import TYPE_CHECKING, Any

from jinja2 import Template

if TYPE_CHECKING:
    from pathlib import Path

_FOLDER = "src/sonic-yang-models"

_ROWS = {
    "PORT": ("sonic-port", ("name",)),
    "BUFFER_POOL": ("sonic-buffer-pool", ("name",)),
    "BUFFER_PROFILE": ("sonic-buffer-profile", ("name",)),
    "BUFFER_PG": ("sonic-buffer-pg", ("port", "pg_num")),
    "BUFFER_QUEUE": ("sonic-buffer-queue", ("port", "qindex")),
    "BUFFER_PORT_INGRESS_PROFILE_LIST": ("sonic-buffer-port-ingress-profile-list", ("port",)),
    "BUFFER_PORT_EGRESS_PROFILE_LIST": ("sonic-buffer-port-egress-profile-list", ("port",)),
    "SCHEDULER": ("sonic-scheduler", ("name",)),
    "WRED_PROFILE": ("sonic-wred-profile", ("name",)),
    "QUEUE": ("sonic-queue", ("ifname", "qindex")),
    "PORT_QOS_MAP": ("sonic-port-qos-map", ("ifname",)),
    "PFC_WD": ("sonic-pfcwd", ("ifname",)),
}
"""Tables whose rows have fields: module, and the leaves that make up the key."""
_PAIRS = {
    "CABLE_LENGTH": ("sonic-cable-length", "port", "length"),
    "DSCP_TO_TC_MAP": ("sonic-dscp-tc-map", "dscp", "tc"),
    "TC_TO_QUEUE_MAP": ("sonic-tc-queue-map", "tc", "qindex"),
    "TC_TO_PRIORITY_GROUP_MAP": ("sonic-tc-priority-group-map", "tc", "pg"),
    "MAP_PFC_PRIORITY_TO_QUEUE": ("sonic-pfc-priority-queue-map", "pfc_priority", "qindex"),
}
"""Tables whose rows are maps: module, and the leaves of both sides."""
_NUMBERS = {"speed", "mtu", "index", "dynamic_th", "weight", "tc"}
_NUMBERS |= {"detection_time", "restoration_time", "POLL_INTERVAL"}
"""Leaves of at most 32 bits, which JSON has as numbers; larger ones stay text."""
_BOOLEANS = {"wred_green_enable", "wred_yellow_enable", "wred_red_enable"}


def instance(tables: dict[str, Any]) -> dict[str, Any]:
    """Returns the tables in the shape of the models. Raises KeyError for a table that is not known here."""
    found = {}
    for table, rows in tables.items():
        if table == "DEVICE_METADATA":
            module, content = "sonic-device_metadata", rows
        elif table == "SWITCH_TRIMMING":
            module, content = "sonic-trimming", {key: _numbered(row) for key, row in rows.items()}
        elif table in _ROWS:
            module, keys = _ROWS[table]
            content = {f"{table}_LIST": [_row(keys, key.split("|"), row) for key, row in rows.items()]}
        else:
            module, *leaves = _PAIRS[table]
            content = {
                f"{table}_LIST": [
                    {"name": name, table: [_row(leaves, pair, {}) for pair in row.items()]}
                    for name, row in rows.items()
                ]
            }
        found[f"{module}:{module}"] = {table: content}
    return found


def modules(data: dict[str, Any]) -> list[str]:
    """The models that an instance is of."""
    return [name.partition(":")[0] for name in data]


def unpack(clone: Path, into: Path) -> None:
    """Takes the models out of a clone of sonic-buildimage, templates as the switch's own validation has them."""
    command = ["git", "-C", str(clone), "archive", "HEAD", f"{_FOLDER}/yang-models", f"{_FOLDER}/yang-templates"]
    packed = subprocess.run(command, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is not None:
                text, name = file.read().decode(), member.name.rpartition("/")[2]
                if name.endswith(".j2"):
                    name, text = name.removesuffix(".j2"), Template(text).render(yang_model_type="py")
                (into / name).write_text(text, encoding="utf-8")


def _numbered(row: dict[str, str]) -> dict[str, Any]:
    return {leaf: int(value) if value.isdigit() else value for leaf, value in row.items()}


def _row(keys: tuple[str, ...] | list[str], parts: Any, fields: dict[str, str]) -> dict[str, Any]:  # noqa: ANN401
    leaves = dict(zip(keys, parts, strict=True)) | fields
    return {leaf: _value(leaf, value) for leaf, value in leaves.items()}


def _value(leaf: str, value: str) -> object:
    if leaf in _NUMBERS:
        return int(value)
    if leaf == "profile_list":
        return value.split(",")
    return value == "true" if leaf in _BOOLEANS else value
