//! What is said of a payment method on the command line.

use std::path::Path;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::amount::{Fraction, Money};
use panel_contract::common::{LocaleCode, Patch, Translations};
use panel_contract::payment_methods::{
    ChargeType, PaymentMethod, PaymentMethodInput, PaymentMethodType, PaymentStrategy,
};
use panel_contract::words::Words;

use crate::command::call::{opt, word};
use crate::command::picture;
use crate::command::text::unless_none;
use crate::failure::{Done, Failure};

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

fn words(name: &'static str, help: &'static str, words: Words) -> Arg {
    flag(name, "WORD", help).value_parser(PossibleValuesParser::new(words.texts))
}

pub(super) fn fields(command: Command) -> Command {
    let fraction = |name, help| flag(name, "FRACTION", help).value_parser(clap::value_parser!(Fraction));
    let place =
        flag("position", "PLACE", "Its place, from 1").value_parser(clap::value_parser!(i64).range(1..));
    let several = |arg: Arg| arg.action(ArgAction::Append);
    let command = command.args([
        words("type", "What it is", PaymentMethodType::WORDS),
        flag("description", "TEXT", "English description; none removes it"),
        several(flag("text", "LOCALE.FIELD=TEXT", "Another text, such as de.name=Karte; none removes it")),
        on_off("new-users", "Whether new customers are offered it"),
        fraction("fee-percent", "Of each payment, such as 0.025"),
        money("min-amount", "Smallest payment"),
        flag("max-amount", "MONEY|none", "Largest payment"),
        flag("charge-currency", "CODE", "What the gateway charges in"),
        words("charge-type", "Who carries the fee", ChargeType::WORDS),
        words("strategy", "How money is noticed", PaymentStrategy::WORDS),
        place,
        on_off("allow-qr-code", "Whether it may have a QR code"),
        on_off("show-qr-code", "Whether customers see the QR code"),
        on_off("user-comment", "Whether customers can write a word"),
        on_off("withdrawals", "Whether customers can be paid by it"),
        money("withdrawal-min", "Smallest withdrawal"),
        flag("withdrawal-max", "MONEY|none", "Largest withdrawal"),
        money("withdrawal-min-fee", "Smallest fee of a withdrawal"),
        fraction("withdrawal-fee-percent", "Of each withdrawal, such as 0.01"),
        several(flag("secret-file", "NAME=FILE", "A secret, such as api_key=key.txt; never shown again")),
        several(flag("forget-secret", "NAME", "Forgets a secret")),
    ]);
    picture::args(picture::args(command, "icon", "no-icon"), "payment-qr-code", "no-payment-qr-code")
}

pub(super) fn input(matches: &ArgMatches, old: Option<&PaymentMethod>) -> Done<PaymentMethodInput> {
    let on = |name: &str| matches.get_one::<String>(name).map(|word| word == "on");
    let many =
        |name: &str| matches.get_many::<String>(name).into_iter().flatten().cloned().collect::<Vec<_>>();
    Ok(PaymentMethodInput {
        name: opt(matches, "name"),
        kind: word(matches, "type"),
        icon: picture::read(matches, "icon", "no-icon")?,
        description: opt::<String>(matches, "description").map(|text| unless_none(&text).to_owned()),
        translations: texts(&many("text"), old)?,
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
            let before = old.map(|old| old.withdrawal_options.clone()).unwrap_or_default();
            let mut options = before.clone();
            options.available_for_withdrawal = on("withdrawals").unwrap_or(before.available_for_withdrawal);
            options.min_amount = opt(matches, "withdrawal-min").unwrap_or(before.min_amount);
            if let Some(most) = bound(matches, "withdrawal-max")?.wish() {
                options.max_amount = most.copied();
            }
            options.min_fee = opt(matches, "withdrawal-min-fee").unwrap_or(before.min_fee);
            options.fee_percent = opt(matches, "withdrawal-fee-percent").unwrap_or(before.fee_percent);
            Some(options).filter(|options| *options != before)
        },
        public_fields: {
            let before = old.map(|old| old.public_fields).unwrap_or_default();
            let mut fields = before;
            fields.is_user_comment = on("user-comment").unwrap_or(before.is_user_comment);
            fields.qr_code = on("show-qr-code").unwrap_or(before.qr_code);
            Some(fields).filter(|fields| *fields != before)
        },
        secrets: many("secret-file").iter().map(|given| secret(given)).collect::<Done<_>>()?,
        remove_secrets: many("forget-secret"),
        updated_at: None,
    })
}

/// An amount, or `none` for no bound.
fn bound(matches: &ArgMatches, name: &str) -> Done<Patch<Money>> {
    match opt::<String>(matches, name).as_deref() {
        None => Ok(Patch::Keep),
        Some("none") => Ok(Patch::Clear),
        Some(given) => given
            .parse()
            .map(Patch::Set)
            .map_err(|_| Failure::usage(format!("--{name} {given}: give an amount, such as 100, or none."))),
    }
}

/// `NAME=FILE`: the file's text without the line end that editors put behind it.
fn secret(given: &str) -> Done<(String, String)> {
    let wrong = |why: &str| Failure::usage(format!("--secret-file {given}: {why}."));
    let (name, file) =
        given.split_once('=').ok_or_else(|| wrong("say NAME=FILE, such as api_key=key.txt"))?;
    let text = std::fs::read_to_string(Path::new(file)).map_err(|error| wrong(&error.to_string()))?;
    match text.trim_end_matches(['\r', '\n']) {
        "" => Err(wrong("the file is empty")),
        text => Ok((name.to_owned(), text.to_owned())),
    }
}

/// All texts after `LOCALE.FIELD=TEXT` were put into what there is.
fn texts(given: &[String], old: Option<&PaymentMethod>) -> Done<Option<Translations>> {
    if given.is_empty() {
        return Ok(None);
    }
    let mut texts = old.map(|old| old.translations.clone()).unwrap_or_default();
    for one in given {
        let wrong = || Failure::usage(format!("--text {one}: say LOCALE.FIELD=TEXT, such as de.name=Karte."));
        let (place, text) = one.split_once('=').ok_or_else(wrong)?;
        let (locale, field) = place.split_once('.').ok_or_else(wrong)?;
        let locale: LocaleCode =
            locale.parse().map_err(|error| Failure::usage(format!("--text {one}: the language {error}.")))?;
        if !["name", "description", "withdrawal_description", "additional_information"].contains(&field) {
            return Err(wrong());
        }
        texts.put(locale.as_str(), field, unless_none(text));
    }
    Ok(Some(texts))
}
