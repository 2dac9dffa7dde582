//! Fills the database of a demo with the records of an ordinary panel after one year. A few SQL statements create all records; the
//! same seed and the same hour of the clock give the same records.
//!
//! It does not use the ledger module, because it inserts the transactions of a year at once. The doctor must find no violation in
//! them. It must never change a database that has services.

mod banners;
mod cancel_requests;
mod catalogue;
mod customers;
mod details;
mod external_panels;
mod imports;
mod invoices;
mod labels;
mod ledger;
mod marketing;
mod names;
mod order_groups;
mod orders;
mod packages;
mod plan;
mod series;
mod site;
mod translations;
mod webhooks;
mod withdrawals;

pub use plan::DemoSize;
use plan::{DemoPlan, HOUR_MICROS};

use panel_contract::moment::Time;

use crate::accounts;
use panel_platform::db::{Db, DbResult, Sql, SqlExecutor, Tx, bulk};

/// Fills the database unless it has services. Returns whether it inserted records. `available_provider_sql` is the server's SQL
/// condition that provider `p` is available. The function calls `report_step` with the name of each long step.
pub async fn fill(
    db: &Db,
    size: DemoSize,
    now: Time,
    available_provider_sql: &'static str,
    report_step: impl Fn(&str),
) -> DbResult<bool> {
    let (service_count,): (i64,) = (&mut &*db).fetch_one(Sql::new("SELECT count(*) FROM services")).await?;
    if service_count > 0 {
        return Ok(false);
    }
    let mut tx = db.begin().await?;
    let (last_staff_id,): (i64,) = tx.fetch_one(Sql::new("SELECT COALESCE(max(id), 0) FROM users")).await?;
    let plan = DemoPlan {
        size,
        available_provider_sql,
        now: now.0 / HOUR_MICROS * HOUR_MICROS,
        first_customer_id: last_staff_id + 1,
        moderator_id: find_user_id(&mut tx, accounts::ACCOUNTS[1].email).await?,
        owner_id: find_user_id(&mut tx, accounts::ACCOUNTS[0].email).await?,
    };
    let suspended_triggers = bulk::suspend_triggers(&mut tx).await?;
    catalogue::fill(&mut tx, &plan).await?;
    external_panels::fill(&mut tx, &plan).await?;
    labels::fill(&mut tx, &plan).await?;
    packages::fill(&mut tx, &plan).await?;
    imports::fill(&mut tx, &plan).await?;
    banners::fill(&mut tx, &plan).await?;
    customers::fill(&mut tx, &plan).await?;
    orders::fill(&mut tx, &plan, &report_step).await?;
    report_step("ledger…");
    ledger::fill(&mut tx, &plan).await?;
    order_groups::fill(&mut tx, &plan).await?;
    withdrawals::fill(&mut tx, &plan).await?;
    invoices::fill(&mut tx, &plan).await?;
    marketing::fill(&mut tx, &plan).await?;
    details::fill(&mut tx, &plan).await?;
    cancel_requests::fill(&mut tx, &plan).await?;
    webhooks::fill(&mut tx, &plan).await?;
    translations::fill(&mut tx).await?;
    site::fill(&mut tx, &plan).await?;
    report_step("counting and indexing…");
    advance_sequences(&mut tx).await?;
    bulk::restore_triggers(&mut tx, suspended_triggers).await?;
    tx.commit().await?;
    // Without statistics the query planner would scan whole tables.
    (&mut &*db).execute(Sql::new("ANALYZE")).await?;
    Ok(true)
}

async fn find_user_id(tx: &mut Tx, email: &str) -> DbResult<Option<i64>> {
    let row: Option<(i64,)> =
        tx.fetch_optional(Sql::new("SELECT id FROM users WHERE email = ?").bind(email)).await?;
    Ok(row.map(|(id,)| id))
}

/// Advances the id sequences, because the statements set explicit ids. Explicit ids are the same for the same seed.
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
