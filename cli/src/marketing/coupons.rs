//! `coupons`: manages coupons and prints their statistics.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::amount::Money;
use panel_contract::coupons::{
    BonusCalculation, CouponBonusType, CouponGrouping, CouponInput, CouponPaymentType, CouponSort,
    CouponStatisticsInput,
};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::coupons::{
    ArchiveCoupon, CouponStatisticsByCoupon, CouponStatisticsByDate, CreateCoupon, GetCoupon,
    GetCouponCollections, UnarchiveCoupon, UpdateCoupon,
};
use panel_contract::lists;
use panel_contract::moment::{DAY_MICROS, Day};
use panel_contract::string_enum::EnumValues;

use crate::command::archive_command::archive_command;
use crate::command::confirm::Reversibility;
use crate::command::filter::Filter;
use crate::command::get::GetCommand;
use crate::command::list::ListCommand;
use crate::command::request_command::{
    BASE_COMMAND, RequestCommand, WriteSpec, build_request, enum_value, id_arg, id_for_message, on_off_arg,
    optional_value, parse_value_or_none, required_id,
};
use crate::command::text::{parse_ids, read_translations, text_arg, translations_arg};
use crate::command::{CommandGroup, CommandSpec, CustomCommand, times};
use crate::ctx::Ctx;
use crate::failure::{CommandResult, Failure};
use crate::marketing::discounts::{read_start_time, read_time_or_none};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "coupons",
    alias: Some("coupon"),
    about: "Manage coupons",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Get(&GET),
        CommandSpec::Request(&CREATE),
        CommandSpec::Request(&UPDATE),
        CommandSpec::Request(&ARCHIVE),
        CommandSpec::Request(&UNARCHIVE),
        CommandSpec::Custom(&STATS),
        CommandSpec::Request(&COLLECTIONS),
        CommandSpec::Export(&LIST),
    ],
};

const LIST: ListCommand = ListCommand {
    declaration: &lists::coupons::COUPONS,
    plural: "coupons",
    singular: "coupon",
    about: "List coupons, newest first",
    filters: &[
        Filter::new("name", "translated_name", "Filter by part of the name, in any language"),
        Filter::new("code", "code", "Filter by part of the code"),
        Filter::new("status", "status", "Filter by current status"),
        Filter::new("payment-type", "payment_type", "Filter by payment type"),
        Filter::new("affiliate", "affiliate", "Filter by the affiliate's id or part of their email"),
        Filter::new("bonus-type", "bonus_type", "Filter by the balance that receives the bonus"),
        Filter::new("calculation", "bonus_amount_calculation_type", "Filter by how the bonus is calculated"),
        Filter::new("share", "bonus_fraction", "Filter by bonus, as a fraction, such as 0.1 for 10%"),
        Filter::new("usages", "usages", "Filter by number of uses"),
        Filter::new("spent", "spent", "Filter by the sum of the bonuses given"),
        Filter::new("received", "received", "Filter by the sum of the payments with the coupon"),
        Filter::new("with-archived", "is_all", "Include archived coupons (1) or hide them (0)"),
    ],
    time_column: "created_at",
    examples: &[("coupons list --status active --sort=-usages", "active coupons, the most used first")],
};

const GET: GetCommand = GetCommand {
    singular: "coupon",
    about: "Show coupons with all details",
    op: GetCoupon::OP,
    columns: &[],
    examples: &[("coupons get 3", "show one coupon")],
};

const CREATE: RequestCommand = RequestCommand {
    name: "create",
    about: "Create a coupon",
    examples: &[
        (
            "coupons create --name Welcome --code WELCOME10 --payment-type deposit --calculation percent --percentage 0.1 --from now --limit 500",
            "a bonus of 10% on a deposit",
        ),
        (
            "coupons create --name 'Five off' --code FIVE --payment-type order --calculation fixed --amount 5 --from now",
            "a fixed discount on an order",
        ),
    ],
    op: CreateCoupon::OP,
    args: coupon_args,
    request: |ctx, matches| build_request::<CreateCoupon>((), &EmptyQuery {}, &read_input(ctx, matches)?),
    json_pointer: "/data",
    columns: &[],
    write: Some(WriteSpec {
        question: |_| "Create this coupon?".to_owned(),
        reversibility: Reversibility::Reversible("panelctl coupons archive"),
        success: |_| "Coupon created.".to_owned(),
        has_dry_run: false,
    }),
};

const UPDATE: RequestCommand = RequestCommand {
    name: "update",
    about: "Update a coupon; fields without an option keep their values",
    examples: &[("coupons update 3 --limit 1000", "raise the usage limit")],
    op: UpdateCoupon::OP,
    args: |command| coupon_args(command.arg(id_arg())),
    request: |ctx, matches| {
        build_request::<UpdateCoupon>(required_id(matches)?, &EmptyQuery {}, &read_input(ctx, matches)?)
    },
    write: Some(WriteSpec {
        question: |matches| format!("Update coupon {}?", id_for_message(matches)),
        reversibility: Reversibility::Reversible("run the command again with the old values"),
        success: |matches| format!("Coupon {} updated.", id_for_message(matches)),
        has_dry_run: false,
    }),
    ..BASE_COMMAND
};

