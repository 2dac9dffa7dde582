//! Rotation of the key that encrypts secrets and documents: while the server runs, after an interruption, and completely.

use std::collections::BTreeSet;
use std::sync::Arc;

use panel_contract::ids::{ExternalPanelId, RecordId};
use panel_contract::moment::Time;
use panel_contract::upload::to_data_url;
use panel_kernel::clock::FixedClock;
use panel_kernel::random::Random;
use panel_platform::audit::seal::Sealer;
use panel_platform::config::Config;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_platform::secrets::keys::parse;
use panel_platform::secrets::sealed_columns::SEALED_COLUMNS;
use panel_platform::secrets::{SealedBy, Secrets, rotation};
use panel_platform::settings;
use panel_server::app::App;
use panel_server::doctor;
use panel_server::supply::panels;
use serde_json::{Value, json};

use crate::audits::seal_all;
use crate::panel::{NOW, Panel};
use crate::uploads::PIXEL;

test_both_databases! {
    a_rotation_seals_everything_with_the_new_key_and_the_former_key_can_be_removed;
    the_audit_trail_stays_valid_after_rotations;
    an_interrupted_rotation_continues_with_the_remaining_values;
    a_rotation_does_not_overwrite_concurrent_changes;
    the_former_key_stays_required_while_a_value_has_an_unknown_key;
    the_realtime_secret_is_sealed;
    documents_are_readable_with_and_without_encryption;
}

const BOT_TOKEN_SETTING: &str = "integrations.telegram_bot_token";
const DOCUMENTS_PATH: &str = "/api/v1/admin/users/5/verification-documents";

fn ignore_progress(_: &str) {}

fn secret_key(digit: char) -> String {
    digit.to_string().repeat(64)
}

/// The configuration of a panel with other keys: the first encrypts, the others only decrypt.
fn config_with_keys(panel: &Panel, keys: &[String]) -> Config {
    let mut config = panel.app.config.clone();
    config.secret_key = Some(keys[0].clone());
    config.former_secret_keys = keys[1..].to_vec();
    config
}

/// Starts another process on the same database.
async fn start_process(config: Config) -> Result<App, String> {
    App::start(config, Arc::new(FixedClock::new(Time(NOW))), Random::seeded(9)).await
}

/// A panel with a configured key and a secret of each kind.
async fn panel_with_sealed_values(dialect: Dialect) -> Panel {
    let panel = Panel::with_config(dialect, |config| {
        config.secret_key = Some(secret_key('a'));
        config.uploads.encrypt = true;
    })
    .await;
    let sql = "INSERT INTO users (id, name, email, created_at, updated_at) VALUES (5, 'Anna', 'anna@shop.example', 1, 1)";
    panel.execute(Sql::new(sql)).await;
    let records = [
        ("settings", json!({ "integrations": { "telegram_bot_token": "bot-token" } })),
        ("external-panels", json!({ "name": "Up", "endpoint": "8.8.8.8", "api_token": "panel-token" })),
        (
            "payment-methods",
            json!({ "name": "Card", "type": "card", "secrets": { "api_key": "pay-secret" } }),
        ),
        ("webhooks", json!({ "url": "https://8.8.8.8/hook", "webhook_types": ["order.created"] })),
        ("users/5/verification-documents", json!({ "group": "card", "picture": to_data_url(PIXEL) })),
    ];
    for (path, body) in records {
        let response = panel.post(&format!("/api/v1/admin/{path}"), &body).await;
        assert_eq!(response.status, 200, "{path}: {}", response.text);
    }
    let rotate_response = panel.post("/api/v1/admin/webhooks/1/rotate-secret", &json!({})).await;
    assert_eq!(rotate_response.status, 200, "{}", rotate_response.text);
    let sealed_totp_secret =
        panel.app.secrets.seal(&panel.app.random, b"seed", "users|totp_secret|5").unwrap();
    panel.execute(Sql::new("UPDATE users SET totp_secret = ? WHERE id = 5").bind(sealed_totp_secret)).await;
    let seal_context = "authenticator_enrolments|secret|5";
    let sealed_enrolment_secret =
        panel.app.secrets.seal(&panel.app.random, b"next seed", seal_context).unwrap();
    let sql =
        "INSERT INTO authenticator_enrolments (user_id, family_id, secret, expires_at) VALUES (5, 'f', ?, 1)";
    panel.execute(Sql::new(sql).bind(sealed_enrolment_secret)).await;
    panel
}

