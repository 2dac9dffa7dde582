//! Lists of free trials and their quests.

use crate::endpoints::free_trials::{ListFreeTrialQuests, ListFreeTrials};
use crate::free_trials::FreeTrialStatus;
use crate::lists::column::{Column, enum_value, flag, id, json, money, number, record, text, time};
use crate::lists::{List, RecordKind};

/// Requests for a free trial, newest first.
pub static FREE_TRIALS: List = List::for_endpoint::<ListFreeTrials>("free-trials", FREE_TRIALS_COLUMNS)
    .filters(&[id("user_id", ""), id("quest_id", "")])
    .console_columns(&[
        "id",
        "created_at",
        "status",
        "name",
        "user.name",
        "quantity",
        "url",
        "proof_url",
        "order_id",
        "valid_to",
        "approved_by.name",
    ])
    .terminal_columns(&[
        "id",
        "status",
        "created_at",
        "name",
        "user.email",
        "quantity",
        "url",
        "proof_url",
        "order_id",
    ])
    .validate();

const FREE_TRIALS_COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Quest").short_label("name"),
    text("url", "Link"),
    text("proof_url", "Proof").nullable(),
    number("quantity", "Quantity"),
    enum_value("status", "Status", FreeTrialStatus::VALUES),
    id("order_id", "Order").nullable(),
    time("approved_at", "Decided").nullable(),
    record("approved_by", "", RecordKind::User).nullable().filter_only(),
    id("approved_by.id", "").nullable(),
    text("approved_by.name", "Decided by").nullable().filtered_by("approved_by"),
    time("created_at", "Created"),
    id("free_trial_quest_id", "Quest ID"),
    time("valid_from", "Valid from"),
    time("valid_to", "Valid to").nullable(),
    record("user", "", RecordKind::User).filter_only(),
    id("user.id", ""),
    text("user.name", "Customer").filtered_by("user"),
    text("user.email", "").short_label("user"),
];

/// Quests that customers complete for a free trial, newest first.
pub static FREE_TRIAL_QUESTS: List =
    List::for_endpoint::<ListFreeTrialQuests>("free-trial-quests", FREE_TRIAL_QUESTS_COLUMNS)
        .filters(&[flag("is_archived", "Archived")])
        .console_columns(&[
            "id",
            "name",
            "service.name",
            "quantity",
            "deadline",
            "is_enabled",
            "is_repeatable",
            "repeats_count",
            "allow_proof_url",
            "translations",
            "is_archived",
        ])
        .terminal_columns(&[
            "id",
            "name",
            "service.name",
            "quantity",
            "deadline",
            "is_enabled",
            "is_repeatable",
            "repeats_count",
            "is_archived",
        ])
        .validate();

const FREE_TRIAL_QUESTS_COLUMNS: &[Column] = &[
    id("id", "ID"),
    text("name", "Name"),
    record("service", "", RecordKind::Service).filter_only(),
    id("service.id", ""),
    text("service.name", "Service").filtered_by("service"),
    number("quantity", "Quantity"),
    time("deadline", "Deadline").nullable(),
    flag("is_enabled", "Visible").short_label("enabled"),
    flag("is_archived", "Archived"),
    flag("is_repeatable", "Repeatable"),
    number("repeats_count", "Repeats").nullable(),
    flag("allow_proof_url", "Proof"),
    flag("auto_approve_is_allowed", "Automatic approval"),
    money("min_amount_for_auto_approve", "Trusted customers have spent at least").nullable(),
    flag("is_allowed_with_spend_above", "Only for customers who have spent enough"),
    money("min_user_spend_amount", "Minimum spend").nullable(),
    time("created_at", "Created"),
    json("translations", "Languages").row_only(),
];
