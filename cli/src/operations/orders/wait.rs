//! `orders wait`: comes back when an order is where it is wanted.

use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::orders::GetOrder;
use panel_contract::orders::OrderStatus;

use crate::command::call::{id, id_arg};
use crate::command::{Own, when};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};

/// `orders wait`.
pub(crate) const WAIT: Own = Own {
    name: "wait",
    about: "Waits until an order has one of some statuses, and prints the one it has",
    examples: &[
        ("orders wait 981204", "until it is completed or canceled"),
        ("orders wait 981204 --for in_processing --timeout 10m", "exit code 1 when that takes longer"),
    ],
    reaches: &[GetOrder::OP],
    args,
    run: |ctx, matches| Box::pin(run(ctx, matches)),
};

fn args(command: Command) -> Command {
    let words = PossibleValuesParser::new(OrderStatus::WORDS.texts);
    let span = |text: &str| when::span(text).ok_or("say 30m, 12h or 7d");
    command.arg(id_arg()).args([
        Arg::new("for")
            .long("for")
            .value_name("WORD")
            .value_delimiter(',')
            .value_parser(words)
            .default_values(["completed", "canceled"])
            .help("The statuses that end it, with commas"),
        Arg::new("timeout").long("timeout").value_name("TIME").value_parser(span).help("Fails after so long"),
        Arg::new("every")
            .long("every")
            .value_name("SECONDS")
            .value_parser(clap::value_parser!(u64).range(1..=3_600))
            .default_value("5")
            .help("Looks so often"),
    ])
}

async fn run(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let order = id(matches)?;
    let wanted: Vec<&String> = matches.get_many::<String>("for").into_iter().flatten().collect();
    let every = Duration::from_secs(matches.get_one::<u64>("every").copied().unwrap_or(5));
    let client = ctx.client()?;
    let end = matches.get_one::<Duration>("timeout").map(|timeout| ctx.now().after(*timeout));
    let mut last = None;
    loop {
        let status = client.get_order(order, &NoQuery {}, &NoBody {}).await?.data.row.status;
        if wanted.iter().any(|word| *word == status.as_str()) {
            ctx.out.line(status.as_str())?;
            return Ok(Exit::Ok);
        }
        if last.replace(status) != Some(status) {
            ctx.out.say(&format!("Order {order} is {status}."));
        }
        if end.is_some_and(|end| ctx.now() >= end) {
            return Err(Failure::failed(format!("Order {order} is still {status}; the time is over.")));
        }
        client.world().sleep(every).await;
    }
}
