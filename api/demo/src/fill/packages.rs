//! Order parameters (`targets`), URL checkers and packages. Runs after the services and their labels exist.

use super::plan::{DAY_MICROS, DemoPlan};
use panel_platform::db::{DbResult, Sql, SqlExecutor as _, Tx};

/// Binds: the creation time, twice.
const INSERT_RECORDS: [&str; 4] = [
    "INSERT INTO targets (id, name, target_type_id, is_system, is_visible_default_values, selectable_values, created_at, updated_at) SELECT *, ?, ? FROM (
       SELECT 1, 'Comments', 3, TRUE, FALSE, '[]' UNION ALL SELECT 2, 'Countries', 1, FALSE, TRUE, '[\"US\",\"GB\",\"DE\",\"FR\",\"BR\",\"IN\",\"TR\",\"JP\"]'
       UNION ALL SELECT 3, 'Keyword', 4, FALSE, FALSE, '[]' UNION ALL SELECT 4, 'Search phrases', 8, FALSE, FALSE, '[]'
       UNION ALL SELECT 5, 'Language', 9, FALSE, TRUE, '[\"English\",\"Deutsch\",\"Español\",\"Português\",\"日本語\"]'
       UNION ALL SELECT 6, 'Referring page', 7, FALSE, FALSE, '[]') AS made",
    "INSERT INTO provider_packages (id, external_panel_id, external_panel_package_id, name, type, network_id, fixed_cost, discount_ppm, created_at, updated_at) SELECT *, ?, ? FROM (
       SELECT 1, 1, '101', 'Growth bundle S', 'auto', 1, CAST(NULL AS BIGINT), 100000 UNION ALL SELECT 2, 1, '102', 'Growth bundle L', 'auto', 1, NULL, 150000
       UNION ALL SELECT 3, 2, '7', 'Launch week', 'manual', 2, 49000000, 0) AS made",
    "INSERT INTO packages (id, name, type, network_id, is_enabled, is_archived, fixed_cost, discount_ppm, slug, provider_package_id, sync, created_at, updated_at) SELECT *, ?, ? FROM (
       SELECT 1, 'Starter', 'auto', 1, TRUE, FALSE, CAST(NULL AS BIGINT), 100000, 'starter', CAST(NULL AS BIGINT), FALSE
       UNION ALL SELECT 2, 'Creator', 'auto', 1, TRUE, FALSE, NULL, 150000, 'creator', NULL, FALSE
       UNION ALL SELECT 3, 'Label', 'manual', 2, TRUE, FALSE, 69900000, 0, 'label', NULL, FALSE
       UNION ALL SELECT 4, 'Growth bundle', 'auto', 1, TRUE, FALSE, NULL, 125000, NULL, 1, TRUE
       UNION ALL SELECT 5, 'Launch week', 'manual', 2, FALSE, FALSE, NULL, 0, NULL, NULL, FALSE
       UNION ALL SELECT 6, 'Black Friday 2025', 'auto', 1, FALSE, TRUE, 25000000, 0, NULL, NULL, FALSE) AS made",
    "INSERT INTO promotable_checker_groups (id, name, service_type_type, checkers, updated_at) SELECT *, ? + 0 * ? FROM (
       SELECT 1, 'Videos', 'Youtube', '[\"youtube.com/watch*\",\"youtube.com/shorts/*\",\"youtu.be/*\"]' UNION ALL SELECT 2, 'Channels', 'Youtube', '[\"youtube.com/@*\",\"youtube.com/channel/*\"]'
       UNION ALL SELECT 3, 'Posts', 'Instagram', '[\"instagram.com/p/*\",\"instagram.com/reel/*\"]') AS made",
];

/// Records that belong to the records above: translations, contents and links to services.
const INSERT_DETAILS: [&str; 6] = [
    "INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT 'target', id, 'en', 'name', name FROM targets
       UNION ALL SELECT 'target', 3, 'en', 'placeholder', 'What people search for' UNION ALL SELECT 'target', 2, 'de', 'name', 'Länder'
       UNION ALL SELECT 'target', 1, 'en', 'placeholder', 'One in a line'",
    "INSERT INTO service_targets (service_id, target_id, position, attachment, given_values)
       SELECT id, 2, 1, CASE WHEN id % 2 = 0 THEN 'required' ELSE 'optional' END, CASE WHEN id % 3 = 0 THEN '[\"US\",\"GB\"]' ELSE '[]' END FROM services WHERE id % 20 = 7
       UNION ALL SELECT id, 3, 2, 'optional', '[]' FROM services WHERE id % 40 = 7 UNION ALL SELECT id, 5, 3, 'fixed', '[\"English\"]' FROM services WHERE id % 60 = 7
       UNION ALL SELECT s.id, 1, 4, 'required', '[]' FROM services s JOIN service_labels l ON l.service_id = s.id WHERE l.label_id = 6",
    "INSERT INTO package_contents (package_id, service_id, position, quantity, price, is_displayable)
       SELECT p.id, s.id, s.id, s.min_quantity * (5 + p.id), CASE WHEN s.id % 5 = 0 THEN s.min_price END, s.id % 7 > 0 FROM packages p JOIN services s ON NOT s.is_archived
         AND s.id IN (p.id, p.id + 12, p.id + 25, p.id * 2 + 40) ",
    "INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT 'package', id, 'en', 'name', name FROM packages
       UNION ALL SELECT 'package', id, 'en', 'short_description', 'Everything for a good start, cheaper than one by one.' FROM packages WHERE id <= 3
       UNION ALL SELECT 'package', 1, 'de', 'name', 'Einstieg' UNION ALL SELECT 'package', 1, 'es', 'name', 'Inicial'",
    "INSERT INTO provider_package_contents (provider_package_id, external_panel_service_id, name, quantity, price, pricing_per)
       SELECT y.id, '40' || n.i, 'External service ' || n.i, 500 * n.i, 400000 * n.i, 1000 FROM provider_packages y CROSS JOIN (SELECT 1 AS i UNION ALL SELECT 2 UNION ALL SELECT 3) n",
    "UPDATE packages SET service_type_id = (SELECT min(t.id) FROM service_types t WHERE t.network_id = packages.network_id) WHERE id % 2 = 1",
];

pub(crate) async fn fill(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let created_at = plan.now - 200 * DAY_MICROS;
    for statement in INSERT_RECORDS {
        tx.execute(Sql::new(statement).bind(created_at).bind(created_at)).await?;
    }
    for statement in INSERT_DETAILS {
        tx.execute(Sql::new(statement)).await?;
    }
    Ok(())
}
