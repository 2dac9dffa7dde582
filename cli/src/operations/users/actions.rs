//! Commands that show and change the profile, account manager, grade or discount of one user, and list the allowed values.

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

use crate::command::confirm::Reversibility;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, on_off_arg,
    optional_value, parse_value_or_none, required_id, required_value,
};
use crate::ctx::Ctx;
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};

const UPDATE_WRITE: WriteSpec = WriteSpec {
    question: |matches| format!("Update user {}?", id_for_message(matches)),
    reversibility: Reversibility::Reversible("run the command again with the old values"),
    success: |matches| format!("User {} updated.", id_for_message(matches)),
    has_dry_run: false,
};

pub(crate) const UPDATE: RequestCommand = RequestCommand {
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
    request: build_update_request,
    json_pointer: "/data",
    columns: &[],
    write: Some(UPDATE_WRITE),
};

pub(crate) const SET_ACCOUNT_MANAGER: RequestCommand = RequestCommand {
    name: "set-seller",
    about: "Set the account manager and the sales contact of a user; fields without an option keep their values, 'none' clears a field",
    examples: &[(
        "users set-seller 42 --manager 3 --contact-step call",
        "assign an account manager and record a call",
    )],
    op: UpdateSeller::OP,
    args: account_manager_args,
    request: build_account_manager_request,
    write: Some(UPDATE_WRITE),
    ..BASE_COMMAND
};

pub(crate) const SET_GRADE: RequestCommand = RequestCommand {
    name: "set-grade",
    about: "Set the grade of a user, and whether the grade's discount applies",
    examples: &[("users set-grade 42 2 --apply-discount off", "set a grade without the grade's discount")],
    op: ChangeGrade::OP,
    args: |command| {
        command.args([
            id_arg(),
            Arg::new("grade").value_name("GRADE|none").required(true).help("Id of the grade"),
            on_off_arg("manual")
                .long("manual")
                .help("Keep the grade regardless of spending [default: on if the grade changes]"),
            on_off_arg("grades").long("grades").help("Enable grades for the user [default: unchanged]"),
            on_off_arg("apply-discount")
                .long("apply-discount")
                .help("Apply the grade's discount [default: unchanged]"),
        ])
    },
    request: |_, matches| {
        let body = UserGradeInput {
            grade_id: parse_value_or_none(matches, "grade")?,
            grade_is_manual: matches.get_one("manual").copied(),
            grades_enabled: matches.get_one("grades").copied(),
            grade_discounts_enabled: matches.get_one("apply-discount").copied(),
            updated_at: None,
        };
        build_request::<ChangeGrade>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    write: Some(UPDATE_WRITE),
    ..BASE_COMMAND
};

pub(crate) const SHOW_DISCOUNT: RequestCommand = RequestCommand {
    name: "discount",
    about: "Show the personal discount of a user",
    examples: &[("users discount 42", "show the discount and the orders that it applies to")],
    op: GetUserDiscount::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<GetUserDiscount>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    write: None,
    ..BASE_COMMAND
};

pub(crate) const SET_DISCOUNT: RequestCommand = RequestCommand {
    name: "set-discount",
    about: "Set the personal discount of a user; 0 removes it",
    examples: &[("users set-discount 42 0.125 --applies-to orders", "give 12.5 percent off every order")],
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
            Arg::new("applies-to")
                .long("applies-to")
                .value_name("VALUE")
                .value_parser(discount_types)
                .default_value("orders")
                .help("What the discount applies to"),
        ])
    },
    request: |_, matches| {
        let discount_type: String = required_value(matches, "applies-to")?;
        let kind = discount_type
            .parse()
            .map_err(|_| Failure::usage(format!("--on: {discount_type} is not a valid value.")))?;
        let body = UserDiscountInput {
            discount_fraction: required_value(matches, "fraction")?,
            kind,
            updated_at: None,
        };
        build_request::<SetUserDiscount>(required_id(matches)?, &EmptyQuery {}, &body)
    },
    write: Some(UPDATE_WRITE),
    ..BASE_COMMAND
};

pub(crate) const LIST_ACCOUNT_MANAGERS: RequestCommand = RequestCommand {
    name: "sellers",
    about: "List staff who can be account managers of customers",
    examples: &[("users sellers -o csv", "print as CSV, for a script")],
    op: ListAvailableSellers::OP,
    args: |command| command,
    request: |_, _| build_request::<ListAvailableSellers>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("name", DisplayKind::Text),
        Column::new("email", DisplayKind::Text),
    ],
    write: None,
    ..BASE_COMMAND
};

