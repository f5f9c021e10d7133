"""The functions of the old design under their old names, thin over what sparky does now."""

from sparky.api.agents import FixResult, get_agent, handle_issues
from sparky.api.reports import (
    create_skip_report,
    determine_my_responsibility,
    determine_responsibility,
    extract_section,
    extract_value,
    extract_version_number,
    get_latest_report_by_version,
    parse_numbered_list,
    parse_review_report,
)
from sparky.api.transcripts import (
    FeedbackItem,
    extract_feedback_from_entry,
    extract_feedback_recursively,
    find_related_agent_files,
    get_project_history_dir,
)

__all__ = [
    "FeedbackItem",
    "FixResult",
    "create_skip_report",
    "determine_my_responsibility",
    "determine_responsibility",
    "extract_feedback_from_entry",
    "extract_feedback_recursively",
    "extract_section",
    "extract_value",
    "extract_version_number",
    "find_related_agent_files",
    "get_agent",
    "get_latest_report_by_version",
    "get_project_history_dir",
    "handle_issues",
    "parse_numbered_list",
    "parse_review_report",
]
