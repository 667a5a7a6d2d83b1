"""Which test holds which reported fault: the letter and number of the fault, then tests as `path::name`.

The list of faults lies beside a checkout where people work on them (`../shared/design/cases.md`); without it only the
tests named here are looked for.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LIST = ROOT.parent / "shared" / "design" / "cases.md"

CASES: dict[str, tuple[str, ...]] = {
    # Part A: loops, streams and approvals.
    "A1": (
        "core/test_invocation_properties.py::what_holds_in_every_situation",
        "core/test_fold.py::parallel_calls_may_finish_in_any_order",
    ),
    "A2": ("agent/test_reported.py::many_results_at_one_moment_settle_all_and_make_one_continuation",),
    "A3": (
        "core/test_fold.py::interleaved_calls_get_their_own_arguments_and_results",
        "agent/test_faults.py::each_call_has_its_own_arguments_and_exactly_one_result_in_call_order",
    ),
    "A6": (
        "agent/test_faults.py::each_call_has_its_own_arguments_and_exactly_one_result_in_call_order",
        "agent/test_attack.py::a_hostile_tool_name_is_an_error_result",
    ),
    "A7": ("agent/test_calls.py::the_same_id_in_two_steps_is_two_calls_with_their_own_results_after_a_reload_too",),
    "A9": ("agent/test_calls.py::the_second_call_of_the_same_id_in_one_answer_fails_and_each_gets_one_result",),
    "A10": (
        "core/test_fold.py::folding_again_or_in_two_parts_gives_the_same_state",
        "core/test_fold.py::a_call_that_is_started_twice_is_one_call",
    ),
    "A11": (
        "core/test_fold.py::a_new_attempt_drops_the_calls_of_the_old_one_but_not_their_history",
        "agent/test_reported.py::a_new_attempt_lets_no_card_of_the_old_one_be_approved",
    ),
    "A13": (
        "agent/test_crash.py::a_call_runs_at_most_once_wherever_the_program_dies",
        "agent/test_shelf.py::looking_at_chats_runs_and_writes_nothing",
        "core/test_rehydrate.py::wherever_the_program_dies_nothing_runs_and_everything_can_go_on",
    ),
    "A15": (
        "core/test_fold.py::a_falsy_result_survives_storing",
        "history/test_core_messages.py::falsy_data_is_data_after_export_and_import",
    ),
    "A16": ("agent/test_turns.py::parallel_calls_are_decided_in_any_order_and_answered_in_call_order",),
    "A17": (
        "agent/test_faults.py::every_split_of_every_character_is_the_same_text",
        "agent/test_faults.py::pieces_of_any_size_are_the_same_turn",
    ),
    "A18": ("agent/test_faults.py::the_last_event_counts_with_any_line_break_behind_it",),
    "A19": (
        "agent/test_faults.py::a_broken_attempt_is_made_again_and_nothing_of_it_runs",
        "agent/test_faults.py::a_connection_that_breaks_after_any_event_runs_nothing",
    ),
    "A21": (
        "agent/test_calls.py::a_prefix_that_happens_to_be_json_is_not_run_before_the_arguments_are_closed",
        "agent/test_faults.py::arguments_whose_beginning_is_json_run_once_and_whole",
    ),
    "A22": ("agent/test_faults.py::each_call_has_its_own_arguments_and_exactly_one_result_in_call_order",),
    "A25": ("agent/test_faults.py::after_the_last_attempt_its_words_stay_marked_and_survive_a_reload",),
    "A26": (
        "agent/test_faults.py::a_broken_attempt_is_made_again_and_nothing_of_it_runs",
        "agent/test_calls.py::an_error_of_the_model_after_a_call_does_not_touch_the_call",
    ),
    "A28": (
        "agent/test_versions.py::a_regenerated_answer_takes_the_place_of_the_old_one_whole",
        "agent/test_versions.py::what_ran_in_another_version_asks_again_whatever_the_policy_says",
    ),
    "A29": ("agent/test_faults.py::stop_at_any_moment_adds_nothing_and_hangs_up",),
    "A30": (
        "agent/test_turns.py::a_new_message_supersedes_what_was_open",
        "agent/test_take_over.py::two_kernels_that_begin_at_once_leave_one_writer",
    ),
    "A35": ("agent/test_turns.py::an_executed_sibling_shows_its_result_while_another_waits",),
    "A37": ("agent/test_deciding.py::parallel_calls_are_answered_in_every_order",),
    "A39": ("core/test_fold.py::every_field_of_a_grant_survives_storing",),
    "A42": (
        "agent/test_stop.py::stop_while_a_write_is_in_flight_marks_it_unknown",
        "agent/test_stop.py::stop_while_a_person_is_asked_cancels_the_call",
    ),
    "A45": ("widget/test_driver.py::state_that_a_page_claims_is_never_believed",),
    "A46": (
        "agent/test_calls.py::a_call_approved_for_one_wallet_is_not_sent_for_another",
        "agent/test_deciding.py::a_late_edit_is_refused_and_changes_nothing",
        "agent/test_local_tools.py::an_approval_does_not_hold_for_other_code_of_the_same_name",
    ),
    "A51": (
        "agent/test_deciding.py::what_is_always_allowed_runs_without_asking_in_this_chat_and_the_log_says_by_which_rule",
        "agent/test_deciding.py::a_revoked_rule_asks_again",
    ),
    "A53": ("agent/test_policy.py::the_words_of_a_document_cannot_lower_the_policy",),
    "A54": (
        "agent/test_policy_file.py::no_misspelt_key_ever_removes_a_gate",
        "agent/test_policy.py::a_policy_that_is_not_valid_never_starts",
    ),
    "A56": (
        "agent/test_deciding.py::a_changed_call_runs_as_changed_and_the_model_reads_what_it_asked_and_what_ran",
        "agent/test_deciding.py::the_original_of_a_changed_call_needs_a_new_approval_even_where_it_would_be_allowed",
    ),
    "A58": ("agent/test_deciding.py::a_denial_is_of_that_request_in_that_turn_and_of_nothing_else",),
    "A59": (
        "agent/test_turns.py::a_denial_is_not_run_and_its_reason_reaches_the_model",
        "history/test_core_messages.py::any_log_gives_a_history_that_providers_accept",
    ),
    "A62": ("agent/test_reported.py::a_page_that_closes_never_answers_and_stop_does",),
    "A65": (
        "agent/test_reported.py::an_approval_that_could_not_be_kept_leaves_the_card_with_the_error_and_counts_the_second_time",
    ),
    "A66": (
        "agent/test_reported.py::an_approval_after_any_time_runs_and_the_next_message_works",
        "agent/test_deciding.py::a_call_that_nobody_answers_expires_and_the_turn_goes_on",
    ),
    "A67": (
        "agent/test_trouble.py::waiting_for_the_end_is_refused_in_a_kernel_while_a_click_is_needed",
        "browser/test_chat.py::approve_works_while_a_cell_sleeps",
    ),
    "A68": ("agent/test_deciding.py::after_loading_a_late_yes_expires_and_a_late_no_is_a_no",),
    "A70": (
        "agent/test_turns.py::a_turn_has_at_most_seven_model_calls_and_the_last_has_no_tools",
        "agent/test_turns.py::a_capped_turn_goes_on_with_a_new_budget_when_asked",
    ),
    "A73": ("agent/test_turns.py::the_same_request_a_third_time_asks_a_person",),
    "A74": ("agent/test_reported.py::a_whole_batch_beyond_the_cap_runs_nothing",),
    "A76": ("agent/test_reported.py::a_page_that_closes_never_answers_and_stop_does",),
    # Part B: the history and the kernel.
    "B20": ("agent/test_stop.py::stop_while_streaming_adds_nothing_afterwards",),
    "B21": (
        "agent/test_stop.py::stop_while_a_write_is_in_flight_marks_it_unknown",
        "agent/test_attack.py::stop_returns_at_once_with_three_hundred_calls_open",
    ),
    "B22": ("agent/test_turns.py::two_chats_are_independent",),
    "B23": ("agent/test_faults.py::an_endpoint_that_is_not_there_fails_with_a_sentence_and_the_next_message_works",),
    "B28": (
        "core/test_invocation_properties.py::p2_nothing_runs_without_an_approval_or_an_allowing_rule_for_exactly_its_card",
    ),
    "B30": (
        "widget/test_driver.py::a_repeated_request_is_answered_again_and_carried_out_once",
        "agent/test_stop.py::one_grant_has_one_idempotency_key",
    ),
    "B39": (
        "agent/test_crash.py::an_offline_chat_is_loaded_with_no_agent_and_no_network",
        "history/test_crash.py::what_was_acknowledged_is_there_after_kill_9",
    ),
    "B40": ("agent/test_reported.py::a_history_is_found_by_its_place_by_every_program",),
    "B42": ("agent/test_attachments.py::a_file_outlives_the_program_and_still_can_be_sent",),
    "B43": (
        "agent/test_take_over.py::a_kernel_that_is_gone_holds_nothing",
        "browser/test_chat.py::a_killed_kernel_loses_nothing_and_the_open_approval_runs_once",
    ),
    "B44": ("agent/test_reported.py::a_chat_that_goes_on_while_another_program_loads_it_is_whole_for_both",),
    "B46": ("agent/test_versions.py::an_edited_message_makes_a_version_and_the_old_one_is_found_again",),
    "B47": ("agent/test_reported.py::another_model_goes_on_with_the_whole_history",),
    "B48": (
        "agent/test_take_over.py::the_second_kernel_reads_and_acts_only_once_it_took_over",
        "history/test_stores.py::a_chat_is_written_by_one_program_until_another_takes_it_over",
        "widget/test_take_over.py::the_page_that_reads_takes_over_and_the_other_says_so_on_its_next_act",
        "widget/test_driver.py::state_that_a_page_claims_is_never_believed",
    ),
    "B49": (
        "browser/test_harness.py::a_click_reaches_the_kernel_while_a_cell_awaits_and_a_reload_shows_its_effect",
        "agent/test_trouble.py::awaiting_the_end_in_a_kernel_depends_on_its_version",
    ),
    "B52": (
        "widget/test_driver.py::what_is_sent_to_a_page_adds_up_to_what_a_new_page_is_shown",
        "browser/test_chat.py::a_page_reload_in_mid_stream_loses_nothing",
    ),
    "B53": ("browser/test_chat.py::a_saved_notebook_is_readable_without_a_kernel",),
    "B57": (
        "widget/test_driver.py::ten_thousand_pieces_in_one_burst_arrive_exactly",
        "widget/test_driver.py::a_flood_of_pieces_makes_at_most_thirty_messages_a_second",
    ),
}

HELD_HERE = [*(f"B{number}" for number in range(39, 50)), "B52", "B53", "B57"]
"""Of part B, what this list answers for besides the whole of part A; the rest is the page's and the documents'."""


@cache
def names_in(path: str) -> set[str]:
    """Names of the tests in a file, without `test_`."""
    tree = ast.parse((ROOT / "tests" / path).read_text("utf-8"))
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return {name.removeprefix("test_") for name in names if name.startswith("test_")}


@pytest.mark.parametrize("case", CASES)
def test_the_names_in_a_case_are_there(case: str):
    for name in CASES[case]:
        path, _, test = name.partition("::")
        assert test in names_in(path), f"{case}: {path} has no test_{test}"


def test_every_case_of_the_list_has_a_test():
    if not LIST.exists():
        pytest.skip(f"there is no list of cases at {LIST}")
    listed: list[str] = []
    part = ""
    for line in LIST.read_text("utf-8").splitlines():
        part = found[1] if (found := re.match(r"## ([A-Z])\.", line)) else part
        if found := re.match(r"(\d+)\. ", line):
            listed.append(f"{part}{found[1]}")
    wanted = [case for case in listed if case.startswith("A") or case in HELD_HERE]
    assert len(wanted) > 40
    assert [case for case in wanted if case not in CASES] == []
