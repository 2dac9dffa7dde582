//! Banners on the customers' site.

use super::plan::{DAY_MICROS, DemoPlan};
use panel_platform::db::{DbResult, Sql, SqlExecutor as _, Tx};

/// Binds: the creation time, twice.
const INSERT_BANNERS: &str = "INSERT INTO banners (id, place, type, content, scroll_delay, created_at, updated_at) SELECT *, ?, ? FROM (
    SELECT 1, 'sidebar', 'slider', CAST(NULL AS TEXT), 5 UNION ALL SELECT 2, 'dashboard_header', 'slider', NULL, 3
    UNION ALL SELECT 3, 'services_main', 'content', '<h2>New: packages</h2><p>Everything for a good start, cheaper than one by one.</p>', 3
    UNION ALL SELECT 4, 'profile_header', 'none', NULL, 3) AS banner";

/// Binds: the creation time.
const INSERT_SLIDES: &str = "INSERT INTO banner_informations (id, banner_id, background_color, sorting, created_at) SELECT *, ? FROM (
    SELECT 1, 1, '#4c1d95', 1 UNION ALL SELECT 2, 1, '#0c4a6e', 2 UNION ALL SELECT 3, 2, '#14532d', 1 UNION ALL SELECT 4, 4, '#7f1d1d', 1) AS slide";

/// Slide id, locale, field and text.
const TEXTS: [(i64, &str, &str, &str); 15] = [
    (1, "en", "title", "10 % off"),
    (1, "en", "title_color", "#ffffff"),
    (1, "en", "sub_title", "All packages, this week"),
    (1, "en", "sub_title_color", "#ddd6fe"),
    (1, "de", "title", "10 % Rabatt"),
    (1, "es", "title", "10 % de descuento"),
    (2, "en", "title", "Invite friends"),
    (2, "en", "title_color", "#ffffff"),
    (3, "en", "title", "Grow steadily"),
    (3, "en", "title_color", "#ffffff"),
    (3, "en", "button_text", "See packages"),
    (3, "en", "button_text_color", "#14532d"),
    (3, "en", "button_bg_color", "#dcfce7"),
    (3, "en", "button_link", "https://panel.example/packages"),
    (4, "en", "title", "Sold out"),
];

pub(crate) async fn fill(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let created_at = plan.now - 100 * DAY_MICROS;
    tx.execute(Sql::new(INSERT_BANNERS).bind(created_at).bind(created_at)).await?;
    tx.execute(Sql::new(INSERT_SLIDES).bind(created_at)).await?;
    let rows = TEXTS.iter().map(|(id, locale, field, text)| {
        vec![(*id).into(), (*locale).into(), (*field).into(), (*text).into()]
    });
    let sql = Sql::new(
        "INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT 'banner_information', r.id, r.locale, r.field, r.text FROM ",
    );
    tx.execute(sql.rows("r", &["id", "locale", "field", "text"], rows.collect())).await?;
    Ok(())
}
