//! The customers' site of a demo: menu items with subitems, a custom menu item, pages, some settings, and recipients of
//! notifications.

use serde_json::json;

use super::plan::{DAY_MICROS, DemoPlan};
use panel_platform::db::sql::Val;
use panel_platform::db::{DbResult, Sql, SqlExecutor as _, Tx};

/// Menu items in order: id, parent id (0 for none), name, German name, URL, icon.
const MENU: [(i64, i64, &str, &str, &str, &str); 9] = [
    (1, 0, "Home", "Startseite", "/", "home"),
    (2, 0, "Services", "Dienste", "/services", "tags"),
    (3, 2, "Packages", "Pakete", "/packages", "box"),
    (4, 2, "Free trials", "Kostenlose Proben", "/quests", "gift"),
    (5, 0, "Orders", "Bestellungen", "/orders", "shopping-cart"),
    (6, 5, "Drip-feeds", "Drip-Feeds", "/drip-feeds", "sync"),
    (7, 5, "Subscriptions", "Abos", "/subscriptions", "bell"),
    (8, 0, "Help", "Hilfe", "/help", "question-circle"),
    (9, 0, "Summer sale", "Sommerverkauf", "/sale", "percentage"),
];

/// Pages: id, name, route, title for search engines.
const PAGES: [(i64, &str, &str, &str); 7] = [
    (1, "Home", "home", "Likes, views and followers"),
    (2, "Services", "services.index", "All services and prices"),
    (3, "One service", "services.show", "Order this service"),
    (4, "Packages", "packages.index", "Packages at a discount"),
    (5, "Help", "help", "Questions and answers"),
    (6, "Terms", "terms", "Terms and conditions"),
    (7, "Old landing page", "landing.2024", "An offer of last year"),
];

pub(crate) async fn fill(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    let created_at = plan.now - 200 * DAY_MICROS;
    let rows = MENU.iter().zip(1_i64..).map(|((id, parent_id, name, _, url, icon), position)| {
        vec![
            Val::from(*id),
            (*parent_id).into(),
            (*name).into(),
            (*url).into(),
            (*icon).into(),
            position.into(),
            (*id == 9).into(),
        ]
    });
    let sql = Sql::new(
        "INSERT INTO menu_items (id, parent_id, name, url, icon, sorting, is_archived, is_allowed_for_guest, created_at, updated_at)
         SELECT r.id, NULLIF(r.parent, 0), r.name, r.url, r.icon, r.position, r.archived, r.id NOT IN (5, 6, 7), ?, ? FROM ",
    );
    let names = ["id", "parent", "name", "url", "icon", "position", "archived"];
    tx.execute(sql.bind(created_at).bind(created_at).rows("r", &names, rows.collect())).await?;
    let menu_translations = MENU.iter().flat_map(|(id, _, name, german, ..)| {
        [("en", *name), ("de", *german)].map(|(locale, text)| {
            vec![Val::from("menu_item"), (*id).into(), locale.into(), "name".into(), text.into()]
        })
    });
    let page_translations = PAGES.iter().flat_map(|(id, name, _, title)| {
        [("name", *name), ("meta_title", *title)].map(|(field, text)| {
            vec![Val::from("panel_page"), (*id).into(), "en".into(), field.into(), text.into()]
        })
    });
    let custom_item_translation =
        vec![Val::from("custom_menu_item"), 1_i64.into(), "en".into(), "name".into(), "Blog".into()];
    let sql = Sql::new(
        "INSERT INTO translations (owner_type, owner_id, locale, field, value) SELECT r.kind, r.id, r.locale, r.field, r.value FROM ",
    );
    let translations = menu_translations.chain(page_translations).chain([custom_item_translation]).collect();
    tx.execute(sql.rows("r", &["kind", "id", "locale", "field", "value"], translations)).await?;
    let rows = PAGES
        .iter()
        .map(|(id, name, route, _)| vec![Val::from(*id), (*name).into(), (*route).into(), (*id == 7).into()]);
    let sql = Sql::new(
        "INSERT INTO panel_pages (id, name, route_name, is_archived, created_at, updated_at) SELECT r.id, r.name, r.route, r.archived, ?, ? FROM ",
    );
    tx.execute(sql.bind(created_at).bind(created_at).rows(
        "r",
        &["id", "name", "route", "archived"],
        rows.collect(),
    ))
    .await?;
    let sql = Sql::new(
        "INSERT INTO custom_menu_items (id, name, icon, url, is_blank, show_in_public, created_at, updated_at) VALUES (1, 'Blog', 'book', 'https://blog.example.com', TRUE, TRUE, ?, ?)",
    );
    tx.execute(sql.bind(created_at).bind(created_at)).await?;
    insert_settings(tx, created_at).await?;
    insert_notification_recipients(tx, plan).await
}

async fn insert_settings(tx: &mut Tx, created_at: i64) -> DbResult<()> {
    for (key, value) in [
        ("logo_destination_url", json!("https://panel.example/")),
        ("minimum_purchase_amount_on_widget", json!("1")),
        ("support_email", json!("help@panel.example")),
        ("socials.telegram", json!("https://t.me/example")),
        ("currencies.exchange_rates", json!({ "EUR": "0.92", "RUB": "92.5", "INR": "83.1" })),
        ("terms_and_conditions_url", json!("https://panel.example/terms")),
        ("meta_tags", json!([{ "name": "description", "content": "Likes, views and followers" }])),
    ] {
        let sql = Sql::new(
            "INSERT INTO settings (key, value, updated_at) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING",
        );
        tx.execute(sql.bind(key).bind(value.to_string()).bind(created_at)).await?;
    }
    Ok(())
}

async fn insert_notification_recipients(tx: &mut Tx, plan: &DemoPlan) -> DbResult<()> {
    for (audience, user_id) in [("admin", plan.owner_id), ("support", plan.moderator_id)] {
        if let Some(user_id) = user_id {
            let sql = Sql::new("INSERT INTO notification_recipients (audience, user_id) VALUES (?, ?)");
            tx.execute(sql.bind(audience).bind(user_id)).await?;
        }
    }
    Ok(())
}
