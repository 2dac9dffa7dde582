//! Labels and texts of services. Runs after the services exist.

use super::plan::{DAY_MICROS, DemoPlan};
use panel_platform::db::sql::Val;
use panel_platform::db::{DbResult, Sql, SqlExecutor as _, Tx};

/// The last label marks services with custom comments.
const LABELS: [&str; 6] =
    ["Fast start", "Refill", "Real accounts", "Best price", "Cancel button", "Custom comments"];

/// Texts of every service: locale, field and text.
const TEXTS: [(&str, &str, &str); 8] = [
    ("en", "short_description", "Starts automatically, delivers steadily, and is refilled after a drop."),
    ("en", "speed", "Up to 10,000 a day"),
    ("en", "start_time", "0 to 6 hours"),
    ("en", "geo", "Worldwide"),
    ("de", "speed", "Bis zu 10.000 am Tag"),
    ("de", "start_time", "0 bis 6 Stunden"),
    ("ru", "speed", "До 10 000 в день"),
    ("es", "speed", "Hasta 10 000 al día"),
];

pub(crate) async fn fill(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let created_at = plan.now - 300 * DAY_MICROS;
    let rows = LABELS.iter().zip(1_i64..).map(|(name, id)| {
        vec![Val::from(id), (*name).into(), (usize::try_from(id) == Ok(LABELS.len())).into()]
    });
    let sql = Sql::new(
        "INSERT INTO labels (id, name, is_custom_comments, created_at, updated_at) SELECT r.id, r.name, r.custom, ?, ? FROM ",
    );
    tx.execute(sql.bind(created_at).bind(created_at).rows("r", &["id", "name", "custom"], rows.collect()))
        .await?;
    let text_rows =
        TEXTS.iter().map(|(locale, field, text)| [*locale, *field, *text].map(Val::from).to_vec());
    let insert_translations_sql = Sql::new(
        "INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT 'service', s.id, r.locale, r.field, r.text FROM services s CROSS JOIN ",
    );
    tx.execute(insert_translations_sql.rows("r", &["locale", "field", "text"], text_rows.collect())).await?;
    for statement in [
        "INSERT INTO service_labels (service_id, label_id) SELECT id, 1 + id % 5 FROM services",
        "INSERT INTO service_labels (service_id, label_id) SELECT id, 6 FROM services WHERE lower(name) LIKE '%comment%'",
        "UPDATE service_types SET type = COALESCE((SELECT n.name FROM networks n WHERE n.id = service_types.network_id
           AND n.name IN ('Instagram', 'Facebook', 'Twitter', 'Telegram', 'Spotify', 'Twitch', 'Discord', 'Pinterest', 'Reddit', 'Threads')),
           CASE (SELECT n.name FROM networks n WHERE n.id = service_types.network_id) WHEN 'YouTube' THEN 'Youtube' WHEN 'TikTok' THEN 'Tiktok' ELSE 'Other' END)",
    ] {
        tx.execute(Sql::new(statement)).await?;
    }
    Ok(())
}