/// Decrypts every value of the sealed columns.
async fn open_sealed_values(app: &App, secrets: &Secrets) -> Vec<(String, Vec<u8>)> {
    let mut secrets_by_context = Vec::new();
    for sealed_column in SEALED_COLUMNS {
        let sql = Sql::new("SELECT ")
            .push(sealed_column.key)
            .push(", ")
            .push(sealed_column.column)
            .push(" FROM ")
            .push(sealed_column.table);
        let sql = sql
            .push(" WHERE ")
            .push(sealed_column.column)
            .push(" IS NOT NULL ORDER BY ")
            .push(sealed_column.key);
        let rows: Vec<(RecordId, Vec<u8>)> = (&mut &app.db).fetch_all(sql).await.unwrap();
        assert!(
            !rows.is_empty(),
            "{}.{} has no secret in this test",
            sealed_column.table,
            sealed_column.column
        );
        for (id, sealed) in rows {
            let seal_context = sealed_column.associated_data(id);
            let secret = secrets
                .open(&sealed, &seal_context)
                .unwrap_or_else(|error| panic!("{seal_context}: {error}"));
            secrets_by_context.push((seal_context, secret));
        }
    }
    secrets_by_context
}

async fn a_rotation_seals_everything_with_the_new_key_and_the_former_key_can_be_removed(dialect: Dialect) {
    let panel = panel_with_sealed_values(dialect).await;
    let values_before = open_sealed_values(&panel.app, &panel.app.secrets).await;
    let realtime_secret = panel.app.realtime_secret.clone();
    let (old_key, new_key) = (secret_key('a'), secret_key('b'));

    let error = start_process(config_with_keys(&panel, std::slice::from_ref(&new_key))).await.err().unwrap();
    assert!(error.contains("another key"), "{error}");
    let duplicate_key_error =
        start_process(config_with_keys(&panel, &[old_key.clone(), old_key.clone()])).await.err().unwrap();
    assert!(duplicate_key_error.contains("also a former key"), "{duplicate_key_error}");

    let app = start_process(config_with_keys(&panel, &[new_key.clone(), old_key.clone()])).await.unwrap();
    let former_key_id = panel.app.secrets.key_id();
    let status = rotation::count_values_by_key(&app).await.unwrap();
    assert_eq!(status.values.keys().collect::<Vec<_>>(), [&SealedBy::Former(former_key_id)]);
    assert_eq!(status.documents.keys().collect::<Vec<_>>(), [&SealedBy::Former(former_key_id)]);
    let rotated = rotation::rotate(&app, &ignore_progress).await.unwrap();
    assert_eq!(
        (rotated.documents, rotated.resealed_in_last_pass, rotated.retired),
        (1, 0, Some(former_key_id))
    );
    assert_eq!(rotated.values, status.values.values().sum::<u64>());
    let second_rotation = rotation::rotate(&app, &ignore_progress).await.unwrap();
    assert_eq!((second_rotation.values, second_rotation.documents, second_rotation.retired), (0, 0, None));
    let count_audits_sql = "SELECT count(*) FROM audits WHERE event = 'secrets.rotated' AND user_id IS NULL";
    assert_eq!(
        panel.fetch_number(Sql::new(count_audits_sql)).await,
        1,
        "a rotation without changes must not write an audit entry"
    );

    // The server no longer starts with the former key alone, and the new key alone decrypts everything.
    let error = start_process(config_with_keys(&panel, &[old_key])).await.err().unwrap();
    assert!(error.contains("another key"), "{error}");
    let app = start_process(config_with_keys(&panel, &[new_key])).await.unwrap();
    assert!(open_sealed_values(&app, &app.secrets).await == values_before);
    assert_eq!(app.realtime_secret, realtime_secret);
    assert_eq!(
        settings::read_secret(&app, &mut &app.db, BOT_TOKEN_SETTING).await.unwrap().as_deref(),
        Some("bot-token")
    );
    let connection = panels::load_connection(&app, &mut &app.db, ExternalPanelId::new(1)).await.unwrap();
    assert_eq!(connection.api().token, "panel-token");
    let status = rotation::count_values_by_key(&app).await.unwrap();
    assert_eq!(status.values.keys().collect::<Vec<_>>(), [&SealedBy::Current(app.secrets.key_id())]);
    assert_eq!((status.documents.len(), status.plain_documents), (1, 0));
}

