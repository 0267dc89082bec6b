"""The page about conformance says what the tests found."""

from conformance_page import COMMAND, PAGE, page


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == page(), f"run: {COMMAND}"
