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

use crate::command::call::{
    Call, WriteSpec, id_arg, id_for_message, optional_value, request_for, required_id, required_value,
};
use crate::command::confirm::{Reversibility, dry_run_query};
use crate::command::edit::Edit;
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::{Cmd, CommandGroup, ids};
use crate::failure::{CmdResult, Failure};
use crate::operations::payment_methods::input::{option_arg, payment_method_args, read_input};
use crate::output::column::{Column, Kind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "payment-methods",
    alias: Some("payment-method"),
    about: "Manage payment methods and their bonuses",
    commands: &[
        Cmd::List(&LIST),
        Cmd::Get(&GET),
        Cmd::Call(&CREATE),
        Cmd::Edit(&UPDATE),
        Cmd::Call(&ENABLE),
        Cmd::Call(&DISABLE),
        Cmd::Call(&SORT),
        Cmd::Nested(&BONUSES),
        Cmd::Call(&COLLECTIONS),
        Cmd::Call(&AVAILABLE),
        Cmd::Export(&LIST),
    ],
};

const BONUSES: CommandGroup = CommandGroup {
    name: "bonuses",
    alias: Some("bonus"),
    about: "Manage bonuses: extra credit for payments above a minimum",
    commands: &[Cmd::Call(&SET_BONUS), Cmd::Call(&DELETE_BONUS)],
};