async fn the_audit_trail_stays_valid_after_rotations(dialect: Dialect) {
    let mut panel = panel_with_sealed_values(dialect).await;
    let mut keys = vec![secret_key('a')];
    for digit in ['b', 'c'] {
        let mut sealer = Sealer::default();
        assert!(seal_all(&panel, &mut sealer).await > 0);
        keys.insert(0, secret_key(digit));
        panel.use_app(start_process(config_with_keys(&panel, &keys[..2])).await.unwrap());
        rotation::rotate(&panel.app, &ignore_progress).await.unwrap();
        let settings_response =
            panel.post("/api/v1/admin/settings", &json!({ "panel_name": format!("Shop {digit}") })).await;
        assert_eq!(settings_response.status, 200, "{}", settings_response.text);
    }
    assert!(seal_all(&panel, &mut Sealer::default()).await > 0);
    // Only the last key is configured.
    panel.use_app(start_process(config_with_keys(&panel, &keys[..1])).await.unwrap());
    let report = doctor::run_all(&panel.app.db, Some(&panel.app.secrets), Time(NOW)).await.unwrap();
    assert!(report.healthy, "{}", doctor::format_report(&report));

    // An attacker with a retired key and the database cannot extend the chain.
    let retired_secrets = Secrets::new(&parse(&keys[1]).unwrap());
    let forged_mac =
        retired_secrets.mac_key(retired_secrets.fingerprint()).unwrap().mac("audit_seals", b"anything");
    panel
        .execute(
            Sql::new(
                "INSERT INTO audit_seals (id, first_id, last_id, n, hash, created_at)
                 SELECT max(id) + 1, max(last_id) + 1, max(last_id) + 1, 1, ?, 1 FROM audit_seals",
            )
            .bind(forged_mac.to_vec()),
        )
        .await;
    let report = doctor::run_all(&panel.app.db, Some(&panel.app.secrets), Time(NOW)).await.unwrap();
    assert!(!report.healthy);
}

