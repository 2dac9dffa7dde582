//! Commands that send one request. Each declares how to build the request, which part of the response to print, and, for a write, how
//! to ask for confirmation.

use std::path::PathBuf;

use clap::builder::TypedValueParser as _;
use clap::{Arg, ArgMatches, Command};
use clap_complete::Shell;
use panel_client::bulk::action::parse_undo_offer;
use panel_client::request::Request;
use panel_contract::amount::{Fraction, Money, Percent};
use panel_contract::common::{LocaleCode, Patch, Translations};
use panel_contract::endpoint::{AccessRule, ConfirmationRule, Endpoint, Op};
use panel_contract::ids::Id;
use panel_contract::moment::{Day, Time};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::command::confirm::{self, Question, Reversibility};
use crate::command::outcome::print_undo_command;
use crate::command::{Examples, command_with_examples};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::output::column::Column;

pub(crate) struct RequestCommand {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) examples: Examples,
    pub(crate) op: Op,
    pub(crate) args: fn(Command) -> Command,
    pub(crate) request: fn(&Ctx, &ArgMatches) -> CommandResult<Request>,
    /// JSON pointer to the part of the response to print, such as `/data`; empty for the whole body.
    pub(crate) json_pointer: &'static str,
    /// Columns to print. If empty, all fields of the record are printed.
    pub(crate) columns: &'static [Column],
    /// Confirmation and success message of a write; `None` for a read.
    pub(crate) write: Option<WriteSpec>,
}

/// How a command that changes data asks for confirmation and reports its success.
pub(crate) struct WriteSpec {
    /// Builds the question, such as `Change the link of order 7?`.
    pub(crate) question: fn(&ArgMatches) -> String,
    pub(crate) reversibility: Reversibility,
    /// Builds the success message, such as `Order 7 has a new link.`
    pub(crate) success: fn(&ArgMatches) -> String,
    /// Whether the endpoint supports a dry run. If not, `--dry-run` prints the request without sending it.
    pub(crate) has_dry_run: bool,
}

/// Default values: no arguments, and the whole record in `data` of the response is printed. Each command sets `name`, `about`, `op`
/// and `request` itself.
pub(crate) const BASE_COMMAND: RequestCommand = RequestCommand {
    name: "",
    about: "",
    examples: &[],
    op: Op {
        area: "",
        id: "",
        method: "",
        path: "",
        access_rule: AccessRule::Public,
        confirmation: ConfirmationRule::Never,
        summary: "",
    },
    args: |command| command,
    request: |_, _| Err(Failure::usage("This command has no request.")),
    json_pointer: "/data",
    columns: &[],
    write: None,
};

impl RequestCommand {
    pub(crate) fn command(&self) -> Command {
        let command = (self.args)(command_with_examples(self.name, self.about, self.examples));
        if self.write.is_some() { confirm::safety_args(command) } else { command }
    }

    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
        self.send(ctx, matches, (self.request)(ctx, matches)?).await
    }

    /// Confirms a write, sends the request, and prints the response.
    pub(crate) async fn send(&self, ctx: &Ctx, matches: &ArgMatches, request: Request) -> CommandResult {
        match self.confirm_and_send(ctx, matches, request).await? {
            Some(response) => self.print_response(ctx, &response),
            None => Ok(Exit::Ok),
        }
    }

    /// Confirms a write and sends the request. Returns `None` if the request was not sent, or the response has no body.
    pub(crate) async fn confirm_and_send(
        &self,
        ctx: &Ctx,
        matches: &ArgMatches,
        mut request: Request,
    ) -> CommandResult<Option<Value>> {
        let is_dry_run = self.write.is_some() && confirm::is_dry_run(matches);
        if let Some(write) = &self.write {
            confirm::announce_target(ctx)?;
            if is_dry_run && !write.has_dry_run {
                ctx.out.print_message(&format!(
                    "Would send {request}. The server has no dry run for this action; nothing was sent."
                ));
                return Ok(None);
            }
            if !is_dry_run {
                let question = Question {
                    text: (write.question)(matches),
                    count: 1,
                    reversibility: write.reversibility,
                    unfiltered_noun: None,
                };
                confirm::ask_confirmation(ctx, matches, &question).await?;
                // The idempotency key from `--key`, if the command has this option, otherwise a new key.
                let key = optional_value::<String>(matches, "key")
                    .unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
                request = request.idempotency_key(key);
            }
        }
        let response = ctx.client()?.request(&request).await;
        let response = response
            .map_err(|error| Failure::from(error).with_field_names(|field| self.argument_of_field(field)))?;
        if let Some(write) = &self.write {
            let prefix = if is_dry_run { "Dry run, nothing changed: " } else { "" };
            ctx.out.print_message(&format!("{prefix}{}", (write.success)(matches)));
        }
        if response.body.is_empty() {
            return Ok(None);
        }
        let response = parse_json(&response.body)?;
        if self.write.is_some() && !is_dry_run {
            print_undo_command(ctx, &parse_undo_offer(&response).into_iter().collect::<Vec<_>>());
        }
        Ok(Some(response))
    }

    /// Returns the argument that sets a field of the body, such as `--order-id`; the field itself if no argument does.
    fn argument_of_field(&self, field: &str) -> String {
        let id = field.replace('_', "-");
        match self.command().get_arguments().find(|arg| arg.get_id().as_str() == id) {
            Some(arg) if arg.is_positional() => id.to_uppercase(),
            Some(_) => format!("--{id}"),
            None => field.to_owned(),
        }
    }

    pub(crate) fn print_response(&self, ctx: &Ctx, response: &Value) -> CommandResult {
        let data = response.pointer(self.json_pointer).unwrap_or(response);
        match data {
            Value::Array(rows) => ctx.out.print_records(rows.clone(), self.columns)?,
            value => ctx.out.print_record(value, self.columns)?,
        }
        Ok(Exit::Ok)
    }
}

