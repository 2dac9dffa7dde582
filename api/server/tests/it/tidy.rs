//! The house rules that a compiler does not see (design.md): who may import what, who may hold SQL, how long files are.

use std::path::{Path, PathBuf};

use crate::layers;

/// Most lines of a file, its tests aside.
const LONGEST_FILE: usize = 400;
/// What code of a crate without I/O never names.
const IO: [&str; 11] = [
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
/// Rooms of the server that may hold SQL whatever a file is called.
const SQL_ROOMS: [&str; 16] = [
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
    /// From the workspace's root.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    /// Its path from the workspace's root.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The text without its unit tests; nothing of a file that is all tests.
    pub(crate) fn code(&self) -> &str {
        if self.path.contains("/tests/") {
            return "";
        }
        self.text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default()
    }
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All Rust files below `folder`.
pub(crate) fn rust(folder: &str) -> Vec<File> {
    let mut files = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(root()).unwrap().display().to_string();
                files.push(File { path: name, text: std::fs::read_to_string(&path).unwrap() });
            }
        }
    }
    assert!(!files.is_empty(), "{folder}");
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// The files of the platform and the server by their paths within the crate.
pub(crate) fn server() -> Vec<(String, File)> {
    let named = |folder: &str| {
        let name = |file: &File| file.path.trim_start_matches(folder).to_owned();
        rust(folder).into_iter().map(|file| (name(&file), file)).collect::<Vec<_>>()
    };
    [named("api/platform/src/"), named("api/server/src/")].concat()
}

/// Fails with all that is wrong at once.
pub(crate) fn none(wrong: &[String], rule: &str) {
    assert!(wrong.is_empty(), "{rule}:\n  {}", wrong.join("\n  "));
}

/// Tables whose fields staff fill in, with the migration of each and the files that only edit and show them.
const EDITED: [(&str, &str, &[&str]); 4] = [
    ("services", "0004_catalogue.sql", &["catalogue/services"]),
    ("labels", "0004_catalogue.sql", &["catalogue/labels.rs"]),
    ("providers", "0003_external_panels.sql", &["supply/providers/draft.rs", "supply/providers/mod.rs"]),
    (
        "external_panels",
        "0003_external_panels.sql",
        &["supply/external_panels/rules.rs", "supply/external_panels/store.rs"],
    ),
];

/// Columns of every record, which no rule reads.
const OF_EVERY_RECORD: [&str; 3] = ["id", "created_at", "updated_at"];

