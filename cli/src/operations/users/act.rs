//! Actions on users, one or many.

use clap::{Arg, ArgMatches, Command};
use panel_client::bulk::action::Action;
use panel_contract::amount::Fraction;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::users::{ActivateUser, BulkUpdateUsers, DeactivateUser, FreezeUser};
use panel_contract::users::{BulkUsersInput, ContactStep, UserStatus};

use super::LIST;
use crate::command::act::{Verb, one};
use crate::command::call::wish;
use crate::command::confirm::Danger;
use crate::failure::{Done, Failure};

/// `users freeze`.
pub(crate) const FREEZE: Verb = Verb {
    name: "freeze",
    past: "frozen",
    about: "Freezes active users: they sign in, and cannot order",
    list: &LIST,
    danger: Danger::Reversible("panelctl undo"),
    reaches: &[BulkUpdateUsers::OP, FreezeUser::OP],
    of_one: &[],
    args: |command| command,
    many: |_| to(UserStatus::Frozen),
    one: one::<FreezeUser>,
    examples: &[
        ("users freeze 42", "one user"),
        ("users freeze --ids-from chargebacks.csv --id-column user --dry-run", "what a list would hit"),
    ],
};

/// `users deactivate`.
pub(crate) const DEACTIVATE: Verb = Verb {
    name: "deactivate",
    past: "deactivated",
    about: "Deactivates users: they cannot sign in, and are signed out everywhere",
    reaches: &[BulkUpdateUsers::OP, DeactivateUser::OP],
    many: |_| to(UserStatus::Deactivated),
    one: one::<DeactivateUser>,
    examples: &[
        ("users deactivate 42", "one user"),
        ("users deactivate --email @spam.example --all-matching", "everybody of a domain"),
    ],
    ..FREEZE
};

/// `users activate`.
pub(crate) const ACTIVATE: Verb = Verb {
    name: "activate",
    past: "activated",
    about: "Activates frozen or deactivated users",
    reaches: &[BulkUpdateUsers::OP, ActivateUser::OP],
    many: |_| to(UserStatus::Active),
    one: one::<ActivateUser>,
    examples: &[("users activate 42 43", "two users")],
    ..FREEZE
};

/// `users bulk-update`.
pub(crate) const BULK_UPDATE: Verb = Verb {
    name: "bulk-update",
    past: "changed",
    about: "Sets manager, contact step, grade, referral percent or affiliate on many users; only what is named",
    danger: Danger::Reversible("The same command with the old values"),
    reaches: &[BulkUpdateUsers::OP],
    args: update_args,
    many: update,
    one: |_, _| Ok(None),
    examples: &[
        ("users bulk-update --manager-id 3 --all-matching --set-manager 5", "hands customers over"),
        ("users bulk-update 42 43 --set-referral-percent none", "the panel's own percent again"),
    ],
    ..FREEZE
};

fn to(status: UserStatus) -> Done<Action> {
    let body = BulkUsersInput { status: Some(status), ..BulkUsersInput::default() };
    Ok(Action::of::<BulkUpdateUsers>("user_ids", &body)?)
}

fn update_args(command: Command) -> Command {
    let steps = ContactStep::WORDS.texts.iter().copied().chain(["none"]);
    let steps = clap::builder::PossibleValuesParser::new(steps);
    let id =
        |name: &'static str, help: &'static str| Arg::new(name).long(name).value_name("ID|none").help(help);
    // The list filters under the plain words.
    command.args([
        id("set-manager", "Who looks after them"),
        id("set-grade", "Their grade; needs the permission manage grades for user"),
        id("set-affiliate", "Who brought them"),
        Arg::new("set-contact-step")
            .long("set-contact-step")
            .value_name("WORD|none")
            .value_parser(steps)
            .help("The last step of the talk with a possible seller"),
        Arg::new("set-referral-percent")
            .long("set-referral-percent")
            .value_name("FRACTION|none")
            .help("Their share of what referred customers spend, such as 0.05 for 5 percent"),
    ])
}

fn update(matches: &ArgMatches) -> Done<Action> {
    let body = BulkUsersInput {
        grade_id: wish(matches, "set-grade")?,
        seller_id: wish(matches, "set-manager")?,
        contact_step: wish::<ContactStep>(matches, "set-contact-step")?,
        referral_program_percent: wish::<Fraction>(matches, "set-referral-percent")?,
        affiliate_id: wish(matches, "set-affiliate")?,
        ..BulkUsersInput::default()
    };
    if body == BulkUsersInput::default() {
        return Err(Failure::usage(
            "Say what to set; panelctl users bulk-update --help lists it.".to_owned(),
        ));
    }
    Ok(Action::of::<BulkUpdateUsers>("user_ids", &body)?)
}
