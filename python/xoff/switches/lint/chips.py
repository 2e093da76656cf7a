"""Chip of a switch, found by the model that its tables name."""

from __future__ import annotations

from xoff.scenario import catalogue

_CHIPS = {
    "trident_2": ("Force10-S6000", "ACS-S6000", "Arista-7050-QX", "Arista-7050QX"),
    "trident_3": ("Arista-7050CX3",),
    "tomahawk": ("Force10-S6100", "Arista-7060CX-32S", "Celestica-DX010", "Seastone-DX010", "Accton-AS7712-32X"),
    "tomahawk_2": ("Arista-7260CX3", "Accton-AS7816-64X"),
    "tomahawk_3": ("DellEMC-Z9332f", "Accton-AS9716-32D"),
    "tomahawk_4": ("Arista-7060DX5-64S",),
    "tomahawk_5": ("Arista-7060X6-64",),
}
"""By chip, how the `hwsku` of its models begins (sonic-mgmt, ansible/group_vars/sonic/variables; SONiC's list of
platforms). Left out are models with half a chip, and so half its memory, such as 7060DX5-32."""


def chip_of(hwsku: str | None) -> catalogue.Entry | None:
    """Returns the chip of a switch model with the chip's memory; None where the chip is not known."""
    name = next((chip for chip, models in _CHIPS.items() if (hwsku or "").startswith(models)), None)
    return next((chip for chip in catalogue.chips() if chip["name"] == name), None)
