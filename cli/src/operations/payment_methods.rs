//! Payment methods and their bonuses.

mod input;

use clap::{Arg, ArgAction, ArgMatches};
use panel_client::request::Request;
use panel_contract::amount::{Fraction, Money};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::payment_methods::{
    CreatePaymentMethod, DeletePaymentMethodBonus, DisablePaymentMethod, EnablePaymentMethod,
    GetPaymentMethod, PaymentMethodCollectionsOp, PaymentMethodsForOrderWidget, SetPaymentMethodBonuses,
    SortPaymentMethods, UpdatePaymentMethod,
};
use panel_contract::ids::RecordId;
use panel_contract::lists;
use panel_contract::payment_methods::{
    BonusInput, BonusesInput, PaymentMethod, PaymentMethodInput, SortPaymentMethodsInput,
};
use serde_json::Value;

use crate::command::call::{Call, Write, arg, id, id_arg, id_value, of, opt};
use crate::command::confirm::{Danger, dry_run};
use crate::command::edit::Edit;
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::{Cmd, Noun, ids};
use crate::failure::{CmdResult, Failure};
use crate::operations::payment_methods::input::{fields, flag, input};
use crate::output::column::{Column, Kind};

pub(crate) const NOUN: Noun = Noun {
    name: "payment-methods",
    alias: Some("payment-method"),
    about: "Manage payment methods and their bonuses",
    verbs: &[
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

const BONUSES: Noun = Noun {
    name: "bonuses",
    alias: Some("bonus"),
    about: "Manage bonuses: extra credit from a minimum payment on",
    verbs: &[Cmd::Call(&SET_BONUS), Cmd::Call(&DELETE_BONUS)],
};

const LIST: List = List {
    declaration: &lists::payment_methods::PAYMENT_METHODS,
    noun: "payment methods",
    one: "payment method",
    about: "List payment methods, by position",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("type", "type", "Filter by type"),
        Filter::new("status", "status", "Filter by status"),
    ],
    since: "created_at",
    examples: &[("payment-methods list --status active", "payment methods that customers can use")],
};

const GET: Get = Get {
    one: "payment method",
    about: "Show payment methods with all details except secrets",
    op: GetPaymentMethod::OP,
    columns: &[],
    examples: &[("payment-methods get 3 --jq .payment_method_bonuses", "print the bonuses of one")],
};

const COLLECTIONS: Call = Call {
    name: "collections",
    about: "List types, strategies, charge types and currencies with their labels",
    examples: &[],
    op: PaymentMethodCollectionsOp::OP,
    args: |command| command,
    request: |_, _| of::<PaymentMethodCollectionsOp>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[],
    write: None,
};

const AVAILABLE: Call = Call {
    name: "available",
    about: "List enabled payment methods by position, for order widgets",
    op: PaymentMethodsForOrderWidget::OP,
    request: |_, _| of::<PaymentMethodsForOrderWidget>((), &EmptyQuery {}, &EmptyBody {}),
    columns: &[Column::new("id", Kind::Id), Column::new("name", Kind::Text)],
    ..COLLECTIONS
};

const CREATE: Call = Call {
    name: "create",
    about: "Create a payment method",
    examples: &[(
        "payment-methods create Card --type card --fee-percent 0.025 --icon card.png --secret-file api_key=key.txt",
        "create one with an icon and a secret",
    )],
    op: CreatePaymentMethod::OP,
    args: |command| {
        fields(command.arg(Arg::new("name").value_name("NAME").required(true).help("English name")))
    },
    request: |_, matches| of::<CreatePaymentMethod>((), &EmptyQuery {}, &input(matches, None)?),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Create payment method {}?", text(matches, "name")),
        danger: Danger::Reversible("panelctl payment-methods disable"),
        success: |matches| format!("Payment method {} created.", text(matches, "name")),
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
            fields(command.arg(id_arg()).arg(name))
        },
        request: |_, matches| of::<GetPaymentMethod>(id(matches)?, &EmptyQuery {}, &EmptyBody {}),
        write: Some(Write {
            question: |matches| format!("Update payment method {}?", id_text(matches)),
            danger: Danger::Reversible("run the command again with the old values"),
            success: |matches| format!("Payment method {} updated.", id_text(matches)),
            has_dry_run: false,
        }),
        ..CREATE
    },
    read_op: GetPaymentMethod::OP,
    change,
};

