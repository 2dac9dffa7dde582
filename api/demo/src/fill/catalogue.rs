//! Services, providers, external panels and payment methods.

use super::plan::{DAY_MICROS, HOUR_MICROS, Plan};
use super::words::{NETWORKS, PROVIDERS, QUALITIES};
use panel_platform::db::sql::Val;
use panel_platform::db::{DbResult, Source, Sql, Tx};

/// Number of services.
const SERVICES: i64 = 600;
/// Number of providers.
const PROVIDERS_IN_ALL: i64 = 30;
/// Number of external panels.
const PANELS: i64 = 8;

/// Inserts the records.
pub(crate) async fn fill(tx: &mut Tx, plan: &Plan) -> DbResult<()> {
    networks(tx, plan).await?;
    services(tx, plan).await?;
    providers(tx, plan).await?;
    money(tx, plan).await
}

fn place(at: usize) -> i64 {
    i64::try_from(at).unwrap_or(0)
}

/// Network and name of every service type, in order.
fn types() -> Vec<(i64, &'static str)> {
    let of = |(at, (_, types)): (usize, &(&str, &'static [&'static str]))| {
        types.iter().map(move |name| (place(at) + 1, *name))
    };
    NETWORKS.iter().enumerate().flat_map(of).collect()
}

async fn networks(tx: &mut Tx, plan: &Plan) -> DbResult<()> {
    let since = plan.now - 500 * DAY_MICROS;
    let rows =
        NETWORKS.iter().enumerate().map(|(at, (name, _))| vec![(place(at) + 1).into(), (*name).into()]);
    let sql = Sql::new(
        "INSERT INTO networks (id, name, sorting, created_at, updated_at) SELECT r.id, r.name, r.id, ?, ? FROM ",
    );
    tx.exec(sql.bind(since).bind(since).rows("r", &["id", "name"], rows.collect())).await?;
    let rows = types()
        .into_iter()
        .enumerate()
        .map(|(at, (network, name))| vec![(place(at) + 1).into(), network.into(), name.into()]);
    let sql = Sql::new(
        "INSERT INTO service_types (id, network_id, name, title, sorting, created_at, updated_at) SELECT r.id, r.network, r.name, r.name, r.id, ?, ? FROM ",
    );
    tx.exec(sql.bind(since).bind(since).rows("r", &["id", "network", "name"], rows.collect())).await?;
    Ok(())
}

async fn services(tx: &mut Tx, plan: &Plan) -> DbResult<()> {
    let types = types();
    let rows = (1..=SERVICES).map(|id| {
        let at = usize::try_from(id - 1).unwrap_or(0);
        let (network, kind) = types[at % types.len()];
        let name = NETWORKS[usize::try_from(network - 1).unwrap_or(0)].0;
        let quality = QUALITIES[(at / types.len() + at) % QUALITIES.len()];
        let (roll, smallest) = ((id * 7_919 + plan.die(1)) % 997, [10, 50, 100, 500][at % 4]);
        // A unit costs whole thousandths of a cent: 1,000 units cost 0.10 to 20 dollars.
        let price: i64 = (100 + roll * 20) * 1_000;
        vec![
            Val::from(id),
            (place(at % types.len()) + 1).into(),
            format!("{name} {} · {quality}", kind.to_lowercase()).into(),
            smallest.into(),
            (smallest * 10_000).into(),
            (price * 7 / 10 / 1_000 * 1_000).into(),
            price.into(),
            (id % 9 == 0).into(),
            (id % 3 == 0).into(),
            (id % 41 != 0).into(),
            (id % 97 == 0).into(),
        ]
    });
    let columns =
        ["id", "type", "name", "least", "most", "low", "price", "moderated", "refill", "enabled", "archived"];
    let sql = Sql::new(
        "INSERT INTO services (id, service_type_id, name, min_quantity, max_quantity, quantity_step, min_price, default_price, pricing_per,
           moderation_is_enabled, has_refill, is_enabled, is_archived, drip_feed_is_allowed, gather_statistic, real_counter_complete_is_enabled,
           sorting, created_at, updated_at)
         SELECT r.id, r.type, r.name, r.least, r.most, 10, r.low, r.price, 1000, r.moderated, r.refill, r.enabled, r.archived, r.id <= 5 OR r.id % 4 = 0,
           r.id % 3 = 0, r.id % 9 = 0, r.id, ?, ? FROM ",
    );
    let since = plan.now - 400 * DAY_MICROS;
    tx.exec(sql.bind(since).bind(since).rows("r", &columns, rows.collect())).await?;
    Ok(())
}

