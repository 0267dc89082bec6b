"""What is shown of an array: cut to two axes or fewer, thinned, decoded, with its coordinates."""

from omnizarr.pictures.cost import PictureTooLarge
from omnizarr.pictures.cut import Axis, Picture, cut, others, overview
from omnizarr.pictures.subject import Subject, subject_of

__all__ = ["Axis", "Picture", "PictureTooLarge", "Subject", "cut", "others", "overview", "subject_of"]
