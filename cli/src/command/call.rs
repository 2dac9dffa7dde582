//! Commands that send one request: how to build it, where its data is in the response, and, for a write, what to confirm.

use std::path::PathBuf;

use clap::builder::TypedValueParser as _;
use clap::{Arg, ArgMatches, Command};
use clap_complete::Shell;
use panel_client::bulk::action::offer_of;
use panel_client::request::Request;
use panel_contract::amount::{Fraction, Money, Percent};
use panel_contract::common::{LocaleCode, Patch, Translations};
use panel_contract::endpoint::{Endpoint, Op};
use panel_contract::ids::Id;
use panel_contract::moment::{Day, Time};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::command::confirm::{self, Danger, Question};
use crate::command::outcome::print_undo;
use crate::command::{Examples, described};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};
use crate::output::column::Column;

pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) examples: Examples,
    pub(crate) op: Op,
    /// Adds its arguments.
    pub(crate) args: fn(Command) -> Command,
    pub(crate) request: fn(&Ctx, &ArgMatches) -> CmdResult<Request>,
    /// JSON pointer to the data in the response, such as `/data`; empty for the whole body.
    pub(crate) pointer: &'static str,
    /// Columns to show. Empty means all fields of a record.
    pub(crate) columns: &'static [Column],
    /// Confirmation and success message of a write; none for a read.
    pub(crate) write: Option<Write>,
}

pub(crate) struct Write {
    /// Such as `Change the link of order 7?`.
    pub(crate) question: fn(&ArgMatches) -> String,
    pub(crate) danger: Danger,
    /// Printed after success, such as `Order 7 has a new link.`
    pub(crate) success: fn(&ArgMatches) -> String,
    /// Whether the endpoint supports a dry run. If not, `--dry-run` prints the request without sending it.
    pub(crate) has_dry_run: bool,
}

impl Call {
    pub(crate) fn command(&self) -> Command {
        let command = (self.args)(described(self.name, self.about, self.examples));
        if self.write.is_some() { confirm::args(command) } else { command }
    }

    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
        self.send(ctx, matches, (self.request)(ctx, matches)?).await
    }

    /// Confirms a write, sends the request, and shows the response.
    pub(crate) async fn send(&self, ctx: &Ctx, matches: &ArgMatches, request: Request) -> CmdResult {
        match self.answer(ctx, matches, request).await? {
            Some(answer) => self.show(ctx, &answer),
            None => Ok(Exit::Ok),
        }
    }

    /// Confirms a write and sends the request. Returns the response, or none if nothing was sent or the response has no body.
    pub(crate) async fn answer(
        &self,
        ctx: &Ctx,
        matches: &ArgMatches,
        mut request: Request,
    ) -> CmdResult<Option<Value>> {
        let dry = self.write.is_some() && confirm::is_dry(matches);
        if let Some(write) = &self.write {
            confirm::announce(ctx)?;
            if dry && !write.has_dry_run {
                ctx.out.print_message(&format!(
                    "Would send {request}. The panel has no dry run for this action; nothing was sent."
                ));
                return Ok(None);
            }
            if !dry {
                let question = Question {
                    text: (write.question)(matches),
                    count: 1,
                    danger: write.danger,
                    unfiltered: None,
                };
                confirm::ask(ctx, matches, &question).await?;
                // A key of the user's own takes precedence.
                let key = opt::<String>(matches, "key").unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
                request = request.idempotency_key(key);
            }
        }
        let answer = ctx.client()?.request(&request).await;
        let answer =
            answer.map_err(|error| Failure::from(error).with_field_names(|field| self.name_field(field)))?;
        if let Some(write) = &self.write {
            let dry = if dry { "Dry run, nothing changed: " } else { "" };
            ctx.out.print_message(&format!("{dry}{}", (write.success)(matches)));
        }
        if answer.body.is_empty() {
            return Ok(None);
        }
        let answer = json(&answer.body)?;
        if self.write.is_some() && !dry {
            print_undo(ctx, &offer_of(&answer).into_iter().collect::<Vec<_>>());
        }
        Ok(Some(answer))
    }

    /// Names a field of the body as the command line does.
    fn name_field(&self, field: &str) -> String {
        let id = field.replace('_', "-");
        match self.command().get_arguments().find(|arg| arg.get_id().as_str() == id) {
            Some(arg) if arg.is_positional() => id.to_uppercase(),
            Some(_) => format!("--{id}"),
            None => field.to_owned(),
        }
    }

    /// Shows the data of a response.
    pub(crate) fn show(&self, ctx: &Ctx, answer: &Value) -> CmdResult {
        let data = answer.pointer(self.pointer).unwrap_or(answer);
        match data {
            Value::Array(rows) => ctx.out.records(rows.clone(), self.columns)?,
            value => ctx.out.record(value, self.columns)?,
        }
        Ok(Exit::Ok)
    }
}

