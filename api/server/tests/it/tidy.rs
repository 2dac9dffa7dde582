//! Rules for the sources that the compiler does not check: which module contains SQL, I/O or encryption, and how long files are.

use std::path::{Path, PathBuf};

use crate::layers;

/// The most lines that a file may have, without its unit tests.
const MAX_LINES: usize = 400;
/// Substrings that the sources of a crate without I/O must not contain.
const IO_MARKS: [&str; 11] = [
    "tokio::",
    "axum::",
    "reqwest::",
    "hyper::",
    "rusqlite::",
    "std::fs",
    "std::process",
    "TcpStream",
    "TcpListener",
    "UdpSocket",
    "async fn",
];
/// Path prefixes of platform and server whose files may contain SQL, whatever their names.
const SQL_PATHS: [&str; 16] = [
    "db/",
    "backup/",
    "table/",
    "ledger/",
    "audit",
    "settings.rs",
    "work.rs",
    "jobs/",
    "lease/",
    "quarantine/",
    "doctor/",
    "start/demo/",
    "auth/store.rs",
    "auth/store/",
    "secrets/rotation.rs",
    "background/",
];

#[derive(Clone)]
pub(crate) struct File {
    /// Relative to the workspace's root.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    /// The path relative to the workspace's root.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The text without the unit tests; empty for a file below `tests/`.
    pub(crate) fn code(&self) -> &str {
        if self.path.contains("/tests/") {
            return "";
        }
        self.text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default()
    }
}

pub(crate) fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All Rust files below `folder`.
pub(crate) fn rust_files(folder: &str) -> Vec<File> {
    let mut files = Vec::new();
    let mut folders = vec![workspace_root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(workspace_root()).unwrap().display().to_string();
                files.push(File { path: name, text: std::fs::read_to_string(&path).unwrap() });
            }
        }
    }
    assert!(!files.is_empty(), "{folder}");
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// The files of the platform and the server by their paths within the crate.
pub(crate) fn server_files() -> Vec<(String, File)> {
    let files_by_name = |folder: &str| {
        let name = |file: &File| file.path.trim_start_matches(folder).to_owned();
        rust_files(folder).into_iter().map(|file| (name(&file), file)).collect::<Vec<_>>()
    };
    [files_by_name("api/platform/src/"), files_by_name("api/server/src/")].concat()
}

/// Fails with the whole list of violations of a rule.
pub(crate) fn assert_empty(violations: &[String], rule: &str) {
    assert!(violations.is_empty(), "{rule}:\n  {}", violations.join("\n  "));
}

/// Tables whose fields staff edit: table, migration, and the files that only edit and show the fields.
const EDITED_TABLES: [(&str, &str, &[&str]); 4] = [
    ("services", "0004_catalogue.sql", &["catalogue/services"]),
    ("labels", "0004_catalogue.sql", &["catalogue/labels.rs"]),
    ("providers", "0003_external_panels.sql", &["supply/providers/draft.rs", "supply/providers/mod.rs"]),
    (
        "external_panels",
        "0003_external_panels.sql",
        &["supply/external_panels/rules.rs", "supply/external_panels/store.rs"],
    ),
];

/// Columns that every table has and that need no reader.
const COMMON_COLUMNS: [&str; 3] = ["id", "created_at", "updated_at"];

