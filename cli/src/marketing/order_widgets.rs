//! Order widgets: through which orders come in from other pages, and what they came to.

use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::amount::Fraction;
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::order_widgets::{
    CreateOrderWidget, GetOrderWidget, OrderWidgetStatisticsOp, UpdateOrderWidget,
};
use panel_contract::lists;
use panel_contract::moment::{DAY_MICROS, Day};
use panel_contract::order_widgets::{OrderWidgetInput, OrderWidgetStatisticsQuery};

use crate::command::call::{Call, Write, given_id, id, id_arg, of, on_off_arg, opt, wish};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::text::{ids_of, text_arg};
use crate::command::{Cmd, Noun, when};
use crate::ctx::Ctx;
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};

/// `order-widgets`.
pub(crate) const NOUN: Noun = Noun {
    name: "order-widgets",
    alias: Some("order-widget"),
    about: "Through which orders come in from other pages",
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
    of: &lists::order_widgets::ORDER_WIDGETS,
    noun: "order-widgets",
    one: "order widget",
    about: "Order widgets, newest first",
    filters: &[
        Filter::new("name", "name", "Part of the name"),
        Filter::new("user", "user", "The owner, by id or part of their name or address"),
        Filter::new("reward", "reward_percent", "The owner's share"),
        Filter::new("token", "api_token", "What pages name it by").value("TOKEN"),
    ],
    since: "created_at",
    examples: &[("order-widgets list --user 42", "those of one owner")],
};

const GET: Get = Get {
    one: "order widget",
    about: "Order widgets with everything about them",
    op: GetOrderWidget::OP,
    columns: &[],
    examples: &[("order-widgets get 3", "one widget")],
};

const EMBED: Call = Call {
    name: "embed",
    about: "The HTML that shows a widget in another page",
    examples: &[("order-widgets embed 3 -o json --jq .embed", "to be copied into a page")],
    op: GetOrderWidget::OP,
    args: |command| command.arg(id_arg()),
    request: |_, matches| of::<GetOrderWidget>(id(matches)?, &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[Column::new("embed", Kind::Text)],
    write: None,
};

const CREATE: Call = Call {
    name: "create",
    about: "Makes an order widget for a user",
    examples: &[(
        "order-widgets create --name Blog --user 42 --reward 0.05 --payment-methods 1,3",
        "five percent of every order for its owner",
    )],
    op: CreateOrderWidget::OP,
    args: fields,
    request: |_, matches| of::<CreateOrderWidget>((), &NoQuery {}, &input(matches)?),
    columns: &[],
    write: Some(Write {
        question: |_| "Make this order widget?".to_owned(),
        danger: Danger::Reversible("panelctl order-widgets update"),
        said: |_| "The order widget is made.".to_owned(),
        rehearses: false,
    }),
    ..EMBED
};

const UPDATE: Call = Call {
    name: "update",
    about: "Changes an order widget; only what is named",
    examples: &[(
        "order-widgets update 3 --reward 0.1 --minimum none",
        "a larger share, no least amount of its own",
    )],
    op: UpdateOrderWidget::OP,
    args: |command| fields(command.arg(id_arg())),
    request: |_, matches| of::<UpdateOrderWidget>(id(matches)?, &NoQuery {}, &input(matches)?),
    write: Some(Write {
        question: |matches| format!("Change order widget {}?", given_id(matches)),
        danger: Danger::Reversible("The same command with the old values"),
        said: |matches| format!("Order widget {} is changed.", given_id(matches)),
        rehearses: false,
    }),
    ..CREATE
};

const STATS: Call = Call {
    name: "stats",
    about: "What came in through order widgets, the one that brought most first",
    examples: &[
        ("order-widgets stats --from 90d", "three months"),
        ("order-widgets stats --widgets 1,2 -o csv", "two of them as a file"),
    ],
    op: OrderWidgetStatisticsOp::OP,
    args: |command| {
        command.args([
            text_arg("from", "First day, such as 2026-11-01 or 90d [default: 30 days before the last]")
                .value_name("DAY"),
            text_arg("to", "Last day [default: today]").value_name("DAY"),
            text_arg("widgets", "Only these widgets, with commas").value_name("IDS"),
        ])
    },
    request: stats,
    at: "/data/rows",
    columns: &[
        Column::new("order_widget.name", Kind::Text).titled("widget"),
        Column::new("user.email", Kind::Text).titled("owner"),
        Column::new("orders", Kind::Number),
        Column::new("spent", Kind::Number),
        Column::new("reward", Kind::Number),
        Column::more("order_widget.id", Kind::Id),
        Column::more("user.id", Kind::Id),
    ],
    write: None,
};

fn fields(command: Command) -> Command {
    command.args([
        text_arg("name", "What staff and its owner call it"),
        Arg::new("user-id")
            .long("user")
            .value_name("USER")
            .value_parser(clap::value_parser!(i64))
            .help("Whose it is, by id"),
        on_off_arg("is-outer").long("outer").help("Whether it stands on pages outside of the panel"),
        text_arg("minimum-purchase-amount", "What an order costs at least; none leaves that to the panel")
            .long("minimum")
            .value_name("AMOUNT"),
        Arg::new("reward-percent")
            .long("reward")
            .value_name("SHARE")
            .value_parser(clap::value_parser!(Fraction))
            .help("The owner's share, such as 0.05"),
        text_arg("payment-methods", "Payment methods that it offers, in their order, with commas")
            .value_name("IDS"),
    ])
}

fn input(matches: &ArgMatches) -> Done<OrderWidgetInput> {
    Ok(OrderWidgetInput {
        name: opt(matches, "name"),
        user_id: opt(matches, "user-id"),
        is_outer: opt(matches, "is-outer"),
        minimum_purchase_amount: wish(matches, "minimum-purchase-amount")?,
        reward_percent: opt(matches, "reward-percent"),
        payment_methods: ids_of(matches, "payment-methods")?,
        updated_at: None,
    })
}

fn stats(ctx: &Ctx, matches: &ArgMatches) -> Done<Request> {
    let day = |flag: &str| {
        let Some(text) = matches.get_one::<String>(flag) else { return Ok(None) };
        let time = when::moment(text, ctx.now());
        let time = time.map_err(|error| Failure::usage(format!("--{flag}: {error}.")))?;
        Ok::<_, Failure>(Some(Day(time.0.div_euclid(DAY_MICROS))))
    };
    let query = OrderWidgetStatisticsQuery {
        order_widgets: opt(matches, "widgets"),
        start_date: day("from")?,
        end_date: day("to")?,
    };
    of::<OrderWidgetStatisticsOp>((), &query, &NoBody {})
}
