//! `referrals`: prints the spending of referred customers and the commissions of affiliates.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::endpoint::{EmptyBody, Endpoint as _};
use panel_contract::endpoints::referrals::GetReferralStatistics;
use panel_contract::moment::{DAY_MICROS, Day};
use panel_contract::referrals::{ReferralGroup, ReferralQuery};

use crate::command::request_command::{RequestCommand, build_request, enum_value, optional_value};
use crate::command::{CommandGroup, CommandSpec, times};
use crate::ctx::Ctx;
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "referrals",
    alias: Some("referral"),
    about: "Show statistics of affiliates and their referred customers",
    commands: &[CommandSpec::Request(&STATS)],
};

const STATS: RequestCommand = RequestCommand {
    name: "stats",
    about: "Show spending of referred customers and commissions by day, week, month, affiliate or referred customer",
    examples: &[
        ("referrals stats", "show the last 30 days"),
        ("referrals stats --by affiliate --from 2026-01-01 -o csv", "export this year's affiliates"),
        ("referrals stats --by referral --affiliates 42", "show the referrals of one affiliate"),
    ],
    op: GetReferralStatistics::OP,
    args: stats_args,
    request: build_statistics_request,
    json_pointer: "/data/rows",
    columns: &[
        Column::new("date", DisplayKind::Time),
        Column::new("affiliate.email", DisplayKind::Text).with_title("affiliate"),
        Column::new("referral.email", DisplayKind::Text).with_title("referral"),
        Column::new("referrals", DisplayKind::Number).with_title("new"),
        Column::new("orders", DisplayKind::Number),
        Column::new("cost", DisplayKind::Number),
        Column::new("refunded", DisplayKind::Number),
        Column::new("commission", DisplayKind::Number),
        Column::hidden("affiliate.id", DisplayKind::Id),
        Column::hidden("referral.id", DisplayKind::Id),
    ],
    write: None,
};

fn stats_args(command: Command) -> Command {
    let group_parser = PossibleValuesParser::new(ReferralGroup::VALUES.texts);
    let option_arg = |flag: &'static str, value_name: &'static str, help: &'static str| {
        Arg::new(flag).long(flag).value_name(value_name).help(help)
    };
    command.args([
        option_arg("by", "GROUP", "How to group the rows [default: day]").value_parser(group_parser),
        option_arg(
            "from",
            "DAY",
            "First day, such as 2026-11-01 or 90d [default: 30 days before the last day]",
        ),
        option_arg("to", "DAY", "Last day [default: today]"),
        option_arg("affiliates", "IDS", "Only these affiliates, separated by commas"),
        option_arg("referrals", "IDS", "Only these referred customers, by ids separated by commas"),
    ])
}

fn build_statistics_request(ctx: &Ctx, matches: &ArgMatches) -> CommandResult<Request> {
    let parse_day = |flag: &str| {
        let Some(text) = matches.get_one::<String>(flag) else { return Ok(None) };
        let time = times::parse_time(text, ctx.now());
        let time = time.map_err(|error| Failure::usage(format!("--{flag}: {error}.")))?;
        Ok::<_, Failure>(Some(Day(time.0.div_euclid(DAY_MICROS))))
    };
    let query = ReferralQuery {
        affiliates: optional_value(matches, "affiliates"),
        referrals: optional_value(matches, "referrals"),
        group_by: enum_value(matches, "by"),
        start_date: parse_day("from")?,
        end_date: parse_day("to")?,
    };
    build_request::<GetReferralStatistics>((), &query, &EmptyBody {})
}
