//! One request: what is asked, where the data stands in the answer, and, for a write, what to ask before.

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
use crate::command::outcome::say_undo;
use crate::command::{Examples, described};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::column::Column;

/// A command that is one request.
pub(crate) struct Call {
    /// Its name.
    pub(crate) name: &'static str,
    /// One line.
    pub(crate) about: &'static str,
    /// Command lines.
    pub(crate) examples: Examples,
    /// The endpoint.
    pub(crate) op: Op,
    /// Adds its arguments.
    pub(crate) args: fn(Command) -> Command,
    /// What is asked.
    pub(crate) request: fn(&Ctx, &ArgMatches) -> Done<Request>,
    /// Where the data stands in the answer, such as `/data`; empty for all of it.
    pub(crate) at: &'static str,
    /// Columns of the data; for a card everything when empty.
    pub(crate) columns: &'static [Column],
    /// What a write asks and says; none for a read.
    pub(crate) write: Option<Write>,
}

/// The words of a write.
pub(crate) struct Write {
    /// Such as `Change the address of order 7?`.
    pub(crate) question: fn(&ArgMatches) -> String,
    /// How bad a slip would be.
    pub(crate) danger: Danger,
    /// Such as `Order 7 has another address.`.
    pub(crate) said: fn(&ArgMatches) -> String,
    /// Whether the endpoint can rehearse. One that cannot shows its request instead.
    pub(crate) rehearses: bool,
}

impl Call {
    pub(crate) fn command(&self) -> Command {
        let command = (self.args)(described(self.name, self.about, self.examples));
        if self.write.is_some() { confirm::args(command) } else { command }
    }

    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> Done {
        self.send(ctx, matches, (self.request)(ctx, matches)?).await
    }

    /// Asks what a write asks, sends, and shows the answer.
    pub(crate) async fn send(&self, ctx: &Ctx, matches: &ArgMatches, request: Request) -> Done {
        match self.answer(ctx, matches, request).await? {
            Some(answer) => self.show(ctx, &answer),
            None => Ok(Exit::Ok),
        }
    }

