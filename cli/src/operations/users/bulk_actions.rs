//! Bulk actions on users.

use clap::{Arg, ArgMatches, Command};
use panel_client::bulk::action::BulkAction;
use panel_contract::amount::Fraction;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::users::{ActivateUser, BulkUpdateUsers, DeactivateUser, FreezeUser};
use panel_contract::users::{BulkUsersInput, ContactStep, UserStatus};

use super::LIST;
use crate::command::bulk::{BulkCommand, single_record_request};
use crate::command::confirm::Reversibility;
use crate::command::request_command::parse_value_or_none;
use crate::failure::{CommandResult, Failure};

pub(crate) const FREEZE: BulkCommand = BulkCommand {
    name: "freeze",
    past_participle: "frozen",
    about: "Freeze active users; frozen users can sign in but not order",
    list: &LIST,
    reversibility: Reversibility::Reversible("panelctl undo"),
    operations: &[BulkUpdateUsers::OP, FreezeUser::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk_action: |_| build_status_action(UserStatus::Frozen),
    single_request: single_record_request::<FreezeUser>,
    examples: &[
        ("users freeze 42", "freeze one user"),
        (
            "users freeze --ids-from chargebacks.csv --id-column user --dry-run",
            "show which users of a file would be frozen",
        ),
    ],
};

pub(crate) const DEACTIVATE: BulkCommand = BulkCommand {
    name: "deactivate",
    past_participle: "deactivated",
    about: "Deactivate users; deactivated users are signed out and cannot sign in",
    list: &LIST,
    reversibility: Reversibility::Reversible("panelctl undo"),
    operations: &[BulkUpdateUsers::OP, DeactivateUser::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk_action: |_| build_status_action(UserStatus::Deactivated),
    single_request: single_record_request::<DeactivateUser>,
    examples: &[
        ("users deactivate 42", "deactivate one user"),
        ("users deactivate --email @spam.example --all-matching", "deactivate all users of an email domain"),
    ],
};

pub(crate) const ACTIVATE: BulkCommand = BulkCommand {
    name: "activate",
    past_participle: "activated",
    about: "Activate frozen or deactivated users",
    list: &LIST,
    reversibility: Reversibility::Reversible("panelctl undo"),
    operations: &[BulkUpdateUsers::OP, ActivateUser::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk_action: |_| build_status_action(UserStatus::Active),
    single_request: single_record_request::<ActivateUser>,
    examples: &[("users activate 42 43", "activate two users")],
};

pub(crate) const BULK_UPDATE: BulkCommand = BulkCommand {
    name: "bulk-update",
    past_participle: "updated",
    about: "Set the account manager, stage of sales contact, grade, commission or affiliate of many users",
    list: &LIST,
    reversibility: Reversibility::Reversible("run the command again with the old values"),
    operations: &[BulkUpdateUsers::OP],
    single_record_flags: &[],
    args: update_args,
    bulk_action: build_update_action,
    single_request: |_, _| Ok(None),
    examples: &[
        (
            "users bulk-update --manager-id 3 --all-matching --set-manager 5",
            "assign all customers of one account manager to another",
        ),
        ("users bulk-update 42 43 --set-referral-fraction none", "use the default commission again"),
    ],
};

fn build_status_action(status: UserStatus) -> CommandResult<BulkAction> {
    let body = BulkUsersInput { status: Some(status), ..BulkUsersInput::default() };
    Ok(BulkAction::bulk::<BulkUpdateUsers>("user_ids", &body)?)
}

fn update_args(command: Command) -> Command {
    let stages = ContactStep::VALUES.texts.iter().copied().chain(["none"]);
    let stage_parser = clap::builder::PossibleValuesParser::new(stages);
    let id_or_none_arg =
        |name: &'static str, help: &'static str| Arg::new(name).long(name).value_name("ID|none").help(help);
    // The prefix `set-` distinguishes these options from the filters of the list.
    command.args([
        id_or_none_arg("set-manager", "Id of the account manager, or none"),
        id_or_none_arg(
            "set-grade",
            "Id of the grade, or none; requires the permission manage grades for user",
        ),
        id_or_none_arg("set-affiliate", "Id of the affiliate, or none"),
        Arg::new("set-contact-step")
            .long("set-contact-step")
            .value_name("VALUE|none")
            .value_parser(stage_parser)
            .help("Last stage of sales contact, or none"),
        Arg::new("set-referral-fraction")
            .long("set-referral-fraction")
            .value_name("FRACTION|none")
            .help("Commission on the spending of referred customers, such as 0.05 for 5 percent, or none"),
    ])
}

fn build_update_action(matches: &ArgMatches) -> CommandResult<BulkAction> {
    let body = BulkUsersInput {
        grade_id: parse_value_or_none(matches, "set-grade")?,
        seller_id: parse_value_or_none(matches, "set-manager")?,
        contact_step: parse_value_or_none::<ContactStep>(matches, "set-contact-step")?,
        referral_program_fraction: parse_value_or_none::<Fraction>(matches, "set-referral-fraction")?,
        affiliate_id: parse_value_or_none(matches, "set-affiliate")?,
        ..BulkUsersInput::default()
    };
    if body == BulkUsersInput::default() {
        return Err(Failure::usage(
            "Nothing to change: set an option (see panelctl users bulk-update --help).".to_owned(),
        ));
    }
    Ok(BulkAction::bulk::<BulkUpdateUsers>("user_ids", &body)?)
}
