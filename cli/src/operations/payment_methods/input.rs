//! The options of `payment-methods create` and `update`.

use std::path::Path;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use panel_contract::amount::{Fraction, Money};
use panel_contract::common::{LocaleCode, Patch, Translations};
use panel_contract::payment_methods::{
    ChargeType, PaymentMethod, PaymentMethodInput, PaymentMethodType, PaymentStrategy,
};
use panel_contract::string_enum::EnumValues;

use crate::command::image_args;
use crate::command::request_command::{enum_value, optional_value};
use crate::command::text::empty_if_word_none;
use crate::failure::{CommandResult, Failure};

pub(super) fn option_arg(name: &'static str, value_name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value_name).help(help)
}

fn on_off_arg(name: &'static str, help: &'static str) -> Arg {
    option_arg(name, "on|off", help)
        .value_parser(PossibleValuesParser::new(["on", "off"]))
        .hide_possible_values(true)
}

fn money_arg(name: &'static str, help: &'static str) -> Arg {
    option_arg(name, "MONEY", help).value_parser(clap::value_parser!(Money))
}

fn enum_arg(name: &'static str, help: &'static str, values: EnumValues) -> Arg {
    option_arg(name, "VALUE", help).value_parser(PossibleValuesParser::new(values.texts))
}

pub(super) fn payment_method_args(command: Command) -> Command {
    let fraction_arg =
        |name, help| option_arg(name, "FRACTION", help).value_parser(clap::value_parser!(Fraction));
    let position = option_arg("position", "POSITION", "Position in the list, from 1")
        .value_parser(clap::value_parser!(i64).range(1..));
    let make_repeatable = |arg: Arg| arg.action(ArgAction::Append);
    let command = command.args([
        enum_arg("type", "Type of the payment method", PaymentMethodType::VALUES),
        option_arg("description", "TEXT", "English description, or none to remove it"),
        make_repeatable(option_arg(
            "text",
            "LOCALE.FIELD=TEXT",
            "Text in another language, such as de.name=Karte, or none to remove it",
        )),
        on_off_arg("new-users", "Offer the payment method to new customers"),
        fraction_arg("fee-fraction", "Fee on each payment as a fraction, such as 0.025"),
        money_arg("min-amount", "Smallest payment"),
        option_arg("max-amount", "MONEY|none", "Largest payment"),
        option_arg("charge-currency", "CODE", "Currency that the gateway charges"),
        enum_arg("charge-type", "Who pays the fee: on_top (the customer pays it in addition) or deducted (it is deducted from the amount)", ChargeType::VALUES),
        enum_arg("strategy", "How incoming payments are detected", PaymentStrategy::VALUES),
        position,
        on_off_arg("allow-qr-code", "The payment method supports a QR code; --show-qr-code shows it"),
        on_off_arg("show-qr-code", "Show the QR code to customers"),
        on_off_arg("user-comment", "Let customers add a comment"),
        on_off_arg("withdrawals", "Allow withdrawals with the payment method"),
        money_arg("withdrawal-min", "Smallest withdrawal"),
        option_arg("withdrawal-max", "MONEY|none", "Largest withdrawal"),
        money_arg("withdrawal-min-fee", "Smallest fee of a withdrawal"),
        fraction_arg("withdrawal-fee-fraction", "Fee on each withdrawal as a fraction, such as 0.01"),
        make_repeatable(option_arg(
            "secret-file",
            "NAME=FILE",
            "Secret from a file, such as api_key=key.txt; the secret is never shown again",
        )),
        make_repeatable(option_arg("forget-secret", "NAME", "Delete a secret")),
    ]);
    image_args::add(image_args::add(command, "icon", "no-icon"), "payment-qr-code", "no-payment-qr-code")
}

