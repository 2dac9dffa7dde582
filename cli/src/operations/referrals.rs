//! Referral statistics: spending of referrals and commissions of affiliates.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::endpoint::{EmptyBody, Endpoint as _};
use panel_contract::endpoints::referrals::GetReferralStatistics;
use panel_contract::moment::{DAY_MICROS, Day};
use panel_contract::referrals::{ReferralGroup, ReferralQuery};

use crate::command::call::{Call, of, opt, word};
use crate::command::{Cmd, Noun, times};
use crate::ctx::Ctx;
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};

pub(crate) const NOUN: Noun = Noun {
    name: "referrals",
    alias: Some("referral"),
    about: "Show referral statistics",
    verbs: &[Cmd::Call(&STATS)],
};

const STATS: Call = Call {
    name: "stats",
    about: "Show spending of referrals and commissions by day, week, month, affiliate or referral",
    examples: &[
        ("referrals stats", "show the last 30 days"),
        ("referrals stats --by affiliate --from 2026-01-01 -o csv", "export this year's affiliates"),
        ("referrals stats --by referral --affiliates 42", "show the referrals of one affiliate"),
    ],
    op: GetReferralStatistics::OP,
    args,
    request,
    pointer: "/data/rows",
    columns: &[
        Column::new("date", Kind::Time),
        Column::new("affiliate.email", Kind::Text).titled("affiliate"),
        Column::new("referral.email", Kind::Text).titled("referral"),
        Column::new("referrals", Kind::Number).titled("new"),
        Column::new("orders", Kind::Number),
        Column::new("cost", Kind::Number),
        Column::new("refunded", Kind::Number),
        Column::new("commission", Kind::Number),
        Column::extra("affiliate.id", Kind::Id),
        Column::extra("referral.id", Kind::Id),
    ],
    write: None,
};

fn args(command: Command) -> Command {
    let words = PossibleValuesParser::new(ReferralGroup::VALUES.texts);
    let text = |flag: &'static str, value: &'static str, help: &'static str| {
        Arg::new(flag).long(flag).value_name(value).help(help)
    };
    command.args([
        text("by", "GROUP", "Group rows by this [default: day]").value_parser(words),
        text("from", "DAY", "First day, such as 2026-11-01 or 90d [default: 30 days before the last]"),
        text("to", "DAY", "Last day [default: today]"),
        text("affiliates", "IDS", "Only these affiliates, separated by commas"),
        text("referrals", "IDS", "Only these referrals, separated by commas"),
    ])
}

fn request(ctx: &Ctx, matches: &ArgMatches) -> CmdResult<Request> {
    let day = |flag: &str| {
        let Some(text) = matches.get_one::<String>(flag) else { return Ok(None) };
        let time = times::moment(text, ctx.now());
        let time = time.map_err(|error| Failure::usage(format!("--{flag}: {error}.")))?;
        Ok::<_, Failure>(Some(Day(time.0.div_euclid(DAY_MICROS))))
    };
    let query = ReferralQuery {
        affiliates: opt(matches, "affiliates"),
        referrals: opt(matches, "referrals"),
        group_by: word(matches, "by"),
        start_date: day("from")?,
        end_date: day("to")?,
    };
    of::<GetReferralStatistics>((), &query, &EmptyBody {})
}