fn change(matches: &ArgMatches, data: Value) -> CmdResult<Request> {
    let current: PaymentMethod = serde_json::from_value(data).map_err(|error| {
        Failure::failed(format!("The panel's response could not be parsed: {error}. Check that panelctl and the panel have the same version."))
    })?;
    let mut body = input(matches, Some(&current))?;
    if body == PaymentMethodInput::default() {
        return Err(Failure::usage("Nothing to change: set an option, such as --fee-percent 0.02."));
    }
    body.updated_at = Some(current.updated_at);
    of::<UpdatePaymentMethod>(id(matches)?, &EmptyQuery {}, &body)
}

const ENABLE: Call = Call {
    name: "enable",
    about: "Enable a payment method for customers",
    examples: &[("payment-methods enable 3", "enable one payment method")],
    op: EnablePaymentMethod::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<EnablePaymentMethod>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    write: Some(Write {
        question: |matches| format!("Enable payment method {}?", id_text(matches)),
        danger: Danger::Reversible("panelctl undo"),
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
    request: |_, matches| of::<DisablePaymentMethod>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    write: Some(Write {
        question: |matches| format!("Disable payment method {}?", id_text(matches)),
        danger: Danger::Reversible("panelctl undo"),
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
    args: |command| command.arg(ids::positional(true)),
    request: |_, matches| {
        let methods = ids::from_args(matches)?.into_iter().map(RecordId::typed_as).collect();
        let body = SortPaymentMethodsInput { payment_methods: methods };
        of::<SortPaymentMethods>((), &EmptyQuery {}, &body)
    },
    write: Some(Write {
        question: |_| "Change the order of the payment methods?".to_owned(),
        danger: Danger::Reversible("run the command again with the old order"),
        success: |_| "Order of the payment methods updated.".to_owned(),
        has_dry_run: false,
    }),
    ..CREATE
};

const SET_BONUS: Call = Call {
    name: "set",
    about: "Create or update a bonus of a payment method",
    examples: &[
        ("payment-methods bonuses set 3 --from-amount 100 --bonus-percent 5 --enabled", "create a bonus"),
        (
            "payment-methods bonuses set 3 --bonus 7 --from-amount 100 --bonus-percent 4",
            "change bonus 7 and disable it",
        ),
    ],
    op: SetPaymentMethodBonuses::OP,
    args: |command| {
        command.args([
            id_arg().help("Id of the payment method"),
            flag("bonus", "ID", "Id of the bonus to change")
                .value_parser(clap::value_parser!(i64).range(1..)),
            flag("from-amount", "MONEY", "Smallest payment that gets the bonus")
                .required(true)
                .value_parser(clap::value_parser!(Money)),
            flag("bonus-percent", "PERCENT", "Bonus in percent, 0 to 100")
                .required(true)
                .value_parser(clap::value_parser!(Fraction)),
            Arg::new("enabled").long("enabled").action(ArgAction::SetTrue).help("Enable the bonus"),
        ])
    },
    request: |_, matches| {
        let bonus = BonusInput {
            id: opt(matches, "bonus"),
            from_amount: arg(matches, "from-amount")?,
            bonus_percent: arg(matches, "bonus-percent")?,
            is_enabled: matches.get_flag("enabled"),
        };
        let body = BonusesInput { payment_method_id: id(matches)?, bonuses: vec![bonus] };
        of::<SetPaymentMethodBonuses>((), &EmptyQuery {}, &body)
    },
    pointer: "/data/payment_method_bonuses",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("from_amount", Kind::Number),
        Column::new("bonus_percent", Kind::Number),
        Column::new("is_enabled", Kind::Word).titled("enabled"),
    ],
    write: Some(Write {
        question: |matches| format!("Save this bonus of payment method {}?", id_text(matches)),
        danger: Danger::Reversible("panelctl payment-methods bonuses delete"),
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
    request: |_, matches| of::<DeletePaymentMethodBonus>(id(matches)?, &dry_run(matches), &EmptyBody {}),
    write: Some(Write {
        question: |matches| format!("Delete bonus {}?", id_text(matches)),
        danger: Danger::Reversible("panelctl payment-methods bonuses set"),
        success: |matches| format!("Bonus {} deleted.", id_text(matches)),
        has_dry_run: true,
    }),
    ..CREATE
};

fn text(matches: &ArgMatches, name: &str) -> String {
    opt::<String>(matches, name).unwrap_or_default()
}

fn id_text(matches: &ArgMatches) -> String {
    id_value(matches).to_string()
}
