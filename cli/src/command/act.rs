//! Actions on records: one, many, or everything that filters leave, through one confirm and one journal.

use clap::{Arg, ArgMatches, Command};
use panel_client::bulk::action::Action;
use panel_client::bulk::journal;
use panel_client::bulk::report::Report;
use panel_client::bulk::run::{self, About, CHUNK, Ended, MAX_CHUNK};
use panel_client::request::Request;
use panel_contract::amount::Money;
use panel_contract::common::{BulkOutcome, DryRun};
use panel_contract::endpoint::{Endpoint, NoBody, Op};
use panel_contract::ids::{Id, RecordId};
use panel_contract::orders::OrderIds;

use crate::command::confirm::{self, Danger, Question};
use crate::command::ids::Selection;
use crate::command::list::List;
use crate::command::outcome::{Words, check_columns, flags, print, reasons, said_of_costs, tell};
use crate::command::progress::Progress;
use crate::command::{Examples, described, ids};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};

/// An action.
pub(crate) struct Verb {
    /// Such as `cancel`.
    pub(crate) name: &'static str,
    /// Such as `canceled`.
    pub(crate) past: &'static str,
    /// One line.
    pub(crate) about: &'static str,
    /// Whose records.
    pub(crate) list: &'static List,
    /// How bad a slip would be.
    pub(crate) danger: Danger,
    /// The endpoints: for many, and for one.
    pub(crate) reaches: &'static [Op],
    /// Flags that say something of exactly one record.
    pub(crate) of_one: &'static [&'static str],
    /// Adds its own flags.
    pub(crate) args: fn(Command) -> Command,
    /// For many.
    pub(crate) many: fn(&ArgMatches) -> Done<Action>,
    /// For exactly one: a refusal says then what is wrong with that one. None where only the bulk endpoint knows.
    pub(crate) one: fn(&ArgMatches, RecordId) -> Done<Option<Request>>,
    /// Command lines.
    pub(crate) examples: Examples,
}

impl Verb {
    pub(crate) fn command(&self) -> Command {
        let command = (self.args)(described(self.name, self.about, self.examples));
        let command = confirm::args(ids::args(self.list, command)).arg(confirm::count_arg());
        let command = command.arg(
            Arg::new("chunk")
                .long("chunk")
                .value_name("IDS")
                .value_parser(clap::value_parser!(u64).range(1..=MAX_CHUNK as u64))
                .help("Ids of one request [default: 500]"),
        );
        command.arg(
            Arg::new("max-failures")
                .long("max-failures")
                .value_name("COUNT")
                .value_parser(clap::value_parser!(usize))
                .help("Ends after a chunk with which more than so many are skipped; can be resumed"),
        )
    }

    pub(crate) async fn run(&self, ctx: &Ctx, matches: &ArgMatches) -> Done {
        let action = (self.many)(matches)?;
        check_columns(ctx)?;
        confirm::announce(ctx)?;
        let Selection { ids, filter, is_everything } = ids::chosen(ctx, self.list, matches).await?;
        if ids.is_empty() {
            ctx.out.say(&format!("No {} match; nothing to do.", self.list.noun));
            print(ctx, &action.endpoint, None, &Report::default())?;
            return Ok(Exit::Ok);
        }
        let of_one = self.of_one.iter().find(|flag| matches.contains_id(flag));
        if let (Some(flag), true) = (of_one, ids.len() > 1) {
            let (count, noun) = (ids.len(), self.list.noun);
            return Err(Failure::usage(format!("--{flag} is for one id, and there are {count} {noun}.")));
        }
        if confirm::is_dry(matches) {
            // The endpoint for many does not know what the flag says.
            if let ([id], Some(_)) = (ids.as_slice(), of_one) {
                let request = (self.one)(matches, *id)?
                    .ok_or_else(|| Failure::usage("This cannot be rehearsed for one record."))?;
                return self.send_one(ctx, &action, *id, request, DryRun::YES).await;
            }
            let report = self.rehearse(ctx, &action, &ids).await?;
            return self.told(ctx, &action, &Ended { id: None, report, error: None });
        }
        // The endpoint for many would tell of other money than the flag says.
        let rehearses = of_one.is_none();
        self.ask(ctx, matches, &action, &ids, (rehearses, is_everything)).await?;
        if let [id] = ids.as_slice()
            && let Some(request) = (self.one)(matches, *id)?
        {
            return self.send_one(ctx, &action, *id, request, DryRun::NO).await;
        }
        let ended = self.do_many(ctx, matches, &action, &ids, filter).await?;
        let told = self.told(ctx, &action, &ended)?;
        let most = matches.get_one::<usize>("max-failures").copied().unwrap_or(usize::MAX);
        // Not the person ended it: how it went is what counts.
        if told == Exit::Interrupted && ended.report.skipped.len() > most {
            ctx.out.say(&format!("It ended because more than {most} were skipped."));
            return Ok(if ended.report.processed.is_empty() { Exit::Failed } else { Exit::Partial });
        }
        Ok(told)
    }

    async fn rehearse(&self, ctx: &Ctx, action: &Action, ids: &[RecordId]) -> Done<Report> {
        let mut progress = Progress::new(&ctx.out, ids.len());
        let mut show = |report: &Report, total| progress.show(report, total);
        run::rehearse(&ctx.client()?, action, ids, &mut show).await.map_err(flags)
    }

