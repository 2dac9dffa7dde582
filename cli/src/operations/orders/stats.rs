//! `orders stats`: orders and money per day, week or month, with a bar chart on a terminal.

use clap::{Arg, ArgMatches, Command};
use panel_contract::endpoint::{EmptyBody, Endpoint as _};
use panel_contract::endpoints::orders::OrderStatistics;
use panel_contract::moment::{DAY_MICROS, Day};
use panel_contract::orders::{GroupBy, StatisticsQuery, StatisticsRow};
use serde_json::Value;

use crate::command::request_command::{enum_value, optional_value};
use crate::command::{CustomCommand, times};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::output::Format;
use crate::output::chart::draw_bar;
use crate::output::column::{Column, DisplayKind};

pub(crate) const STATS: CustomCommand = CustomCommand {
    name: "stats",
    about: "Show orders and amounts per day, week or month, with a chart",
    examples: &[
        ("orders stats", "show the last 30 days"),
        ("orders stats --by month --from 2026-01-01 --bars revenue", "show this year's revenue by month"),
    ],
    operations: &[OrderStatistics::OP],
    args: stats_args,
    run: |ctx, matches| Box::pin(print_statistics(ctx, matches)),
};

const COLUMNS: &[Column] = &[
    Column::new("date", DisplayKind::Time),
    Column::new("orders", DisplayKind::Number),
    Column::new("completed", DisplayKind::Number),
    Column::new("canceled", DisplayKind::Number),
    Column::new("quantity", DisplayKind::Number),
    Column::new("cost", DisplayKind::Number),
    Column::new("refunded", DisplayKind::Number),
    Column::new("provider_cost", DisplayKind::Number),
    Column::new("revenue", DisplayKind::Number),
];

/// The columns of [`COLUMNS`] and the chart, for a terminal.
const COLUMNS_WITH_CHART: &[Column] = &[
    Column::new("date", DisplayKind::Time),
    Column::new("orders", DisplayKind::Number),
    Column::new("completed", DisplayKind::Number),
    Column::new("canceled", DisplayKind::Number),
    Column::new("quantity", DisplayKind::Number),
    Column::new("cost", DisplayKind::Number),
    Column::new("refunded", DisplayKind::Number),
    Column::new("provider_cost", DisplayKind::Number),
    Column::new("revenue", DisplayKind::Number),
    Column::new("chart", DisplayKind::Text),
];

/// Width of all columns except the chart on a terminal, in characters.
const NUMBER_COLUMNS_WIDTH: usize = 102;

fn stats_args(command: Command) -> Command {
    let day_arg =
        |flag: &'static str, help: &'static str| Arg::new(flag).long(flag).value_name("DAY").help(help);
    command.args([
        Arg::new("by")
            .long("by")
            .value_name("PERIOD")
            .value_parser(clap::builder::PossibleValuesParser::new(GroupBy::VALUES.texts))
            .help("Period of each row [default: day]"),
        day_arg("from", "First day, such as 2026-11-01 or 90d [default: 30 days before the last day]"),
        day_arg("to", "Last day [default: today]"),
        Arg::new("orders").long("orders").value_name("IDS").help("Only these orders, separated by commas"),
        Arg::new("bars")
            .long("bars")
            .value_name("COLUMN")
            .value_parser(["orders", "quantity", "cost", "provider_cost", "revenue"])
            .default_value("orders")
            .help("Column that the chart shows"),
    ])
}

async fn print_statistics(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let query = StatisticsQuery {
        group_by: enum_value(matches, "by"),
        start_date: parse_day(ctx, matches, "from")?,
        end_date: parse_day(ctx, matches, "to")?,
        orders: optional_value(matches, "orders"),
    };
    let rows = ctx.client()?.order_statistics((), &query, &EmptyBody {}).await?.data;
    let row_values = rows.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>();
    let row_values = row_values.map_err(|error| Failure::failed(error.to_string()))?;
    let has_selected_output =
        ctx.out.columns.is_some() || ctx.out.jq.is_some() || ctx.out.format != Format::Table;
    if has_selected_output || !ctx.out.draws_tables {
        ctx.out.print_records(row_values, COLUMNS)?;
        return Ok(Exit::Ok);
    }
    let read_chart_value =
        chart_value_reader(matches.get_one::<String>("bars").map_or("orders", String::as_str));
    let max_value = rows.iter().map(read_chart_value).max().unwrap_or_default();
    let chart_width = ctx.out.width.saturating_sub(NUMBER_COLUMNS_WIDTH).clamp(8, 60);
    let add_bar = |(mut row_value, row): (Value, &StatisticsRow)| {
        if let Some(fields) = row_value.as_object_mut() {
            fields.insert("chart".into(), draw_bar(read_chart_value(row), max_value, chart_width).into());
        }
        row_value
    };
    ctx.out.print_records(row_values.into_iter().zip(&rows).map(add_bar).collect(), COLUMNS_WITH_CHART)?;
    Ok(Exit::Ok)
}

/// Returns a function that reads the value of a row for the chart.
fn chart_value_reader(column: &str) -> fn(&StatisticsRow) -> i64 {
    match column {
        "quantity" => |row| row.quantity,
        "cost" => |row| row.cost.0,
        "provider_cost" => |row| row.provider_cost.0,
        "revenue" => |row| row.revenue.0,
        _ => |row| row.orders,
    }
}

fn parse_day(ctx: &Ctx, matches: &ArgMatches, flag: &str) -> CommandResult<Option<Day>> {
    let Some(text) = matches.get_one::<String>(flag) else { return Ok(None) };
    let time = times::parse_time(text, ctx.now());
    let time = time.map_err(|error| Failure::usage(format!("--{flag}: {error}.")))?;
    Ok(Some(Day(time.0.div_euclid(DAY_MICROS))))
}