async fn providers(tx: &mut Tx, plan: &Plan) -> DbResult<()> {
    let since = plan.now - 450 * DAY_MICROS;
    let panels = (1..=PANELS).map(|id| {
        let name = PROVIDERS[usize::try_from(id).unwrap_or(0) % PROVIDERS.len()];
        let host = name.to_lowercase().replace(' ', "-");
        // One provider has failed, to show a failure.
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
    tx.exec(sql.bind(since).bind(since).rows(
        "r",
        &["id", "name", "endpoint", "status", "failed"],
        panels.collect(),
    ))
    .await?;
    let rows = (1..=PROVIDERS_IN_ALL).map(|id| {
        let name = PROVIDERS[usize::try_from(id).unwrap_or(0) % PROVIDERS.len()];
        let status = match id {
            3 | 13 => "error",
            29 => "disabled",
            _ => "active",
        };
        vec![
            id.into(),
            format!("{name} #{}", 1_000 + id * 37).into(),
            (1 + (id - 1) % PANELS).into(),
            format!("{}", 4_000 + id * 13).into(),
            (40_000 + (id * 7_919 + plan.die(2)) % 400_000).into(),
            status.into(),
        ]
    });
    let sql = Sql::new(
        "INSERT INTO providers (id, name, external_panel_id, external_panel_service_id, source_price, status, last_available_at, created_at, updated_at)
         SELECT r.id, r.name, r.panel, r.service, r.price, r.status, ?, ?, ? FROM ",
    );
    let columns = ["id", "name", "panel", "service", "price", "status"];
    let sql = sql.bind(plan.now - HOUR_MICROS).bind(since).bind(since);
    tx.exec(sql.rows("r", &columns, rows.collect())).await?;
    // Two providers each, except for services whose only providers have failed: their orders have no provider.
    for statement in [
        "INSERT INTO service_providers (service_id, provider_id, position)
         SELECT id, CASE WHEN id % 53 = 0 THEN 3 ELSE 1 + (id * 7) % 28 END, 0 FROM services",
        "INSERT INTO service_providers (service_id, provider_id, position)
         SELECT id, CASE WHEN id % 53 = 0 THEN 13 ELSE 1 + (id * 7 + 11) % 28 END, 1 FROM services",
    ] {
        tx.exec(Sql::new(statement)).await?;
    }
    let served = Sql::new(
        "UPDATE services SET has_active_providers = EXISTS (SELECT 1 FROM service_providers m JOIN providers p ON p.id = m.provider_id
           WHERE m.service_id = services.id AND ",
    );
    tx.exec(served.push(plan.available_provider).push(")")).await?;
    Ok(())
}

async fn money(tx: &mut Tx, plan: &Plan) -> DbResult<()> {
    let since = plan.now - 450 * DAY_MICROS;
    for statement in [
        "INSERT INTO payment_methods (id, name, type, position, created_at, updated_at) VALUES (1, 'Card', 'card', 1, @since, @since),
           (2, 'Bank transfer', 'bank', 2, @since, @since), (3, 'USDT (TRC-20)', 'crypto', 3, @since, @since), (4, 'PayPal', 'paypal', 4, @since, @since)",
        "INSERT INTO grades (id, name, discount_ppm, spending_goal, created_at, updated_at) VALUES (1, 'Newcomer', 0, 0, @since, @since),
           (2, 'Regular', 10000, 100000000, @since, @since), (3, 'Reseller', 30000, 1000000000, @since, @since), (4, 'Agency', 70000, 10000000000, @since, @since)",
    ] {
        tx.exec(Sql::new(statement).named("since", since)).await?;
    }
    for statement in [
        "UPDATE grades SET thumbnail_period = 90 WHERE id = 2",
        "UPDATE grades SET thumbnail_period = 30, consultation_chat_period = 30, available_closed_sales = TRUE WHERE id = 3",
        "UPDATE grades SET thumbnail_period = 14, consultation_chat_period = 7, available_closed_sales = TRUE, available_personal_manager = TRUE WHERE id = 4",
    ] {
        tx.exec(Sql::new(statement)).await?;
    }
    payment_methods(tx, since).await
}

/// Four payment methods, a disabled one, and bonuses.
async fn payment_methods(tx: &mut Tx, since: i64) -> DbResult<()> {
    for statement in [
        "UPDATE payment_methods SET fee_ppm = 25000, min_amount = 5000000, max_amount = 2000000000, strategy = 'gateway'
         WHERE id = 1",
        "UPDATE payment_methods SET min_amount = 100000000, charge_currency = 'EUR', is_user_comment = TRUE, available_for_withdrawal = TRUE,
           withdrawal_min_amount = 50000000, withdrawal_min_fee = 1000000, withdrawal_fee_ppm = 5000 WHERE id = 2",
        "UPDATE payment_methods SET min_amount = 10000000, charge_currency = 'USDT', allow_qr_code = TRUE, shows_qr_code = TRUE, available_for_withdrawal = TRUE,
           withdrawal_min_amount = 20000000, withdrawal_max_amount = 5000000000, withdrawal_min_fee = 1000000, withdrawal_fee_ppm = 10000 WHERE id = 3",
        "UPDATE payment_methods SET fee_ppm = 39000, min_amount = 10000000, charge_type = 'deducted', is_allowed_for_new_user = FALSE WHERE id = 4",
    ] {
        tx.exec(Sql::new(statement)).await?;
    }
    for statement in [
        "INSERT INTO payment_methods (id, name, type, position, is_enabled, created_at, updated_at) VALUES (5, 'Cash at the office', 'cash', 5, FALSE, ?, ?)",
        "INSERT INTO payment_method_bonuses (payment_method_id, from_amount, bonus_ppm, is_enabled, created_at, updated_at)
           SELECT m.id, b.amount, b.share, m.id = 3 OR b.share < 50000, ?, ? FROM payment_methods m CROSS JOIN
             (SELECT 100000000 AS amount, 20000 AS share UNION ALL SELECT 500000000, 35000 UNION ALL SELECT 1000000000, 50000) b WHERE m.id IN (1, 3)",
    ] {
        tx.exec(Sql::new(statement).bind(since).bind(since)).await?;
    }
    Ok(())
}
