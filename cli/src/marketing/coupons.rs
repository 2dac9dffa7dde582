//! Coupons: what customers get for a code, and what that came to.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use panel_client::request::Request;
use panel_contract::amount::Money;
use panel_contract::coupons::{
    BonusCalculation, CouponBonusType, CouponGrouping, CouponInput, CouponPaymentType, CouponSort,
    CouponStatisticsInput,
};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::coupons::{
    ArchiveCoupon, CouponStatisticsByCoupon, CouponStatisticsByDate, CreateCoupon, GetCoupon,
    GetCouponCollections, UnarchiveCoupon, UpdateCoupon,
};
use panel_contract::lists;
use panel_contract::moment::{DAY_MICROS, Day};
use panel_contract::words::Words;

use crate::command::archiving::archiving;
use crate::command::call::{Call, Write, given_id, id, id_arg, of, on_off_arg, opt, wish, word};
use crate::command::confirm::Danger;
use crate::command::filter::Filter;
use crate::command::get::Get;
use crate::command::list::List;
use crate::command::text::{ids_of, text_arg, translations_arg, translations_of};
use crate::command::{Cmd, Noun, Own, when};
use crate::ctx::Ctx;
use crate::failure::{Done, Failure};
use crate::marketing::discounts::{begin_of, moment_of};
use crate::output::column::{Column, Kind};

/// `coupons`.
pub(crate) const NOUN: Noun = Noun {
    name: "coupons",
    alias: Some("coupon"),
    about: "What customers get for a code",
    verbs: &[
        Cmd::List(&LIST),
        Cmd::Get(&GET),
        Cmd::Call(&CREATE),
        Cmd::Call(&UPDATE),
        Cmd::Call(&ARCHIVE),
        Cmd::Call(&UNARCHIVE),
        Cmd::Own(&STATS),
        Cmd::Call(&COLLECTIONS),
        Cmd::Export(&LIST),
    ],
};

const LIST: List = List {
    of: &lists::coupons::COUPONS,
    noun: "coupons",
    one: "coupon",
    about: "Coupons, newest first",
    filters: &[
        Filter::new("name", "translated_name", "Part of its name in any language"),
        Filter::new("code", "code", "Part of the code"),
        Filter::new("status", "status", "Where it stands now"),
        Filter::new("payment-type", "payment_type", "What it is given with"),
        Filter::new("affiliate", "affiliate", "Who brings customers with it, by id or part of their address"),
        Filter::new("bonus-type", "bonus_type", "Where the bonus goes"),
        Filter::new("calculation", "bonus_amount_calculation_type", "How the bonus is defined"),
        Filter::new("share", "bonus_percentage", "The bonus as a fraction: 0.1 for 10%"),
        Filter::new("usages", "usages", "How often used"),
        Filter::new("spent", "spent", "What it gave"),
        Filter::new("received", "received", "What was paid"),
        Filter::new("with-archived", "is_all", "0 leaves out archived ones"),
    ],
    since: "created_at",
    examples: &[("coupons list --status active --sort=-usages", "which ones are used")],
};

const GET: Get = Get {
    one: "coupon",
    about: "Coupons with everything about them",
    op: GetCoupon::OP,
    columns: &[],
    examples: &[("coupons get 3", "one coupon")],
};

const CREATE: Call = Call {
    name: "create",
    about: "Makes a coupon",
    examples: &[
        (
            "coupons create --name Welcome --code WELCOME10 --with deposit --defined-as percent --percentage 0.1 --from now --limit 500",
            "ten percent more on a payment",
        ),
        (
            "coupons create --name 'Five off' --code FIVE --with order --defined-as fixed --amount 5 --from now",
            "off an order",
        ),
    ],
    op: CreateCoupon::OP,
    args: fields,
    request: |ctx, matches| of::<CreateCoupon>((), &NoQuery {}, &input(ctx, matches)?),
    at: "/data",
    columns: &[],
    write: Some(Write {
        question: |_| "Make this coupon?".to_owned(),
        danger: Danger::Reversible("panelctl coupons archive"),
        said: |_| "The coupon is made.".to_owned(),
        rehearses: false,
    }),
};

