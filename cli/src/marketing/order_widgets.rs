//! Order widgets: order forms on other pages, and their statistics.

use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::amount::Fraction;
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::order_widgets::{
    CreateOrderWidget, GetOrderWidget, OrderWidgetStatisticsOp, UpdateOrderWidget,
};
use panel_contract::lists;
use panel_contract::moment::{DAY_MICROS, Day};
use panel_contract::order_widgets::{OrderWidgetInput, OrderWidgetStatisticsQuery};

use crate::command::call::{Call, Write, id, id_arg, id_value, of, on_off_arg, opt, patch_arg};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::text::{ids_of, text_arg};
use crate::command::{Cmd, Noun, times};
use crate::ctx::Ctx;
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};

pub(crate) const NOUN: Noun = Noun {
    name: "order-widgets",
    alias: Some("order-widget"),
    about: "Manage order widgets: order forms on other pages",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Get(&GET),
        Cmd::Call(&EMBED),
        Cmd::Call(&CREATE),
        Cmd::Call(&UPDATE),
        Cmd::Call(&STATS),
        Cmd::Export(&LIST),
    ],
};

const LIST: List = List {
    declaration: &lists::order_widgets::ORDER_WIDGETS,
    noun: "order widgets",
    one: "order widget",
    about: "List order widgets, newest first",
    filters: &[
        Filter::new("name", "name", "Filter by part of the name"),
        Filter::new("user", "user", "Filter by the owner's id, or part of their name or email"),
        Filter::new("reward", "reward_percent", "Filter by the owner's reward percentage"),
        Filter::new("token", "api_token", "Filter by token").value("TOKEN"),
    ],
    since: "created_at",
    examples: &[("order-widgets list --user 42", "widgets of one owner")],
};

const GET: Get = Get {
    one: "order widget",
    about: "Show order widgets with all details",
    op: GetOrderWidget::OP,
    columns: &[],
    examples: &[("order-widgets get 3", "show one widget")],
};

const EMBED: Call = Call {
    name: "embed",
    about: "Show the HTML that embeds a widget in a page",
    examples: &[("order-widgets embed 3 -o json --jq .embed", "print only the HTML")],
    op: GetOrderWidget::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<GetOrderWidget>(id(matches)?, &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[Column::new("embed", Kind::Text)],
    write: None,
};

const CREATE: Call = Call {
    name: "create",
    about: "Create an order widget for a user",
    examples: &[(
        "order-widgets create --name Blog --user 42 --reward 0.05 --payment-methods 1,3",
        "pay its owner 5% of every order",
    )],
    op: CreateOrderWidget::OP,
    args: fields,
    request: |_, matches| of::<CreateOrderWidget>((), &EmptyQuery {}, &input(matches)?),
    columns: &[],
    write: Some(Write {
        question: |_| "Create this order widget?".to_owned(),
        danger: Danger::Reversible("panelctl order-widgets update"),
        success: |_| "Order widget created.".to_owned(),
        has_dry_run: false,
    }),
    ..EMBED
};

const UPDATE: Call = Call {
    name: "update",
    about: "Update an order widget; fields without an option keep their values",
    examples: &[(
        "order-widgets update 3 --reward 0.1 --minimum none",
        "raise the reward and use the panel's minimum amount",
    )],
    op: UpdateOrderWidget::OP,
    args: |command| fields(command.arg(id_arg())),
    request: |_, matches| of::<UpdateOrderWidget>(id(matches)?, &EmptyQuery {}, &input(matches)?),
    write: Some(Write {
        question: |matches| format!("Update order widget {}?", id_value(matches)),
        danger: Danger::Reversible("run the command again with the old values"),
        success: |matches| format!("Order widget {} updated.", id_value(matches)),
        has_dry_run: false,
    }),
    ..CREATE
};

const STATS: Call = Call {
    name: "stats",
    about: "Show the revenue of order widgets, highest first",
    examples: &[
        ("order-widgets stats --from 90d", "show three months"),
        ("order-widgets stats --widgets 1,2 -o csv", "export two widgets"),
    ],
    op: OrderWidgetStatisticsOp::OP,
    args: |command| {
        command.args([
            text_arg("from", "First day, such as 2026-11-01 or 90d [default: 30 days before the last]")
                .value_name("DAY"),
            text_arg("to", "Last day [default: today]").value_name("DAY"),
            text_arg("widgets", "Only these widgets, separated by commas").value_name("IDS"),
        ])
    },
    request: stats,
    pointer: "/data/rows",
    columns: &[
        Column::new("order_widget.name", Kind::Text).titled("widget"),
        Column::new("user.email", Kind::Text).titled("owner"),
        Column::new("orders", Kind::Number),
        Column::new("spent", Kind::Number),
        Column::new("reward", Kind::Number),
        Column::extra("order_widget.id", Kind::Id),
        Column::extra("user.id", Kind::Id),
    ],
    write: None,
};

fn fields(command: Command) -> Command {
    command.args([
        text_arg("name", "Name that staff and its owner see"),
        Arg::new("user-id")
            .long("user")
            .value_name("USER")
            .value_parser(clap::value_parser!(i64))
            .help("Id of the owner"),
        on_off_arg("is-outer").long("outer").help("Show it on pages outside the panel"),
        text_arg("minimum-purchase-amount", "Minimum amount of an order; none to use the panel's")
            .long("minimum")
            .value_name("AMOUNT"),
        Arg::new("reward-percent")
            .long("reward")
            .value_name("SHARE")
            .value_parser(clap::value_parser!(Fraction))
            .help("Reward of the owner as a fraction, such as 0.05"),
        text_arg("payment-methods", "Ids of the offered payment methods in order, separated by commas")
            .value_name("IDS"),
    ])
}

fn input(matches: &ArgMatches) -> CmdResult<OrderWidgetInput> {
    Ok(OrderWidgetInput {
        name: opt(matches, "name"),
        user_id: opt(matches, "user-id"),
        is_outer: opt(matches, "is-outer"),
        minimum_purchase_amount: patch_arg(matches, "minimum-purchase-amount")?,
        reward_percent: opt(matches, "reward-percent"),
        payment_methods: ids_of(matches, "payment-methods")?,
        updated_at: None,
    })
}

fn stats(ctx: &Ctx, matches: &ArgMatches) -> CmdResult<Request> {
    let day = |flag: &str| {
        let Some(text) = matches.get_one::<String>(flag) else { return Ok(None) };
        let time = times::moment(text, ctx.now());
        let time = time.map_err(|error| Failure::usage(format!("--{flag}: {error}.")))?;
        Ok::<_, Failure>(Some(Day(time.0.div_euclid(DAY_MICROS))))
    };
    let query = OrderWidgetStatisticsQuery {
        order_widgets: opt(matches, "widgets"),
        start_date: day("from")?,
        end_date: day("to")?,
    };
    of::<OrderWidgetStatisticsOp>((), &query, &EmptyBody {})
}