async fn an_interrupted_rotation_continues_with_the_remaining_values(dialect: Dialect) {
    let panel = panel_with_sealed_values(dialect).await;
    let app = start_process(config_with_keys(&panel, &[secret_key('b'), secret_key('a')])).await.unwrap();
    // The rotation stopped after the first value.
    let sealed: (Vec<u8>,) =
        (&mut &app.db).fetch_one(Sql::new("SELECT totp_secret FROM users WHERE id = 5")).await.unwrap();
    let resealed = app.secrets.reseal(&app.random, &sealed.0, "users|totp_secret|5").unwrap().unwrap();
    panel.execute(Sql::new("UPDATE users SET totp_secret = ? WHERE id = 5").bind(resealed)).await;
    let status = rotation::count_values_by_key(&app).await.unwrap();
    assert_eq!(status.values.len(), 2, "the database has values of both keys: {status:?}");
    // A new process with both keys still decrypts everything; a process without the former key does not start.
    assert_eq!(open_sealed_values(&app, &app.secrets).await.len(), 6);
    let second_process =
        start_process(config_with_keys(&panel, &[secret_key('b'), secret_key('a')])).await.unwrap();
    assert_eq!(
        settings::read_secret(&second_process, &mut &second_process.db, BOT_TOKEN_SETTING)
            .await
            .unwrap()
            .as_deref(),
        Some("bot-token")
    );
    assert!(start_process(config_with_keys(&panel, &[secret_key('b')])).await.is_err());
    let rotated = rotation::rotate(&app, &ignore_progress).await.unwrap();
    assert_eq!(rotated.values + 1, status.values.values().sum::<u64>());
    assert!(start_process(config_with_keys(&panel, &[secret_key('b')])).await.is_ok());
}

async fn a_rotation_does_not_overwrite_concurrent_changes(dialect: Dialect) {
    let panel = panel_with_sealed_values(dialect).await;
    let app = start_process(config_with_keys(&panel, &[secret_key('b'), secret_key('a')])).await.unwrap();
    // `panel` still encrypts with the former key, like a process that was not restarted yet.
    let edit_repeatedly = async {
        for n in 0..20 {
            let body = json!({ "api_token": format!("panel-token-number-{n}") });
            let response = panel.send("owner", "PATCH", "/api/v1/admin/external-panels/1", &body, None).await;
            assert_eq!(response.status, 200, "{}", response.text);
        }
    };
    let rotate_repeatedly = async {
        for _ in 0..5 {
            rotation::rotate(&app, &ignore_progress).await.unwrap();
        }
    };
    tokio::join!(edit_repeatedly, rotate_repeatedly);
    let connection = panels::load_connection(&app, &mut &app.db, ExternalPanelId::new(1)).await.unwrap();
    assert_eq!(connection.api().token, "panel-token-number-19");
    // Another rotation re-encrypts the last value that the process with the former key has written.
    rotation::rotate(&app, &ignore_progress).await.unwrap();
    let status = rotation::count_values_by_key(&app).await.unwrap();
    assert_eq!(status.values.len(), 1, "{status:?}");
    // The rotation does not replace a value that changed after it read the value.
    let stored_value = settings::read_stored(&mut &app.db, BOT_TOKEN_SETTING).await.unwrap().unwrap();
    let sealed = settings::seal_value(&app.secrets, &app.random, BOT_TOKEN_SETTING, "other").unwrap();
    assert!(
        !settings::replace_if_equal(&mut &app.db, BOT_TOKEN_SETTING, &sealed, &stored_value).await.unwrap()
    );
}

async fn the_former_key_stays_required_while_a_value_has_an_unknown_key(dialect: Dialect) {
    let panel = panel_with_sealed_values(dialect).await;
    let other_secrets = Secrets::new(&[0xdd; 32]);
    let sealed = other_secrets.seal(&panel.app.random, b"x", "webhooks|secret|1").unwrap();
    panel.execute(Sql::new("UPDATE webhooks SET secret_sealed = ? WHERE id = 1").bind(sealed)).await;
    let app = start_process(config_with_keys(&panel, &[secret_key('b'), secret_key('a')])).await.unwrap();
    let error = format!("{:?}", rotation::rotate(&app, &ignore_progress).await.unwrap_err());
    assert!(error.contains("webhooks.secret_sealed of 1"), "{error}");
    assert!(error.contains(&other_secrets.key_id().to_string()) && !error.contains("panel-token"), "{error}");
    assert!(
        start_process(config_with_keys(&panel, &[secret_key('b')])).await.is_err(),
        "the former key must still be required"
    );
    let report = doctor::run_all(&app.db, Some(&app.secrets), Time(NOW)).await.unwrap();
    let text = doctor::format_report(&report);
    assert!(
        !report.healthy
            && text.contains("FAILED  secrets_open: 1 violation, such as webhooks.secret_sealed of 1"),
        "{text}"
    );
    // After staff rotate the webhook's secret twice, no value has the unknown key.
    let rotate_response = panel.post("/api/v1/admin/webhooks/1/rotate-secret", &json!({})).await;
    assert_eq!(rotate_response.status, 200, "{}", rotate_response.text);
    let second_rotation = panel.post("/api/v1/admin/webhooks/1/rotate-secret", &json!({})).await;
    assert_eq!(second_rotation.status, 200, "{}", second_rotation.text);
    rotation::rotate(&app, &ignore_progress).await.unwrap();
    assert!(start_process(config_with_keys(&panel, &[secret_key('b')])).await.is_ok());
}

