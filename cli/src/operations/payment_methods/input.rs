//! Options of payment methods.

use std::path::Path;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::amount::{Fraction, Money};
use panel_contract::common::{LocaleCode, Patch, Translations};
use panel_contract::payment_methods::{
    ChargeType, PaymentMethod, PaymentMethodInput, PaymentMethodType, PaymentStrategy,
};
use panel_contract::string_enum::EnumValues;

use crate::command::call::{opt, word};
use crate::command::picture;
use crate::command::text::unless_none;
use crate::failure::{CmdResult, Failure};

pub(super) fn flag(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

fn on_off(name: &'static str, help: &'static str) -> Arg {
    flag(name, "on|off", help)
        .value_parser(PossibleValuesParser::new(["on", "off"]))
        .hide_possible_values(true)
}

fn money(name: &'static str, help: &'static str) -> Arg {
    flag(name, "MONEY", help).value_parser(clap::value_parser!(Money))
}

fn words(name: &'static str, help: &'static str, words: EnumValues) -> Arg {
    flag(name, "WORD", help).value_parser(PossibleValuesParser::new(words.texts))
}

pub(super) fn fields(command: Command) -> Command {
    let fraction = |name, help| flag(name, "FRACTION", help).value_parser(clap::value_parser!(Fraction));
    let position = flag("position", "POSITION", "Position in the list, from 1")
        .value_parser(clap::value_parser!(i64).range(1..));
    let repeated = |arg: Arg| arg.action(ArgAction::Append);
    let command = command.args([
        words("type", "Type of the payment method", PaymentMethodType::VALUES),
        flag("description", "TEXT", "English description, or none to remove it"),
        repeated(flag(
            "text",
            "LOCALE.FIELD=TEXT",
            "Text in another language, such as de.name=Karte, or none to remove it",
        )),
        on_off("new-users", "Offer it to new customers"),
        fraction("fee-percent", "Fee on each payment as a fraction, such as 0.025"),
        money("min-amount", "Smallest payment"),
        flag("max-amount", "MONEY|none", "Largest payment"),
        flag("charge-currency", "CODE", "Currency that the gateway charges"),
        words("charge-type", "Who pays the fee", ChargeType::VALUES),
        words("strategy", "How incoming payments are detected", PaymentStrategy::VALUES),
        position,
        on_off("allow-qr-code", "Allow a QR code"),
        on_off("show-qr-code", "Show the QR code to customers"),
        on_off("user-comment", "Let customers add a comment"),
        on_off("withdrawals", "Allow withdrawals with it"),
        money("withdrawal-min", "Smallest withdrawal"),
        flag("withdrawal-max", "MONEY|none", "Largest withdrawal"),
        money("withdrawal-min-fee", "Smallest fee of a withdrawal"),
        fraction("withdrawal-fee-percent", "Fee on each withdrawal as a fraction, such as 0.01"),
        repeated(flag(
            "secret-file",
            "NAME=FILE",
            "Secret from a file, such as api_key=key.txt; it is never shown again",
        )),
        repeated(flag("forget-secret", "NAME", "Delete a secret")),
    ]);
    picture::args(picture::args(command, "icon", "no-icon"), "payment-qr-code", "no-payment-qr-code")
}

pub(super) fn input(matches: &ArgMatches, current: Option<&PaymentMethod>) -> CmdResult<PaymentMethodInput> {
    let on = |name: &str| matches.get_one::<String>(name).map(|word| word == "on");
    let many =
        |name: &str| matches.get_many::<String>(name).into_iter().flatten().cloned().collect::<Vec<_>>();
    Ok(PaymentMethodInput {
        name: opt(matches, "name"),
        kind: word(matches, "type"),
        icon: picture::read(matches, "icon", "no-icon")?,
        description: opt::<String>(matches, "description").map(|text| unless_none(&text).to_owned()),
        translations: texts(&many("text"), current)?,
        is_enabled: None,
        is_allowed_for_new_user: on("new-users"),
        fee_percent: opt(matches, "fee-percent"),
        min_amount: opt(matches, "min-amount"),
        max_amount: bound(matches, "max-amount")?,
        charge_currency: opt(matches, "charge-currency"),
        charge_type: word(matches, "charge-type"),
        strategy: word(matches, "strategy"),
        position: opt(matches, "position"),
        allow_qr_code: on("allow-qr-code"),
        payment_qr_code: picture::read(matches, "payment-qr-code", "no-payment-qr-code")?,
        withdrawal_options: {
            let before = current.map(|current| current.withdrawal_options.clone()).unwrap_or_default();
            let mut options = before.clone();
            options.available_for_withdrawal = on("withdrawals").unwrap_or(before.available_for_withdrawal);
            options.min_amount = opt(matches, "withdrawal-min").unwrap_or(before.min_amount);
            if let Some(max) = bound(matches, "withdrawal-max")?.as_update() {
                options.max_amount = max.copied();
            }
            options.min_fee = opt(matches, "withdrawal-min-fee").unwrap_or(before.min_fee);
            options.fee_percent = opt(matches, "withdrawal-fee-percent").unwrap_or(before.fee_percent);
            Some(options).filter(|options| *options != before)
        },
        public_fields: {
            let before = current.map(|current| current.public_fields).unwrap_or_default();
            let mut fields = before;
            fields.is_user_comment = on("user-comment").unwrap_or(before.is_user_comment);
            fields.qr_code = on("show-qr-code").unwrap_or(before.qr_code);
            Some(fields).filter(|fields| *fields != before)
        },
        secrets: many("secret-file").iter().map(|pair| secret(pair)).collect::<CmdResult<_>>()?,
        remove_secrets: many("forget-secret"),
        updated_at: None,
    })
}

/// An amount, or `none` for no limit.
fn bound(matches: &ArgMatches, name: &str) -> CmdResult<Patch<Money>> {
    match opt::<String>(matches, name).as_deref() {
        None => Ok(Patch::Keep),
        Some("none") => Ok(Patch::Clear),
        Some(text) => text.parse().map(Patch::Set).map_err(|_| {
            Failure::usage(format!("--{name} {text}: specify an amount, such as 100, or none."))
        }),
    }
}

/// `NAME=FILE`: the text of the file without trailing line breaks, which editors add.
fn secret(pair: &str) -> CmdResult<(String, String)> {
    let invalid = |why: &str| Failure::usage(format!("--secret-file {pair}: {why}."));
    let (name, file) =
        pair.split_once('=').ok_or_else(|| invalid("expected NAME=FILE, such as api_key=key.txt"))?;
    let text = std::fs::read_to_string(Path::new(file)).map_err(|error| invalid(&error.to_string()))?;
    match text.trim_end_matches(['\r', '\n']) {
        "" => Err(invalid("the file is empty")),
        text => Ok((name.to_owned(), text.to_owned())),
    }
}

/// The current texts with the changes of `LOCALE.FIELD=TEXT`.
fn texts(changes: &[String], current: Option<&PaymentMethod>) -> CmdResult<Option<Translations>> {
    if changes.is_empty() {
        return Ok(None);
    }
    let mut texts = current.map(|current| current.translations.clone()).unwrap_or_default();
    for change in changes {
        let invalid =
            || Failure::usage(format!("--text {change}: expected LOCALE.FIELD=TEXT, such as de.name=Karte."));
        let (key, text) = change.split_once('=').ok_or_else(invalid)?;
        let (locale, field) = key.split_once('.').ok_or_else(invalid)?;
        let locale: LocaleCode = locale
            .parse()
            .map_err(|error| Failure::usage(format!("--text {change}: the language {error}.")))?;
        if !["name", "description", "withdrawal_description", "additional_information"].contains(&field) {
            return Err(invalid());
        }
        texts.put(locale.as_str(), field, unless_none(text));
    }
    Ok(Some(texts))
}
