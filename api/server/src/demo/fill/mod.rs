//! The records of a demo: a panel's Tuesday, made set-wise inside the database, the same for the same seed and hour.
//!
//! Nothing here posts through the ledger room: a year of money is written at once, and the doctor has to find it
//! right. Fills an empty database only.

mod banners;
mod batches;
mod billing;
mod cancel_requests;
mod cash;
mod catalogue;
mod extras;
mod imports;
mod invoices;
mod labels;
mod ledger;
mod marketing;
mod orders;
mod packages;
mod people;
mod site;
mod texts;
mod webhooks;
mod words;

use panel_contract::moment::Time;

use super::accounts;
use crate::db::{Db, DbResult, Dialect, Source, Sql, Tx, bulk};

/// Microseconds of an hour.
const HOUR: i64 = 3_600_000_000;
/// Microseconds of a day.
const DAY: i64 = 24 * HOUR;
/// The modulus of the demo's dice: a prime below 2^31.
const PRIME: i64 = 2_147_483_647;

/// How much of everything, and when.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Orders.
    pub orders: i64,
    /// Customers.
    pub users: i64,
    /// The same number makes the same records.
    pub seed: u64,
}

/// What every step needs to know.
#[derive(Debug, Clone, Copy)]
struct Plan {
    size: Size,
    /// The hour that the records lead up to.
    now: i64,
    /// The first customer's id; those of the staff are below.
    first_user: i64,
    /// Who returned money lately.
    moderator: Option<i64>,
    /// Whose views everybody sees.
    owner: Option<i64>,
}

impl Plan {
    /// A start for the dice numbered `die`.
    fn die(&self, die: i64) -> i64 {
        let seed = i64::try_from(self.size.seed % 1_000_003).unwrap_or(0);
        (seed * 7_919 + die * 104_729 + 12_345) % PRIME
    }

    /// Orders above this id have everything that hangs on orders; a person looks at the newest.
    fn newest(&self) -> i64 {
        self.size.orders - 20_000
    }
}

/// Fills the database, unless it sells something already. Says whether it did; `tell` hears how far it is.
pub async fn fill(db: &Db, size: Size, now: Time, tell: impl Fn(&str)) -> DbResult<bool> {
    let (services,): (i64,) = (&mut &*db).one(Sql::new("SELECT count(*) FROM services")).await?;
    if services > 0 {
        return Ok(false);
    }
    let mut tx = db.begin().await?;
    let (staff,): (i64,) = tx.one(Sql::new("SELECT COALESCE(max(id), 0) FROM users")).await?;
    let plan = Plan {
        size,
        now: now.0 / HOUR * HOUR,
        first_user: staff + 1,
        moderator: account(&mut tx, accounts::ACCOUNTS[1].email).await?,
        owner: account(&mut tx, accounts::ACCOUNTS[0].email).await?,
    };
    let quiet = bulk::quiet(&mut tx).await?;
    catalogue::fill(&mut tx, &plan).await?;
    billing::fill(&mut tx, &plan).await?;
    labels::fill(&mut tx, &plan).await?;
    packages::fill(&mut tx, &plan).await?;
    imports::fill(&mut tx, &plan).await?;
    banners::fill(&mut tx, &plan).await?;
    people::fill(&mut tx, &plan).await?;
    orders::fill(&mut tx, &plan, &tell).await?;
    tell("money…");
    ledger::fill(&mut tx, &plan).await?;
    batches::fill(&mut tx, &plan).await?;
    cash::fill(&mut tx, &plan).await?;
    invoices::fill(&mut tx, &plan).await?;
    marketing::fill(&mut tx, &plan).await?;
    extras::fill(&mut tx, &plan).await?;
    cancel_requests::fill(&mut tx, &plan).await?;
    webhooks::fill(&mut tx, &plan).await?;
    texts::fill(&mut tx).await?;
    site::fill(&mut tx, &plan).await?;
    tell("counting and indexing…");
    follow(&mut tx).await?;
    bulk::loud(&mut tx, quiet).await?;
    tx.commit().await?;
    // Without statistics a planner guesses.
    (&mut &*db).exec(Sql::new("ANALYZE")).await?;
    Ok(true)
}

async fn account(tx: &mut Tx, email: &str) -> DbResult<Option<i64>> {
    let found: Option<(i64,)> = tx.opt(Sql::new("SELECT id FROM users WHERE email = ?").bind(email)).await?;
    Ok(found.map(|(id,)| id))
}

/// Ids were given here, so that the same seed makes the same ones.
async fn follow(tx: &mut Tx) -> DbResult<()> {
    for table in [
        "users",
        "networks",
        "service_types",
        "services",
        "labels",
        "targets",
        "promotable_checker_groups",
        "packages",
        "banners",
        "banner_informations",
        "provider_packages",
        "providers",
        "external_panels",
        "external_panel_payments",
        "grades",
        "payment_methods",
        "users",
        "orders",
        "free_trial_quests",
        "menu_items",
        "custom_menu_items",
        "panel_pages",
        "drip_feeds",
        "subscriptions",
        "combo_orders",
        "ledger_txns",
        "webhooks",
        "webhook_events",
        "webhook_deliveries",
        "discounts",
        "order_widgets",
        "coupons",
        "special_offers",
    ] {
        bulk::follow_ids(tx, table).await?;
    }
    Ok(())
}

/// A column of whole numbers from the first bind to the second.
const SERIES: &str =
    "WITH RECURSIVE n (i) AS (SELECT CAST(? AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ?) ";

/// `INSERT` over a series; the rest of the statement follows with `push`. SQLite wants the series behind the
/// target, and so does PostgreSQL.
fn over(into: &'static str, from: i64, to: i64) -> Sql {
    Sql::new(into).push(" ").push(SERIES).bind(from).bind(to)
}

/// Whether this is worth a different plan: PostgreSQL reads a recursive series through a temporary table.
fn chunk(dialect: Dialect) -> i64 {
    match dialect {
        Dialect::Sqlite => 500_000,
        Dialect::Postgres => 250_000,
    }
}