/// Builds the request for endpoint `E`.
pub(crate) fn build_request<E: Endpoint>(
    path: E::Path,
    query: &E::Query,
    body: &E::Body,
) -> CommandResult<Request> {
    Ok(Request::for_endpoint::<E>(path, query, body)?)
}

pub(crate) fn parse_json<T: DeserializeOwned>(bytes: &[u8]) -> CommandResult<T> {
    serde_json::from_slice(bytes).map_err(|error| {
        Failure::failed(format!("The server's response could not be parsed: {error}. Check that panelctl and the server have the same version."))
    })
}

/// A type of argument values. clap parses an id as a number, because clap's error then names the allowed range.
pub(crate) trait Argument {
    /// The type that clap parses.
    type Parsed: Clone + Send + Sync + 'static;
    fn from_parsed(parsed: Self::Parsed) -> Self;
}

macro_rules! impl_argument_for_own_type {
    ($($type:ty),+) => { $(
        impl Argument for $type {
            type Parsed = Self;
            fn from_parsed(parsed: Self) -> Self {
                parsed
            }
        }
    )+ };
}
impl_argument_for_own_type!(i64, u64, u32, bool, String, PathBuf, Shell, Money, Fraction, Percent, Time, Day);

macro_rules! impl_argument_for_ids {
    ($($name:ident)+) => { $(
        impl Argument for panel_contract::ids::$name {
            type Parsed = i64;
            fn from_parsed(parsed: i64) -> Self {
                Self::new(parsed)
            }
        }
    )+ };
}
panel_contract::for_each_id!(impl_argument_for_ids);

/// Returns a usage error if the argument is absent.
pub(crate) fn required_value<T: Argument>(matches: &ArgMatches, name: &str) -> CommandResult<T> {
    let parsed = matches.get_one::<T::Parsed>(name).cloned();
    parsed.map(T::from_parsed).ok_or_else(|| Failure::usage(format!("Specify {name}.")))
}

pub(crate) fn optional_value<T: Argument>(matches: &ArgMatches, name: &str) -> Option<T> {
    matches.try_get_one::<T::Parsed>(name).ok().flatten().cloned().map(T::from_parsed)
}

/// All values of an argument that may be repeated.
pub(crate) fn repeated_values<T: Argument>(matches: &ArgMatches, name: &str) -> Vec<T> {
    matches.get_many::<T::Parsed>(name).into_iter().flatten().cloned().map(T::from_parsed).collect()
}

/// The value of an enumeration; `None` if the option is absent. clap has already checked that the value exists.
pub(crate) fn enum_value<T: std::str::FromStr>(matches: &ArgMatches, name: &str) -> Option<T> {
    matches.get_one::<String>(name)?.parse().ok()
}

/// The positional argument `ID`.
pub(crate) fn id_arg() -> Arg {
    Arg::new("id")
        .value_name("ID")
        .value_parser(clap::value_parser!(i64).range(1..))
        .required(true)
        .help("Id of the record")
}

/// The value of [`id_arg`].
pub(crate) fn required_id<I: Id>(matches: &ArgMatches) -> CommandResult<I> {
    required_value::<i64>(matches, "id").map(I::new)
}

/// The value of [`id_arg`] for a message. clap has checked that the value is present, so this never fails.
pub(crate) fn id_for_message(matches: &ArgMatches) -> i64 {
    required_value(matches, "id").unwrap_or_default()
}

pub(crate) fn on_off_arg(name: &'static str) -> Arg {
    let parser = clap::builder::PossibleValuesParser::new(["on", "off"]);
    Arg::new(name)
        .value_name("on|off")
        .hide_possible_values(true)
        .value_parser(parser.map(|text| text == "on"))
}

/// Parses an option that sets a field. The value `none` clears the field; without the option the field is unchanged.
pub(crate) fn parse_value_or_none<T: std::str::FromStr<Err: std::fmt::Display>>(
    matches: &ArgMatches,
    name: &str,
) -> CommandResult<Patch<T>> {
    match matches.get_one::<String>(name).map(String::as_str) {
        None => Ok(Patch::Keep),
        Some("none") => Ok(Patch::Clear),
        Some(text) => match text.parse() {
            Ok(value) => Ok(Patch::Set(value)),
            Err(error) => Err(Failure::usage(format!("--{name}: {text}: {error}."))),
        },
    }
}

/// Parses the texts of an option that is repeated as `LOCALE=TEXT`. `None` if the option is absent.
pub(crate) fn parse_locale_texts(matches: &ArgMatches, name: &str) -> CommandResult<Option<Translations>> {
    let Some(values) = matches.get_many::<String>(name) else { return Ok(None) };
    let mut texts = Translations::default();
    for value in values {
        let invalid_value_failure =
            || Failure::usage(format!("--{name} {value}: expected LOCALE=TEXT, such as --{name} en=Gold."));
        let (locale, text) = value.split_once('=').ok_or_else(invalid_value_failure)?;
        let locale = locale
            .parse::<LocaleCode>()
            .map_err(|error| Failure::usage(format!("--{name} {value}: the language {error}.")))?;
        texts.put(locale.as_str(), name, text);
    }
    Ok(Some(texts))
}