pub(super) fn read_input(
    matches: &ArgMatches,
    current_method: Option<&PaymentMethod>,
) -> CommandResult<PaymentMethodInput> {
    let is_on = |name: &str| matches.get_one::<String>(name).map(|text| text == "on");
    let read_values =
        |name: &str| matches.get_many::<String>(name).into_iter().flatten().cloned().collect::<Vec<_>>();
    Ok(PaymentMethodInput {
        name: optional_value(matches, "name"),
        kind: enum_value(matches, "type"),
        icon: image_args::read(matches, "icon", "no-icon")?,
        description: optional_value::<String>(matches, "description")
            .map(|text| empty_if_word_none(&text).to_owned()),
        translations: merge_texts(&read_values("text"), current_method)?,
        is_enabled: None,
        is_allowed_for_new_user: is_on("new-users"),
        fee_fraction: optional_value(matches, "fee-fraction"),
        min_amount: optional_value(matches, "min-amount"),
        max_amount: read_limit_or_none(matches, "max-amount")?,
        charge_currency: optional_value(matches, "charge-currency"),
        charge_type: enum_value(matches, "charge-type"),
        strategy: enum_value(matches, "strategy"),
        position: optional_value(matches, "position"),
        allow_qr_code: is_on("allow-qr-code"),
        payment_qr_code: image_args::read(matches, "payment-qr-code", "no-payment-qr-code")?,
        withdrawal_options: {
            let current_options =
                current_method.map(|method| method.withdrawal_options.clone()).unwrap_or_default();
            let mut options = current_options.clone();
            options.available_for_withdrawal =
                is_on("withdrawals").unwrap_or(current_options.available_for_withdrawal);
            options.min_amount =
                optional_value(matches, "withdrawal-min").unwrap_or(current_options.min_amount);
            if let Some(max_amount) = read_limit_or_none(matches, "withdrawal-max")?.as_update() {
                options.max_amount = max_amount.copied();
            }
            options.min_fee =
                optional_value(matches, "withdrawal-min-fee").unwrap_or(current_options.min_fee);
            options.fee_fraction =
                optional_value(matches, "withdrawal-fee-fraction").unwrap_or(current_options.fee_fraction);
            Some(options).filter(|options| *options != current_options)
        },
        public_fields: {
            let current_fields = current_method.map(|method| method.public_fields).unwrap_or_default();
            let mut fields = current_fields;
            fields.is_user_comment = is_on("user-comment").unwrap_or(current_fields.is_user_comment);
            fields.qr_code = is_on("show-qr-code").unwrap_or(current_fields.qr_code);
            Some(fields).filter(|fields| *fields != current_fields)
        },
        secrets: read_values("secret-file")
            .iter()
            .map(|pair| read_secret(pair))
            .collect::<CommandResult<_>>()?,
        remove_secrets: read_values("forget-secret"),
        updated_at: None,
    })
}

/// Parses an option with an amount; `none` removes the limit.
fn read_limit_or_none(matches: &ArgMatches, name: &str) -> CommandResult<Patch<Money>> {
    match optional_value::<String>(matches, name).as_deref() {
        None => Ok(Patch::Keep),
        Some("none") => Ok(Patch::Clear),
        Some(text) => text.parse().map(Patch::Set).map_err(|_| {
            Failure::usage(format!("--{name} {text}: specify an amount, such as 100, or none."))
        }),
    }
}

/// Reads the file of `NAME=FILE`. Removes trailing line breaks, which editors add.
fn read_secret(pair: &str) -> CommandResult<(String, String)> {
    let usage_error = |problem: &str| Failure::usage(format!("--secret-file {pair}: {problem}."));
    let (name, file) =
        pair.split_once('=').ok_or_else(|| usage_error("expected NAME=FILE, such as api_key=key.txt"))?;
    let text = std::fs::read_to_string(Path::new(file)).map_err(|error| usage_error(&error.to_string()))?;
    match text.trim_end_matches(['\r', '\n']) {
        "" => Err(usage_error("the file is empty")),
        text => Ok((name.to_owned(), text.to_owned())),
    }
}

/// Applies the changes of `LOCALE.FIELD=TEXT` to the current texts. `None` without changes.
fn merge_texts(
    changes: &[String],
    current_method: Option<&PaymentMethod>,
) -> CommandResult<Option<Translations>> {
    if changes.is_empty() {
        return Ok(None);
    }
    let mut texts = current_method.map(|method| method.translations.clone()).unwrap_or_default();
    for change in changes {
        let usage_error =
            || Failure::usage(format!("--text {change}: expected LOCALE.FIELD=TEXT, such as de.name=Karte."));
        let (key, text) = change.split_once('=').ok_or_else(usage_error)?;
        let (locale, field) = key.split_once('.').ok_or_else(usage_error)?;
        let locale: LocaleCode = locale
            .parse()
            .map_err(|error| Failure::usage(format!("--text {change}: the language {error}.")))?;
        if !["name", "description", "withdrawal_description", "additional_information"].contains(&field) {
            return Err(usage_error());
        }
        texts.put(locale.as_str(), field, empty_if_word_none(text));
    }
    Ok(Some(texts))
}
