//! The records of a demo: an ordinary day of a panel, created set-wise in the database. The same seed and hour give the same
//! records.
//!
//! Does not post through the ledger module: a year of transactions is written at once, and the doctor must find no violation in
//! it. Only fills an empty database.

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

/// Fills the database unless it has services, and returns whether it did. `available_provider` is the server's condition for
/// provider `p` as SQL; `report` gets the name of each long step.
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
    let quiet = bulk::suspend_triggers(&mut tx).await?;
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
    advance_sequences(&mut tx).await?;
    bulk::restore_triggers(&mut tx, quiet).await?;
    tx.commit().await?;
    // The query planner needs statistics.
    (&mut &*db).exec(Sql::new("ANALYZE")).await?;
    Ok(true)
}

async fn account(tx: &mut Tx, email: &str) -> DbResult<Option<i64>> {
    let found: Option<(i64,)> = tx.opt(Sql::new("SELECT id FROM users WHERE email = ?").bind(email)).await?;
    Ok(found.map(|(id,)| id))
}

/// Advances the id sequences, because the statements set explicit ids, so that the same seed gives the same ids.
async fn advance_sequences(tx: &mut Tx) -> DbResult<()> {
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
        bulk::advance_id_sequence(tx, table).await?;
    }
    Ok(())
}
