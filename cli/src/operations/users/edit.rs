//! What staff change on one user: profile, manager, grade, discount; and the choices for it.

use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::amount::Fraction;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::users::{
    ChangeGrade, GetUserDiscount, ListAvailableSellers, ListContactSteps, SetUserDiscount, UpdateSeller,
    UpdateUser,
};
use panel_contract::users::{
    ContactStep, DiscountType, SellerInput, SellerStatus, UserDiscountInput, UserGradeInput, UserInput,
};
use panel_contract::words::Words;

use crate::command::call::{Call, Write, arg, given_id, id, id_arg, of, on_off_arg, opt, wish};
use crate::command::confirm::Danger;
use crate::ctx::Ctx;
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};

const CHANGED: Write = Write {
    question: |matches| format!("Change user {}?", shown_id(matches)),
    danger: Danger::Reversible("The same command with the old values"),
    said: |matches| format!("User {} is changed.", shown_id(matches)),
    rehearses: false,
};

/// `users update`.
pub(crate) const UPDATE: Call = Call {
    name: "update",
    about: "Changes a profile; only what is named, and 'none' clears",
    examples: &[
        ("users update 42 --company-name 'Likes Ltd' --vat DE123456789", "for the invoice"),
        ("users update 42 --telegram none --notify-orders off", "no Telegram, no mail about orders"),
    ],
    op: UpdateUser::OP,
    args: update_args,
    request: update,
    at: "/data",
    columns: &[],
    write: Some(CHANGED),
};

/// `users set-seller`.
pub(crate) const SET_SELLER: Call = Call {
    name: "set-seller",
    about: "Changes who looks after a user and where the talk stands; only what is named, and 'none' clears",
    examples: &[("users set-seller 42 --manager 3 --contact-step call", "handed over, and called")],
    op: UpdateSeller::OP,
    args: seller_args,
    request: seller,
    ..UPDATE
};

/// `users set-grade`.
pub(crate) const SET_GRADE: Call = Call {
    name: "set-grade",
    about: "Gives a user another grade, and says what of it counts",
    examples: &[("users set-grade 42 2 --discounts off", "the grade without its discount")],
    op: ChangeGrade::OP,
    args: |command| {
        command.args([
            id_arg(),
            Arg::new("grade").value_name("GRADE|none").required(true).help("The grade's id"),
            on_off_arg("manual")
                .long("manual")
                .help("Whether it stays whatever the customer spends; left out: on for another grade"),
            on_off_arg("grades").long("grades").help("Whether grades count; left out: as it is"),
            on_off_arg("discounts").long("discounts").help("Whether the discount counts; left out: as it is"),
        ])
    },
    request: |_, matches| {
        let body = UserGradeInput {
            grade_id: wish(matches, "grade")?,
            grade_is_manual: matches.get_one("manual").copied(),
            grades_enabled: matches.get_one("grades").copied(),
            grade_discounts_enabled: matches.get_one("discounts").copied(),
            updated_at: None,
        };
        of::<ChangeGrade>(id(matches)?, &NoQuery {}, &body)
    },
    ..UPDATE
};

/// `users discount`.
pub(crate) const DISCOUNT: Call = Call {
    name: "discount",
    about: "A user's own discount",
    examples: &[("users discount 42", "how much, and off what")],
    op: GetUserDiscount::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<GetUserDiscount>(id(matches)?, &NoQuery {}, &NoBody {}),
    write: None,
    ..UPDATE
};

/// `users set-discount`.
pub(crate) const SET_DISCOUNT: Call = Call {
    name: "set-discount",
    about: "Sets a user's own discount; 0 takes it away",
    examples: &[("users set-discount 42 0.125 --on orders", "12.5 percent off every order")],
    op: SetUserDiscount::OP,
    args: |command| {
        let words = clap::builder::PossibleValuesParser::new(DiscountType::WORDS.texts);
        command.args([
            id_arg(),
            Arg::new("percent")
                .value_name("FRACTION")
                .value_parser(clap::value_parser!(Fraction))
                .required(true)
                .help("0 to 1, at most three decimals"),
            Arg::new("on")
                .long("on")
                .value_name("WORD")
                .value_parser(words)
                .default_value("orders")
                .help("Off what"),
        ])
    },
    request: |_, matches| {
        let kind: String = arg(matches, "on")?;
        let kind = kind.parse().map_err(|_| Failure::usage(format!("--on {kind} is no such word.")))?;
        let body = UserDiscountInput { percent: arg(matches, "percent")?, kind, updated_at: None };
        of::<SetUserDiscount>(id(matches)?, &NoQuery {}, &body)
    },
    ..UPDATE
};

