"""The tables of SONiC's ConfigDB that decide about buffers, marking and pauses, as types.

Source: sonic-buildimage 086b03b, src/sonic-yang-models. Left out: tables and fields that nothing here depends on; they
are passed over, not refused.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from xoff.switches.sonic.fields import (
    Boolean,
    BufferQueueKey,
    Bytes,
    DscpKey,
    DscpOfHeaders,
    Exponent,
    Integer,
    LengthIfKnown,
    Names,
    Percent,
    PortKey,
    Priorities,
    PriorityGroupKey,
    PriorityKey,
    QueueKey,
    QueueOfHeaders,
    RowOf,
    RowsOf,
    TrafficClassKey,
    refusal,
)


class Row(BaseModel):
    """A row, of which only these fields matter."""

    model_config = ConfigDict(frozen=True)


class WholeRow(Row):
    """A row of which all fields are here; others, which SONiC would not understand, are in `model_extra`."""

    model_config = ConfigDict(extra="allow")


class DeviceMetadata(Row):
    """`DEVICE_METADATA|localhost`."""

    buffer_model: Literal["traditional", "dynamic"] = "traditional"
    hostname: str | None = None
    hwsku: str | None = None
    """Vendor, model and how its ports are laid out."""
    asic_name: str | None = None
    """The chip of a line card."""


class Port(Row):
    """`PORT|Ethernet0`."""

    speed: Annotated[Integer, Field(gt=0)]
    """Mb/s."""
    mtu: Annotated[Integer, Field(ge=68, le=9216)] | None = None
    """Of packets, in bytes."""
    lanes: str | None = None
    """Lanes of the chip that the port has, by number."""
    autoneg: str | None = None
    """`on` where both ends agree on the speed."""
    alias: str | None = None
    """Alias of the port, which other switches' tables of neighbours may use."""


class DeviceNeighbor(Row):
    """`DEVICE_NEIGHBOR|Ethernet0`: what is at the other end of a port's cable."""

    name: str | None = None
    """The other switch."""
    port: str | None = None
    """Port of the neighbour, by name or alias."""
    local_port: str | None = None
    """Port of this switch, where the key is not its name."""


class BufferPool(WholeRow):
    """`BUFFER_POOL|name`."""

    type: Literal["ingress", "egress", "both"]
    mode: Literal["static", "dynamic"]
    size: Bytes | None = None
    xoff: Bytes | None = None
    """Size of the headroom pool that all its profiles share; without it, each priority group has its own headroom."""
    percentage: Percent | None = None
    """Of the memory, in place of `size`; only where headroom is computed on the switch."""

    @model_validator(mode="after")
    def _one_size(self) -> BufferPool:
        if self.size is not None and self.percentage is not None:
            raise refusal("has size and percentage", "expected one of them")
        return self


class BufferProfile(WholeRow):
    """`BUFFER_PROFILE|name`."""

    pool: Annotated[str, RowOf("BUFFER_POOL")]
    size: Bytes
    """Reserved."""
    dynamic_th: Exponent | None = None
    static_th: Bytes | None = None
    xon: Bytes | None = None
    xoff: Bytes | None = None
    """Headroom: how many bytes may come after the pause has been sent; what has it is lossless."""
    xon_offset: Bytes | None = None
    headroom_type: Literal["static", "dynamic"] = "static"
    packet_discard_action: Literal["drop", "trim"] = "drop"
    """Treatment of a packet that finds no room in a queue with this profile."""

    @model_validator(mode="after")
    def _one_threshold(self) -> BufferProfile:
        if self.dynamic_th is not None and self.static_th is not None:
            raise refusal("has dynamic_th and static_th", "expected one of them")
        return self


class SwitchTrimming(WholeRow):
    """`SWITCH_TRIMMING|GLOBAL`: what is left of trimmed packets (sonic-trimming.yang; SONiC, doc/packet_trimming)."""

    size: Annotated[Integer, Field(ge=0, lt=2**32)] | None = None
    """To which packets are trimmed, in bytes."""
    dscp_value: DscpOfHeaders | None = None
    """DSCP of trimmed headers; `from-tc` where each port maps `tc_value` to it (`tc_to_dscp_map`)."""
    tc_value: Annotated[Integer, Field(ge=0, le=255)] | None = None
    queue_index: QueueOfHeaders | None = None
    """In which they wait; `dynamic` where `dscp_value` leads to it by the maps of the port."""


class BufferPg(WholeRow):
    """`BUFFER_PG|Ethernet0|3-4`."""

    profile: Annotated[str, RowOf("BUFFER_PROFILE")] = "NULL"
    """A buffer profile; `NULL` where the switch computes it."""