async fn the_realtime_secret_is_sealed(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let stored_value =
        settings::read_stored(&mut &panel.app.db, settings::REALTIME_SECRET).await.unwrap().unwrap();
    let secret = &panel.app.realtime_secret;
    assert!(secret.len() == 43 && !stored_value.to_string().contains(secret.as_str()), "{stored_value}");
    // A secret that an older version stored in plain text is encrypted at the next start and stays the same.
    let plain_secret = "p".repeat(43);
    settings::put(&mut &panel.app.db, settings::REALTIME_SECRET, &json!(plain_secret), Time(NOW))
        .await
        .unwrap();
    let app = start_process(panel.app.config.clone()).await.unwrap();
    assert_eq!(app.realtime_secret, plain_secret);
    let stored_value = settings::read_stored(&mut &app.db, settings::REALTIME_SECRET).await.unwrap().unwrap();
    assert!(!stored_value.to_string().contains(&plain_secret), "{stored_value}");
    assert_eq!(start_process(panel.app.config.clone()).await.unwrap().realtime_secret, plain_secret);
}

async fn documents_are_readable_with_and_without_encryption(dialect: Dialect) {
    let mut panel = Panel::with_users_and_orders(dialect, 9, 0).await;
    let folder = panel.app.config.data_dir.join("uploads/private");
    let read_files = || -> Vec<Vec<u8>> {
        let entries = std::fs::read_dir(&folder).unwrap();
        entries.map(|entry| std::fs::read(entry.unwrap().path()).unwrap()).collect()
    };
    let contains_png_header =
        |bytes: &[u8]| bytes.windows(4).any(|window| window == b"\x89PNG" || window == b"IHDR");
    let document = json!({ "group": "card", "picture": to_data_url(PIXEL) });
    assert_eq!(panel.post(DOCUMENTS_PATH, &document).await.status, 200);
    assert!(contains_png_header(&read_files()[0]));
    let mut config = panel.app.config.clone();
    config.uploads.encrypt = true;
    panel.use_app(start_process(config.clone()).await.unwrap());
    assert_eq!(panel.post(DOCUMENTS_PATH, &document).await.status, 200);
    assert_eq!(
        read_files().iter().filter(|bytes| contains_png_header(bytes)).count(),
        1,
        "only the new document is encrypted"
    );
    assert_documents_are_readable(&panel, 2).await;
    // A rotation encrypts the older document; with encryption disabled the server still decrypts it.
    let rotated = rotation::rotate(&panel.app, &ignore_progress).await.unwrap();
    assert_eq!(rotated.documents, 1);
    assert!(read_files().iter().all(|bytes| !contains_png_header(bytes)));
    config.uploads.encrypt = false;
    panel.use_app(start_process(config).await.unwrap());
    assert_documents_are_readable(&panel, 2).await;
    // An encrypted file is bound to its name: the server does not serve a copy under another name.
    let names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    std::fs::copy(&names[0], &names[1]).unwrap();
    let statuses = fetch_document_statuses(&panel).await;
    assert!(statuses.contains(&200) && statuses.contains(&500), "{statuses:?}");
}

