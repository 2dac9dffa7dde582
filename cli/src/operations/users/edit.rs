//! Commands that change the profile, manager, grade or discount of one user, and lists of the allowed values.

use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::amount::Fraction;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::users::{
    ChangeGrade, GetUserDiscount, ListAvailableSellers, ListContactSteps, SetUserDiscount, UpdateSeller,
    UpdateUser,
};
use panel_contract::string_enum::EnumValues;
use panel_contract::users::{
    ContactStep, DiscountType, SellerInput, SellerStatus, UserDiscountInput, UserGradeInput, UserInput,
};

use crate::command::call::{
    Call, WriteSpec, id_arg, id_for_message, on_off_arg, optional_value, parse_patch, request_for,
    required_id, required_value,
};
use crate::command::confirm::Reversibility;
use crate::ctx::Ctx;
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};

const UPDATE_WRITE: WriteSpec = WriteSpec {
    question: |matches| format!("Update user {}?", id_for_message(matches)),
    reversibility: Reversibility::Reversible("run the command again with the old values"),
    success: |matches| format!("User {} updated.", id_for_message(matches)),
    has_dry_run: false,
};

pub(crate) const UPDATE: Call = Call {
    name: "update",
    about: "Update a user's profile; fields without an option keep their values, 'none' clears a field",
    examples: &[
        ("users update 42 --company-name 'Likes Ltd' --vat DE123456789", "set the company for invoices"),
        (
            "users update 42 --telegram none --notify-orders off",
            "remove the Telegram name and disable emails about orders",
        ),
    ],
    op: UpdateUser::OP,
    args: update_args,
    request: update_request,
    pointer: "/data",
    columns: &[],
    write: Some(UPDATE_WRITE),
};

pub(crate) const SET_SELLER: Call = Call {
    name: "set-seller",
    about: "Set the manager and sales contact of a user; fields without an option keep their values, 'none' clears a field",
    examples: &[(
        "users set-seller 42 --manager 3 --contact-step call",
        "assign a manager and record a call",
    )],
    op: UpdateSeller::OP,
    args: seller_args,
    request: seller_request,
    ..UPDATE
};