class BufferQueue(WholeRow):
    """`BUFFER_QUEUE|Ethernet0|3-4`."""

    profile: Annotated[str, RowOf("BUFFER_PROFILE")]


class ProfileList(WholeRow):
    """`BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0`, and the same of egress: what a port may have in each pool."""

    profile_list: Annotated[Names, RowsOf("BUFFER_PROFILE")] = ()


class Scheduler(WholeRow):
    """`SCHEDULER|name`: rates per second and bursts in bytes, or in packets."""

    type: Literal["DWRR", "WRR", "STRICT"] = "WRR"
    weight: Annotated[Integer, Field(ge=1, le=100)] = 1
    priority: Annotated[Integer, Field(ge=0, le=9)] | None = None
    meter_type: Literal["packets", "bytes"] = "bytes"
    cir: Annotated[Integer, Field(ge=0, lt=2**64)] | None = None
    cbs: Annotated[Integer, Field(ge=0, lt=2**32)] | None = None
    pir: Annotated[Integer, Field(ge=0, lt=2**64)] | None = None
    pbs: Annotated[Integer, Field(ge=0, lt=2**32)] | None = None

    @model_validator(mode="after")
    def _peak_above_committed(self) -> Scheduler:
        for peak, committed in (("pir", "cir"), ("pbs", "cbs")):
            most, least = getattr(self, peak), getattr(self, committed)
            if None not in (most, least) and most < least:
                raise refusal(f"has {peak} {most} below {committed}", f"expected at least {least}")
        for burst, rate in (("cbs", "cir"), ("pbs", "pir")):
            if getattr(self, burst) is not None and not getattr(self, rate):
                raise refusal(f"has {burst} without {rate}", "expected both or neither")
        return self


class WredProfile(WholeRow):
    """`WRED_PROFILE|name`: thresholds in bytes of one queue, probabilities in percent."""

    ecn: Literal[
        "ecn_none",
        "ecn_green",
        "ecn_yellow",
        "ecn_red",
        "ecn_green_yellow",
        "ecn_green_red",
        "ecn_yellow_red",
        "ecn_all",
    ] = "ecn_none"
    wred_green_enable: Boolean = False
    wred_yellow_enable: Boolean = False
    wred_red_enable: Boolean = False
    green_min_threshold: Bytes | None = None
    green_max_threshold: Bytes | None = None
    green_drop_probability: Percent | None = None
    yellow_min_threshold: Bytes | None = None
    yellow_max_threshold: Bytes | None = None
    yellow_drop_probability: Percent | None = None
    red_min_threshold: Bytes | None = None
    red_max_threshold: Bytes | None = None
    red_drop_probability: Percent | None = None


class Queue(WholeRow):
    """`QUEUE|Ethernet0|3`; in a chassis with queues at the input (VOQ) `QUEUE|linecard1|asic0|Ethernet0|3`."""

    scheduler: Annotated[str | None, RowOf("SCHEDULER")] = None
    wred_profile: Annotated[str | None, RowOf("WRED_PROFILE")] = None


class PortQosMap(WholeRow):
    """`PORT_QOS_MAP|Ethernet0`: all that sonic-swss takes (orchagent/qosorch.cpp), which is more than the model has."""

    dscp_to_tc_map: Annotated[str | None, RowOf("DSCP_TO_TC_MAP")] = None
    dot1p_to_tc_map: Annotated[str | None, RowOf("DOT1P_TO_TC_MAP")] = None
    mpls_tc_to_tc_map: Annotated[str | None, RowOf("MPLS_TC_TO_TC_MAP")] = None
    tc_to_queue_map: Annotated[str | None, RowOf("TC_TO_QUEUE_MAP")] = None
    tc_to_pg_map: Annotated[str | None, RowOf("TC_TO_PRIORITY_GROUP_MAP")] = None
    pfc_to_queue_map: Annotated[str | None, RowOf("MAP_PFC_PRIORITY_TO_QUEUE")] = None
    pfc_to_pg_map: Annotated[str | None, RowOf("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP")] = None
    tc_to_dscp_map: Annotated[str | None, RowOf("TC_TO_DSCP_MAP")] = None
    tc_to_dot1p_map: Annotated[str | None, RowOf("TC_TO_DOT1P_MAP")] = None
    dscp_to_fc_map: Annotated[str | None, RowOf("DSCP_TO_FC_MAP")] = None
    exp_to_fc_map: Annotated[str | None, RowOf("EXP_TO_FC_MAP")] = None
    pfc_enable: Priorities | None = None
    pfcwd_sw_enable: Priorities | None = None
    scheduler: Annotated[str | None, RowOf("SCHEDULER")] = None


