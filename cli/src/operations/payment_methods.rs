//! Payment methods and their bonuses.

mod input;

use clap::{Arg, ArgAction, ArgMatches};
use panel_client::request::Request;
use panel_contract::amount::{Fraction, Money};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
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

use crate::command::call::{Call, Write, arg, given_id, id, id_arg, of, opt};
use crate::command::confirm::{Danger, dry_run};
use crate::command::edit::Edit;
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::{Cmd, Noun, ids};
use crate::failure::{Done, Failure};
use crate::operations::payment_methods::input::{fields, flag, input};
use crate::output::column::{Column, Kind};

/// `payment-methods`.
pub(crate) const NOUN: Noun = Noun {
    name: "payment-methods",
    alias: Some("payment-method"),
    about: "Ways in which customers pay and are paid",
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
    about: "What customers get on top, from an amount on",
    verbs: &[Cmd::Call(&SET_BONUS), Cmd::Call(&DELETE_BONUS)],
};

const LIST: List = List {
    of: &lists::payment_methods::PAYMENT_METHODS,
    noun: "payment-methods",
    one: "payment method",
    about: "Payment methods, in their order",
    filters: &[
        Filter::new("name", "name", "Part of the name"),
        Filter::new("type", "type", "What it is"),
        Filter::new("status", "status", "Whether customers can use it"),
    ],
    since: "created_at",
    examples: &[("payment-methods list --status active", "what customers can use")],
};

const GET: Get = Get {
    one: "payment method",
    about: "Payment methods with everything about them but their secrets",
    op: GetPaymentMethod::OP,
    columns: &[],
    examples: &[("payment-methods get 3 --jq .payment_method_bonuses", "its bonuses")],
};

