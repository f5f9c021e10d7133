"""Feed the readers of reports with whatever atheris thinks of: no crash, and no text that takes long.

    pip install atheris
    mkdir found  # what it makes up goes into the first folder
    PYTHONPATH=src python scripts/fuzz_reports.py -max_total_time=600 found tests/golden/reports/*/

atheris is not among the dependencies: it is not made for every Python.
"""

import sys
import time

import atheris  # type: ignore[import-untyped]

with atheris.instrument_imports(include=["sparky"]):
    from sparky.api import (
        determine_my_responsibility,
        extract_section,
        parse_numbered_list,
        parse_review_report,
    )
    from sparky.domain.report import read_name
    from sparky.reports.check import find_lacks
    from sparky.reports.own import read_any
    from sparky.reports.report_md import ReportFormatError, parse, render

SECONDS_PER_MB = 20.0
"""Instrumented code is slow; what is quadratic is slower by orders."""


def one_input(data: bytes) -> None:
    """Read the bytes in every way there is."""
    text = data.decode("utf-8", "surrogateescape")
    started = time.process_time()
    read_any(text)
    find_lacks(text, text[:60])
    read_name(text)
    parse_numbered_list(extract_section(text, ["Resolution Required", "Summary"]))
    parse_review_report(text)
    determine_my_responsibility(text, "CODING")
    try:
        report = parse(text)
    except ReportFormatError:
        pass
    else:
        if parse(render(report)) != report:
            raise AssertionError("a report does not come back as it was")
    spent = time.process_time() - started
    if spent > 1.0 + SECONDS_PER_MB * len(data) / 1e6:
        raise AssertionError(f"{len(data)} bytes took {spent:.1f} s")


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