const LIST: List = List {
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

const GET: Get = Get {
    singular: "payment method",
    about: "Show payment methods with all details except secrets",
    op: GetPaymentMethod::OP,
    columns: &[],
    examples: &[("payment-methods get 3 --jq .payment_method_bonuses", "print the bonuses of one")],
};

const COLLECTIONS: Call = Call {
    name: "collections",
    about: "List types, strategies, charge types and currencies with their labels",
    examples: &[],
    op: GetPaymentMethodCollections::OP,
    args: |command| command,
    request: |_, _| request_for::<GetPaymentMethodCollections>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[],
    write: None,
};

const AVAILABLE: Call = Call {
    name: "available",
    about: "List enabled payment methods by position, for order widgets",
    op: PaymentMethodsForOrderWidget::OP,
    request: |_, _| request_for::<PaymentMethodsForOrderWidget>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[Column::new("id", Kind::Id), Column::new("name", Kind::Text)],
    ..COLLECTIONS
};

const CREATE: Call = Call {
    name: "create",
    about: "Create a payment method",
    examples: &[(
        "payment-methods create Card --type card --fee-fraction 0.025 --icon card.png --secret-file api_key=key.txt",
        "create one with an icon and a secret",
    )],
    op: CreatePaymentMethod::OP,
    args: |command| {
        payment_method_args(
            command.arg(Arg::new("name").value_name("NAME").required(true).help("English name")),
        )
    },
    request: |_, matches| request_for::<CreatePaymentMethod>((), &EmptyQuery {}, &read_input(matches, None)?),
    columns: &[],
    write: Some(WriteSpec {
        question: |matches| format!("Create payment method {}?", text_for_message(matches, "name")),
        reversibility: Reversibility::Reversible("panelctl payment-methods disable"),
        success: |matches| format!("Payment method {} created.", text_for_message(matches, "name")),
        has_dry_run: false,
    }),
    ..COLLECTIONS
};

const UPDATE: Edit = Edit {
    call: Call {
        name: "update",
        about: "Update a payment method; fields without an option keep their values",
        examples: &[
            (
                "payment-methods update 3 --max-amount none --text de.name=Karte",
                "remove the maximum amount and set a German name",
            ),
            ("payment-methods update 3 --position 1", "move it to the top"),
        ],
        op: UpdatePaymentMethod::OP,
        args: |command| {
            let name = Arg::new("name").long("name").value_name("TEXT").help("English name");
            payment_method_args(command.arg(id_arg()).arg(name))
        },
        request: |_, matches| {
            request_for::<GetPaymentMethod>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
        },
        write: Some(WriteSpec {
            question: |matches| format!("Update payment method {}?", id_text(matches)),
            reversibility: Reversibility::Reversible("run the command again with the old values"),
            success: |matches| format!("Payment method {} updated.", id_text(matches)),
            has_dry_run: false,
        }),
        ..CREATE
    },
    read_op: GetPaymentMethod::OP,
    write_request: update_request,
};

fn update_request(matches: &ArgMatches, current_record: Value) -> CmdResult<Request> {
    let current: PaymentMethod = serde_json::from_value(current_record).map_err(|error| {
        Failure::failed(format!("The panel's response could not be parsed: {error}. Check that panelctl and the panel have the same version."))
    })?;
    let mut body = read_input(matches, Some(&current))?;
    if body == PaymentMethodInput::default() {
        return Err(Failure::usage("Nothing to change: set an option, such as --fee-fraction 0.02."));
    }
    body.updated_at = Some(current.updated_at);
    request_for::<UpdatePaymentMethod>(required_id(matches)?, &EmptyQuery {}, &body)
}

const ENABLE: Call = Call {
    name: "enable",
    about: "Enable a payment method for customers",
    examples: &[("payment-methods enable 3", "enable one payment method")],
    op: EnablePaymentMethod::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        request_for::<EnablePaymentMethod>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    write: Some(WriteSpec {
        question: |matches| format!("Enable payment method {}?", id_text(matches)),
        reversibility: Reversibility::Reversible("panelctl undo"),
        success: |matches| format!("Payment method {} enabled.", id_text(matches)),
        has_dry_run: true,
    }),
    ..CREATE
};

const DISABLE: Call = Call {
    name: "disable",
    about: "Disable a payment method for customers",
    examples: &[("payment-methods disable 3", "disable one payment method")],
    op: DisablePaymentMethod::OP,
    request: |_, matches| {
        request_for::<DisablePaymentMethod>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    write: Some(WriteSpec {
        question: |matches| format!("Disable payment method {}?", id_text(matches)),
        reversibility: Reversibility::Reversible("panelctl undo"),
        success: |matches| format!("Payment method {} disabled.", id_text(matches)),
        has_dry_run: true,
    }),
    ..ENABLE
};

const SORT: Call = Call {
    name: "sort",
    about: "Set the order of all payment methods",
    examples: &[("payment-methods sort 3 1 2", "list all ids in the new order")],
    op: SortPaymentMethods::OP,
    args: |command| command.arg(ids::ids_arg(true)),
    request: |_, matches| {
        let methods = ids::ids_from_args(matches)?.into_iter().map(RecordId::typed_as).collect();
        let body = SortPaymentMethodsInput { payment_methods: methods };
        request_for::<SortPaymentMethods>((), &EmptyQuery {}, &body)
    },
    write: Some(WriteSpec {
        question: |_| "Change the order of the payment methods?".to_owned(),
        reversibility: Reversibility::Reversible("run the command again with the old order"),
        success: |_| "Order of the payment methods updated.".to_owned(),
        has_dry_run: false,
    }),
    ..CREATE
};

const SET_BONUS: Call = Call {
    name: "set",
    about: "Create or update a bonus of a payment method",
    examples: &[
        ("payment-methods bonuses set 3 --from-amount 100 --bonus-fraction 0.05 --enabled", "create a bonus"),
        (
            "payment-methods bonuses set 3 --bonus 7 --from-amount 100 --bonus-fraction 0.04",
            "change bonus 7 and disable it",
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
        request_for::<SetPaymentMethodBonuses>((), &EmptyQuery {}, &body)
    },
    pointer: "/data/payment_method_bonuses",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("from_amount", Kind::Number),
        Column::new("bonus_fraction", Kind::Number),
        Column::new("is_enabled", Kind::Enum).with_title("enabled"),
    ],
    write: Some(WriteSpec {
        question: |matches| format!("Save this bonus of payment method {}?", id_text(matches)),
        reversibility: Reversibility::Reversible("panelctl payment-methods bonuses delete"),
        success: |matches| format!("Bonus of payment method {} saved.", id_text(matches)),
        has_dry_run: false,
    }),
};

const DELETE_BONUS: Call = Call {
    name: "delete",
    about: "Delete a bonus",
    examples: &[("payment-methods bonuses delete 7", "delete a bonus by its id")],
    op: DeletePaymentMethodBonus::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        request_for::<DeletePaymentMethodBonus>(required_id(matches)?, &dry_run_query(matches), &EmptyBody {})
    },
    write: Some(WriteSpec {
        question: |matches| format!("Delete bonus {}?", id_text(matches)),
        reversibility: Reversibility::Reversible("panelctl payment-methods bonuses set"),
        success: |matches| format!("Bonus {} deleted.", id_text(matches)),
        has_dry_run: true,
    }),
    ..CREATE
};

fn text_for_message(matches: &ArgMatches, name: &str) -> String {
    optional_value::<String>(matches, name).unwrap_or_default()
}

fn id_text(matches: &ArgMatches) -> String {
    id_for_message(matches).to_string()
}
