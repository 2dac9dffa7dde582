//! Sealed secrets and documents: rotated to a new key while the panel serves, and again after a stop; nothing left behind.

use std::collections::BTreeSet;
use std::sync::Arc;

use panel_contract::ids::{ExternalPanelId, RecordId};
use panel_contract::moment::Time;
use panel_contract::upload::data_url;
use panel_kernel::clock::FixedClock;
use panel_kernel::random::Random;
use panel_platform::audit::seal::Sealer;
use panel_platform::config::Config;
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_platform::secrets::keys::parse;
use panel_platform::secrets::sealed_columns::SEALED;
use panel_platform::secrets::{SealedBy, Secrets, rotation};
use panel_platform::settings;
use panel_server::app::App;
use panel_server::doctor;
use panel_server::supply::panels;
use serde_json::{Value, json};

use crate::audits::seal;
use crate::panel::{NOW, Panel};
use crate::uploads::PIXEL;

both! {
    everything_is_sealed_anew_and_the_former_key_can_go;
    the_audit_trail_stays_whole_over_rotations;
    a_stopped_rotation_goes_on_with_the_rest;
    what_staff_change_meanwhile_is_not_written_over;
    a_value_of_an_unknown_key_keeps_the_former_key;
    the_secret_of_live_subscriptions_is_sealed;
    documents_are_encrypted_as_configured_and_read_either_way;
}

const TOKEN: &str = "integrations.telegram_bot_token";
const DOCUMENTS: &str = "/api/v1/admin/users/5/verification-documents";

fn quiet(_: &str) {}

fn key(digit: char) -> String {
    digit.to_string().repeat(64)
}

/// The configuration of a panel with other keys: the first seals.
fn with_keys(panel: &Panel, keys: &[String]) -> Config {
    let mut config = panel.app.config.clone();
    config.secret_key = Some(keys[0].clone());
    config.former_secret_keys = keys[1..].to_vec();
    config
}

/// Another process on the same database.
async fn process(config: Config) -> Result<App, String> {
    App::start(config, Arc::new(FixedClock::at(Time(NOW))), Random::seeded(9)).await
}

/// A panel whose key is configured, with a secret of each kind.
async fn sealed_panel(dialect: Dialect) -> Panel {
    let panel = Panel::with(dialect, |config| {
        config.secret_key = Some(key('a'));
        config.uploads.encrypt = true;
    })
    .await;
    let sql = "INSERT INTO users (id, name, email, created_at, updated_at) VALUES (5, 'Anna', 'anna@shop.example', 1, 1)";
    panel.exec(Sql::new(sql)).await;
    let made = [
        ("settings", json!({ "integrations": { "telegram_bot_token": "bot-token" } })),
        ("external-panels", json!({ "name": "Up", "endpoint": "8.8.8.8", "api_token": "panel-token" })),
        (
            "payment-methods",
            json!({ "name": "Card", "type": "card", "secrets": { "api_key": "pay-secret" } }),
        ),
        ("webhooks", json!({ "url": "https://8.8.8.8/hook", "webhook_types": ["order.created"] })),
        ("users/5/verification-documents", json!({ "group": "card", "picture": data_url(PIXEL) })),
    ];
    for (path, body) in made {
        let answer = panel.post(&format!("/api/v1/admin/{path}"), &body).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    }
    let rotated = panel.post("/api/v1/admin/webhooks/1/rotate-secret", &json!({})).await;
    assert_eq!(rotated.status, 200, "{}", rotated.text);
    let totp = panel.app.secrets.seal(&panel.app.random, b"seed", "users|totp_secret|5").unwrap();
    panel.exec(Sql::new("UPDATE users SET totp_secret = ? WHERE id = 5").bind(totp)).await;
    let place = "authenticator_enrolments|secret|5";
    let waiting = panel.app.secrets.seal(&panel.app.random, b"next seed", place).unwrap();
    let sql =
        "INSERT INTO authenticator_enrolments (user_id, family_id, secret, expires_at) VALUES (5, 'f', ?, 1)";
    panel.exec(Sql::new(sql).bind(waiting)).await;
    panel
}