DETECTION_MS = (100, 5000)
RESTORATION_MS = (100, 60000)
"""Least and most that SONiC's PFC watchdog takes (sonic-pfcwd.yang)."""


class PfcWatchdog(WholeRow):
    """`PFC_WD|Ethernet0`, times in ms; `PFC_WD|GLOBAL` has the fields in capitals, and no others."""

    action: Literal["drop", "forward", "alert"] | None = None
    detection_time: Annotated[Integer, Field(ge=DETECTION_MS[0], le=DETECTION_MS[1])] | None = None
    restoration_time: Annotated[Integer, Field(ge=RESTORATION_MS[0], le=RESTORATION_MS[1])] | None = None
    pfc_stat_history: Literal["enable", "disable"] | None = None
    poll_interval: Annotated[Integer, Field(ge=100, le=1000)] | None = Field(default=None, alias="POLL_INTERVAL")
    big_red_switch: str | None = Field(default=None, alias="BIG_RED_SWITCH")
    """Whether all lossless queues drop, as in a storm (sonic-swss, orchagent/pfcwdorch.cpp)."""


class DefaultLosslessBufferParameter(Row):
    """`DEFAULT_LOSSLESS_BUFFER_PARAMETER|AZURE`."""

    default_dynamic_th: Exponent
    over_subscribe_ratio: Annotated[Integer, Field(ge=0, le=65535)] | None = None


class LosslessTrafficPattern(Row):
    """Row of LOSSLESS_TRAFFIC_PATTERN: the MTU, and the share of small packets."""

    mtu: Annotated[Integer, Field(ge=1, le=9216)]
    small_packet_percentage: Percent


ToSixteen = Annotated[Integer, Field(ge=0, le=15)]
"""A traffic class, or a queue of a chip that has more than eight."""
ToEight = Annotated[Integer, Field(ge=0, le=7)]
WredName = Annotated[str, Field(max_length=32)]


class ConfigDb(BaseModel):
    """`config_db.json`: tables by row, the parts of a key joined with `|`."""

    model_config = ConfigDict(alias_generator=str.upper, populate_by_name=True)

    device_metadata: dict[str, DeviceMetadata] = {}
    port: dict[str, Port] = {}
    device_neighbor: dict[str, DeviceNeighbor] = {}
    cable_length: dict[str, dict[PortKey, LengthIfKnown]] = {}
    buffer_pool: dict[str, BufferPool] = {}
    buffer_profile: dict[str, BufferProfile] = {}
    buffer_pg: dict[PriorityGroupKey, BufferPg] = {}
    buffer_queue: dict[BufferQueueKey, BufferQueue] = {}
    switch_trimming: dict[Literal["GLOBAL"], SwitchTrimming] = {}
    buffer_port_ingress_profile_list: dict[PortKey, ProfileList] = {}
    buffer_port_egress_profile_list: dict[PortKey, ProfileList] = {}
    default_lossless_buffer_parameter: dict[str, DefaultLosslessBufferParameter] = {}
    lossless_traffic_pattern: dict[str, LosslessTrafficPattern] = {}
    dscp_to_tc_map: dict[str, dict[DscpKey, ToSixteen]] = {}
    dot1p_to_tc_map: dict[str, dict[PriorityKey, ToSixteen]] = {}
    tc_to_queue_map: dict[str, dict[TrafficClassKey, ToSixteen]] = {}
    tc_to_priority_group_map: dict[str, dict[TrafficClassKey, ToEight]] = {}
    map_pfc_priority_to_queue: dict[str, dict[PriorityKey, ToEight]] = {}
    pfc_priority_to_priority_group_map: dict[str, dict[PriorityKey, ToEight]] = {}
    mpls_tc_to_tc_map: dict[str, Row] = {}
    tc_to_dscp_map: dict[str, Row] = {}
    tc_to_dot1p_map: dict[str, Row] = {}
    dscp_to_fc_map: dict[str, Row] = {}
    exp_to_fc_map: dict[str, Row] = {}
    scheduler: dict[str, Scheduler] = {}
    wred_profile: dict[WredName, WredProfile] = {}
    queue: dict[QueueKey, Queue] = {}
    port_qos_map: dict[PortKey, PortQosMap] = {}
    pfc_wd: dict[PortKey, PfcWatchdog] = {}

    def to_json(self) -> str:
        """Writes the file as SONiC has it, every value a string, without empty tables and fields that are not set."""
        tables: dict[str, Any] = self.model_dump(by_alias=True, exclude_unset=True, exclude_none=True)
        return json.dumps({name: rows for name, rows in tables.items() if rows}, indent=4) + "\n"
