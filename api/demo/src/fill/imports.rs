//! The services that the demo's external panels offer, an import rule, and results of syncs.

use super::plan::{DemoPlan, HOUR_MICROS};
use super::series::insert_series;
use panel_platform::db::{DbResult, Sql, SqlExecutor as _, Tx};

/// Number of services of external panels that are not imported.
const UNIMPORTED_SERVICES: i64 = 600;

pub(crate) async fn fill(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    // Two providers keep an old price, because staff have not yet decided on their price changes.
    tx.execute(Sql::new("UPDATE providers SET source_price = 190000 WHERE id IN (1, 5)")).await?;
    insert_panel_services(tx, plan).await?;
    let synced_at = plan.now - 2 * HOUR_MICROS;
    let sql = Sql::new(
        "INSERT INTO sync_runs (external_panel_id, started_at, ended_at, services_count, new_count, applied_count, held_count, error)
         SELECT e.id, CAST(? AS BIGINT), CAST(? AS BIGINT), CASE WHEN e.status = 'error' THEN 0 ELSE 150 + e.id END, e.id % 4, e.id % 3,
           CASE e.id WHEN 1 THEN 1 WHEN 2 THEN 1 ELSE 0 END,
           CASE WHEN e.status = 'error' THEN 'The panel cannot be reached: no response in time.' END
         FROM external_panels e ORDER BY e.id",
    );
    tx.execute(sql.bind(synced_at).bind(synced_at + 4_000_000)).await?;
    for statement in [
        // Changes that wait for a decision of staff: large price changes, and services that vanished from their external panel.
        "INSERT INTO sync_changes (sync_run_id, external_panel_id, external_panel_service_id, provider_id, field, old_value, new_value, state, is_current, created_at)
         SELECT r.id, p.external_panel_id, p.external_panel_service_id, p.id, CASE WHEN p.id % 2 = 0 THEN 'availability' ELSE 'source_price' END,
           CASE WHEN p.id % 2 = 0 THEN 'true' ELSE '0.19' END, CASE WHEN p.id % 2 = 0 THEN 'false' ELSE '0.31' END, 'held', TRUE, CAST(? AS BIGINT)
         FROM providers p JOIN sync_runs r ON r.external_panel_id = p.external_panel_id WHERE p.id IN (1, 2, 5, 8)",
        "INSERT INTO sync_changes (sync_run_id, external_panel_id, external_panel_service_id, provider_id, service_id, field, old_value, new_value, state, created_at)
         SELECT r.id, p.external_panel_id, p.external_panel_service_id, p.id, m.service_id, 'max_quantity', '10000', '50000', 'applied', CAST(? AS BIGINT)
         FROM providers p JOIN sync_runs r ON r.external_panel_id = p.external_panel_id
           JOIN service_providers m ON m.provider_id = p.id AND m.position = 0 WHERE p.id IN (6, 7)",
    ] {
        tx.execute(Sql::new(statement).bind(synced_at)).await?;
    }
    insert_import_rule(tx, plan).await
}

/// The import rule for new services of external panel 2. It imports cheap services into service types of one network that are named
/// like the external panel's categories.
async fn insert_import_rule(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let sql = Sql::new(
        "INSERT INTO import_rules (external_panel_id, margin_ppm, network_id, keep_categories, sync_params, categories, types, name_excludes, price_to, created_at, updated_at)
         SELECT e.id, 400000, n.id, TRUE, TRUE, '[\"TikTok\"]', '[\"Default\",\"Custom Comments\"]', 'slow', 800000, CAST(? AS BIGINT), CAST(? AS BIGINT)
         FROM external_panels e JOIN networks n ON n.name = 'TikTok' WHERE e.id = 2 AND e.sync_services",
    );
    tx.execute(sql.bind(plan.now).bind(plan.now)).await?;
    Ok(())
}

async fn insert_panel_services(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let created_at = plan.now - 450 * 24 * HOUR_MICROS;
    let sql = Sql::new(
        "INSERT INTO external_panel_services (external_panel_id, external_panel_service_id, name, type, category, rate, pricing_per, min_quantity, max_quantity,
           refill, cancel, created_at, updated_at)
         SELECT p.external_panel_id, p.external_panel_service_id, p.name, 'Default', 'Imported', p.source_price, 1000, 10, 50000, p.id % 2 = 0, p.id % 3 = 0,
           CAST(? AS BIGINT), CAST(? AS BIGINT) FROM providers p",
    );
    tx.execute(sql.bind(created_at).bind(created_at)).await?;
    let sql = insert_series(
        "INSERT INTO external_panel_services (external_panel_id, external_panel_service_id, name, type, category, rate, pricing_per, min_quantity, max_quantity,
           refill, cancel, rejection_kind, created_at, updated_at)",
        1,
        UNIMPORTED_SERVICES,
    );
    let sql = sql.push(
        "SELECT 1 + i % (SELECT count(*) FROM external_panels), '' || (20000 + i),
           CASE i % 4 WHEN 0 THEN 'Instagram likes, instant' WHEN 1 THEN 'TikTok views, worldwide' WHEN 2 THEN 'YouTube watch hours' ELSE 'Telegram members, slow' END
             || CASE WHEN i % 3 = 0 THEN ', refill 30 days' ELSE '' END || ' [' || i || ']',
           CASE WHEN i % 45 = 1 THEN 'Subscriptions' WHEN i % 40 = 0 THEN 'Package' WHEN i % 9 = 0 THEN 'Custom Comments' ELSE 'Default' END,
           CASE i % 4 WHEN 0 THEN 'Instagram' WHEN 1 THEN 'TikTok' WHEN 2 THEN 'YouTube' ELSE 'Telegram' END,
           20000 + i * 7919 % 900000, CASE WHEN i % 40 = 0 AND i % 45 <> 1 THEN 1 ELSE 1000 END, 10 + i % 5 * 10, 1000 * (1 + i % 50), i % 3 = 0, i % 2 = 0,
           CASE WHEN i % 45 = 1 THEN 'not_sold' END, CAST(? AS BIGINT), CAST(? AS BIGINT) FROM n",
    );
    tx.execute(sql.bind(created_at).bind(created_at)).await?;
    Ok(())
}
