"""Chip of a switch, found by the model that its tables name."""

from __future__ import annotations

from xoff.scenario import catalogue

_MELLANOX = ("ACS-M", "ACS-", "Mellanox-", "Nvidia-", "LS-")
"""Makers of models on Spectrum, as their `hwsku` begins."""
_CHIPS = {
    "trident_2": ("Force10-S6000", "ACS-S6000", "Arista-7050-QX", "Arista-7050QX"),
    "trident_3": ("Arista-7050CX3",),
    "tomahawk": ("Force10-S6100", "Arista-7060CX-32S", "Celestica-DX010", "Seastone-DX010", "Accton-AS7712-32X"),
    "tomahawk_2": ("Arista-7260CX3", "Accton-AS7816-64X"),
    "tomahawk_3": ("DellEMC-Z9332f", "Accton-AS9716-32D"),
    "tomahawk_4": ("Arista-7060DX5-64S",),
    "tomahawk_5": ("Arista-7060X6-64",),
    "tomahawk_6": ("NH-4210", "Nokia-IXR7220-H6"),
    "spectrum": tuple(
        f"{maker}{model}" for maker in _MELLANOX for model in ("SN2010", "SN2100", "SN2201", "SN2410", "SN27")
    ),
    "spectrum_2": tuple(f"{maker}{model}" for maker in _MELLANOX for model in ("SN3420", "SN37", "SN38")),
    "spectrum_3": tuple(
        f"{maker}{model}" for maker in _MELLANOX for model in ("SN44", "SN46", "SN47", "SN48", "SN4280")
    ),
    "spectrum_4": tuple(f"{maker}{model}" for maker in _MELLANOX for model in ("SN5400", "SN5600", "SN5610")),
    "spectrum_5": tuple(f"{maker}{model}" for maker in _MELLANOX for model in ("SN5640",)),
}
"""By chip, how the `hwsku` of its models begins (sonic-mgmt, ansible/group_vars/sonic/variables; SONiC's list of
platforms). Left out are models with half a chip, and so half its memory, such as 7060DX5-32."""


def with_all_memory(chip: catalogue.Entry | None) -> catalogue.Entry | None:
    """Returns a chip with the memory behind it counted in; None for a chip whose memory is not public."""
    if chip is None or "memory_bytes" not in chip:
        return None
    return chip | {"memory_bytes": chip["memory_bytes"] + (chip["off_chip_bytes"] or 0)}


def has_reserves_apart(chip: catalogue.Entry | None) -> bool:
    """Whether reserves and headroom come on top of a chip's pools (sonic-swss, cfgmgr/buffer_pool_mellanox.lua)."""
    return chip is not None and chip["name"].startswith("spectrum")


def chip_of(hwsku: str | None) -> catalogue.Entry | None:
    """Returns the chip of a switch model with the chip's memory; None where the chip is not known."""
    name = next((chip for chip, models in _CHIPS.items() if (hwsku or "").startswith(models)), None)
    return next((chip for chip in catalogue.chips() if chip["name"] == name), None)