/// `users sellers`.
pub(crate) const SELLERS: Call = Call {
    name: "sellers",
    about: "Staff who may look after customers",
    examples: &[("users sellers -o csv", "for a script")],
    op: ListAvailableSellers::OP,
    args: |command| command,
    request: |_, _| of::<ListAvailableSellers>((), &NoQuery {}, &NoBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("email", Kind::Text),
    ],
    write: None,
    ..UPDATE
};

/// `users contact-steps`.
pub(crate) const CONTACT_STEPS: Call = Call {
    name: "contact-steps",
    about: "The steps of the talk with a possible seller",
    examples: &[],
    op: ListContactSteps::OP,
    args: |command| command,
    request: |_, _| of::<ListContactSteps>((), &NoQuery {}, &NoBody {}),
    columns: &[Column::new("type", Kind::Word), Column::new("label", Kind::Text)],
    write: None,
    ..UPDATE
};

fn update_args(command: Command) -> Command {
    let text =
        |name: &'static str, help: &'static str| Arg::new(name).long(name).value_name("TEXT").help(help);
    command.arg(id_arg()).args([
        text("name", "Name"),
        text("email", "E-mail address; nobody else's"),
        text("telegram", "Telegram name, or none"),
        text("company-name", "Company, or none"),
        text("company-address", "Company address, or none"),
        text("company-site", "Company site, or none"),
        text("vat", "VAT number, or none"),
        text("info", "Anything else, or none"),
        text("affiliate-code", "The code they bring customers with, or none"),
        text("subid", "Marketing mark, or none"),
        text("referral-percent", "Such as 0.05 for 5 percent; none for the panel's own"),
        on_off_arg("notify-orders").long("notify-orders").help("Mail about orders"),
        on_off_arg("notify-payments").long("notify-payments").help("Mail about payments"),
    ])
}

fn update(_: &Ctx, matches: &ArgMatches) -> Done<Request> {
    let body = UserInput {
        name: opt(matches, "name"),
        email: opt(matches, "email"),
        telegram_username: wish(matches, "telegram")?,
        messengers: None,
        company_name: wish(matches, "company-name")?,
        company_address: wish(matches, "company-address")?,
        company_site: wish(matches, "company-site")?,
        vat: wish(matches, "vat")?,
        additional_info: wish(matches, "info")?,
        affiliate_code: wish(matches, "affiliate-code")?,
        marketing_subid: wish(matches, "subid")?,
        notify_orders: opt(matches, "notify-orders"),
        notify_payments: opt(matches, "notify-payments"),
        referral_program_percent: wish(matches, "referral-percent")?,
        updated_at: None,
    };
    if body == UserInput::default() {
        return Err(Failure::usage("Say what to change; panelctl users update --help lists it.".to_owned()));
    }
    of::<UpdateUser>(id(matches)?, &NoQuery {}, &body)
}

fn seller_args(command: Command) -> Command {
    let or_none =
        |words: Words| clap::builder::PossibleValuesParser::new(words.texts.iter().copied().chain(["none"]));
    let statuses = or_none(SellerStatus::WORDS);
    let steps = or_none(ContactStep::WORDS);
    command.arg(id_arg()).args([
        Arg::new("manager")
            .long("manager")
            .value_name("ID|none")
            .help("A member of staff (panelctl users sellers)"),
        Arg::new("status")
            .long("status")
            .value_name("WORD|none")
            .value_parser(statuses)
            .help("Where the talk stands"),
        Arg::new("contact-step")
            .long("contact-step")
            .value_name("WORD|none")
            .value_parser(steps)
            .help("Its last step"),
    ])
}

fn seller(_: &Ctx, matches: &ArgMatches) -> Done<Request> {
    let body = SellerInput {
        seller_status: wish(matches, "status")?,
        seller_id: wish(matches, "manager")?,
        contact_step: wish(matches, "contact-step")?,
        updated_at: None,
    };
    if body == SellerInput::default() {
        return Err(Failure::usage("Say what to change: --manager, --status or --contact-step.".to_owned()));
    }
    of::<UpdateSeller>(id(matches)?, &NoQuery {}, &body)
}

fn shown_id(matches: &ArgMatches) -> i64 {
    given_id(matches)
}
