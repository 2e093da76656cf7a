"""All checks: each a function of its file that says in its first line what it finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from xoff.switches.lint.checks.bracketed_reference import bracketed_reference
from xoff.switches.lint.checks.classes_disagree import classes_disagree
from xoff.switches.lint.checks.cnps_lossless import cnps_lossless
from xoff.switches.lint.checks.dangling_reference import dangling_reference
from xoff.switches.lint.checks.default_lossless import default_lossless
from xoff.switches.lint.checks.ecn_after_pfc import ecn_after_pfc
from xoff.switches.lint.checks.ends_disagree import ends_disagree
from xoff.switches.lint.checks.headers_behind_data import headers_behind_data
from xoff.switches.lint.checks.headers_elsewhere import headers_elsewhere
from xoff.switches.lint.checks.headers_paused import headers_paused
from xoff.switches.lint.checks.headers_without_room import headers_without_room
from xoff.switches.lint.checks.headroom_below_cable import headroom_below_cable
from xoff.switches.lint.checks.headroom_below_packets import headroom_below_packets
from xoff.switches.lint.checks.headroom_below_response import headroom_below_response
from xoff.switches.lint.checks.headroom_falls_with_cable import headroom_falls_with_cable
from xoff.switches.lint.checks.headroom_oversubscribed import headroom_oversubscribed
from xoff.switches.lint.checks.headroom_unjudged import headroom_unjudged
from xoff.switches.lint.checks.invalid_value import invalid_value
from xoff.switches.lint.checks.lookup_disagrees import lookup_disagrees
from xoff.switches.lint.checks.lossless_queue_drops import lossless_queue_drops
from xoff.switches.lint.checks.lossless_starves_others import lossless_starves_others
from xoff.switches.lint.checks.lossless_trimmed import lossless_trimmed
from xoff.switches.lint.checks.lossless_unwatched import lossless_unwatched
from xoff.switches.lint.checks.lossless_without_ecn import lossless_without_ecn
from xoff.switches.lint.checks.lossless_without_pfc import lossless_without_pfc
from xoff.switches.lint.checks.map_missing import map_missing
from xoff.switches.lint.checks.maps_disagree import maps_disagree
from xoff.switches.lint.checks.maximum_below_minimum import maximum_below_minimum
from xoff.switches.lint.checks.maximum_below_packet import maximum_below_packet
from xoff.switches.lint.checks.memory_exceeded import memory_exceeded
from xoff.switches.lint.checks.misspelt_table import misspelt_table
from xoff.switches.lint.checks.pfc_without_lossless import pfc_without_lossless
from xoff.switches.lint.checks.pool_of_other_direction import pool_of_other_direction
from xoff.switches.lint.checks.pool_unjudged import pool_unjudged
from xoff.switches.lint.checks.profile_admits_nothing import profile_admits_nothing
from xoff.switches.lint.checks.profile_below_packet import profile_below_packet
from xoff.switches.lint.checks.profile_of_other_link import profile_of_other_link
from xoff.switches.lint.checks.profile_without_threshold import profile_without_threshold
from xoff.switches.lint.checks.queue_unjudged import queue_unjudged
from xoff.switches.lint.checks.repeated_key import repeated_key
from xoff.switches.lint.checks.reserves_exceed_pool import reserves_exceed_pool
from xoff.switches.lint.checks.speed_of_no_ethernet import speed_of_no_ethernet
from xoff.switches.lint.checks.threshold_above_pool import threshold_above_pool
from xoff.switches.lint.checks.threshold_cannot_fire import threshold_cannot_fire
from xoff.switches.lint.checks.traffic_class_unmapped import traffic_class_unmapped
from xoff.switches.lint.checks.trimming_refused import trimming_refused
from xoff.switches.lint.checks.trimming_size import trimming_size
from xoff.switches.lint.checks.trimming_unset import trimming_unset
from xoff.switches.lint.checks.trimming_unused import trimming_unused
from xoff.switches.lint.checks.unknown_field import unknown_field
from xoff.switches.lint.checks.watchdog_below_poll import watchdog_below_poll
from xoff.switches.lint.checks.watchdog_without_time import watchdog_without_time
from xoff.switches.lint.checks.wred_drops_lossless import wred_drops_lossless
from xoff.switches.lint.checks.wred_without_colour import wred_without_colour
from xoff.switches.lint.checks.wred_without_probability import wred_without_probability
from xoff.switches.lint.checks.wred_without_threshold import wred_without_threshold
from xoff.switches.lint.checks.xon_above_xoff import xon_above_xoff

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xoff.switches.lint.finding import Fault
    from xoff.switches.lint.tables import Tables

    Check: TypeAlias = Callable[[Tables], Iterator[Fault]]

CHECKS: tuple[Check, ...] = (
    invalid_value,
    repeated_key,
    misspelt_table,
    unknown_field,
    bracketed_reference,
    dangling_reference,
    speed_of_no_ethernet,
    pool_of_other_direction,
    pool_unjudged,
    queue_unjudged,
    profile_without_threshold,
    profile_admits_nothing,
    profile_below_packet,
    reserves_exceed_pool,
    trimming_refused,
    lossless_trimmed,
    trimming_unset,
    trimming_unused,
    trimming_size,
    headers_paused,
    headers_without_room,
    headers_behind_data,
    headers_elsewhere,
    headroom_below_cable,
    headroom_below_response,
    headroom_below_packets,
    headroom_falls_with_cable,
    headroom_oversubscribed,
    headroom_unjudged,
    lookup_disagrees,
    profile_of_other_link,
    memory_exceeded,
    xon_above_xoff,
    lossless_queue_drops,
    threshold_above_pool,
    threshold_cannot_fire,
    ecn_after_pfc,
    wred_without_colour,
    wred_without_probability,
    wred_without_threshold,
    wred_drops_lossless,
    maximum_below_minimum,
    maximum_below_packet,
    lossless_without_ecn,
    lossless_starves_others,
    lossless_without_pfc,
    pfc_without_lossless,
    map_missing,
    maps_disagree,
    classes_disagree,
    default_lossless,
    cnps_lossless,
    ends_disagree,
    traffic_class_unmapped,
    lossless_unwatched,
    watchdog_without_time,
    watchdog_below_poll,
)

BY_SHARES = frozenset({ecn_after_pfc, lossless_queue_drops, threshold_cannot_fire, xon_above_xoff})
"""Checks that judge by what reserves leave of a pool."""