const COLLECTIONS: Call = Call {
    name: "collections",
    about: "Types, strategies, charge types and currencies with their labels",
    examples: &[],
    op: PaymentMethodCollectionsOp::OP,
    args: |command| command,
    request: |_, _| of::<PaymentMethodCollectionsOp>((), &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[],
    write: None,
};

const AVAILABLE: Call = Call {
    name: "available",
    about: "Enabled payment methods in their order, as order widgets offer them",
    op: PaymentMethodsForOrderWidget::OP,
    request: |_, _| of::<PaymentMethodsForOrderWidget>((), &NoQuery {}, &NoBody {}),
    columns: &[Column::new("id", Kind::Id), Column::new("name", Kind::Text)],
    ..COLLECTIONS
};

const CREATE: Call = Call {
    name: "create",
    about: "Makes a payment method",
    examples: &[(
        "payment-methods create Card --type card --fee-percent 0.025 --icon card.png --secret-file api_key=key.txt",
        "with an icon and a secret",
    )],
    op: CreatePaymentMethod::OP,
    args: |command| {
        fields(command.arg(Arg::new("name").value_name("NAME").required(true).help("English name")))
    },
    request: |_, matches| of::<CreatePaymentMethod>((), &NoQuery {}, &input(matches, None)?),
    columns: &[],
    write: Some(Write {
        question: |matches| format!("Make the payment method {}?", text(matches, "name")),
        danger: Danger::Reversible("panelctl payment-methods disable"),
        said: |matches| format!("There is a payment method {}.", text(matches, "name")),
        rehearses: false,
    }),
    ..COLLECTIONS
};

const UPDATE: Edit = Edit {
    call: Call {
        name: "update",
        about: "Changes what is given",
        examples: &[
            (
                "payment-methods update 3 --max-amount none --text de.name=Karte",
                "no bound, and a German name",
            ),
            ("payment-methods update 3 --position 1", "to the top"),
        ],
        op: UpdatePaymentMethod::OP,
        args: |command| {
            let name = Arg::new("name").long("name").value_name("TEXT").help("English name");
            fields(command.arg(id_arg()).arg(name))
        },
        request: |_, matches| of::<GetPaymentMethod>(id(matches)?, &NoQuery {}, &NoBody {}),
        write: Some(Write {
            question: |matches| format!("Change payment method {}?", shown(matches)),
            danger: Danger::Reversible("The same command with the old values"),
            said: |matches| format!("Payment method {} is changed.", shown(matches)),
            rehearses: false,
        }),
        ..CREATE
    },
    reads: GetPaymentMethod::OP,
    change,
};

fn change(matches: &ArgMatches, read: Value) -> Done<Request> {
    let old: PaymentMethod = serde_json::from_value(read).map_err(|error| {
        Failure::failed(format!("The answer is not what this program understands: {error}."))
    })?;
    let mut body = input(matches, Some(&old))?;
    if body == PaymentMethodInput::default() {
        return Err(Failure::usage("Say what to change, such as --fee-percent 0.02."));
    }
    body.updated_at = Some(old.updated_at);
    of::<UpdatePaymentMethod>(id(matches)?, &NoQuery {}, &body)
}

const ENABLE: Call = Call {
    name: "enable",
    about: "Customers can use a payment method",
    examples: &[("payment-methods enable 3", "one")],
    op: EnablePaymentMethod::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<EnablePaymentMethod>(id(matches)?, &dry_run(matches), &NoBody {}),
    write: Some(Write {
        question: |matches| format!("Enable payment method {}?", shown(matches)),
        danger: Danger::Reversible("panelctl undo"),
        said: |matches| format!("Payment method {} is enabled.", shown(matches)),
        rehearses: true,
    }),
    ..CREATE
};

const DISABLE: Call = Call {
    name: "disable",
    about: "Customers can no longer use a payment method",
    examples: &[("payment-methods disable 3", "one")],
    op: DisablePaymentMethod::OP,
    request: |_, matches| of::<DisablePaymentMethod>(id(matches)?, &dry_run(matches), &NoBody {}),
    write: Some(Write {
        question: |matches| format!("Disable payment method {}?", shown(matches)),
        danger: Danger::Reversible("panelctl undo"),
        said: |matches| format!("Payment method {} is disabled.", shown(matches)),
        rehearses: true,
    }),
    ..ENABLE
};

const SORT: Call = Call {
    name: "sort",
    about: "Puts all payment methods in order",
    examples: &[("payment-methods sort 3 1 2", "every id, the first one first")],
    op: SortPaymentMethods::OP,
    args: |command| command.arg(ids::positional(true)),
    request: |_, matches| {
        let methods = ids::given(matches)?.into_iter().map(RecordId::known_as).collect();
        let body = SortPaymentMethodsInput { payment_methods: methods };
        of::<SortPaymentMethods>((), &NoQuery {}, &body)
    },
    write: Some(Write {
        question: |_| "Change the order of the payment methods?".to_owned(),
        danger: Danger::Reversible("The same command with the old order"),
        said: |_| "The payment methods are in order.".to_owned(),
        rehearses: false,
    }),
    ..CREATE
};

const SET_BONUS: Call = Call {
    name: "set",
    about: "Makes a bonus of a payment method, or changes one",
    examples: &[
        ("payment-methods bonuses set 3 --from-amount 100 --bonus-percent 5 --enabled", "a new one"),
        ("payment-methods bonuses set 3 --bonus 7 --from-amount 100 --bonus-percent 4", "switched off"),
    ],
    op: SetPaymentMethodBonuses::OP,
    args: |command| {
        command.args([
            id_arg().help("The payment method's id"),
            flag("bonus", "ID", "The bonus to change").value_parser(clap::value_parser!(i64).range(1..)),
            flag("from-amount", "MONEY", "The payment from which on it is paid")
                .required(true)
                .value_parser(clap::value_parser!(Money)),
            flag("bonus-percent", "PERCENT", "0 to 100")
                .required(true)
                .value_parser(clap::value_parser!(Fraction)),
            Arg::new("enabled").long("enabled").action(ArgAction::SetTrue).help("It is paid"),
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
        of::<SetPaymentMethodBonuses>((), &NoQuery {}, &body)
    },
    at: "/data/payment_method_bonuses",
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("from_amount", Kind::Number),
        Column::new("bonus_percent", Kind::Number),
        Column::new("is_enabled", Kind::Word).titled("enabled"),
    ],
    write: Some(Write {
        question: |matches| format!("Set this bonus of payment method {}?", shown(matches)),
        danger: Danger::Reversible("panelctl payment-methods bonuses delete"),
        said: |matches| format!("The bonus of payment method {} is set.", shown(matches)),
        rehearses: false,
    }),
};

const DELETE_BONUS: Call = Call {
    name: "delete",
    about: "Deletes a bonus",
    examples: &[("payment-methods bonuses delete 7", "by the bonus's id")],
    op: DeletePaymentMethodBonus::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<DeletePaymentMethodBonus>(id(matches)?, &dry_run(matches), &NoBody {}),
    write: Some(Write {
        question: |matches| format!("Delete bonus {}?", shown(matches)),
        danger: Danger::Reversible("panelctl payment-methods bonuses set"),
        said: |matches| format!("Bonus {} is deleted.", shown(matches)),
        rehearses: true,
    }),
    ..CREATE
};

fn text(matches: &ArgMatches, name: &str) -> String {
    opt::<String>(matches, name).unwrap_or_default()
}

fn shown(matches: &ArgMatches) -> String {
    given_id(matches).to_string()
}