/// What is read, where, and in which words: `fixtures/readers.tsv`.
fn readers() -> std::collections::BTreeMap<String, (String, String)> {
    let text = std::fs::read_to_string(root().join("fixtures/readers.tsv")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let reader = |line: &str| match line.split('\t').collect::<Vec<_>>()[..] {
        [name, file, words] => (name.to_owned(), (file.to_owned(), words.to_owned())),
        _ => panic!("no name, file and words: {line}"),
    };
    lines.map(reader).collect()
}

/// Whether a file, its unit tests aside, has these words as words of their own.
fn reads(file: &str, words: &str) -> bool {
    let text = std::fs::read_to_string(root().join(file)).unwrap_or_default();
    let code = File { path: file.to_owned(), text };
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let whole = code.code();
    whole.match_indices(words).any(|(at, _)| {
        let (before, after) = (&whole[..at], &whole[at + words.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

#[test]
fn every_setting_has_a_reader() {
    let readers = readers();
    let wrong = panel_contract::settings::SETTINGS.iter().filter_map(|setting| {
        let key = setting.key;
        match readers.get(key) {
            // The site reads what is for it: from `GET /settings`, and everything from `GET /api/v1/site/settings`.
            Some((file, _)) if file == "site" => {
                (!setting.for_site).then(|| format!("{key} is not for the site"))
            }
            Some((file, words)) if !reads(file, words) => Some(format!("{key}: {file} has no {words}")),
            Some((file, _)) if file.ends_with("configuration/settings.rs") || file.contains("/settings/") => {
                Some(format!("{key}: {file} only edits it"))
            }
            Some(_) => None,
            None => Some(format!("{key} is read nowhere")),
        }
    });
    none(&wrong.collect::<Vec<_>>(), "fixtures/readers.tsv names what reads each setting");
}

#[test]
fn every_field_of_a_record_has_a_reader() {
    let (mut readers, mut wrong) = (readers(), Vec::new());
    for setting in panel_contract::settings::SETTINGS {
        readers.remove(setting.key);
    }
    for (table, migration, editors) in EDITED {
        for column in columns(table, migration) {
            if OF_EVERY_RECORD.contains(&column.as_str()) {
                continue;
            }
            let name = format!("{table}.{column}");
            let Some((file, words)) = readers.remove(&name) else {
                wrong.push(format!("{name} is read nowhere"));
                continue;
            };
            if editors.iter().any(|editor| file.starts_with(&format!("api/server/src/{editor}"))) {
                wrong.push(format!("{name}: {file} only edits it"));
            }
            if !reads(&file, &words) || !words.contains(&column) {
                wrong.push(format!("{name}: {file} has no {words}"));
            }
        }
    }
    wrong.extend(readers.into_keys().map(|name| format!("{name} is no field and no setting")));
    none(&wrong, "fixtures/readers.tsv names what reads each field that staff fill in");
}

/// The columns of a table, as the migration declares them.
fn columns(table: &str, file: &str) -> Vec<String> {
    let path = root().join("api/platform/migrations/sqlite").join(file);
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

/// The sources of every crate.
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
fn every_module_says_what_it_is_for() {
    let files = CRATES.iter().flat_map(|folder| rust(folder));
    let wrong: Vec<_> = files.filter(|file| !file.text.starts_with("//!")).map(|file| file.path).collect();
    none(&wrong, "a module begins with //!");
}

#[test]
fn files_are_short() {
    let files = CRATES.iter().flat_map(|folder| rust(folder));
    let long = files.filter_map(|file| {
        let lines = file.code().lines().count();
        (lines > LONGEST_FILE).then(|| format!("{} has {lines} lines", file.path))
    });
    none(&long.collect::<Vec<_>>(), "a file has at most 400 lines without its tests");
}

/// Crates below the platform.
const PURE_CRATES: [&str; 3] = ["contract", "kernel", "domain"];

#[test]
fn the_crates_below_the_platform_do_no_io() {
    let mut wrong = Vec::new();
    for name in PURE_CRATES {
        for file in rust(&format!("api/{name}/src")) {
            let named = IO.iter().filter(|io| file.code().contains(**io));
            wrong.extend(named.map(|io| format!("{} has {io}", file.path)));
        }
        let manifest = std::fs::read_to_string(root().join(format!("api/{name}/Cargo.toml"))).unwrap();
        let io = ["tokio", "axum", "reqwest", "hyper"].into_iter().filter(|io| manifest.contains(io));
        wrong.extend(io.map(|io| format!("api/{name}/Cargo.toml depends on {io}")));
    }
    none(&wrong, "contract, kernel and domain do no I/O");
}

#[test]
fn rules_are_pure() {
    let mut wrong = Vec::new();
    let domain = rust("api/domain/src").into_iter().map(|file| (file.path.clone(), file));
    let of_server = server().into_iter().filter(|(name, _)| name.ends_with("rules.rs"));
    for (name, file) in domain.chain(of_server) {
        for import in
            ["sqlx", "axum", "reqwest", "crate::db", "crate::http", "crate::app", "async fn", "Clock"]
        {
            if file.code().lines().any(|line| !line.trim_start().starts_with("//") && line.contains(import)) {
                wrong.push(format!("{name} has {import}"));
            }
        }
    }
    none(&wrong, "rules know neither the database nor HTTP nor the clock");
}

/// Whether a line begins an SQL text.
fn is_sql(line: &str) -> bool {
    let line = line.trim_start();
    !line.starts_with("//")
        && ["Sql::new(", "sql!(", "\"SELECT ", "\"INSERT INTO ", "\"UPDATE ", "\"DELETE FROM ", "sqlx::query"]
            .iter()
            .any(|mark| line.contains(mark))
}

/// Whether a file of a resource may not hold SQL, and the part of it that may not: in a folder its routes and rules,
/// in a single file all that stands above its store.
fn without_sql(file: &File) -> &str {
    let name = file.path.rsplit('/').next().unwrap_or_default();
    match file.code().split_once("\n// Store\n") {
        Some((above, _)) => above,
        None if ["routes.rs", "rules.rs", "mod.rs", "list.rs"].contains(&name) => file.code(),
        None => "",
    }
}

#[test]
fn sql_stands_in_its_rooms() {
    let mut wrong = Vec::new();
    for (name, file) in server() {
        let resource = layers::AREAS.iter().any(|area| name.starts_with(&format!("{area}/")));
        let code = match (resource, SQL_ROOMS.iter().any(|room| name.starts_with(room))) {
            (true, _) => without_sql(&file),
            (false, true) => "",
            (false, false) => file.code(),
        };
        for (at, line) in code.lines().enumerate().filter(|(_, line)| is_sql(line)) {
            wrong.push(format!("{name}:{}: {}", at + 1, line.trim()));
        }
    }
    none(&wrong, "SQL stands in db, table, stores and the platform rooms");
}

#[test]
fn only_the_ledger_writes_ledger_rows_and_only_audit_writes_audits() {
    let mut wrong = Vec::new();
    for (name, file) in server() {
        let ledger = ["ledger_txns", "ledger_entries"]
            .iter()
            .any(|table| file.code().contains(&format!("INSERT INTO {table}")));
        if ledger && !name.starts_with("ledger/") {
            wrong.push(format!("{name} writes ledger rows"));
        }
        if file.code().contains("INSERT INTO audits") && !name.starts_with("audit") {
            wrong.push(format!("{name} writes audit rows"));
        }
    }
    none(&wrong, "one room writes each");
}

#[test]
fn only_outbound_and_mail_call_out_and_only_the_clock_reads_the_time() {
    let mut wrong = Vec::new();
    for (name, file) in server() {
        let code = file.code();
        if (code.contains("reqwest::") || code.contains("use reqwest")) && !name.starts_with("outbound/") {
            wrong.push(format!("{name} uses reqwest"));
        }
        if code.contains("lettre::") && !name.starts_with("mail/") {
            wrong.push(format!("{name} uses lettre"));
        }
        for clock in ["SystemTime::now", "Utc::now", "Local::now"] {
            if code.contains(clock) {
                wrong.push(format!("{name} reads {clock}"));
            }
        }
        if code.contains("rand::rng") {
            wrong.push(format!("{name} asks for randomness"));
        }
    }
    none(&wrong, "connections, time and randomness are handed in");
}

/// Logs have one writer: another subscriber, `println!` or a file of its own would be a log that docs/security/logging.md does not
/// know.
#[test]
fn only_the_start_sets_up_a_log() {
    let marks = ["tracing_subscriber::", "set_global_default(", "println!(", "dbg!("];
    let rooms = ["start/logs.rs", "start/telemetry.rs", "db/cluster.rs"];
    let mut wrong = Vec::new();
    for (name, file) in server().into_iter().filter(|(name, _)| !rooms.contains(&name.as_str())) {
        let lines = file.code().lines().enumerate();
        let found = lines.filter(|(_, line)| marks.iter().any(|mark| line.contains(mark)));
        wrong.extend(found.map(|(at, line)| format!("{name}:{}: {}", at + 1, line.trim())));
    }
    none(&wrong, "only start/ decides where logs and spans go");
}

/// A metric is recorded by its declaration, which dashboards, alert rules and documentation are checked against.
#[test]
fn metrics_are_declared() {
    let marks =
        ["counter!(", "gauge!(", "histogram!(", "describe_counter", "describe_gauge", "describe_histogram"];
    let mut wrong = Vec::new();
    for (name, file) in server().into_iter().filter(|(name, _)| !name.starts_with("metrics/")) {
        let lines = file.code().lines().enumerate();
        let found = lines.filter(|(_, line)| marks.iter().any(|mark| line.contains(mark)));
        wrong.extend(found.map(|(at, line)| format!("{name}:{}: {}", at + 1, line.trim())));
    }
    none(&wrong, "a metric is declared in platform/src/metrics or server/src/metrics.rs");
}

/// A span that is entered across an `await` gets what other requests do on the same thread.
#[test]
fn spans_follow_their_futures() {
    let mut wrong = Vec::new();
    for (name, file) in server() {
        let lines = file.code().lines().enumerate();
        let found = lines.filter(|(_, line)| line.contains(".entered()") || line.contains(".enter()"));
        wrong.extend(found.map(|(at, line)| format!("{name}:{}: {}", at + 1, line.trim())));
    }
    none(&wrong, "a span is attached by `instrument`");
}

/// What encrypts at rest is XChaCha20-Poly1305, which has neither a block mode nor padding.
#[test]
fn no_block_cipher_is_chosen() {
    let manifest: toml::Table = std::fs::read_to_string(root().join("Cargo.toml")).unwrap().parse().unwrap();
    let chosen = manifest["workspace"]["dependencies"].as_table().unwrap();
    let block = [
        "aes", "blowfish", "camellia", "cbc", "cfb", "cfb8", "cfb-mode", "cipher", "ctr", "des", "ecb",
        "ofb", "openssl", "rc4", "rsa",
    ];
    let wrong: Vec<String> = chosen.keys().filter(|name| block.contains(&name.as_str())).cloned().collect();
    none(&wrong, "block modes, padding and RSA are not ours to choose");
    assert!(chosen.contains_key("chacha20poly1305"));
    let rooms = ["secrets/mod.rs", "backup/stream.rs"];
    let mut wrong = Vec::new();
    for (name, file) in server().into_iter().filter(|(name, _)| !rooms.contains(&name.as_str())) {
        if ["chacha20poly1305", "aws_lc_rs"].iter().any(|mark| file.code().contains(mark)) {
            wrong.push(name);
        }
    }
    none(&wrong, "only secrets and backup encrypt");
}

/// Answers from outside are read by `Answer::json`, which bounds their depth and their values, and by nothing else.
#[test]
fn foreign_data_is_read_behind_its_bounds() {
    // Our own bytes: what was sealed here; a fake panel of the tests and the demo.
    let own = ["outbound/", "operations/payment_methods/secrets.rs"];
    // The outline checks a feed's depth itself, and the parser of feeds sees the outline.
    let feeds = "operations/subscriptions/feed";
    let mut wrong = Vec::new();
    for (name, file) in server() {
        if own.iter().any(|room| name.starts_with(room)) || name.starts_with(feeds) {
            continue;
        }
        for (at, line) in file.code().lines().enumerate() {
            let reads =
                ["serde_json::from_slice", "from_reader", "feed_rs", "quick_xml", "serde_json::Deserializer"];
            if reads.iter().any(|reader| line.contains(reader)) && !line.contains("csv::") {
                wrong.push(format!("{name}:{}: {}", at + 1, line.trim()));
            }
        }
        let is_answer = file.code().contains("outbound::") && file.code().contains("from_utf8");
        if is_answer && file.code().contains("serde_json::from_str") {
            wrong.push(format!("{name} reads JSON from a text beside answers"));
        }
    }
    none(
        &wrong,
        "bytes from outside are read by outbound::OutboundResponse::json or by the outline of feeds",
    );
}

/// A resource may call another's rules and store, never its routes.
#[test]
fn nobody_calls_anothers_routes() {
    let areas = ["operations", "catalogue", "supply", "marketing", "configuration"];
    let mut wrong = Vec::new();
    for (name, file) in server() {
        if name == "router/routes.rs" {
            continue;
        }
        for line in file
            .code()
            .lines()
            .filter(|line| line.trim_start().starts_with("use ") && line.contains("routes"))
        {
            let own = name.rsplit_once('/').map_or("", |(folder, _)| folder).replace('/', "::");
            if areas.iter().any(|area| line.contains(area)) && (own.is_empty() || !line.contains(&own)) {
                wrong.push(format!("{name}: {}", line.trim()));
            }
        }
    }
    none(&wrong, "routes are called by the router only");
}

/// Every key of the configuration is written down, with its default.
#[test]
fn the_configuration_is_documented() {
    let text = std::fs::read_to_string(root().join("docs/configuration.md")).unwrap();
    let defaults = serde_json::to_value(panel_platform::config::Config::default()).unwrap();
    let mut wrong = Vec::new();
    for (key, value) in defaults.as_object().unwrap() {
        let keys: Vec<String> = match value.as_object() {
            Some(group) => group.keys().map(|inner| format!("{key}.{inner}")).collect(),
            None => vec![key.clone()],
        };
        for key in keys {
            let variable = format!("PANEL_{}", key.to_uppercase().replace('.', "__"));
            if !text.contains(&format!("| `{key}` | `{variable}` |")) {
                wrong.push(format!("| `{key}` | `{variable}` | … |"));
            }
        }
    }
    none(&wrong, "docs/configuration.md has a row for every key");
}

/// What a claim or a look at what is due contains.
const CLAIMS: [&str; 10] = [
    ".for_update_skipping",
    "due_at <= ?",
    "run_at <= ?",
    "look_at <= ?",
    "dispatch_at <= ?",
    "next_run_at <= ?",
    "balance_at <= ?",
    "expired_at <= ?",
    "synced_at <= ?",
    "retry_at <= ?",
];
/// Functions that look at what is due and claim nothing by it, and why.
const CLAIM_NOTHING: [(&str, &str); 17] = [
    ("lease/mod.rs claim", "its caller narrows `due`, which has the condition"),
    ("jobs/store.rs lease", "its rows are those of `due`, which has the condition"),
    ("jobs/store.rs queues", "it counts"),
    ("operations/cancel_requests/store.rs put_off", "the request was claimed before"),
    ("operations/cancel_requests/store.rs undecided", "the request was claimed before"),
    ("operations/drip_feeds/store.rs postpone_run", "the run was claimed before"),
    ("supply/dispatch/dispatch_orders.rs claim", "its rows are those of `due_ids`, which has the condition"),
    ("supply/dispatch/reconcile.rs claim", "its rows are those of `due`, which has the condition"),
    ("supply/balances.rs claim", "its rows are those of `load_due`, which has the condition"),
    ("supply/imports/sync.rs enqueue_due", "it enqueues a job of a queue that has the condition"),
    ("quarantine/store.rs suspect_batches", "it is the quarantine itself"),
    ("quarantine/store.rs quarantine_abandoned_suspects", "the same"),
    ("quarantine/store.rs has_due_suspects", "the same"),
    ("quarantine/store.rs claim_next_suspect", "the same"),
    ("quarantine/leases.rs end_claims", "the same"),
    ("quarantine/leases.rs end_of_jobs", "the same"),
    ("quarantine/leases.rs is_due", "the same"),
];

/// What ends the process that works on it must not be claimed by any poller.
#[test]
fn every_claim_leaves_out_what_is_quarantined() {
    let mut wrong = Vec::new();
    let mut seen = Vec::new();
    for (name, file) in server() {
        if ["db/", "start/demo/", "doctor/"].iter().any(|room| name.starts_with(room)) {
            continue;
        }
        for function in file.code().split("fn ").skip(1) {
            let called = function.split(['(', '<']).next().unwrap_or_default();
            let named = CLAIMS.map(|mark| mark.replace('?', "@now"));
            let claims = CLAIMS.iter().any(|mark| function.contains(mark))
                || named.iter().any(|mark| function.contains(mark));
            let has_condition =
                ["quarantine::condition", ".due(", ".due_unclaimed("].iter().any(|by| function.contains(by));
            if !claims || has_condition {
                continue;
            }
            let place = format!("{name} {called}");
            if !CLAIM_NOTHING.iter().any(|(known, _)| *known == place) {
                wrong.push(place.clone());
            }
            seen.push(place);
        }
    }
    none(&wrong, "a claim has quarantine::condition, or one stated reason to go without");
    let stale: Vec<String> = CLAIM_NOTHING
        .iter()
        .filter(|(known, _)| !seen.contains(&(*known).to_owned()))
        .map(|(known, _)| (*known).to_owned())
        .collect();
    none(&stale, "an exception that nothing needs");
}

/// Loops until the end of the process, leases and delays are written once.
#[test]
fn background_work_is_a_poller() {
    let mut wrong = Vec::new();
    for (name, file) in server() {
        if name.starts_with("poller/") {
            continue;
        }
        for (at, line) in file.code().lines().enumerate() {
            let is_loop = line.contains("while !*stop.borrow()") || line.contains("tokio::time::interval");
            let is_lease =
                ["CLAIM_DURATION: Duration", "CLAIM_DURATION: i64"].iter().any(|claim| line.contains(claim))
                    && !name.starts_with("lease/");
            let is_backoff = ["BACKOFF: [", "DELAYS: [", "AGAIN: ["].iter().any(|array| line.contains(array));
            if is_loop || is_lease || is_backoff {
                wrong.push(format!("{name}:{}: {}", at + 1, line.trim()));
            }
        }
    }
    none(&wrong, "background work is a Poller, a lease has one length, and delays are a Backoff");
}
