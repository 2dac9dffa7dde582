//! Bulk actions on users.

use clap::{Arg, ArgMatches, Command};
use panel_client::bulk::action::Action;
use panel_contract::amount::Fraction;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::users::{ActivateUser, BulkUpdateUsers, DeactivateUser, FreezeUser};
use panel_contract::users::{BulkUsersInput, ContactStep, UserStatus};

use super::LIST;
use crate::command::act::{Verb, single};
use crate::command::call::patch_arg;
use crate::command::confirm::Danger;
use crate::failure::{CmdResult, Failure};

pub(crate) const FREEZE: Verb = Verb {
    name: "freeze",
    past: "frozen",
    about: "Freeze active users; they can sign in but not order",
    list: &LIST,
    danger: Danger::Reversible("panelctl undo"),
    ops: &[BulkUpdateUsers::OP, FreezeUser::OP],
    single_record_flags: &[],
    args: |command| command,
    bulk: |_| set_status(UserStatus::Frozen),
    single: single::<FreezeUser>,
    examples: &[
        ("users freeze 42", "freeze one user"),
        (
            "users freeze --ids-from chargebacks.csv --id-column user --dry-run",
            "show which users of a file would be frozen",
        ),
    ],
};

pub(crate) const DEACTIVATE: Verb = Verb {
    name: "deactivate",
    past: "deactivated",
    about: "Deactivate users; they are signed out and cannot sign in",
    ops: &[BulkUpdateUsers::OP, DeactivateUser::OP],
    bulk: |_| set_status(UserStatus::Deactivated),
    single: single::<DeactivateUser>,
    examples: &[
        ("users deactivate 42", "deactivate one user"),
        ("users deactivate --email @spam.example --all-matching", "deactivate all users of an email domain"),
    ],
    ..FREEZE
};

pub(crate) const ACTIVATE: Verb = Verb {
    name: "activate",
    past: "activated",
    about: "Activate frozen or deactivated users",
    ops: &[BulkUpdateUsers::OP, ActivateUser::OP],
    bulk: |_| set_status(UserStatus::Active),
    single: single::<ActivateUser>,
    examples: &[("users activate 42 43", "activate two users")],
    ..FREEZE
};

pub(crate) const BULK_UPDATE: Verb = Verb {
    name: "bulk-update",
    past: "updated",
    about: "Set the manager, contact step, grade, referral percentage or affiliate of many users",
    danger: Danger::Reversible("run the command again with the old values"),
    ops: &[BulkUpdateUsers::OP],
    args: update_args,
    bulk: update,
    single: |_, _| Ok(None),
    examples: &[
        (
            "users bulk-update --manager-id 3 --all-matching --set-manager 5",
            "hand all customers of a manager over to another",
        ),
        ("users bulk-update 42 43 --set-referral-percent none", "use the panel's referral percentage again"),
    ],
    ..FREEZE
};

fn set_status(status: UserStatus) -> CmdResult<Action> {
    let body = BulkUsersInput { status: Some(status), ..BulkUsersInput::default() };
    Ok(Action::of::<BulkUpdateUsers>("user_ids", &body)?)
}

fn update_args(command: Command) -> Command {
    let steps = ContactStep::VALUES.texts.iter().copied().chain(["none"]);
    let steps = clap::builder::PossibleValuesParser::new(steps);
    let id =
        |name: &'static str, help: &'static str| Arg::new(name).long(name).value_name("ID|none").help(help);
    // The filters of the list have the names without `set-`.
    command.args([
        id("set-manager", "Id of the manager, or none"),
        id("set-grade", "Id of the grade, or none; requires the permission manage grades for user"),
        id("set-affiliate", "Id of the affiliate, or none"),
        Arg::new("set-contact-step")
            .long("set-contact-step")
            .value_name("WORD|none")
            .value_parser(steps)
            .help("Last contact step with a potential seller, or none"),
        Arg::new("set-referral-percent")
            .long("set-referral-percent")
            .value_name("FRACTION|none")
            .help("Commission on the spending of referred customers, such as 0.05 for 5 percent, or none"),
    ])
}

fn update(matches: &ArgMatches) -> CmdResult<Action> {
    let body = BulkUsersInput {
        grade_id: patch_arg(matches, "set-grade")?,
        seller_id: patch_arg(matches, "set-manager")?,
        contact_step: patch_arg::<ContactStep>(matches, "set-contact-step")?,
        referral_program_percent: patch_arg::<Fraction>(matches, "set-referral-percent")?,
        affiliate_id: patch_arg(matches, "set-affiliate")?,
        ..BulkUsersInput::default()
    };
    if body == BulkUsersInput::default() {
        return Err(Failure::usage(
            "Nothing to change: set an option (see panelctl users bulk-update --help).".to_owned(),
        ));
    }
    Ok(Action::of::<BulkUpdateUsers>("user_ids", &body)?)
}