/// By the name of a setting or a `table.column`: the file that reads it and the words that the file reads it by.
fn readers() -> std::collections::BTreeMap<String, (String, String)> {
    let text = std::fs::read_to_string(workspace_root().join("fixtures/readers.tsv")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let reader = |line: &str| match line.split('\t').collect::<Vec<_>>()[..] {
        [name, file, words] => (name.to_owned(), (file.to_owned(), words.to_owned())),
        _ => panic!("no name, file and words: {line}"),
    };
    lines.map(reader).collect()
}

/// Whether a file without its unit tests contains the words, not as a part of longer identifiers.
fn contains_words(file: &str, words: &str) -> bool {
    let text = std::fs::read_to_string(workspace_root().join(file)).unwrap_or_default();
    let file = File { path: file.to_owned(), text };
    let is_identifier = |character: char| character.is_alphanumeric() || character == '_';
    let code = file.code();
    code.match_indices(words).any(|(index, _)| {
        let (before, after) = (&code[..index], &code[index + words.len()..]);
        !before.ends_with(is_identifier) && !after.starts_with(is_identifier)
    })
}

#[test]
fn every_setting_has_a_reader() {
    let readers = readers();
    let violations = panel_contract::settings::SETTINGS.iter().filter_map(|setting| {
        let key = setting.key;
        match readers.get(key) {
            // The site reads its settings through `GET /settings` and `GET /api/v1/site/settings`.
            Some((file, _)) if file == "site" => {
                (!setting.is_for_site).then(|| format!("{key} is not for the site"))
            }
            Some((file, words)) if !contains_words(file, words) => {
                Some(format!("{key}: {file} has no {words}"))
            }
            Some((file, _)) if file.ends_with("configuration/settings.rs") || file.contains("/settings/") => {
                Some(format!("{key}: {file} only edits it"))
            }
            Some(_) => None,
            None => Some(format!("nothing reads {key}")),
        }
    });
    assert_empty(
        &violations.collect::<Vec<_>>(),
        "fixtures/readers.tsv must name the code that reads each setting",
    );
}

#[test]
fn every_field_of_a_record_has_a_reader() {
    let (mut readers, mut violations) = (readers(), Vec::new());
    for setting in panel_contract::settings::SETTINGS {
        readers.remove(setting.key);
    }
    for (table, migration, editors) in EDITED_TABLES {
        for column in columns(table, migration) {
            if COMMON_COLUMNS.contains(&column.as_str()) {
                continue;
            }
            let name = format!("{table}.{column}");
            let Some((file, words)) = readers.remove(&name) else {
                violations.push(format!("nothing reads {name}"));
                continue;
            };
            if editors.iter().any(|editor| file.starts_with(&format!("api/server/src/{editor}"))) {
                violations.push(format!("{name}: {file} only edits it"));
            }
            if !contains_words(&file, &words) || !words.contains(&column) {
                violations.push(format!("{name}: {file} has no {words}"));
            }
        }
    }
    violations.extend(readers.into_keys().map(|name| format!("{name} is neither a field nor a setting")));
    assert_empty(
        &violations,
        "fixtures/readers.tsv must name the code that reads each field that staff edit",
    );
}

/// The columns of a table in its migration.
fn columns(table: &str, file: &str) -> Vec<String> {
    let path = workspace_root().join("api/platform/migrations/sqlite").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    let start = text.find(&format!("CREATE TABLE {table} (")).unwrap();
    let body = text[start..].split("\n)").next().unwrap();
    let column = |line: &str| {
        let (name, rest) = line.trim().split_once(' ')?;
        let kinds = ["INTEGER", "TEXT", "BLOB"];
        kinds.iter().any(|kind| rest.starts_with(kind)).then(|| name.to_owned())
    };
    body.lines().filter(|line| !line.trim_start().starts_with("--")).filter_map(column).collect()
}

/// The source folders of all crates.
pub(crate) const CRATES: [&str; 14] = [
    "api/console/src",
    "api/contract/src",
    "api/client/src",
    "api/demo/src",
    "api/domain/src",
    "api/fuzz/src",
    "api/images/src",
    "api/kernel/src",
    "api/platform/src",
    "api/server/src",
    "api/torture/src",
    "cli/src",
    "tui/src",
    "examples/src",
];

#[test]
fn every_module_has_module_docs() {
    let files = CRATES.iter().flat_map(|folder| rust_files(folder));
    let violations: Vec<_> =
        files.filter(|file| !file.text.starts_with("//!")).map(|file| file.path).collect();
    assert_empty(&violations, "a module must begin with a //! comment");
}

#[test]
fn a_file_has_at_most_400_lines_without_tests() {
    let files = CRATES.iter().flat_map(|folder| rust_files(folder));
    let too_long = files.filter_map(|file| {
        let lines = file.code().lines().count();
        (lines > MAX_LINES).then(|| format!("{} has {lines} lines", file.path))
    });
    assert_empty(&too_long.collect::<Vec<_>>(), "a file has at most 400 lines without its tests");
}

/// The crates without I/O, on which the platform depends.
const PURE_CRATES: [&str; 3] = ["contract", "kernel", "domain"];

#[test]
fn the_crates_below_the_platform_do_no_io() {
    let mut violations = Vec::new();
    for name in PURE_CRATES {
        for file in rust_files(&format!("api/{name}/src")) {
            let marks = IO_MARKS.iter().filter(|io| file.code().contains(**io));
            violations.extend(marks.map(|io| format!("{} has {io}", file.path)));
        }
        let manifest =
            std::fs::read_to_string(workspace_root().join(format!("api/{name}/Cargo.toml"))).unwrap();
        let io = ["tokio", "axum", "reqwest", "hyper"].into_iter().filter(|io| manifest.contains(io));
        violations.extend(io.map(|io| format!("api/{name}/Cargo.toml depends on {io}")));
    }
    assert_empty(&violations, "contract, kernel and domain do no I/O");
}

#[test]
fn rules_use_no_database_http_or_clock() {
    let mut violations = Vec::new();
    let domain = rust_files("api/domain/src").into_iter().map(|file| (file.path.clone(), file));
    let server_rules = server_files().into_iter().filter(|(name, _)| name.ends_with("rules.rs"));
    for (name, file) in domain.chain(server_rules) {
        for import in
            ["sqlx", "axum", "reqwest", "crate::db", "crate::http", "crate::app", "async fn", "Clock"]
        {
            if file.code().lines().any(|line| !line.trim_start().starts_with("//") && line.contains(import)) {
                violations.push(format!("{name} has {import}"));
            }
        }
    }
    assert_empty(&violations, "rules must not use the database, HTTP or the clock");
}

/// Whether a line begins an SQL statement.
fn starts_sql_statement(line: &str) -> bool {
    let line = line.trim_start();
    !line.starts_with("//")
        && ["Sql::new(", "sql!(", "\"SELECT ", "\"INSERT INTO ", "\"UPDATE ", "\"DELETE FROM ", "sqlx::query"]
            .iter()
            .any(|mark| line.contains(mark))
}

/// The part of a resource's file that must not contain SQL: in a file with a `// Store` section the lines above it, otherwise
/// the whole file of routes, rules, list or module, and nothing of other files.
fn part_without_sql(file: &File) -> &str {
    let name = file.path.rsplit('/').next().unwrap_or_default();
    match file.code().split_once("\n// Store\n") {
        Some((text_above, _)) => text_above,
        None if ["routes.rs", "rules.rs", "mod.rs", "list.rs"].contains(&name) => file.code(),
        None => "",
    }
}

#[test]
fn only_stores_and_listed_modules_contain_sql() {
    let mut violations = Vec::new();
    for (name, file) in server_files() {
        let is_resource = layers::AREAS.iter().any(|area| name.starts_with(&format!("{area}/")));
        let code = match (is_resource, SQL_PATHS.iter().any(|path| name.starts_with(path))) {
            (true, _) => part_without_sql(&file),
            (false, true) => "",
            (false, false) => file.code(),
        };
        for (index, line) in code.lines().enumerate().filter(|(_, line)| starts_sql_statement(line)) {
            violations.push(format!("{name}:{}: {}", index + 1, line.trim()));
        }
    }
    assert_empty(
        &violations,
        "only db, table, the stores of resources and the listed modules may contain SQL",
    );
}

#[test]
fn only_the_ledger_writes_ledger_rows_and_only_audit_writes_audits() {
    let mut violations = Vec::new();
    for (name, file) in server_files() {
        let inserts_ledger_rows = ["ledger_txns", "ledger_entries"]
            .iter()
            .any(|table| file.code().contains(&format!("INSERT INTO {table}")));
        if inserts_ledger_rows && !name.starts_with("ledger/") {
            violations.push(format!("{name} writes ledger rows"));
        }
        if file.code().contains("INSERT INTO audits") && !name.starts_with("audit") {
            violations.push(format!("{name} writes audit rows"));
        }
    }
    assert_empty(&violations, "only ledger/ writes ledger rows, and only audit/ writes audit entries");
}

#[test]
fn only_outbound_and_mail_connect_and_only_the_clock_reads_the_time() {
    let mut violations = Vec::new();
    for (name, file) in server_files() {
        let code = file.code();
        if (code.contains("reqwest::") || code.contains("use reqwest")) && !name.starts_with("outbound/") {
            violations.push(format!("{name} uses reqwest"));
        }
        if code.contains("lettre::") && !name.starts_with("mail/") {
            violations.push(format!("{name} uses lettre"));
        }
        for clock in ["SystemTime::now", "Utc::now", "Local::now"] {
            if code.contains(clock) {
                violations.push(format!("{name} reads {clock}"));
            }
        }
        if code.contains("rand::rng") {
            violations.push(format!("{name} uses rand::rng"));
        }
    }
    assert_empty(&violations, "connect through outbound/ or mail/, and get time and randomness from the app");
}

/// Logs have one writer: another subscriber, `println!` or a log file would write events that docs/security/logging.md does not
/// list.
#[test]
fn only_start_up_configures_logging() {
    let marks = ["tracing_subscriber::", "set_global_default(", "println!(", "dbg!("];
    let allowed_files = ["start/logs.rs", "start/telemetry.rs", "db/cluster.rs"];
    let mut violations = Vec::new();
    for (name, file) in server_files().into_iter().filter(|(name, _)| !allowed_files.contains(&name.as_str()))
    {
        let lines = file.code().lines().enumerate();
        let matches = lines.filter(|(_, line)| marks.iter().any(|mark| line.contains(mark)));
        violations.extend(matches.map(|(index, line)| format!("{name}:{}: {}", index + 1, line.trim())));
    }
    assert_empty(&violations, "only start/ configures where logs and spans go");
}

/// Code records a metric through its declaration; other tests compare dashboards, alert rules and docs with the declarations.
#[test]
fn metrics_are_recorded_through_their_declaration() {
    let marks =
        ["counter!(", "gauge!(", "histogram!(", "describe_counter", "describe_gauge", "describe_histogram"];
    let mut violations = Vec::new();
    for (name, file) in server_files().into_iter().filter(|(name, _)| !name.starts_with("metrics/")) {
        let lines = file.code().lines().enumerate();
        let matches = lines.filter(|(_, line)| marks.iter().any(|mark| line.contains(mark)));
        violations.extend(matches.map(|(index, line)| format!("{name}:{}: {}", index + 1, line.trim())));
    }
    assert_empty(&violations, "declare a metric in platform/src/metrics or server/src/metrics.rs");
}

/// A span that is entered across an `await` also records what other requests do on the same thread.
#[test]
fn spans_are_attached_by_instrument() {
    let mut violations = Vec::new();
    for (name, file) in server_files() {
        let lines = file.code().lines().enumerate();
        let matches = lines.filter(|(_, line)| line.contains(".entered()") || line.contains(".enter()"));
        violations.extend(matches.map(|(index, line)| format!("{name}:{}: {}", index + 1, line.trim())));
    }
    assert_empty(&violations, "attach a span with `instrument`");
}

/// Data at rest is encrypted with XChaCha20-Poly1305, which has neither a block mode nor padding.
#[test]
fn the_workspace_depends_on_no_block_cipher() {
    let manifest: toml::Table =
        std::fs::read_to_string(workspace_root().join("Cargo.toml")).unwrap().parse().unwrap();
    let dependencies = manifest["workspace"]["dependencies"].as_table().unwrap();
    let block_ciphers = [
        "aes", "blowfish", "camellia", "cbc", "cfb", "cfb8", "cfb-mode", "cipher", "ctr", "des", "ecb",
        "ofb", "openssl", "rc4", "rsa",
    ];
    let violations: Vec<String> =
        dependencies.keys().filter(|name| block_ciphers.contains(&name.as_str())).cloned().collect();
    assert_empty(&violations, "the workspace must not depend on block ciphers or RSA");
    assert!(dependencies.contains_key("chacha20poly1305"));
    let allowed_files = ["secrets/mod.rs", "backup/stream.rs"];
    let mut violations = Vec::new();
    for (name, file) in server_files().into_iter().filter(|(name, _)| !allowed_files.contains(&name.as_str()))
    {
        if ["chacha20poly1305", "aws_lc_rs"].iter().any(|mark| file.code().contains(mark)) {
            violations.push(name);
        }
    }
    assert_empty(&violations, "only secrets/ and backup/ may encrypt");
}

/// Only `OutboundResponse::json` parses JSON of other servers, because it bounds the depth and the number of values.
#[test]
fn foreign_data_is_parsed_only_with_bounds() {
    // These files parse bounded responses, or bytes that this server sealed itself.
    let trusted = ["outbound/", "operations/payment_methods/secrets.rs"];
    // The outline of a feed bounds its depth, and the feed parser reads only the outline.
    let feeds = "operations/subscriptions/feed";
    let mut violations = Vec::new();
    for (name, file) in server_files() {
        if trusted.iter().any(|path| name.starts_with(path)) || name.starts_with(feeds) {
            continue;
        }
        for (index, line) in file.code().lines().enumerate() {
            let parsers =
                ["serde_json::from_slice", "from_reader", "feed_rs", "quick_xml", "serde_json::Deserializer"];
            if parsers.iter().any(|parser| line.contains(parser)) && !line.contains("csv::") {
                violations.push(format!("{name}:{}: {}", index + 1, line.trim()));
            }
        }
        let parses_response = file.code().contains("outbound::") && file.code().contains("from_utf8");
        if parses_response && file.code().contains("serde_json::from_str") {
            violations.push(format!("{name} parses the JSON of a response itself"));
        }
    }
    assert_empty(
        &violations,
        "parse foreign bytes with outbound::OutboundResponse::json or the outline of feeds",
    );
}

/// A resource may call the rules and the store of another resource, but not its routes.
#[test]
fn only_the_router_imports_routes_of_other_resources() {
    let areas = ["operations", "catalogue", "supply", "marketing", "configuration"];
    let mut violations = Vec::new();
    for (name, file) in server_files() {
        if name == "router/routes.rs" {
            continue;
        }
        for line in file
            .code()
            .lines()
            .filter(|line| line.trim_start().starts_with("use ") && line.contains("routes"))
        {
            let own_module = name.rsplit_once('/').map_or("", |(folder, _)| folder).replace('/', "::");
            if areas.iter().any(|area| line.contains(area))
                && (own_module.is_empty() || !line.contains(&own_module))
            {
                violations.push(format!("{name}: {}", line.trim()));
            }
        }
    }
    assert_empty(&violations, "only the router may import the routes of a resource");
}

/// docs/configuration.md has a row for every key of the configuration.
#[test]
fn every_configuration_key_is_documented() {
    let text = std::fs::read_to_string(workspace_root().join("docs/configuration.md")).unwrap();
    let defaults = serde_json::to_value(panel_platform::config::Config::default()).unwrap();
    let mut violations = Vec::new();
    for (key, value) in defaults.as_object().unwrap() {
        let keys: Vec<String> = match value.as_object() {
            Some(group) => group.keys().map(|inner| format!("{key}.{inner}")).collect(),
            None => vec![key.clone()],
        };
        for key in keys {
            let variable = format!("PANEL_{}", key.to_uppercase().replace('.', "__"));
            if !text.contains(&format!("| `{key}` | `{variable}` |")) {
                violations.push(format!("| `{key}` | `{variable}` | … |"));
            }
        }
    }
    assert_empty(&violations, "docs/configuration.md has a row for every key");
}

/// Substrings of a function that claims or reads due rows.
const CLAIM_MARKS: [&str; 10] = [
    ".for_update_skip_locked",
    "due_at <= ?",
    "run_at <= ?",
    "next_poll_at <= ?",
    "dispatch_at <= ?",
    "next_run_at <= ?",
    "balance_at <= ?",
    "expired_at <= ?",
    "synced_at <= ?",
    "retry_at <= ?",
];
/// Functions that need no quarantine condition although they contain a mark, and why.
const EXEMPT_FROM_QUARANTINE: [(&str, &str); 17] = [
    ("lease/mod.rs claim", "its caller narrows `due`, which has the condition"),
    ("jobs/store.rs lease", "its rows are those of `due`, which has the condition"),
    ("jobs/store.rs load_queue_statuses", "it counts"),
    ("operations/cancel_requests/store.rs postpone", "the request was claimed before"),
    ("operations/cancel_requests/store.rs load_undecided", "the request was claimed before"),
    ("operations/drip_feeds/store.rs postpone_run", "the run was claimed before"),
    (
        "supply/dispatch/dispatch_orders.rs lock_due",
        "its rows are those of `load_due_ids`, which has the condition",
    ),
    ("supply/dispatch/reconcile.rs claim", "its rows are those of `select_due`, which has the condition"),
    ("supply/balances.rs claim", "its rows are those of `load_due`, which has the condition"),
    ("supply/imports/sync.rs enqueue_due", "it enqueues a job of a queue that has the condition"),
    ("quarantine/store.rs suspect_batches", "it is the quarantine itself"),
    ("quarantine/store.rs quarantine_abandoned_suspects", "the same"),
    ("quarantine/store.rs has_due_suspects", "the same"),
    ("quarantine/store.rs claim_next_suspect", "the same"),
    ("quarantine/leases.rs end_record_leases", "the same"),
    ("quarantine/leases.rs end_job_leases", "the same"),
    ("quarantine/leases.rs is_due", "the same"),
];

/// A poller must not claim a quarantined record, because work on it ends the process.
#[test]
fn every_claim_skips_quarantined_records() {
    let mut violations = Vec::new();
    let mut matched_entries = Vec::new();
    for (name, file) in server_files() {
        if ["db/", "start/demo/", "doctor/"].iter().any(|path| name.starts_with(path)) {
            continue;
        }
        for function in file.code().split("fn ").skip(1) {
            let function_name = function.split(['(', '<']).next().unwrap_or_default();
            let named_marks = CLAIM_MARKS.map(|mark| mark.replace('?', "@now"));
            let has_mark = CLAIM_MARKS.iter().any(|mark| function.contains(mark))
                || named_marks.iter().any(|mark| function.contains(mark));
            let has_condition = [
                "quarantine::claimable_condition",
                ".select_claimable(",
                ".select_claimable_outside_of_batches(",
            ]
            .iter()
            .any(|by| function.contains(by));
            if !has_mark || has_condition {
                continue;
            }
            let entry = format!("{name} {function_name}");
            if !EXEMPT_FROM_QUARANTINE.iter().any(|(exempt, _)| *exempt == entry) {
                violations.push(entry.clone());
            }
            matched_entries.push(entry);
        }
    }
    assert_empty(
        &violations,
        "add quarantine::claimable_condition to the claim, or an entry with a reason to EXEMPT_FROM_QUARANTINE",
    );
    let stale: Vec<String> = EXEMPT_FROM_QUARANTINE
        .iter()
        .filter(|(exempt, _)| !matched_entries.contains(&(*exempt).to_owned()))
        .map(|(exempt, _)| (*exempt).to_owned())
        .collect();
    assert_empty(&stale, "remove these entries of EXEMPT_FROM_QUARANTINE");
}

/// Only `poller/` has endless loops, lease durations and backoff delays.
#[test]
fn background_work_is_a_poller() {
    let mut violations = Vec::new();
    for (name, file) in server_files() {
        if name.starts_with("poller/") {
            continue;
        }
        for (index, line) in file.code().lines().enumerate() {
            let is_loop = line.contains("while !*stop.borrow()") || line.contains("tokio::time::interval");
            let is_lease =
                ["CLAIM_DURATION: Duration", "CLAIM_DURATION: i64"].iter().any(|claim| line.contains(claim))
                    && !name.starts_with("lease/");
            let is_backoff = ["BACKOFF: [", "DELAYS: [", "AGAIN: ["].iter().any(|array| line.contains(array));
            if is_loop || is_lease || is_backoff {
                violations.push(format!("{name}:{}: {}", index + 1, line.trim()));
            }
        }
    }
    assert_empty(
        &violations,
        "use Poller for background work, the lease duration of lease/, and Backoff for delays",
    );
}