/// The request for endpoint `E`.
pub(crate) fn of<E: Endpoint>(path: E::Path, query: &E::Query, body: &E::Body) -> CmdResult<Request> {
    Ok(Request::of::<E>(path, query, body)?)
}

/// Parses the body of a response.
pub(crate) fn json<T: DeserializeOwned>(bytes: &[u8]) -> CmdResult<T> {
    serde_json::from_slice(bytes).map_err(|error| {
        Failure::failed(format!("The panel's response could not be parsed: {error}. Check that panelctl and the panel have the same version."))
    })
}

/// A type that an argument can have. clap parses an id as a number, and its error names the allowed range.
pub(crate) trait Argument {
    /// The type that clap parses.
    type Parsed: Clone + Send + Sync + 'static;
    fn from_parsed(parsed: Self::Parsed) -> Self;
}

macro_rules! plain_arguments {
    ($($kind:ty),+) => { $(
        impl Argument for $kind {
            type Parsed = Self;
            fn from_parsed(parsed: Self) -> Self {
                parsed
            }
        }
    )+ };
}
plain_arguments!(i64, u64, u32, bool, String, PathBuf, Shell, Money, Fraction, Percent, Time, Day);

macro_rules! id_arguments {
    ($($name:ident)+) => { $(
        impl Argument for panel_contract::ids::$name {
            type Parsed = i64;
            fn from_parsed(parsed: i64) -> Self {
                Self::new(parsed)
            }
        }
    )+ };
}
panel_contract::for_each_id!(id_arguments);

/// A required argument.
pub(crate) fn arg<T: Argument>(matches: &ArgMatches, name: &str) -> CmdResult<T> {
    let parsed = matches.get_one::<T::Parsed>(name).cloned();
    parsed.map(T::from_parsed).ok_or_else(|| Failure::usage(format!("Specify {name}.")))
}

/// An optional argument.
pub(crate) fn opt<T: Argument>(matches: &ArgMatches, name: &str) -> Option<T> {
    matches.try_get_one::<T::Parsed>(name).ok().flatten().cloned().map(T::from_parsed)
}

/// All values of an argument that may be repeated.
pub(crate) fn repeated<T: Argument>(matches: &ArgMatches, name: &str) -> Vec<T> {
    matches.get_many::<T::Parsed>(name).into_iter().flatten().cloned().map(T::from_parsed).collect()
}

/// A value of a closed set, which clap has checked already.
pub(crate) fn word<W: std::str::FromStr>(matches: &ArgMatches, name: &str) -> Option<W> {
    matches.get_one::<String>(name)?.parse().ok()
}

/// `ID`, exactly one.
pub(crate) fn id_arg() -> Arg {
    Arg::new("id")
        .value_name("ID")
        .value_parser(clap::value_parser!(i64).range(1..))
        .required(true)
        .help("Id of the record")
}

/// The value of `id_arg`.
pub(crate) fn id<I: Id>(matches: &ArgMatches) -> CmdResult<I> {
    arg::<i64>(matches, "id").map(I::new)
}

/// The id for use in messages; clap has checked that it is present.
pub(crate) fn id_value(matches: &ArgMatches) -> i64 {
    arg(matches, "id").unwrap_or_default()
}

pub(crate) fn on_off_arg(name: &'static str) -> Arg {
    let words = clap::builder::PossibleValuesParser::new(["on", "off"]);
    Arg::new(name)
        .value_name("on|off")
        .hide_possible_values(true)
        .value_parser(words.map(|word| word == "on"))
}

/// An option that sets a field, or clears it with `none`.
pub(crate) fn patch_arg<T: std::str::FromStr<Err: std::fmt::Display>>(
    matches: &ArgMatches,
    name: &str,
) -> CmdResult<Patch<T>> {
    match matches.get_one::<String>(name).map(String::as_str) {
        None => Ok(Patch::Keep),
        Some("none") => Ok(Patch::Clear),
        Some(text) => match text.parse() {
            Ok(value) => Ok(Patch::Set(value)),
            Err(error) => Err(Failure::usage(format!("--{name}: {text}: {error}."))),
        },
    }
}

/// Texts by language, of an option that is repeated as `LOCALE=TEXT`; none if the option is absent.
pub(crate) fn locale_texts(matches: &ArgMatches, name: &str) -> CmdResult<Option<Translations>> {
    let Some(values) = matches.get_many::<String>(name) else { return Ok(None) };
    let mut texts = Translations::default();
    for value in values {
        let wrong =
            || Failure::usage(format!("--{name} {value}: expected LOCALE=TEXT, such as --{name} en=Gold."));
        let (locale, text) = value.split_once('=').ok_or_else(wrong)?;
        let locale = locale
            .parse::<LocaleCode>()
            .map_err(|error| Failure::usage(format!("--{name} {value}: the language {error}.")))?;
        texts.put(locale.as_str(), name, text);
    }
    Ok(Some(texts))
}
