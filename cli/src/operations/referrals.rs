//! `referrals`: prints the spending of referred customers and the commissions of affiliates.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::endpoint::{EmptyBody, Endpoint as _};
use panel_contract::endpoints::referrals::GetReferralStatistics;
use panel_contract::moment::{DAY_MICROS, Day};
use panel_contract::referrals::{ReferralGroup, ReferralQuery};

use crate::command::call::{Call, enum_value, optional_value, request_for};
use crate::command::{Cmd, CommandGroup, times};
use crate::ctx::Ctx;
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "referrals",
    alias: Some("referral"),
    about: "Show referral statistics",
    commands: &[Cmd::Call(&STATS)],
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
    args: add_args,
    request: statistics_request,
    pointer: "/data/rows",
    columns: &[
        Column::new("date", Kind::Time),
        Column::new("affiliate.email", Kind::Text).with_title("affiliate"),
        Column::new("referral.email", Kind::Text).with_title("referral"),
        Column::new("referrals", Kind::Number).with_title("new"),
        Column::new("orders", Kind::Number),
        Column::new("cost", Kind::Number),
        Column::new("refunded", Kind::Number),
        Column::new("commission", Kind::Number),
        Column::hidden("affiliate.id", Kind::Id),
        Column::hidden("referral.id", Kind::Id),
    ],
    write: None,
};

fn add_args(command: Command) -> Command {
    let groups = PossibleValuesParser::new(ReferralGroup::VALUES.texts);
    let option_arg = |flag: &'static str, value: &'static str, help: &'static str| {
        Arg::new(flag).long(flag).value_name(value).help(help)
    };
    command.args([
        option_arg("by", "GROUP", "Group rows by this [default: day]").value_parser(groups),
        option_arg("from", "DAY", "First day, such as 2026-11-01 or 90d [default: 30 days before the last]"),
        option_arg("to", "DAY", "Last day [default: today]"),
        option_arg("affiliates", "IDS", "Only these affiliates, separated by commas"),
        option_arg("referrals", "IDS", "Only these referrals, separated by commas"),
    ])
}

fn statistics_request(ctx: &Ctx, matches: &ArgMatches) -> CmdResult<Request> {
    let day = |flag: &str| {
        let Some(text) = matches.get_one::<String>(flag) else { return Ok(None) };
        let time = times::parse_time(text, ctx.now());
        let time = time.map_err(|error| Failure::usage(format!("--{flag}: {error}.")))?;
        Ok::<_, Failure>(Some(Day(time.0.div_euclid(DAY_MICROS))))
    };
    let query = ReferralQuery {
        affiliates: optional_value(matches, "affiliates"),
        referrals: optional_value(matches, "referrals"),
        group_by: enum_value(matches, "by"),
        start_date: day("from")?,
        end_date: day("to")?,
    };
    request_for::<GetReferralStatistics>((), &query, &EmptyBody {})
}
