//! Labels and texts of services.

use super::plan::{DAY_MICROS, Plan};
use panel_platform::db::sql::Val;
use panel_platform::db::{DbResult, Source as _, Sql, Tx};

/// Labels; the last one marks services with comments.
const LABELS: [&str; 6] =
    ["Fast start", "Refill", "Real accounts", "Best price", "Cancel button", "Custom comments"];

/// Texts of every service: locale, field, text.
const TEXTS: [(&str, &str, &str); 8] = [
    ("en", "short_description", "Starts by itself, goes on steadily, and is refilled when something drops."),
    ("en", "speed", "Up to 10,000 a day"),
    ("en", "start_time", "0 to 6 hours"),
    ("en", "geo", "Worldwide"),
    ("de", "speed", "Bis zu 10.000 am Tag"),
    ("de", "start_time", "0 bis 6 Stunden"),
    ("ru", "speed", "До 10 000 в день"),
    ("es", "speed", "Hasta 10 000 al día"),
];

/// Inserts the records, after the services.
pub(crate) async fn fill(tx: &mut Tx, plan: &Plan) -> DbResult<()> {
    let since = plan.now - 300 * DAY_MICROS;
    let rows = LABELS.iter().zip(1_i64..).map(|(name, id)| {
        vec![Val::from(id), (*name).into(), (usize::try_from(id) == Ok(LABELS.len())).into()]
    });
    let sql = Sql::new(
        "INSERT INTO labels (id, name, is_custom_comments, created_at, updated_at) SELECT r.id, r.name, r.custom, ?, ? FROM ",
    );
    tx.exec(sql.bind(since).bind(since).rows("r", &["id", "name", "custom"], rows.collect())).await?;
    let texts = TEXTS.iter().map(|(locale, field, text)| [*locale, *field, *text].map(Val::from).to_vec());
    let written = Sql::new(
        "INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT 'service', s.id, r.locale, r.field, r.text FROM services s CROSS JOIN ",
    );
    tx.exec(written.rows("r", &["locale", "field", "text"], texts.collect())).await?;
    for statement in [
        "INSERT INTO service_labels (service_id, label_id) SELECT id, 1 + id % 5 FROM services",
        "INSERT INTO service_labels (service_id, label_id) SELECT id, 6 FROM services WHERE lower(name) LIKE '%comment%'",
        "UPDATE service_types SET type = COALESCE((SELECT n.name FROM networks n WHERE n.id = service_types.network_id
           AND n.name IN ('Instagram', 'Facebook', 'Twitter', 'Telegram', 'Spotify', 'Twitch', 'Discord', 'Pinterest', 'Reddit', 'Threads')),
           CASE (SELECT n.name FROM networks n WHERE n.id = service_types.network_id) WHEN 'YouTube' THEN 'Youtube' WHEN 'TikTok' THEN 'Tiktok' ELSE 'Other' END)",
    ] {
        tx.exec(Sql::new(statement)).await?;
    }
    Ok(())
}
