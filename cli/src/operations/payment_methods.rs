//! `payment-methods`: manages payment methods and their bonuses.

mod input;

use clap::{Arg, ArgAction, ArgMatches};
use panel_client::request::Request;
use panel_contract::amount::{Fraction, Money};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::payment_methods::{
    CreatePaymentMethod, DeletePaymentMethodBonus, DisablePaymentMethod, EnablePaymentMethod,
    GetPaymentMethod, GetPaymentMethodCollections, PaymentMethodsForOrderWidget, SetPaymentMethodBonuses,
    SortPaymentMethods, UpdatePaymentMethod,
};
use panel_contract::ids::RecordId;
use panel_contract::lists;
use panel_contract::payment_methods::{
    BonusInput, BonusesInput, PaymentMethod, PaymentMethodInput, SortPaymentMethodsInput,
};
use serde_json::Value;

use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::edit::EditCommand;
use crate::command::filter::Filter;
use crate::command::get::GetCommand;
use crate::command::list::ListCommand;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, optional_value,
    required_id, required_value,
};
use crate::command::{CommandGroup, CommandSpec, ids};
use crate::failure::{CommandResult, Failure};
use crate::operations::payment_methods::input::{option_arg, payment_method_args, read_input};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "payment-methods",
    alias: Some("payment-method"),
    about: "Manage payment methods and their bonuses",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Get(&GET),
        CommandSpec::Request(&CREATE),
        CommandSpec::Edit(&UPDATE),
        CommandSpec::Request(&ENABLE),
        CommandSpec::Request(&DISABLE),
        CommandSpec::Request(&SORT),
        CommandSpec::Nested(&BONUSES),
        CommandSpec::Request(&COLLECTIONS),
        CommandSpec::Request(&LIST_AVAILABLE),
        CommandSpec::Export(&LIST),
    ],
};

const BONUSES: CommandGroup = CommandGroup {
    name: "bonuses",
    alias: Some("bonus"),
    about: "Manage bonuses: extra credit for payments above a minimum",
    commands: &[CommandSpec::Request(&SET_BONUS), CommandSpec::Request(&DELETE_BONUS)],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::payment_methods::PAYMENT_METHODS,
    plural: "payment methods",
    singular: "payment method",
    about: "List payment methods, by position",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("type", "type", "Filter by type"),
        Filter::new("status", "status", "Filter by status"),
    ],
    time_column: "created_at",
    examples: &[("payment-methods list --status active", "payment methods that customers can use")],
};

const GET: GetCommand = GetCommand {
    singular: "payment method",
    about: "Show payment methods with all details except secrets",
    op: GetPaymentMethod::OP,
    columns: &[],
    examples: &[(
        "payment-methods get 3 --jq .payment_method_bonuses",
        "print the bonuses of one payment method",
    )],
};

const COLLECTIONS: RequestCommand = RequestCommand {
    name: "collections",
    about: "List types, strategies, charge types and currencies with their labels",
    examples: &[],
    op: GetPaymentMethodCollections::OP,
    args: |command| command,
    request: |_, _| build_request::<GetPaymentMethodCollections>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data",
    columns: &[],
    write: None,
};

const LIST_AVAILABLE: RequestCommand = RequestCommand {
    name: "available",
    about: "List enabled payment methods by position, for order widgets",
    op: PaymentMethodsForOrderWidget::OP,
    request: |_, _| build_request::<PaymentMethodsForOrderWidget>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[Column::new("id", DisplayKind::Id), Column::new("name", DisplayKind::Text)],
    ..BASE_COMMAND
};

const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a payment method",
    examples: &[(
        "payment-methods create Card --type card --fee-fraction 0.025 --icon card.png --secret-file api_key=key.txt",
        "create a payment method with an icon and a secret",
    )],
    op: CreatePaymentMethod::OP,
    args: |command| {
        payment_method_args(
            command.arg(Arg::new("name").value_name("NAME").required(true).help("English name")),
        )
    },
    request: |_, matches| {
        build_request::<CreatePaymentMethod>((), &EmptyQuery {}, &read_input(matches, None)?)
    },
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Create payment method {}?", text_for_message(matches, "name")),
        reversibility: Reversibility::Reversible("panelctl payment-methods disable"),
        success: |matches| format!("Payment method {} created.", text_for_message(matches, "name")),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const UPDATE: EditCommand = EditCommand {
    request_command: RequestCommand {
        name: "update",
        about: "Update a payment method; fields without an option keep their values",
        examples: &[
            (
                "payment-methods update 3 --max-amount none --text de.name=Karte",
                "remove the maximum amount and set a German name",
            ),
            ("payment-methods update 3 --position 1", "move a payment method to the top"),
        ],
        op: UpdatePaymentMethod::OP,
        args: |command| {
            let name = Arg::new("name").long("name").value_name("TEXT").help("English name");
            payment_method_args(command.arg(id_arg()).arg(name))
        },
        request: |_, matches| {
            build_request::<GetPaymentMethod>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
        },
        write: Some(WriteSpec {
            question: |matches| format!("Update payment method {}?", format_id(matches)),
            reversibility: Reversibility::Reversible("run the command again with the old values"),
            success: |matches| format!("Payment method {} updated.", format_id(matches)),
            has_dry_run: false,
        }),
        ..BASE_COMMAND
    },
    read_op: GetPaymentMethod::OP,
    write_request: build_update_request,
};

