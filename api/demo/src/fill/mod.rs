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
mod plan;
mod series;
mod site;
mod texts;
mod webhooks;
mod words;

pub use plan::Size;
use plan::{HOUR_MICROS, Plan};

use panel_contract::moment::Time;

use crate::accounts;
use panel_platform::db::{Db, DbResult, Source, Sql, Tx, bulk};

/// Fills the database, unless it sells something already, and returns whether it did. `available_provider` is the server's
/// condition for provider `p` as SQL; `report` gets the name of each long step.
pub async fn fill(
    db: &Db,
    size: Size,
    now: Time,
    available_provider: &'static str,
    report: impl Fn(&str),
) -> DbResult<bool> {
    let (services,): (i64,) = (&mut &*db).one(Sql::new("SELECT count(*) FROM services")).await?;
    if services > 0 {
        return Ok(false);
    }
    let mut tx = db.begin().await?;
    let (staff,): (i64,) = tx.one(Sql::new("SELECT COALESCE(max(id), 0) FROM users")).await?;
    let plan = Plan {
        size,
        available_provider,
        now: now.0 / HOUR_MICROS * HOUR_MICROS,
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
    orders::fill(&mut tx, &plan, &report).await?;
    report("money…");
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
    report("counting and indexing…");
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