const ARCHIVE: RequestCommand = archive_command!("archive", ArchiveCoupon, {
    about: "Archive a coupon; customers can no longer use it",
    example: ("coupons archive 3", "archive one coupon; restore it with coupons unarchive"),
    question: "Archive coupon {}?",
    success: "Coupon {} archived.",
});

const UNARCHIVE: RequestCommand = archive_command!("unarchive", UnarchiveCoupon, {
    about: "Restore an archived coupon",
    example: ("coupons unarchive 3", "restore one coupon; it can be used until its end time"),
    question: "Restore coupon {}?",
    success: "Coupon {} restored.",
});

const COLLECTIONS: RequestCommand = RequestCommand {
    name: "collections",
    about: "List payment, bonus and calculation types with their labels",
    examples: &[("coupons collections", "list the values for coupons create")],
    op: GetCouponCollections::OP,
    args: |command| command,
    request: |_, _| build_request::<GetCouponCollections>((), &EmptyQuery {}, &EmptyBody {}),
    write: None,
    ..BASE_COMMAND
};

const STATS: CustomCommand = CustomCommand {
    name: "stats",
    about: "Show usage statistics of coupons, by coupon or by date",
    examples: &[
        ("coupons stats", "show the last 30 days, by coupon"),
        ("coupons stats --by date --from 90d -o csv", "export three months by day"),
        ("coupons stats --by date --each-coupon --affiliates 42", "show the codes of one affiliate by day"),
    ],
    operations: &[CouponStatisticsByCoupon::OP, CouponStatisticsByDate::OP],
    args: stats_args,
    run: |ctx, matches| {
        Box::pin(async move {
            let is_by_date = matches.get_one::<String>("by").is_some_and(|group| group == "date");
            let command = if is_by_date { &STATS_BY_DATE } else { &STATS_BY_COUPON };
            command.run(ctx, matches).await
        })
    },
};

const STATS_BY_COUPON: RequestCommand = RequestCommand {
    name: "stats",
    about: "",
    examples: &[],
    op: CouponStatisticsByCoupon::OP,
    args: stats_args,
    request: |ctx, matches| build_statistics_request::<CouponStatisticsByCoupon>(ctx, matches),
    json_pointer: "/data",
    columns: &[
        Column::new("name", DisplayKind::Text),
        Column::new("code", DisplayKind::Enum),
        Column::new("received", DisplayKind::Number),
        Column::new("spent", DisplayKind::Number),
        Column::new("usages", DisplayKind::Number),
        Column::new("referral_manager.email", DisplayKind::Text).with_title("manager"),
        Column::hidden("coupon_id", DisplayKind::Id),
    ],
    write: None,
};

const STATS_BY_DATE: RequestCommand = RequestCommand {
    name: "stats",
    about: "",
    op: CouponStatisticsByDate::OP,
    args: stats_args,
    request: |ctx, matches| build_statistics_request::<CouponStatisticsByDate>(ctx, matches),
    columns: &[
        Column::new("date", DisplayKind::Time),
        Column::new("name", DisplayKind::Text),
        Column::new("code", DisplayKind::Enum),
        Column::new("received", DisplayKind::Number),
        Column::new("spent", DisplayKind::Number),
        Column::new("usages", DisplayKind::Number),
        Column::hidden("referral_manager.email", DisplayKind::Text),
        Column::hidden("coupon_id", DisplayKind::Id),
    ],
    ..BASE_COMMAND
};

fn stats_args(command: Command) -> Command {
    let sort_columns = PossibleValuesParser::new(CouponSort::VALUES.texts);
    command.args([
        text_arg("by", "How to group the rows [default: coupon]")
            .value_name("GROUP")
            .value_parser(PossibleValuesParser::new(["coupon", "date"])),
        Arg::new("each-coupon")
            .long("each-coupon")
            .action(clap::ArgAction::SetTrue)
            .help("With --by date: one row for each coupon and day"),
        text_arg("from", "First day, such as 2026-11-01 or 90d [default: 30 days before the last day]")
            .value_name("DAY"),
        text_arg("to", "Last day [default: today]").value_name("DAY"),
        text_arg("coupons", "Only these coupons, separated by commas").value_name("IDS"),
        text_arg("affiliates", "Only coupons of these affiliates, separated by commas").value_name("IDS"),
        text_arg("sort", "Sort by this column").value_name("COLUMN").value_parser(sort_columns),
        on_off_arg("descending").long("descending").help("Sort in descending order"),
        Arg::new("length")
            .long("limit")
            .short('n')
            .value_name("ROWS")
            .value_parser(clap::value_parser!(i64).range(1..=1_000))
            .default_value("30")
            .help("Maximum number of rows"),
    ])
}