pub(crate) const LIST_CONTACT_STAGES: RequestCommand = RequestCommand {
    name: "contact-steps",
    about: "List the stages of sales contact with a customer",
    examples: &[],
    op: ListContactSteps::OP,
    args: |command| command,
    request: |_, _| build_request::<ListContactSteps>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[Column::new("type", DisplayKind::Enum), Column::new("label", DisplayKind::Text)],
    write: None,
    ..BASE_COMMAND
};

fn update_args(command: Command) -> Command {
    let text_option =
        |name: &'static str, help: &'static str| Arg::new(name).long(name).value_name("TEXT").help(help);
    command.arg(id_arg()).args([
        text_option("name", "Name"),
        text_option("email", "Email address; must be unique"),
        text_option("telegram", "Telegram name, or none"),
        text_option("company-name", "Company, or none"),
        text_option("company-address", "Company address, or none"),
        text_option("company-site", "Company site, or none"),
        text_option("vat", "VAT number, or none"),
        text_option("info", "Additional information, or none"),
        text_option("affiliate-code", "Affiliate code, or none"),
        text_option("subid", "Tracking id from the advertising link, or none"),
        text_option(
            "referral-fraction",
            "Commission on the spending of referred customers, such as 0.05 for 5 percent, or none to use the default commission",
        ),
        on_off_arg("notify-orders").long("notify-orders").help("Send emails about orders"),
        on_off_arg("notify-payments").long("notify-payments").help("Send emails about payments"),
    ])
}

fn build_update_request(_: &Ctx, matches: &ArgMatches) -> CommandResult<Request> {
    let body = UserInput {
        name: optional_value(matches, "name"),
        email: optional_value(matches, "email"),
        telegram_username: parse_value_or_none(matches, "telegram")?,
        messengers: None,
        company_name: parse_value_or_none(matches, "company-name")?,
        company_address: parse_value_or_none(matches, "company-address")?,
        company_site: parse_value_or_none(matches, "company-site")?,
        vat: parse_value_or_none(matches, "vat")?,
        additional_info: parse_value_or_none(matches, "info")?,
        affiliate_code: parse_value_or_none(matches, "affiliate-code")?,
        marketing_subid: parse_value_or_none(matches, "subid")?,
        notify_orders: optional_value(matches, "notify-orders"),
        notify_payments: optional_value(matches, "notify-payments"),
        referral_program_fraction: parse_value_or_none(matches, "referral-fraction")?,
        updated_at: None,
    };
    if body == UserInput::default() {
        return Err(Failure::usage(
            "Nothing to change: set an option (see panelctl users update --help).".to_owned(),
        ));
    }
    build_request::<UpdateUser>(required_id(matches)?, &EmptyQuery {}, &body)
}

fn account_manager_args(command: Command) -> Command {
    let values_or_none = |values: EnumValues| {
        clap::builder::PossibleValuesParser::new(values.texts.iter().copied().chain(["none"]))
    };
    let status_parser = values_or_none(SellerStatus::VALUES);
    let stage_parser = values_or_none(ContactStep::VALUES);
    command.arg(id_arg()).args([
        Arg::new("manager")
            .long("manager")
            .value_name("ID|none")
            .help("Id of the account manager (see panelctl users sellers), or none"),
        Arg::new("status")
            .long("status")
            .value_name("VALUE|none")
            .value_parser(status_parser)
            .help("Sales status, or none"),
        Arg::new("contact-step")
            .long("contact-step")
            .value_name("VALUE|none")
            .value_parser(stage_parser)
            .help("Last stage of sales contact, or none"),
    ])
}

fn build_account_manager_request(_: &Ctx, matches: &ArgMatches) -> CommandResult<Request> {
    let body = SellerInput {
        seller_status: parse_value_or_none(matches, "status")?,
        seller_id: parse_value_or_none(matches, "manager")?,
        contact_step: parse_value_or_none(matches, "contact-step")?,
        updated_at: None,
    };
    if body == SellerInput::default() {
        return Err(Failure::usage(
            "Nothing to change: set --manager, --status or --contact-step.".to_owned(),
        ));
    }
    build_request::<UpdateSeller>(required_id(matches)?, &EmptyQuery {}, &body)
}