/// Every sealed value of the columns, opened.
async fn opened(app: &App, secrets: &Secrets) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for of in SEALED {
        let sql = Sql::new("SELECT ").push(of.key).push(", ").push(of.column).push(" FROM ").push(of.table);
        let sql = sql.push(" WHERE ").push(of.column).push(" IS NOT NULL ORDER BY ").push(of.key);
        let rows: Vec<(RecordId, Vec<u8>)> = (&mut &app.db).all(sql).await.unwrap();
        assert!(!rows.is_empty(), "{}.{} has no secret in this test", of.table, of.column);
        for (id, sealed) in rows {
            let place = of.place(id);
            let secret = secrets.open(&sealed, &place).unwrap_or_else(|error| panic!("{place}: {error}"));
            found.push((place, secret));
        }
    }
    found
}

async fn everything_is_sealed_anew_and_the_former_key_can_go(dialect: Dialect) {
    let panel = sealed_panel(dialect).await;
    let before = opened(&panel.app, &panel.app.secrets).await;
    let realtime = panel.app.realtime_secret.clone();
    let (old, new) = (key('a'), key('b'));

    let refused = process(with_keys(&panel, std::slice::from_ref(&new))).await.err().unwrap();
    assert!(refused.contains("another key"), "{refused}");
    let same = process(with_keys(&panel, &[old.clone(), old.clone()])).await.err().unwrap();
    assert!(same.contains("also a former key"), "{same}");

    let app = process(with_keys(&panel, &[new.clone(), old.clone()])).await.unwrap();
    let former = panel.app.secrets.key_id();
    let status = rotation::status(&app).await.unwrap();
    assert_eq!(status.values.keys().collect::<Vec<_>>(), [&SealedBy::Former(former)]);
    assert_eq!(status.documents.keys().collect::<Vec<_>>(), [&SealedBy::Former(former)]);
    let rotated = rotation::rotate(&app, &quiet).await.unwrap();
    assert_eq!((rotated.documents, rotated.late, rotated.retired), (1, 0, Some(former)));
    assert_eq!(rotated.values, status.values.values().sum::<u64>());
    let again = rotation::rotate(&app, &quiet).await.unwrap();
    assert_eq!((again.values, again.documents, again.retired), (0, 0, None));
    let audited = "SELECT count(*) FROM audits WHERE event = 'secrets.rotated' AND user_id IS NULL";
    assert_eq!(panel.number(Sql::new(audited)).await, 1, "a rotation that does nothing leaves no entry");

    // The former key is refused now, and the new one alone opens everything.
    let refused = process(with_keys(&panel, &[old])).await.err().unwrap();
    assert!(refused.contains("another key"), "{refused}");
    let app = process(with_keys(&panel, &[new])).await.unwrap();
    assert!(opened(&app, &app.secrets).await == before);
    assert_eq!(app.realtime_secret, realtime);
    assert_eq!(settings::secret(&app, &mut &app.db, TOKEN).await.unwrap().as_deref(), Some("bot-token"));
    let reachable = panels::reachable(&app, &mut &app.db, ExternalPanelId::new(1)).await.unwrap();
    assert_eq!(reachable.panel().token, "panel-token");
    let status = rotation::status(&app).await.unwrap();
    assert_eq!(status.values.keys().collect::<Vec<_>>(), [&SealedBy::Current(app.secrets.key_id())]);
    assert_eq!((status.documents.len(), status.plain_documents), (1, 0));
}

