//! `order-widgets`: manages order forms on other websites, and prints their statistics.

use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::amount::Fraction;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::order_widgets::{
    CreateOrderWidget, GetOrderWidget, GetOrderWidgetStatistics, UpdateOrderWidget,
};
use panel_contract::lists;
use panel_contract::moment::{DAY_MICROS, Day};
use panel_contract::order_widgets::{OrderWidgetInput, OrderWidgetStatisticsQuery};

use crate::command::confirm::Reversibility;
use crate::command::filter::Filter;
use crate::command::get::GetCommand;
use crate::command::list::ListCommand;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, id_arg, id_for_message, on_off_arg,
    optional_value, parse_value_or_none, required_id,
};
use crate::command::text::{parse_ids, text_arg};
use crate::command::{CommandGroup, CommandSpec, times};
use crate::ctx::Ctx;
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "order-widgets",
    alias: Some("order-widget"),
    about: "Manage order widgets: order forms on other websites",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Get(&GET),
        CommandSpec::Request(&EMBED),
        CommandSpec::Request(&CREATE),
        CommandSpec::Request(&UPDATE),
        CommandSpec::Request(&STATS),
        CommandSpec::Export(&LIST),
    ],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::order_widgets::ORDER_WIDGETS,
    plural: "order widgets",
    singular: "order widget",
    about: "List order widgets, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("user", "user", "Filter by the owner's id, or part of their name or email"),
        Filter::new("reward", "reward_fraction", "Filter by the owner's reward, as a fraction"),
        Filter::new("token", "api_token", "Filter by token").text_value("TOKEN"),
    ],
    time_column: "created_at",
    examples: &[("order-widgets list --user 42", "widgets of one owner")],
};

const GET: GetCommand = GetCommand {
    singular: "order widget",
    about: "Show order widgets with all details",
    op: GetOrderWidget::OP,
    columns: &[],
    examples: &[("order-widgets get 3", "show one widget")],
};

const EMBED: RequestCommand = RequestCommand {
    name: "embed",
    about: "Show the HTML that embeds a widget in a page",
    examples: &[("order-widgets embed 3 -o json --jq .embed", "print only the HTML")],
    op: GetOrderWidget::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| {
        build_request::<GetOrderWidget>(required_id(matches)?, &EmptyQuery {}, &EmptyBody {})
    },
    json_pointer: "/data",
    columns: &[Column::new("embed", DisplayKind::Text)],
    write: None,
};

const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create an order widget for a user",
    examples: &[(
        "order-widgets create --name Blog --user 42 --reward 0.05 --payment-methods 1,3",
        "pay the owner of the widget 5% of every order",
    )],
    op: CreateOrderWidget::OP,
    args: widget_args,
    request: |_, matches| build_request::<CreateOrderWidget>((), &EmptyQuery {}, &read_input(matches)?),
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create this order widget?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl order-widgets update"),
        success: |_| "Order widget created.".to_owned(),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update an order widget; fields without an option keep their values",
    examples: &[(
        "order-widgets update 3 --reward 0.1 --minimum none",
        "raise the reward and use the default minimum amount",
    )],
    op: UpdateOrderWidget::OP,
    args: |command| widget_args(command.arg(id_arg())),
    request: |_, matches| {
        build_request::<UpdateOrderWidget>(required_id(matches)?, &EmptyQuery {}, &read_input(matches)?)
    },
    write: Some(WriteSpec {
        question: |matches| format!("Update order widget {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Order widget {} updated.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const STATS: RequestCommand = RequestCommand {
    name: "stats",
    about: "Show the revenue of order widgets, highest first",
    examples: &[
        ("order-widgets stats --from 90d", "show three months"),
        ("order-widgets stats --widgets 1,2 -o csv", "export two widgets"),
    ],
    op: GetOrderWidgetStatistics::OP,
    args: |command| {
        command.args([
            text_arg("from", "First day, such as 2026-11-01 or 90d [default: 30 days before the last day]")
                .value_name("DAY"),
            text_arg("to", "Last day [default: today]").value_name("DAY"),
            text_arg("widgets", "Only these widgets, separated by commas").value_name("IDS"),
        ])
    },
    request: build_statistics_request,
    json_pointer: "/data/rows",
    columns: &[
        Column::new("order_widget.name", DisplayKind::Text).with_title("widget"),
        Column::new("user.email", DisplayKind::Text).with_title("owner"),
        Column::new("orders", DisplayKind::Number),
        Column::new("spent", DisplayKind::Number),
        Column::new("reward", DisplayKind::Number),
        Column::hidden("order_widget.id", DisplayKind::Id),
        Column::hidden("user.id", DisplayKind::Id),
    ],
    write: None,
};

fn widget_args(command: Command) -> Command {
    command.args([
        text_arg("name", "Name, which only staff and the owner see"),
        Arg::new("user-id")
            .long("user")
            .value_name("USER")
            .value_parser(clap::value_parser!(i64))
            .help("Id of the owner"),
        on_off_arg("is-outer").long("outer").help("Show the widget on other websites"),
        text_arg("minimum-purchase-amount", "Minimum cost of an order; none to use the default minimum")
            .long("minimum")
            .value_name("AMOUNT"),
        Arg::new("reward-fraction")
            .long("reward")
            .value_name("FRACTION")
            .value_parser(clap::value_parser!(Fraction))
            .help("Reward of the owner as a fraction, such as 0.05"),
        text_arg("payment-methods", "Ids of the offered payment methods in order, separated by commas")
            .value_name("IDS"),
    ])
}

fn read_input(matches: &ArgMatches) -> CommandResult<OrderWidgetInput> {
    Ok(OrderWidgetInput {
        name: optional_value(matches, "name"),
        user_id: optional_value(matches, "user-id"),
        is_outer: optional_value(matches, "is-outer"),
        minimum_purchase_amount: parse_value_or_none(matches, "minimum-purchase-amount")?,
        reward_fraction: optional_value(matches, "reward-fraction"),
        payment_methods: parse_ids(matches, "payment-methods")?,
        updated_at: None,
    })
}

fn build_statistics_request(ctx: &Ctx, matches: &ArgMatches) -> CommandResult<Request> {
    let parse_day = |flag: &str| {
        let Some(text) = matches.get_one::<String>(flag) else { return Ok(None) };
        let time = times::parse_time(text, ctx.now());
        let time = time.map_err(|error| Failure::usage(format!("--{flag}: {error}.")))?;
        Ok::<_, Failure>(Some(Day(time.0.div_euclid(DAY_MICROS))))
    };
    let query = OrderWidgetStatisticsQuery {
        order_widgets: optional_value(matches, "widgets"),
        start_date: parse_day("from")?,
        end_date: parse_day("to")?,
    };
    build_request::<GetOrderWidgetStatistics>((), &query, &EmptyBody {})
}
