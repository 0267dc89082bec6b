"""Pictures drawn: as figures, as files and in terminals. Needs matplotlib, of the extra `plot`."""

from omnizarr.pictures.drawing.figure import Style, draw
from omnizarr.pictures.drawing.files import file_of, sequence_of, style_of
from omnizarr.pictures.drawing.text import Room, as_text

__all__ = ["Room", "Style", "as_text", "draw", "file_of", "sequence_of", "style_of"]