/// Requests each document of the customer. Returns the statuses.
async fn fetch_document_statuses(panel: &Panel) -> Vec<u16> {
    let groups = panel.get(DOCUMENTS_PATH).await.json()["data"].clone();
    let documents =
        groups.as_array().unwrap().iter().flat_map(|group| group["documents"].as_array().unwrap().clone());
    let mut statuses = Vec::new();
    for document in documents.collect::<Vec<Value>>() {
        let response = panel.get_as("owner", document["url"].as_str().unwrap(), "*/*").await;
        if response.status == 200 {
            assert_eq!(&response.bytes[..4], &PIXEL[..4]);
            assert_eq!(response.headers["content-type"], "image/png");
        }
        statuses.push(response.status.as_u16());
    }
    statuses
}

async fn assert_documents_are_readable(panel: &Panel, count: usize) {
    assert_eq!(fetch_document_statuses(panel).await, vec![200; count]);
}

/// Each binary column either has `hash` in its name, or is sealed and declared in `SEALED_COLUMNS`.
#[tokio::test]
async fn every_sealed_column_is_declared_and_documented() {
    let panel = Panel::start(Dialect::Sqlite).await;
    let sql = "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
        WHERE m.type = 'table' AND m.name NOT LIKE '%\\_fts\\_%' ESCAPE '\\' AND m.name NOT LIKE '\\_sqlx%' ESCAPE '\\'
          AND m.name NOT LIKE 'sqlite%' AND (c.type = 'BLOB' OR c.name LIKE '%sealed%')";
    let columns: Vec<(String, String)> = (&mut &panel.app.db).fetch_all(Sql::new(sql)).await.unwrap();
    let sealed_columns =
        columns.into_iter().filter(|(_, column)| column != "hash" && !column.ends_with("_hash"));
    let declared_columns = SEALED_COLUMNS
        .iter()
        .map(|sealed_column| (sealed_column.table.to_owned(), sealed_column.column.to_owned()));
    assert_eq!(sealed_columns.collect::<BTreeSet<_>>(), declared_columns.collect::<BTreeSet<_>>());
    // The key inventory lists each sealed column, and the data inventory lists only existing tables.
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/security.md");
    let security_page = std::fs::read_to_string(path).unwrap();
    for sealed_column in SEALED_COLUMNS {
        let name = format!("{}.{}", sealed_column.table, sealed_column.column);
        assert!(security_page.contains(&format!("`{name}`")), "docs/security.md does not list {name}");
    }
    let tables: Vec<(String,)> = (&mut &panel.app.db)
        .fetch_all(Sql::new("SELECT name FROM sqlite_schema WHERE type = 'table'"))
        .await
        .unwrap();
    let inventory = security_page.split("\n## Data inventory").nth(1).unwrap().split("\n## ").next().unwrap();
    let table_cells = inventory.lines().filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    let listed_names: Vec<&str> = table_cells
        .flat_map(|row| row.split('`'))
        .filter(|name| name.contains(char::is_alphabetic))
        .collect();
    let unknown_tables = listed_names
        .iter()
        .filter(|name| !name.contains([' ', '/']) && !tables.contains(&((**name).to_owned(),)));
    assert_eq!(
        unknown_tables.collect::<Vec<_>>(),
        [&""; 0],
        "docs/security.md lists tables that do not exist"
    );
    assert!(listed_names.len() > 20, "{listed_names:?}");
    // Secrets that the server generates for itself are sealed in the settings too.
    for setting in settings::sealed_keys() {
        let stored_value = settings::read_stored(&mut &panel.app.db, setting)
            .await
            .unwrap()
            .filter(|value| !value.is_null());
        assert!(
            stored_value.is_none_or(|stored_value| settings::open_value(
                &panel.app.secrets,
                setting,
                &stored_value
            )
            .is_ok()),
            "the setting {setting} is not sealed"
        );
    }
}
