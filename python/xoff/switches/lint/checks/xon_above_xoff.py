"""Pauses that end before they begin."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.limits import limit_of
from xoff.switches.lint.physics import ROCE_BYTES
from xoff.switches.lint.tables import MTU_BYTES, several
from xoff.switches.lint.wording import bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Buffer, Tables


def xon_above_xoff(tables: Tables) -> Iterator[Fault]:
    """A sender that may resume where it is paused, or above, or, by its xon_offset, never.

    It resumes at xon, or xon_offset below the pause if that is more. A note where lossless packets may be smaller than
    that distance.
    """
    yield from _without_distance(tables)
    seen = set()
    for group in tables.priority_groups:
        profile, name, limit = group.profile, group.profile_name, limit_of(tables, group)
        if not group.lossless or profile is None or limit is None or name in seen:
            continue
        seen.add(name)
        if profile.xon is not None and profile.xon >= limit.size:
            yield Fault(
                Severity.ERROR,
                tables.place_of_profile(name, "xon"),
                f"senders into {group.port} are paused from {bytes_text(limit.size)} on at the latest: "
                f"{limit.formula}; they may resume at {bytes_text(profile.xon)}, so that no pause lasts",
                f"xon below {limit.size}",
            )
        elif not profile.xon and (profile.xon_offset or 0) > limit.first:
            yield Fault(
                Severity.ERROR,
                tables.place_of_profile(name, "xon_offset"),
                f"senders into {group.port} may resume {bytes_text(profile.xon_offset or 0)} below where they are "
                f"paused, which is at {bytes_text(limit.first)} in an empty pool: a pause does not end",
                f"xon_offset of at most {limit.first}, or xon above 0",
            )


_PATTERN = ", or LOSSLESS_TRAFFIC_PATTERN with the mtu of lossless packets if they are smaller"


def _without_distance(tables: Tables) -> Iterator[Fault]:
    """By profiles that set both, one of them to less than a packet from the pause.

    Packets of no stated size are those of RoCE, where ports have larger ones.
    """
    users: dict[str, list[Buffer]] = defaultdict(list)
    for group in tables.priority_groups:
        if group.lossless:
            users[group.profile_name].append(group)
    for groups in users.values():
        profile, limit = groups[0].profile, limit_of(tables, groups[0])
        if profile is None or profile.xon is None or profile.xon_offset is None:
            continue
        if limit is not None and profile.xon >= limit.size:
            continue
        to_xon = profile.xon_offset if limit is None else limit.size - profile.xon
        packet = tables.stated_packet or max(tables.mtu_bytes(group.port) for group in groups)
        if min(to_xon, profile.xon_offset) < (tables.stated_packet or min(packet, ROCE_BYTES)):
            yield _too_near(tables, groups, to_xon, packet)


def _too_near(tables: Tables, groups: list[Buffer], to_xon: int, packet: int) -> Fault:
    name, profile = groups[0].profile_name, groups[0].profile
    assert profile is not None, "it sets both"
    offset = profile.xon_offset or 0
    is_some = min(to_xon, offset) >= MTU_BYTES and tables.stated_packet is None
    less = "may be less than one packet, up to" if is_some else "is less than one packet,"
    remedy = f"xon_offset of at least {packet}, better of two packets"
    if to_xon < offset:
        remedy = f"xon at least {packet} below the pause, better two packets"
    return Fault(
        Severity.NOTE if is_some else Severity.WARNING,
        tables.place_of_profile(name, "xon" if to_xon < offset else "xon_offset"),
        f"senders into {several(group.port for group in groups)} resume at xon = {profile.xon} or "
        f"{bytes_text(offset)} below the pause, whichever is more: that {less} {bytes_text(packet)}, between them, and "
        "each packet pauses or resumes",
        f"{remedy}{_PATTERN if is_some else ''}",
    )