fn build_statistics_request<E>(ctx: &Ctx, matches: &ArgMatches) -> CommandResult<Request>
where
    E: panel_contract::endpoint::Endpoint<Path = (), Query = EmptyQuery, Body = CouponStatisticsInput>,
{
    let parse_day = |flag: &str| {
        let Some(text) = matches.get_one::<String>(flag) else { return Ok(None) };
        let time = times::parse_time(text, ctx.now());
        let time = time.map_err(|error| Failure::usage(format!("--{flag}: {error}.")))?;
        Ok::<_, Failure>(Some(Day(time.0.div_euclid(DAY_MICROS))))
    };
    let input = CouponStatisticsInput {
        start_date: parse_day("from")?,
        end_date: parse_day("to")?,
        coupons: parse_ids(matches, "coupons")?,
        affiliates: parse_ids(matches, "affiliates")?,
        grouping: matches.get_flag("each-coupon").then_some(CouponGrouping::Coupon),
        sort: enum_value(matches, "sort"),
        descending: optional_value(matches, "descending"),
        start: None,
        length: optional_value(matches, "length"),
    };
    build_request::<E>((), &EmptyQuery {}, &input)
}

fn coupon_args(command: Command) -> Command {
    let enum_arg = |name: &'static str, values: EnumValues, help: &'static str| {
        Arg::new(name).value_name("VALUE").value_parser(PossibleValuesParser::new(values.texts)).help(help)
    };
    let on_off_option = |name: &'static str, help: &'static str| on_off_arg(name).long(name).help(help);
    command.args([
        text_arg("name", "English name"),
        text_arg("code", "Code that customers enter"),
        enum_arg("payment-type", CouponPaymentType::VALUES, "Kind of payment that the coupon applies to")
            .long("payment-type"),
        enum_arg("bonus-type", CouponBonusType::VALUES, "Kind of bonus").long("bonus-type"),
        enum_arg("bonus-amount-calculation-type", BonusCalculation::VALUES, "How the bonus is calculated")
            .long("calculation"),
        text_arg("bonus-fraction", "Bonus as a fraction, such as 0.15, or none")
            .long("percentage")
            .value_name("FRACTION"),
        text_arg("bonus-amount", "Bonus as an amount, or the maximum of a percentage bonus, or none")
            .long("amount")
            .value_name("AMOUNT"),
        Arg::new("min-amount")
            .long("min-amount")
            .value_name("AMOUNT")
            .value_parser(clap::value_parser!(Money))
            .help("Smallest payment that the coupon applies to"),
        text_arg("usage-limit", "Total number of uses by all customers, or none for no limit")
            .long("limit")
            .value_name("COUNT"),
        text_arg("valid-from", "Start time, such as now or 2026-11-27").long("from").value_name("TIME"),
        text_arg("valid-to", "End time, or none for no end").long("to").value_name("TIME"),
        text_arg("affiliate-id", "Id of the affiliate who distributes the coupon, or none")
            .long("affiliate")
            .value_name("USER"),
        on_off_option("displayable", "Show the coupon to customers"),
        on_off_option("works-with-service-discount", "Allow the coupon together with a service's discount"),
        on_off_option(
            "works-with-user-custom-price",
            "Allow the coupon together with a customer's custom price",
        ),
        on_off_option("use-with-only-unpaid-orders", "Allow the coupon only for unpaid orders"),
        on_off_option("works-with-balance", "Allow the coupon for orders paid from the balance"),
        translations_arg(),
    ])
}

fn read_input(ctx: &Ctx, matches: &ArgMatches) -> CommandResult<CouponInput> {
    Ok(CouponInput {
        name: optional_value(matches, "name"),
        code: optional_value(matches, "code"),
        displayable: optional_value(matches, "displayable"),
        payment_type: enum_value(matches, "payment-type"),
        affiliate_id: parse_value_or_none(matches, "affiliate-id")?,
        min_amount: optional_value(matches, "min-amount"),
        valid_from: read_start_time(ctx, matches)?,
        valid_to: read_time_or_none(ctx, matches, "valid-to")?,
        bonus_type: enum_value(matches, "bonus-type"),
        bonus_amount_calculation_type: enum_value(matches, "bonus-amount-calculation-type"),
        bonus_fraction: parse_value_or_none(matches, "bonus-fraction")?,
        bonus_amount: parse_value_or_none(matches, "bonus-amount")?,
        usage_limit: parse_value_or_none(matches, "usage-limit")?,
        works_with_service_discount: optional_value(matches, "works-with-service-discount"),
        works_with_user_custom_price: optional_value(matches, "works-with-user-custom-price"),
        use_with_only_unpaid_orders: optional_value(matches, "use-with-only-unpaid-orders"),
        works_with_balance: optional_value(matches, "works-with-balance"),
        translations: read_translations(matches)?,
        updated_at: None,
    })
}
