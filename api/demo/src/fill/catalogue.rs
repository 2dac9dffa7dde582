//! Networks, services, external panels, providers, payment methods and grades.

use super::names::{EXTERNAL_PANEL_NAMES, NETWORKS, SERVICE_VARIANTS};
use super::plan::{DAY_MICROS, DemoPlan, HOUR_MICROS};
use panel_platform::db::sql::Val;
use panel_platform::db::{DbResult, Sql, SqlExecutor, Tx};

const SERVICE_COUNT: i64 = 600;
const PROVIDER_COUNT: i64 = 30;
const EXTERNAL_PANEL_COUNT: i64 = 8;

pub(crate) async fn fill(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    insert_networks(tx, plan).await?;
    insert_services(tx, plan).await?;
    insert_external_panels_and_providers(tx, plan).await?;
    insert_payment_methods_and_grades(tx, plan).await
}

fn to_i64(index: usize) -> i64 {
    i64::try_from(index).unwrap_or(0)
}

/// Network id and name of every service type, in order of the service type ids.
fn service_types() -> Vec<(i64, &'static str)> {
    let types_of_network = |(index, (_, types)): (usize, &(&str, &'static [&'static str]))| {
        types.iter().map(move |name| (to_i64(index) + 1, *name))
    };
    NETWORKS.iter().enumerate().flat_map(types_of_network).collect()
}

async fn insert_networks(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let created_at = plan.now - 500 * DAY_MICROS;
    let rows = NETWORKS
        .iter()
        .enumerate()
        .map(|(index, (name, _))| vec![(to_i64(index) + 1).into(), (*name).into()]);
    let sql = Sql::new(
        "INSERT INTO networks (id, name, sorting, created_at, updated_at) SELECT r.id, r.name, r.id, ?, ? FROM ",
    );
    tx.execute(sql.bind(created_at).bind(created_at).rows("r", &["id", "name"], rows.collect())).await?;
    let rows = service_types()
        .into_iter()
        .enumerate()
        .map(|(index, (network_id, name))| vec![(to_i64(index) + 1).into(), network_id.into(), name.into()]);
    let sql = Sql::new(
        "INSERT INTO service_types (id, network_id, name, title, sorting, created_at, updated_at) SELECT r.id, r.network, r.name, r.name, r.id, ?, ? FROM ",
    );
    tx.execute(sql.bind(created_at).bind(created_at).rows("r", &["id", "network", "name"], rows.collect()))
        .await?;
    Ok(())
}

async fn insert_services(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let types = service_types();
    let rows = (1..=SERVICE_COUNT).map(|id| {
        let index = usize::try_from(id - 1).unwrap_or(0);
        let (network_id, type_name) = types[index % types.len()];
        let network_name = NETWORKS[usize::try_from(network_id - 1).unwrap_or(0)].0;
        let variant = SERVICE_VARIANTS[(index / types.len() + index) % SERVICE_VARIANTS.len()];
        let (random, min_quantity) =
            ((id * 7_919 + plan.random_seed(1)) % 997, [10, 50, 100, 500][index % 4]);
        // 1,000 units cost 0.10 to 20 dollars, so that one unit costs a whole number of thousandths of a cent.
        let price: i64 = (100 + random * 20) * 1_000;
        vec![
            Val::from(id),
            (to_i64(index % types.len()) + 1).into(),
            format!("{network_name} {} · {variant}", type_name.to_lowercase()).into(),
            min_quantity.into(),
            (min_quantity * 10_000).into(),
            (price * 7 / 10 / 1_000 * 1_000).into(),
            price.into(),
            (id % 9 == 0).into(),
            (id % 3 == 0).into(),
            (id % 41 != 0).into(),
            (id % 97 == 0).into(),
        ]
    });
    let columns = [
        "id",
        "type",
        "name",
        "min_quantity",
        "max_quantity",
        "min_price",
        "price",
        "moderated",
        "refill",
        "enabled",
        "archived",
    ];
    let sql = Sql::new(
        "INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, quantity_step, min_price, default_price, pricing_per,
           moderation_is_enabled, has_refill, is_enabled, is_archived, drip_feed_is_allowed, gather_statistic, real_counter_complete_is_enabled,
           sorting, created_at, updated_at)
         SELECT r.id, r.type, r.name, r.min_quantity, r.max_quantity, 10, r.min_price, r.price, 1000, r.moderated, r.refill, r.enabled, r.archived, r.id <= 5 OR r.id % 4 = 0,
           r.id % 3 = 0, r.id % 9 = 0, r.id, ?, ? FROM ",
    );
    let created_at = plan.now - 400 * DAY_MICROS;
    tx.execute(sql.bind(created_at).bind(created_at).rows("r", &columns, rows.collect())).await?;
    Ok(())
}