    /// Asks, with what would happen when that cannot be taken back.
    async fn ask(
        &self,
        ctx: &Ctx,
        matches: &ArgMatches,
        action: &Action,
        ids: &[RecordId],
        (rehearses, is_everything): (bool, bool),
    ) -> Done<()> {
        let count = ids.len();
        let noun = if count == 1 { self.list.one } else { self.list.noun };
        let text = format!("{} {count} {noun}?", capital(self.name));
        let will_ask = confirm::will_ask(matches) && crate::output::can_ask();
        let mut danger = self.danger;
        if rehearses && self.danger.needs_care() && will_ask {
            let report = self.rehearse(ctx, action, ids).await?;
            let mut could = format!("{} of {count} can be {}", report.processed.len(), self.past);
            if report.returned != Money::default() {
                could.push_str(&format!(", {} goes back to customers", report.returned));
            }
            if report.charged != Money::default() {
                could.push_str(&format!(", {} is charged to customers, which is final", report.charged));
            }
            if let Some(costs) = &report.costs {
                could.push_str(&format!(", {}", said_of_costs(costs)));
            }
            ctx.out.say(&format!("{could}."));
            ctx.out.say(&reasons(&report));
            danger = tried(danger, &report);
        }
        let unfiltered = is_everything.then_some(self.list.noun);
        confirm::ask(ctx, matches, &Question { text, count, danger, unfiltered }).await
    }

    /// By the endpoint for one record; it reports as a run of many does.
    async fn send_one(
        &self,
        ctx: &Ctx,
        action: &Action,
        id: RecordId,
        request: Request,
        dry_run: DryRun,
    ) -> Done {
        let report = run::one(&ctx.client()?, request, id, dry_run).await.map_err(flags)?;
        self.told(ctx, action, &Ended { id: None, report, error: None })
    }

    async fn do_many(
        &self,
        ctx: &Ctx,
        matches: &ArgMatches,
        action: &Action,
        ids: &[RecordId],
        filter: Option<String>,
    ) -> Done<Ended> {
        let (profile, kept) = ctx.profile()?;
        let about = About {
            profile: Some(profile),
            user: kept.and_then(|profile| profile.user),
            command: ctx.command.clone(),
            filter,
            words: Some(self.words()),
        };
        let chunk = matches.get_one::<u64>("chunk").and_then(|chunk| usize::try_from(*chunk).ok());
        let ids = (ids, chunk.unwrap_or(CHUNK));
        let (client, folder) = (ctx.client()?, ctx.runs()?);
        ctx.interrupt.arm();
        let most = matches.get_one::<usize>("max-failures").copied().unwrap_or(usize::MAX);
        let mut progress = Progress::new(&ctx.out, ids.0.len());
        let mut show = |report: &Report, total| {
            progress.show(report, total);
            if report.skipped.len() > most {
                ctx.interrupt.stop.stop();
            }
        };
        let plan = (action.clone(), about);
        Ok(run::begin(&client, &folder, plan, ids, &ctx.interrupt.stop, &mut show).await?)
    }

    /// What its records are called, and what becomes of them.
    fn words(&self) -> journal::Words {
        Words { one: self.list.one, many: self.list.noun, past: self.past }.owned()
    }

    fn told(&self, ctx: &Ctx, action: &Action, ended: &Ended) -> Done {
        tell(ctx, &self.words(), &action.endpoint, ended)
    }
}

/// The action of a bulk endpoint whose body is nothing but ids under `order_ids`.
pub(crate) fn many<E>(_: &ArgMatches) -> Done<Action>
where
    E: Endpoint<Path = (), Query = DryRun, Body = OrderIds, Answer = BulkOutcome>,
{
    Ok(Action::of::<E>("order_ids", &OrderIds { order_ids: Vec::new() })?)
}

/// The action of an endpoint that takes nothing but one id, for many: a request each.
pub(crate) fn each<E>(_: &ArgMatches) -> Done<Action>
where
    E: Endpoint<Path: Id, Query = DryRun, Body = NoBody>,
{
    Ok(Action::each::<E>(&NoBody {})?)
}

/// The request of an endpoint for one that takes nothing but the id.
pub(crate) fn one<E>(_: &ArgMatches, id: RecordId) -> Done<Option<Request>>
where
    E: Endpoint<Path: Id, Body = NoBody>,
    E::Query: Default,
{
    Ok(Some(Request::of::<E>(id.known_as(), &E::Query::default(), &NoBody {})?))
}

/// How bad a slip would be once it was tried: the panel says what it can undo.
fn tried(danger: Danger, report: &Report) -> Danger {
    let restored = report.undo.iter().map(|offer| offer.records).sum();
    match danger {
        Danger::Final if restored > 0 => {
            Danger::Partly { restored, of: i64::try_from(report.processed.len()).unwrap_or(i64::MAX) }
        }
        danger => danger,
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use panel_contract::common::UndoOffer;

    use super::*;

    #[test]
    fn the_panel_says_what_can_be_taken_back() {
        let offer = |records| UndoOffer { request_id: "r".into(), records };
        let report = Report {
            processed: vec![RecordId::new(1), RecordId::new(2)],
            undo: vec![offer(1)],
            ..Report::default()
        };
        assert_eq!(tried(Danger::Final, &report), Danger::Partly { restored: 1, of: 2 });
        assert!(tried(Danger::Final, &report).needs_care());
        assert_eq!(tried(Danger::Final, &Report { undo: Vec::new(), ..report.clone() }), Danger::Final);
        assert_eq!(tried(Danger::Reversible("x"), &report), Danger::Reversible("x"));
    }
}