const UPDATE: Call = Call {
    name: "update",
    about: "Changes a coupon; only what is named",
    examples: &[("coupons update 3 --limit 1000", "more usages")],
    op: UpdateCoupon::OP,
    args: |command| fields(command.arg(id_arg())),
    request: |ctx, matches| of::<UpdateCoupon>(id(matches)?, &NoQuery {}, &input(ctx, matches)?),
    write: Some(Write {
        question: |matches| format!("Change coupon {}?", given_id(matches)),
        danger: Danger::Reversible("The same command with the old values"),
        said: |matches| format!("Coupon {} is changed.", given_id(matches)),
        rehearses: false,
    }),
    ..CREATE
};

const ARCHIVE: Call = archiving!("archive", ArchiveCoupon, {
    about: "Puts a coupon away; nobody can use it any more",
    example: ("coupons archive 3", "see coupons unarchive"),
    question: "Archive coupon {}?",
    said: "Coupon {} is archived.",
});

const UNARCHIVE: Call = archiving!("unarchive", UnarchiveCoupon, {
    about: "Brings an archived coupon back",
    example: ("coupons unarchive 3", "it can be used again, when its time is not over"),
    question: "Bring coupon {} back?",
    said: "Coupon {} is back.",
});

const COLLECTIONS: Call = Call {
    name: "collections",
    about: "The words that a coupon is made of",
    examples: &[("coupons collections", "kinds of payment, bonus and calculation")],
    op: GetCouponCollections::OP,
    args: |command| command,
    request: |_, _| of::<GetCouponCollections>((), &NoQuery {}, &NoBody {}),
    write: None,
    ..CREATE
};

const STATS: Own = Own {
    name: "stats",
    about: "What coupons came to, by coupon or by date",
    examples: &[
        ("coupons stats", "the last 30 days, by coupon"),
        ("coupons stats --by date --from 90d -o csv", "each day of three months as a file"),
        (
            "coupons stats --by date --each-coupon --affiliates 42",
            "what one manager's codes came to, day by day",
        ),
    ],
    reaches: &[CouponStatisticsByCoupon::OP, CouponStatisticsByDate::OP],
    args: stats_args,
    run: |ctx, matches| {
        Box::pin(async move {
            let by_date = matches.get_one::<String>("by").is_some_and(|by| by == "date");
            let call = if by_date { &BY_DATE } else { &BY_COUPON };
            call.run(ctx, matches).await
        })
    },
};

const BY_COUPON: Call = Call {
    name: "stats",
    about: "",
    examples: &[],
    op: CouponStatisticsByCoupon::OP,
    args: stats_args,
    request: |ctx, matches| stats::<CouponStatisticsByCoupon>(ctx, matches),
    at: "/data",
    columns: &[
        Column::new("name", Kind::Text),
        Column::new("code", Kind::Word),
        Column::new("received", Kind::Number),
        Column::new("spent", Kind::Number),
        Column::new("usages", Kind::Number),
        Column::new("referral_manager.email", Kind::Text).titled("manager"),
        Column::more("coupon_id", Kind::Id),
    ],
    write: None,
};

const BY_DATE: Call = Call {
    op: CouponStatisticsByDate::OP,
    request: |ctx, matches| stats::<CouponStatisticsByDate>(ctx, matches),
    columns: &[
        Column::new("date", Kind::Time),
        Column::new("name", Kind::Text),
        Column::new("code", Kind::Word),
        Column::new("received", Kind::Number),
        Column::new("spent", Kind::Number),
        Column::new("usages", Kind::Number),
        Column::more("referral_manager.email", Kind::Text),
        Column::more("coupon_id", Kind::Id),
    ],
    ..BY_COUPON
};

fn stats_args(command: Command) -> Command {
    let sorts = PossibleValuesParser::new(CouponSort::WORDS.texts);
    command.args([
        text_arg("by", "What a row is [default: coupon]")
            .value_name("GROUP")
            .value_parser(PossibleValuesParser::new(["coupon", "date"])),
        Arg::new("each-coupon")
            .long("each-coupon")
            .action(clap::ArgAction::SetTrue)
            .help("By date: a row for each coupon of a day"),
        text_arg("from", "First day, such as 2026-11-01 or 90d [default: 30 days before the last]")
            .value_name("DAY"),
        text_arg("to", "Last day [default: today]").value_name("DAY"),
        text_arg("coupons", "Only these coupons, with commas").value_name("IDS"),
        text_arg("affiliates", "Only coupons of these referral managers, with commas").value_name("IDS"),
        text_arg("sort", "What comes first").value_name("COLUMN").value_parser(sorts),
        on_off_arg("descending").long("descending").help("Largest first"),
        Arg::new("length")
            .long("limit")
            .short('n')
            .value_name("ROWS")
            .value_parser(clap::value_parser!(i64).range(1..=1_000))
            .default_value("30")
            .help("Most rows"),
    ])
}

