"""Formats of files that hold figures."""

from enum import StrEnum


class FigureFormat(StrEnum):
    """Its value is the ending of the file."""

    SVG = "svg"
    PDF = "pdf"
    PNG = "png"
