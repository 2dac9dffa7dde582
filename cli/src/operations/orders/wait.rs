//! `orders wait`: polls an order until the order has one of the expected statuses.

use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::orders::GetOrder;
use panel_contract::orders::OrderStatus;

use crate::command::request_command::{id_arg, required_id};
use crate::command::{CustomCommand, times};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};

pub(crate) const WAIT: CustomCommand = CustomCommand {
    name: "wait",
    about: "Wait until an order has one of the given statuses, and print its status",
    examples: &[
        ("orders wait 981204", "wait until an order is completed or canceled"),
        ("orders wait 981204 --for in_processing --timeout 10m", "exits with code 1 after ten minutes"),
    ],
    operations: &[GetOrder::OP],
    args: wait_args,
    run: |ctx, matches| Box::pin(wait_for_status(ctx, matches)),
};

fn wait_args(command: Command) -> Command {
    let statuses = PossibleValuesParser::new(OrderStatus::VALUES.texts);
    let parse_timeout = |text: &str| times::parse_duration(text).ok_or("use 30m, 12h or 7d");
    command.arg(id_arg()).args([
        Arg::new("for")
            .long("for")
            .value_name("VALUE")
            .value_delimiter(',')
            .value_parser(statuses)
            .default_values(["completed", "canceled"])
            .help("Statuses to wait for, separated by commas"),
        Arg::new("timeout")
            .long("timeout")
            .value_name("TIME")
            .value_parser(parse_timeout)
            .help("Fail after this time"),
        Arg::new("every")
            .long("every")
            .value_name("SECONDS")
            .value_parser(clap::value_parser!(u64).range(1..=3_600))
            .default_value("5")
            .help("Seconds between two polls"),
    ])
}

async fn wait_for_status(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let order_id = required_id(matches)?;
    let expected_statuses: Vec<&String> = matches.get_many::<String>("for").into_iter().flatten().collect();
    let interval = Duration::from_secs(matches.get_one::<u64>("every").copied().unwrap_or(5));
    let client = ctx.client()?;
    let deadline = matches.get_one::<Duration>("timeout").map(|timeout| ctx.now().plus(*timeout));
    let mut last_status = None;
    loop {
        let status = client.get_order(order_id, &EmptyQuery {}, &EmptyBody {}).await?.data.row.status;
        if expected_statuses.iter().any(|expected| *expected == status.as_str()) {
            ctx.out.print_line(status.as_str())?;
            return Ok(Exit::Ok);
        }
        if last_status.replace(status) != Some(status) {
            ctx.out.print_message(&format!("Order {order_id}: {status}"));
        }
        if deadline.is_some_and(|deadline| ctx.now() >= deadline) {
            return Err(Failure::failed(format!("Timed out: order {order_id} is still {status}.")));
        }
        client.environment().sleep(interval).await;
    }
}