async fn the_audit_trail_stays_whole_over_rotations(dialect: Dialect) {
    let mut panel = sealed_panel(dialect).await;
    let mut keys = vec![key('a')];
    for digit in ['b', 'c'] {
        let mut sealer = Sealer::default();
        assert!(seal(&panel, &mut sealer).await > 0);
        keys.insert(0, key(digit));
        panel.use_app(process(with_keys(&panel, &keys[..2])).await.unwrap());
        rotation::rotate(&panel.app, &quiet).await.unwrap();
        let one_more =
            panel.post("/api/v1/admin/settings", &json!({ "panel_name": format!("Shop {digit}") })).await;
        assert_eq!(one_more.status, 200, "{}", one_more.text);
    }
    assert!(seal(&panel, &mut Sealer::default()).await > 0);
    // Only the last key is there.
    panel.use_app(process(with_keys(&panel, &keys[..1])).await.unwrap());
    let report = doctor::run_all(&panel.app.db, Some(&panel.app.secrets), Time(NOW)).await.unwrap();
    assert!(report.healthy, "{}", doctor::text(&report));

    // Who holds a retired key and the database cannot go on with the chain.
    let retired = Secrets::new(&parse(&keys[1]).unwrap());
    let forged = retired.mac_key(retired.fingerprint()).unwrap().mac("audit_seals", b"anything");
    panel
        .exec(
            Sql::new(
                "INSERT INTO audit_seals (id, first_id, last_id, n, hash, created_at)
                 SELECT max(id) + 1, max(last_id) + 1, max(last_id) + 1, 1, ?, 1 FROM audit_seals",
            )
            .bind(forged.to_vec()),
        )
        .await;
    let report = doctor::run_all(&panel.app.db, Some(&panel.app.secrets), Time(NOW)).await.unwrap();
    assert!(!report.healthy);
}

async fn a_stopped_rotation_goes_on_with_the_rest(dialect: Dialect) {
    let panel = sealed_panel(dialect).await;
    let app = process(with_keys(&panel, &[key('b'), key('a')])).await.unwrap();
    // Stopped after the first column and the first setting.
    let sealed: (Vec<u8>,) =
        (&mut &app.db).one(Sql::new("SELECT totp_secret FROM users WHERE id = 5")).await.unwrap();
    let anew = app.secrets.reseal(&app.random, &sealed.0, "users|totp_secret|5").unwrap().unwrap();
    panel.exec(Sql::new("UPDATE users SET totp_secret = ? WHERE id = 5").bind(anew)).await;
    let status = rotation::status(&app).await.unwrap();
    assert_eq!(status.values.len(), 2, "values of both keys lie side by side: {status:?}");
    // Everything can be read meanwhile, also by a process that starts anew; the former key cannot go.
    assert_eq!(opened(&app, &app.secrets).await.len(), 6);
    let both = process(with_keys(&panel, &[key('b'), key('a')])).await.unwrap();
    assert_eq!(settings::secret(&both, &mut &both.db, TOKEN).await.unwrap().as_deref(), Some("bot-token"));
    assert!(process(with_keys(&panel, &[key('b')])).await.is_err());
    let rotated = rotation::rotate(&app, &quiet).await.unwrap();
    assert_eq!(rotated.values + 1, status.values.values().sum::<u64>());
    assert!(process(with_keys(&panel, &[key('b')])).await.is_ok());
}

async fn what_staff_change_meanwhile_is_not_written_over(dialect: Dialect) {
    let panel = sealed_panel(dialect).await;
    let app = process(with_keys(&panel, &[key('b'), key('a')])).await.unwrap();
    // This process still seals with the former key, as one would that was not restarted yet.
    let editing = async {
        for n in 0..20 {
            let body = json!({ "api_token": format!("panel-token-number-{n}") });
            let answer = panel.send("owner", "PATCH", "/api/v1/admin/external-panels/1", &body, None).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
        }
    };
    let rotating = async {
        for _ in 0..5 {
            rotation::rotate(&app, &quiet).await.unwrap();
        }
    };
    tokio::join!(editing, rotating);
    let token = panels::reachable(&app, &mut &app.db, ExternalPanelId::new(1)).await.unwrap();
    assert_eq!(token.panel().token, "panel-token-number-19");
    // What that process sealed last is found and sealed anew.
    rotation::rotate(&app, &quiet).await.unwrap();
    let status = rotation::status(&app).await.unwrap();
    assert_eq!(status.values.len(), 1, "{status:?}");
    // A value that changed since it was read stays.
    let stored = settings::get(&mut &app.db, TOKEN).await.unwrap().unwrap();
    let sealed = settings::seal_value(&app.secrets, &app.random, TOKEN, "other").unwrap();
    assert!(!settings::replace_if_equal(&mut &app.db, TOKEN, &sealed, &stored).await.unwrap());
}