pub(crate) const SET_GRADE: Call = Call {
    name: "set-grade",
    about: "Set the grade of a user, and whether its discount applies",
    examples: &[("users set-grade 42 2 --discounts off", "set a grade without its discount")],
    op: ChangeGrade::OP,
    args: |command| {
        command.args([
            id_arg(),
            Arg::new("grade").value_name("GRADE|none").required(true).help("Id of the grade"),
            on_off_arg("manual")
                .long("manual")
                .help("Keep the grade regardless of spending [default: on if the grade changes]"),
            on_off_arg("grades").long("grades").help("Enable grades for the user [default: unchanged]"),
            on_off_arg("discounts").long("discounts").help("Apply the grade's discount [default: unchanged]"),
        ])
    },
    request: |_, matches| {
        let body = UserGradeInput {
            grade_id: parse_patch(matches, "grade")?,
            grade_is_manual: matches.get_one("manual").copied(),
            grades_enabled: matches.get_one("grades").copied(),
            grade_discounts_enabled: matches.get_one("discounts").copied(),
            updated_at: None,
        };
        request_for::<ChangeGrade>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    ..UPDATE
};

pub(crate) const DISCOUNT: Call = Call {
    name: "discount",
    about: "Show the personal discount of a user",
    examples: &[("users discount 42", "show the discount and the orders that get it")],
    op: GetUserDiscount::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        request_for::<GetUserDiscount>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    write: None,
    ..UPDATE
};

pub(crate) const SET_DISCOUNT: Call = Call {
    name: "set-discount",
    about: "Set the personal discount of a user; 0 removes it",
    examples: &[("users set-discount 42 0.125 --on orders", "give 12.5 percent off every order")],
    op: SetUserDiscount::OP,
    args: |command| {
        let discount_types = clap::builder::PossibleValuesParser::new(DiscountType::VALUES.texts);
        command.args([
            id_arg(),
            Arg::new("fraction")
                .value_name("FRACTION")
                .value_parser(clap::value_parser!(Fraction))
                .required(true)
                .help("Discount as a fraction, 0 to 1, with at most three decimals"),
            Arg::new("on")
                .long("on")
                .value_name("VALUE")
                .value_parser(discount_types)
                .default_value("orders")
                .help("What the discount applies to"),
        ])
    },
    request: |_, matches| {
        let kind: String = required_value(matches, "on")?;
        let kind = kind.parse().map_err(|_| Failure::usage(format!("--on: {kind} is not a valid value.")))?;
        let body = UserDiscountInput {
            discount_fraction: required_value(matches, "fraction")?,
            kind,
            updated_at: None,
        };
        request_for::<SetUserDiscount>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    ..UPDATE
};

pub(crate) const SELLERS: Call = Call {
    name: "sellers",
    about: "List staff who can manage customers",
    examples: &[("users sellers -o csv", "print as CSV, for a script")],
    op: ListAvailableSellers::OP,
    args: |command| command,
    request: |_, _| request_for::<ListAvailableSellers>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("name", Kind::Text),
        Column::new("email", Kind::Text),
    ],
    write: None,
    ..UPDATE
};

pub(crate) const CONTACT_STEPS: Call = Call {
    name: "contact-steps",
    about: "List the contact steps with potential sellers",
    examples: &[],
    op: ListContactSteps::OP,
    args: |command| command,
    request: |_, _| request_for::<ListContactSteps>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[Column::new("type", Kind::Enum), Column::new("label", Kind::Text)],
    write: None,
    ..UPDATE
};

fn update_args(command: Command) -> Command {
    let text =
        |name: &'static str, help: &'static str| Arg::new(name).long(name).value_name("TEXT").help(help);
    command.arg(id_arg()).args([
        text("name", "Name"),
        text("email", "Email address; must be unique"),
        text("telegram", "Telegram name, or none"),
        text("company-name", "Company, or none"),
        text("company-address", "Company address, or none"),
        text("company-site", "Company site, or none"),
        text("vat", "VAT number, or none"),
        text("info", "Additional information, or none"),
        text("affiliate-code", "Affiliate code, or none"),
        text("subid", "Marketing sub-id, or none"),
        text(
            "referral-fraction",
            "Commission on the spending of referred customers, such as 0.05 for 5 percent, or none to use the commission of the panel",
        ),
        on_off_arg("notify-orders").long("notify-orders").help("Send emails about orders"),
        on_off_arg("notify-payments").long("notify-payments").help("Send emails about payments"),
    ])
}

fn update_request(_: &Ctx, matches: &ArgMatches) -> CmdResult<Request> {
    let body = UserInput {
        name: optional_value(matches, "name"),
        email: optional_value(matches, "email"),
        telegram_username: parse_patch(matches, "telegram")?,
        messengers: None,
        company_name: parse_patch(matches, "company-name")?,
        company_address: parse_patch(matches, "company-address")?,
        company_site: parse_patch(matches, "company-site")?,
        vat: parse_patch(matches, "vat")?,
        additional_info: parse_patch(matches, "info")?,
        affiliate_code: parse_patch(matches, "affiliate-code")?,
        marketing_subid: parse_patch(matches, "subid")?,
        notify_orders: optional_value(matches, "notify-orders"),
        notify_payments: optional_value(matches, "notify-payments"),
        referral_program_fraction: parse_patch(matches, "referral-fraction")?,
        updated_at: None,
    };
    if body == UserInput::default() {
        return Err(Failure::usage(
            "Nothing to change: set an option (see panelctl users update --help).".to_owned(),
        ));
    }
    request_for::<UpdateUser>(required_id(matches)?, &EmptyQuery {}, &body)
}

fn seller_args(command: Command) -> Command {
    let values_or_none = |values: EnumValues| {
        clap::builder::PossibleValuesParser::new(values.texts.iter().copied().chain(["none"]))
    };
    let statuses = values_or_none(SellerStatus::VALUES);
    let steps = values_or_none(ContactStep::VALUES);
    command.arg(id_arg()).args([
        Arg::new("manager")
            .long("manager")
            .value_name("ID|none")
            .help("Id of a staff member (see panelctl users sellers), or none"),
        Arg::new("status")
            .long("status")
            .value_name("VALUE|none")
            .value_parser(statuses)
            .help("Sales status, or none"),
        Arg::new("contact-step")
            .long("contact-step")
            .value_name("VALUE|none")
            .value_parser(steps)
            .help("Last contact step, or none"),
    ])
}

fn seller_request(_: &Ctx, matches: &ArgMatches) -> CmdResult<Request> {
    let body = SellerInput {
        seller_status: parse_patch(matches, "status")?,
        seller_id: parse_patch(matches, "manager")?,
        contact_step: parse_patch(matches, "contact-step")?,
        updated_at: None,
    };
    if body == SellerInput::default() {
        return Err(Failure::usage(
            "Nothing to change: set --manager, --status or --contact-step.".to_owned(),
        ));
    }
    request_for::<UpdateSeller>(required_id(matches)?, &EmptyQuery {}, &body)
}