    /// Asks what a write asks, and sends; the answer, none where nothing was sent or the answer has no body.
    pub(crate) async fn answer(
        &self,
        ctx: &Ctx,
        matches: &ArgMatches,
        mut request: Request,
    ) -> Done<Option<Value>> {
        let dry = self.write.is_some() && confirm::is_dry(matches);
        if let Some(write) = &self.write {
            confirm::announce(ctx)?;
            if dry && !write.rehearses {
                ctx.out
                    .say(&format!("Would send {request}. The panel cannot rehearse this; nothing was sent."));
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
                // Where there is such a flag, the person's own key wins.
                let key = opt::<String>(matches, "key").unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
                request = request.idempotency_key(key);
            }
        }
        let answer = ctx.client()?.request(&request).await;
        let answer = answer.map_err(|error| Failure::from(error).naming(|field| self.name_field(field)))?;
        if let Some(write) = &self.write {
            let dry = if dry { "Not done (dry run): " } else { "" };
            ctx.out.say(&format!("{dry}{}", (write.said)(matches)));
        }
        if answer.body.is_empty() {
            return Ok(None);
        }
        let answer = json(&answer.body)?;
        if self.write.is_some() && !dry {
            say_undo(ctx, &offer_of(&answer).into_iter().collect::<Vec<_>>());
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

    /// Shows the data of an answer.
    pub(crate) fn show(&self, ctx: &Ctx, answer: &Value) -> Done {
        let data = answer.pointer(self.at).unwrap_or(answer);
        match data {
            Value::Array(rows) => ctx.out.records(rows.clone(), self.columns)?,
            value => ctx.out.record(value, self.columns)?,
        }
        Ok(Exit::Ok)
    }
}

/// The request that calling `E` makes.
pub(crate) fn of<E: Endpoint>(path: E::Path, query: &E::Query, body: &E::Body) -> Done<Request> {
    Ok(Request::of::<E>(path, query, body)?)
}

/// Reads an answer.
pub(crate) fn json<T: DeserializeOwned>(bytes: &[u8]) -> Done<T> {
    serde_json::from_slice(bytes).map_err(|error| {
        Failure::failed(format!("The answer is not what this program understands: {error}."))
    })
}

/// What an argument may be: clap parses an id as a number, and says in its own words what is wrong with it.
pub(crate) trait Argument {
    /// What clap made of the text.
    type Parsed: Clone + Send + Sync + 'static;
    /// The value.
    fn of(parsed: Self::Parsed) -> Self;
}

macro_rules! plain_arguments {
    ($($kind:ty),+) => { $(
        impl Argument for $kind {
            type Parsed = Self;
            fn of(parsed: Self) -> Self {
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
            fn of(parsed: i64) -> Self {
                Self::new(parsed)
            }
        }
    )+ };
}
panel_contract::for_each_id!(id_arguments);

/// A required argument of a parsed type.
pub(crate) fn arg<T: Argument>(matches: &ArgMatches, name: &str) -> Done<T> {
    let parsed = matches.get_one::<T::Parsed>(name).cloned();
    parsed.map(T::of).ok_or_else(|| Failure::usage(format!("Say {name}.")))
}

/// An optional argument of a parsed type.
pub(crate) fn opt<T: Argument>(matches: &ArgMatches, name: &str) -> Option<T> {
    matches.try_get_one::<T::Parsed>(name).ok().flatten().cloned().map(T::of)
}

/// An argument that may be repeated.
pub(crate) fn every<T: Argument>(matches: &ArgMatches, name: &str) -> Vec<T> {
    matches.get_many::<T::Parsed>(name).into_iter().flatten().cloned().map(T::of).collect()
}

/// A required word of a closed set, which the command line has checked already.
pub(crate) fn word<W: std::str::FromStr>(matches: &ArgMatches, name: &str) -> Option<W> {
    matches.get_one::<String>(name)?.parse().ok()
}

/// `ID`, exactly one.
pub(crate) fn id_arg() -> Arg {
    Arg::new("id")
        .value_name("ID")
        .value_parser(clap::value_parser!(i64).range(1..))
        .required(true)
        .help("Its id")
}

/// The value of `id_arg`.
pub(crate) fn id<I: Id>(matches: &ArgMatches) -> Done<I> {
    arg::<i64>(matches, "id").map(I::new)
}

/// The same for a sentence, where the command line has checked that it is there.
pub(crate) fn given_id(matches: &ArgMatches) -> i64 {
    arg(matches, "id").unwrap_or_default()
}

/// `on` or `off`.
pub(crate) fn on_off_arg(name: &'static str) -> Arg {
    let words = clap::builder::PossibleValuesParser::new(["on", "off"]);
    Arg::new(name)
        .value_name("on|off")
        .hide_possible_values(true)
        .value_parser(words.map(|word| word == "on"))
}

/// A flag that sets, or clears with `none`.
pub(crate) fn wish<T: std::str::FromStr<Err: std::fmt::Display>>(
    matches: &ArgMatches,
    name: &str,
) -> Done<Patch<T>> {
    match matches.get_one::<String>(name).map(String::as_str) {
        None => Ok(Patch::Keep),
        Some("none") => Ok(Patch::Clear),
        Some(text) => match text.parse() {
            Ok(value) => Ok(Patch::Set(value)),
            Err(error) => Err(Failure::usage(format!("--{name}: {text}: {error}."))),
        },
    }
}

/// Texts by language, of a flag that is given as `LOCALE=TEXT`, once for each; none when it is not given.
pub(crate) fn by_language(matches: &ArgMatches, name: &str) -> Done<Option<Translations>> {
    let Some(given) = matches.get_many::<String>(name) else { return Ok(None) };
    let mut texts = Translations::default();
    for said in given {
        let wrong = || {
            Failure::usage(format!("--{name} {said}: say --{name} LOCALE=TEXT, such as --{name} en=Gold."))
        };
        let (locale, text) = said.split_once('=').ok_or_else(wrong)?;
        let locale = locale
            .parse::<LocaleCode>()
            .map_err(|error| Failure::usage(format!("--{name} {said}: the language {error}.")))?;
        texts.put(locale.as_str(), name, text);
    }
    Ok(Some(texts))
}
