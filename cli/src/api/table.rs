//! The table of endpoints, with the commands that reach them.

use panel_contract::endpoints;
use serde_json::json;

use crate::command::Cmd;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::Done;
use crate::output::column::{Column, Kind};
use crate::root::{NOUNS, OWN};

const COLUMNS: &[Column] = &[
    Column::new("method", Kind::Word),
    Column::new("path", Kind::Word),
    Column::new("command", Kind::Word),
    Column::more("who", Kind::Text),
    Column::new("summary", Kind::Text),
    Column::more("id", Kind::Word),
    Column::more("area", Kind::Word),
];

/// Every endpoint with the commands that call it.
pub(super) fn list(ctx: &Ctx, word: &str) -> Done {
    let commands = commands();
    let word = word.to_lowercase();
    let mut rows = Vec::new();
    for op in endpoints::all() {
        let by: Vec<_> =
            commands.iter().filter(|(id, _)| *id == op.id).map(|(_, name)| name.as_str()).collect();
        let text = format!("{} {} {} {}", op.method, op.path, op.id, op.summary).to_lowercase();
        if text.contains(&word) {
            rows.push(json!({
                "method": op.method, "path": op.path, "id": op.id, "area": op.area, "who": op.who.to_string(),
                "command": by.join(", "), "summary": op.summary.trim(),
            }));
        }
    }
    ctx.out.records(rows, COLUMNS)?;
    Ok(Exit::Ok)
}

/// Ids of endpoints, each with a command that calls it.
fn commands() -> Vec<(&'static str, String)> {
    fn walk(path: &str, cmd: &Cmd, into: &mut Vec<(&'static str, String)>) {
        let path = format!("{path} {}", cmd.name());
        match cmd {
            Cmd::Nested(noun) => noun.verbs.iter().for_each(|verb| walk(&path, verb, into)),
            cmd => into.extend(cmd.reaches().iter().map(|op| (op.id, path.clone()))),
        }
    }
    let mut found = Vec::new();
    for noun in NOUNS {
        noun.verbs.iter().for_each(|verb| walk(noun.name, verb, &mut found));
    }
    found.extend(OWN.iter().flat_map(|own| own.reaches.iter().map(|op| (op.id, own.name.to_owned()))));
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Endpoints that no command calls, and why.
    const WITHOUT: &[(&str, &str)] = &[
        ("handoff", "the console signs in with it"),
        ("show_handoff", "the console asks whether to sign in"),
        ("begin_passkey", "an authenticator answers a browser, so the console adds passkeys"),
        ("register_passkey", "an authenticator answers a browser, so the console adds passkeys"),
        ("challenge_passkey", "an authenticator answers a browser; panelctl asks for digits or the password"),
        ("setup", "done once in the browser, or by panel-server admin create"),
        ("metrics", "read by Prometheus"),
        ("call_reseller", "spoken by customers' programs with a key of their own"),
        ("openapi", "a document for generators; panelctl api /openapi.json"),
        ("report_client_error", "the console reports its own errors; panelctl prints them"),
        ("update_saved_view", "the console edits views; here they are deleted and made anew"),
    ];

    #[test]
    fn every_endpoint_has_a_command() {
        let reached: BTreeSet<_> = commands().into_iter().map(|(id, _)| id).collect();
        let without: BTreeSet<_> = WITHOUT.iter().map(|(id, _)| *id).collect();
        let all: BTreeSet<_> = endpoints::all().map(|op| op.id).collect();
        let missing: Vec<_> = all.difference(&reached).filter(|id| !without.contains(*id)).collect();
        assert!(missing.is_empty(), "no command calls {missing:?}");
        let needless: Vec<_> =
            without.iter().filter(|id| reached.contains(*id) || !all.contains(*id)).collect();
        assert!(needless.is_empty(), "{needless:?} need no exception");
    }
}