async fn insert_external_panels_and_providers(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let created_at = plan.now - 450 * DAY_MICROS;
    let panels = (1..=EXTERNAL_PANEL_COUNT).map(|id| {
        let name = EXTERNAL_PANEL_NAMES[usize::try_from(id).unwrap_or(0) % EXTERNAL_PANEL_NAMES.len()];
        let host = name.to_lowercase().replace(' ', "-");
        // The sync with one external panel failed, so that the demo shows a failure.
        let status = if id == 3 { "error" } else { "active" };
        vec![
            id.into(),
            name.into(),
            format!("https://{host}.example/api/v2").into(),
            status.into(),
            (id == 3).into(),
        ]
    });
    let sql = Sql::new(
        "INSERT INTO external_panels (id, name, endpoint, status, sync_failed, balance, created_at, updated_at)
         SELECT r.id, r.name, r.endpoint, r.status, r.failed, r.id * 123450000, ?, ? FROM ",
    );
    tx.execute(sql.bind(created_at).bind(created_at).rows(
        "r",
        &["id", "name", "endpoint", "status", "failed"],
        panels.collect(),
    ))
    .await?;
    let rows = (1..=PROVIDER_COUNT).map(|id| {
        let name = EXTERNAL_PANEL_NAMES[usize::try_from(id).unwrap_or(0) % EXTERNAL_PANEL_NAMES.len()];
        let status = match id {
            3 | 13 => "error",
            29 => "disabled",
            _ => "active",
        };
        vec![
            id.into(),
            format!("{name} #{}", 1_000 + id * 37).into(),
            (1 + (id - 1) % EXTERNAL_PANEL_COUNT).into(),
            format!("{}", 4_000 + id * 13).into(),
            (40_000 + (id * 7_919 + plan.random_seed(2)) % 400_000).into(),
            status.into(),
        ]
    });
    let sql = Sql::new(
        "INSERT INTO providers (id, name, external_panel_id, external_panel_service_id, source_price, status, last_available_at, created_at, updated_at)
         SELECT r.id, r.name, r.panel, r.service, r.price, r.status, ?, ?, ? FROM ",
    );
    let columns = ["id", "name", "panel", "service", "price", "status"];
    let sql = sql.bind(plan.now - HOUR_MICROS).bind(created_at).bind(created_at);
    tx.execute(sql.rows("r", &columns, rows.collect())).await?;
    // Each service has two providers. For some services both providers have failed, so that the demo has orders without a provider.
    for statement in [
        "INSERT INTO service_providers (service_id, provider_id, position)
         SELECT id, CASE WHEN id % 53 = 0 THEN 3 ELSE 1 + (id * 7) % 28 END, 0 FROM services",
        "INSERT INTO service_providers (service_id, provider_id, position)
         SELECT id, CASE WHEN id % 53 = 0 THEN 13 ELSE 1 + (id * 7 + 11) % 28 END, 1 FROM services",
    ] {
        tx.execute(Sql::new(statement)).await?;
    }
    let set_has_active_providers_sql = Sql::new(
        "UPDATE services SET has_active_providers = EXISTS (SELECT 1 FROM service_providers m JOIN providers p ON p.id = m.provider_id
           WHERE m.service_id = services.id AND ",
    );
    tx.execute(set_has_active_providers_sql.push(plan.available_provider_sql).push(")")).await?;
    Ok(())
}