fn build_update_request(matches: &ArgMatches, current_record: Value) -> CommandResult<Request> {
    let current_method: PaymentMethod = serde_json::from_value(current_record).map_err(|error| {
        Failure::failed(format!("The server's response could not be parsed: {error}. Check that panelctl and the server have the same version."))
    })?;
    let mut body = read_input(matches, Some(&current_method))?;
    if body == PaymentMethodInput::default() {
        return Err(Failure::usage("Nothing to change: set an option, such as --fee-fraction 0.02."));
    }
    body.updated_at = Some(current_method.updated_at);
    build_request::<UpdatePaymentMethod>(required_id(matches)?, &EmptyQuery {}, &body)
}

const ENABLE: RequestCommand = RequestCommand {
    name: "enable",
    about: "Enable a payment method for customers",
    examples: &[("payment-methods enable 3", "enable one payment method")],
    op: EnablePaymentMethod::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<EnablePaymentMethod>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    write: Some(WriteSpec {
        question: |matches| format!("Enable payment method {}?", format_id(matches)),
        reversibility: Reversibility::Reversible("panelctl undo"),
        success: |matches| format!("Payment method {} enabled.", format_id(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

const DISABLE: RequestCommand = RequestCommand {
    name: "disable",
    about: "Disable a payment method for customers",
    examples: &[("payment-methods disable 3", "disable one payment method")],
    op: DisablePaymentMethod::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<DisablePaymentMethod>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    write: Some(WriteSpec {
        question: |matches| format!("Disable payment method {}?", format_id(matches)),
        reversibility: Reversibility::Reversible("panelctl undo"),
        success: |matches| format!("Payment method {} disabled.", format_id(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

const SORT: RequestCommand = RequestCommand {
    name: "sort",
    about: "Set the positions of all payment methods",
    examples: &[("payment-methods sort 3 1 2", "list all ids in the new order")],
    op: SortPaymentMethods::OP,
    args: |command| command.arg(ids::ids_arg(true)),
    request: |_, matches| {
        let methods = ids::parse_id_args(matches)?.into_iter().map(RecordId::typed_as).collect();
        let body = SortPaymentMethodsInput { payment_methods: methods };
        build_request::<SortPaymentMethods>((), &EmptyQuery {}, &body)
    },
    write: Some(WriteSpec {
        question: |_| "Save these positions?".to_owned(),
        reversibility: Reversibility::Reversible("run the command again with the old positions"),
        success: |_| "Positions saved.".to_owned(),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const SET_BONUS: RequestCommand = RequestCommand {
    name: "set",
    about: "Create or update a bonus of a payment method",
    examples: &[
        ("payment-methods bonuses set 3 --from-amount 100 --bonus-fraction 0.05 --enabled", "create a bonus"),
        (
            "payment-methods bonuses set 3 --bonus 7 --from-amount 100 --bonus-fraction 0.04",
            "change bonus 7; without --enabled it is disabled",
        ),
    ],
    op: SetPaymentMethodBonuses::OP,
    args: |command| {
        command.args([
            id_arg().help("Id of the payment method"),
            option_arg("bonus", "ID", "Id of the bonus to change")
                .value_parser(clap::value_parser!(i64).range(1..)),
            option_arg("from-amount", "MONEY", "Smallest payment that receives the bonus")
                .required(true)
                .value_parser(clap::value_parser!(Money)),
            option_arg(
                "bonus-fraction",
                "FRACTION",
                "Bonus as a fraction of the deposit, such as 0.05 for 5 percent",
            )
            .required(true)
            .value_parser(clap::value_parser!(Fraction)),
            Arg::new("enabled").long("enabled").action(ArgAction::SetTrue).help("Enable the bonus"),
        ])
    },
    request: |_, matches| {
        let bonus = BonusInput {
            id: optional_value(matches, "bonus"),
            from_amount: required_value(matches, "from-amount")?,
            bonus_fraction: required_value(matches, "bonus-fraction")?,
            is_enabled: matches.get_flag("enabled"),
        };
        let body = BonusesInput { payment_method_id: required_id(matches)?, bonuses: vec![bonus] };
        build_request::<SetPaymentMethodBonuses>((), &EmptyQuery {}, &body)
    },
    json_pointer: "/data/payment_method_bonuses",
    columns: &[
        Column::new("id", DisplayKind::Id),
        Column::new("from_amount", DisplayKind::Number),
        Column::new("bonus_fraction", DisplayKind::Number),
        Column::new("is_enabled", DisplayKind::Enum).with_title("enabled"),
    ],
    write: Some(WriteSpec {
        question: |matches| format!("Save this bonus of payment method {}?", format_id(matches)),
        reversibility: Reversibility::Reversible("panelctl payment-methods bonuses delete"),
        success: |matches| format!("Bonus of payment method {} saved.", format_id(matches)),
        has_dry_run: false,
    }),
};

const DELETE_BONUS: RequestCommand = RequestCommand {
    name: "delete",
    about: "Delete a bonus",
    examples: &[("payment-methods bonuses delete 7", "delete a bonus by its id")],
    op: DeletePaymentMethodBonus::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<DeletePaymentMethodBonus>(
            required_id(matches)?,
            &dry_run_query(matches),
            &EmptyBody {},
        )
    },
    write: Some(WriteSpec {
        question: |matches| format!("Delete bonus {}?", format_id(matches)),
        reversibility: Reversibility::Reversible("panelctl payment-methods bonuses set"),
        success: |matches| format!("Bonus {} deleted.", format_id(matches)),
        has_dry_run: true,
    }),
    ..BASE_COMMAND
};

fn text_for_message(matches: &ArgMatches, name: &str) -> String {
    optional_value::<String>(matches, name).unwrap_or_default()
}

fn format_id(matches: &ArgMatches) -> String {
    id_for_message(matches).to_string()
}