async fn a_value_of_an_unknown_key_keeps_the_former_key(dialect: Dialect) {
    let panel = sealed_panel(dialect).await;
    let foreign = Secrets::new(&[0xdd; 32]);
    let sealed = foreign.seal(&panel.app.random, b"x", "webhooks|secret|1").unwrap();
    panel.exec(Sql::new("UPDATE webhooks SET secret_sealed = ? WHERE id = 1").bind(sealed)).await;
    let app = process(with_keys(&panel, &[key('b'), key('a')])).await.unwrap();
    let refused = format!("{:?}", rotation::rotate(&app, &quiet).await.unwrap_err());
    assert!(refused.contains("webhooks.secret_sealed of 1"), "{refused}");
    assert!(refused.contains(&foreign.key_id().to_string()) && !refused.contains("panel-token"), "{refused}");
    assert!(process(with_keys(&panel, &[key('b')])).await.is_err(), "the former key is still needed");
    let report = doctor::run_all(&app.db, Some(&app.secrets), Time(NOW)).await.unwrap();
    let text = doctor::text(&report);
    assert!(
        !report.healthy && text.contains("BROKEN  secrets_open: 1, such as webhooks.secret_sealed of 1"),
        "{text}"
    );
    // Once staff made a new secret, it ends.
    let rotated = panel.post("/api/v1/admin/webhooks/1/rotate-secret", &json!({})).await;
    assert_eq!(rotated.status, 200, "{}", rotated.text);
    let again = panel.post("/api/v1/admin/webhooks/1/rotate-secret", &json!({})).await;
    assert_eq!(again.status, 200, "{}", again.text);
    rotation::rotate(&app, &quiet).await.unwrap();
    assert!(process(with_keys(&panel, &[key('b')])).await.is_ok());
}

async fn the_secret_of_live_subscriptions_is_sealed(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let stored = settings::get(&mut &panel.app.db, settings::REALTIME_SECRET).await.unwrap().unwrap();
    let secret = &panel.app.realtime_secret;
    assert!(secret.len() == 43 && !stored.to_string().contains(secret.as_str()), "{stored}");
    // One from before is sealed at the next start and stays the same.
    let plain = "p".repeat(43);
    settings::put(&mut &panel.app.db, settings::REALTIME_SECRET, &json!(plain), Time(NOW)).await.unwrap();
    let app = process(panel.app.config.clone()).await.unwrap();
    assert_eq!(app.realtime_secret, plain);
    let stored = settings::get(&mut &app.db, settings::REALTIME_SECRET).await.unwrap().unwrap();
    assert!(!stored.to_string().contains(&plain), "{stored}");
    assert_eq!(process(panel.app.config.clone()).await.unwrap().realtime_secret, plain);
}

async fn documents_are_encrypted_as_configured_and_read_either_way(dialect: Dialect) {
    let mut panel = Panel::shop(dialect, 9, 0).await;
    let folder = panel.app.config.data_dir.join("uploads/private");
    let files = || -> Vec<Vec<u8>> {
        let entries = std::fs::read_dir(&folder).unwrap();
        entries.map(|entry| std::fs::read(entry.unwrap().path()).unwrap()).collect()
    };
    let is_png = |bytes: &[u8]| bytes.windows(4).any(|part| part == b"\x89PNG" || part == b"IHDR");
    let add = json!({ "group": "card", "picture": data_url(PIXEL) });
    assert_eq!(panel.post(DOCUMENTS, &add).await.status, 200);
    assert!(is_png(&files()[0]));
    let mut config = panel.app.config.clone();
    config.uploads.encrypt = true;
    panel.use_app(process(config.clone()).await.unwrap());
    assert_eq!(panel.post(DOCUMENTS, &add).await.status, 200);
    assert_eq!(files().iter().filter(|bytes| is_png(bytes)).count(), 1, "the new one is encrypted");
    assert_shown(&panel, 2).await;
    // A rotation encrypts what was written before; the option switched off reads it all the same.
    let rotated = rotation::rotate(&panel.app, &quiet).await.unwrap();
    assert_eq!(rotated.documents, 1);
    assert!(files().iter().all(|bytes| !is_png(bytes)));
    config.uploads.encrypt = false;
    panel.use_app(process(config).await.unwrap());
    assert_shown(&panel, 2).await;
    // A file is bound to its name.
    let names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    std::fs::copy(&names[0], &names[1]).unwrap();
    let statuses = shown(&panel).await;
    assert!(statuses.contains(&200) && statuses.contains(&500), "{statuses:?}");
}