async fn insert_payment_methods_and_grades(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let created_at = plan.now - 450 * DAY_MICROS;
    for statement in [
        "INSERT INTO payment_methods (id, name, type, position, created_at, updated_at) VALUES (1, 'Card', 'card', 1, @created_at, @created_at),
           (2, 'Bank transfer', 'bank', 2, @created_at, @created_at), (3, 'USDT (TRC-20)', 'crypto', 3, @created_at, @created_at), (4, 'PayPal', 'paypal', 4, @created_at, @created_at)",
        "INSERT INTO grades (id, name, discount_ppm, spending_goal, created_at, updated_at) VALUES (1, 'Newcomer', 0, 0, @created_at, @created_at),
           (2, 'Regular', 10000, 100000000, @created_at, @created_at), (3, 'Reseller', 30000, 1000000000, @created_at, @created_at), (4, 'Agency', 70000, 10000000000, @created_at, @created_at)",
    ] {
        tx.execute(Sql::new(statement).bind_named("created_at", created_at)).await?;
    }
    for statement in [
        "UPDATE grades SET thumbnail_period = 90 WHERE id = 2",
        "UPDATE grades SET thumbnail_period = 30, consultation_chat_period = 30, available_closed_sales = TRUE WHERE id = 3",
        "UPDATE grades SET thumbnail_period = 14, consultation_chat_period = 7, available_closed_sales = TRUE, available_personal_manager = TRUE WHERE id = 4",
    ] {
        tx.execute(Sql::new(statement)).await?;
    }
    set_payment_method_terms(tx, created_at).await
}

/// Sets fees, limits and bonuses of the payment methods, and adds a disabled payment method.
async fn set_payment_method_terms(tx: &mut Tx, created_at: i64) -> DbResult<()> {
    for statement in [
        "UPDATE payment_methods SET fee_ppm = 25000, min_amount = 5000000, max_amount = 2000000000, strategy = 'gateway'
         WHERE id = 1",
        "UPDATE payment_methods SET min_amount = 100000000, charge_currency = 'EUR', is_user_comment = TRUE, available_for_withdrawal = TRUE,
           withdrawal_min_amount = 50000000, withdrawal_min_fee = 1000000, withdrawal_fee_ppm = 5000 WHERE id = 2",
        "UPDATE payment_methods SET min_amount = 10000000, charge_currency = 'USDT', allow_qr_code = TRUE, shows_qr_code = TRUE, available_for_withdrawal = TRUE,
           withdrawal_min_amount = 20000000, withdrawal_max_amount = 5000000000, withdrawal_min_fee = 1000000, withdrawal_fee_ppm = 10000 WHERE id = 3",
        "UPDATE payment_methods SET fee_ppm = 39000, min_amount = 10000000, charge_type = 'deducted', is_allowed_for_new_user = FALSE WHERE id = 4",
    ] {
        tx.execute(Sql::new(statement)).await?;
    }
    for statement in [
        "INSERT INTO payment_methods (id, name, type, position, is_enabled, created_at, updated_at) VALUES (5, 'Cash at the office', 'cash', 5, FALSE, ?, ?)",
        "INSERT INTO payment_method_bonuses (payment_method_id, from_amount, bonus_ppm, is_enabled, created_at, updated_at)
           SELECT m.id, b.amount, b.share, m.id = 3 OR b.share < 50000, ?, ? FROM payment_methods m CROSS JOIN
             (SELECT 100000000 AS amount, 20000 AS share UNION ALL SELECT 500000000, 35000 UNION ALL SELECT 1000000000, 50000) b WHERE m.id IN (1, 3)",
    ] {
        tx.execute(Sql::new(statement).bind(created_at).bind(created_at)).await?;
    }
    Ok(())
}