fn stats<E>(ctx: &Ctx, matches: &ArgMatches) -> Done<Request>
where
    E: panel_contract::endpoint::Endpoint<Path = (), Query = NoQuery, Body = CouponStatisticsInput>,
{
    let day = |flag: &str| {
        let Some(text) = matches.get_one::<String>(flag) else { return Ok(None) };
        let time = when::moment(text, ctx.now());
        let time = time.map_err(|error| Failure::usage(format!("--{flag}: {error}.")))?;
        Ok::<_, Failure>(Some(Day(time.0.div_euclid(DAY_MICROS))))
    };
    let input = CouponStatisticsInput {
        start_date: day("from")?,
        end_date: day("to")?,
        coupons: ids_of(matches, "coupons")?,
        affiliates: ids_of(matches, "affiliates")?,
        grouping: matches.get_flag("each-coupon").then_some(CouponGrouping::Coupon),
        sort: word(matches, "sort"),
        descending: opt(matches, "descending"),
        start: None,
        length: opt(matches, "length"),
    };
    of::<E>((), &NoQuery {}, &input)
}

fn fields(command: Command) -> Command {
    let words = |name: &'static str, words: Words, help: &'static str| {
        Arg::new(name).value_name("WORD").value_parser(PossibleValuesParser::new(words.texts)).help(help)
    };
    let on_off = |name: &'static str, help: &'static str| on_off_arg(name).long(name).help(help);
    command.args([
        text_arg("name", "English name"),
        text_arg("code", "What customers type"),
        words("payment-type", CouponPaymentType::WORDS, "What it is given with").long("with"),
        words("bonus-type", CouponBonusType::WORDS, "What it gives").long("gives"),
        words("bonus-amount-calculation-type", BonusCalculation::WORDS, "How that is defined")
            .long("defined-as"),
        text_arg("bonus-percentage", "The share, such as 0.15; none clears")
            .long("percentage")
            .value_name("SHARE"),
        text_arg("bonus-amount", "The amount; of a share the most that is given; none clears")
            .long("amount")
            .value_name("AMOUNT"),
        Arg::new("min-amount")
            .long("min-amount")
            .value_name("AMOUNT")
            .value_parser(clap::value_parser!(Money))
            .help("The smallest payment that it goes with"),
        text_arg("usage-limit", "How often by all customers together; none for any number")
            .long("limit")
            .value_name("COUNT"),
        text_arg("valid-from", "From when, such as now or 2026-11-27").long("from").value_name("MOMENT"),
        text_arg("valid-to", "Until when; none for ever").long("to").value_name("MOMENT"),
        text_arg("affiliate-id", "Who brings customers with it, by id; none for nobody")
            .long("affiliate")
            .value_name("USER"),
        on_off("displayable", "Whether customers are shown it"),
        on_off("works-with-service-discount", "Whether it goes with a service's discount"),
        on_off("works-with-user-custom-price", "Whether it goes with a customer's own price"),
        on_off("use-with-only-unpaid-orders", "Only while an order waits for its payment"),
        on_off("works-with-balance", "Whether an order that the balance pays can have it"),
        translations_arg(),
    ])
}

fn input(ctx: &Ctx, matches: &ArgMatches) -> Done<CouponInput> {
    Ok(CouponInput {
        name: opt(matches, "name"),
        code: opt(matches, "code"),
        displayable: opt(matches, "displayable"),
        payment_type: word(matches, "payment-type"),
        affiliate_id: wish(matches, "affiliate-id")?,
        min_amount: opt(matches, "min-amount"),
        valid_from: begin_of(ctx, matches)?,
        valid_to: moment_of(ctx, matches, "valid-to")?,
        bonus_type: word(matches, "bonus-type"),
        bonus_amount_calculation_type: word(matches, "bonus-amount-calculation-type"),
        bonus_percentage: wish(matches, "bonus-percentage")?,
        bonus_amount: wish(matches, "bonus-amount")?,
        usage_limit: wish(matches, "usage-limit")?,
        works_with_service_discount: opt(matches, "works-with-service-discount"),
        works_with_user_custom_price: opt(matches, "works-with-user-custom-price"),
        use_with_only_unpaid_orders: opt(matches, "use-with-only-unpaid-orders"),
        works_with_balance: opt(matches, "works-with-balance"),
        translations: translations_of(matches)?,
        updated_at: None,
    })
}