/// Asks for each document of the customer.
async fn shown(panel: &Panel) -> Vec<u16> {
    let groups = panel.get(DOCUMENTS).await.json()["data"].clone();
    let documents =
        groups.as_array().unwrap().iter().flat_map(|group| group["documents"].as_array().unwrap().clone());
    let mut statuses = Vec::new();
    for document in documents.collect::<Vec<Value>>() {
        let answer = panel.get_as("owner", document["url"].as_str().unwrap(), "*/*").await;
        if answer.status == 200 {
            assert_eq!(&answer.bytes[..4], &PIXEL[..4]);
            assert_eq!(answer.headers["content-type"], "image/png");
        }
        statuses.push(answer.status.as_u16());
    }
    statuses
}

async fn assert_shown(panel: &Panel, count: usize) {
    assert_eq!(shown(panel).await, vec![200; count]);
}

/// A column of bytes is a hash, and says so by its name, or it is sealed and declared.
#[tokio::test]
async fn every_sealed_column_is_declared() {
    let panel = Panel::on(Dialect::Sqlite).await;
    let sql = "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
        WHERE m.type = 'table' AND m.name NOT LIKE '%\\_fts\\_%' ESCAPE '\\' AND m.name NOT LIKE '\\_sqlx%' ESCAPE '\\'
          AND m.name NOT LIKE 'sqlite%' AND (c.type = 'BLOB' OR c.name LIKE '%sealed%')";
    let columns: Vec<(String, String)> = (&mut &panel.app.db).all(Sql::new(sql)).await.unwrap();
    let sealed = columns.into_iter().filter(|(_, column)| column != "hash" && !column.ends_with("_hash"));
    let declared = SEALED.iter().map(|of| (of.table.to_owned(), of.column.to_owned()));
    assert_eq!(sealed.collect::<BTreeSet<_>>(), declared.collect::<BTreeSet<_>>());
    // The key inventory names each, and the data inventory names no table that is not there.
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/security.md");
    let text = std::fs::read_to_string(path).unwrap();
    for of in SEALED {
        let name = format!("{}.{}", of.table, of.column);
        assert!(text.contains(&format!("`{name}`")), "docs/security.md does not name {name}");
    }
    let tables: Vec<(String,)> = (&mut &panel.app.db)
        .all(Sql::new("SELECT name FROM sqlite_schema WHERE type = 'table'"))
        .await
        .unwrap();
    let inventory = text.split("\n## Data inventory").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = inventory.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    let named: Vec<&str> =
        rows.flat_map(|row| row.split('`')).filter(|name| name.contains(char::is_alphabetic)).collect();
    let strange =
        named.iter().filter(|name| !name.contains([' ', '/']) && !tables.contains(&((**name).to_owned(),)));
    assert_eq!(strange.collect::<Vec<_>>(), [&""; 0], "docs/security.md names tables that are not there");
    assert!(named.len() > 20, "{named:?}");
    // And no text column keeps a secret of the panel's own: what is made once is sealed.
    for key in settings::sealed_keys() {
        let stored = settings::get(&mut &panel.app.db, key).await.unwrap().filter(|value| !value.is_null());
        assert!(
            stored.is_none_or(|stored| settings::open_value(&panel.app.secrets, key, &stored).is_ok()),
            "{key}"
        );
    }
}
