"""Formats of files that hold figures."""

from enum import StrEnum


class FigureFormat(StrEnum):
    """Format of a file; its value is the file's ending."""

    SVG = "svg"
    PDF = "pdf"
    PNG = "png"
