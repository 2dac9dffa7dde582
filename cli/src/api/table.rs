//! The table of endpoints with the commands that call them.

use panel_contract::endpoints;
use serde_json::json;

use crate::command::Cmd;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::CmdResult;
use crate::output::column::{Column, Kind};
use crate::root::{NOUNS, TOP_LEVEL};

const COLUMNS: &[Column] = &[
    Column::new("method", Kind::Word),
    Column::new("path", Kind::Word),
    Column::new("command", Kind::Word),
    Column::extra("who", Kind::Text),
    Column::new("summary", Kind::Text),
    Column::extra("id", Kind::Word),
    Column::extra("area", Kind::Word),
];

pub(super) fn list(ctx: &Ctx, word: &str) -> CmdResult {
    let commands = commands();
    let word = word.to_lowercase();
    let mut rows = Vec::new();
    for op in endpoints::all() {
        let by: Vec<_> =
            commands.iter().filter(|(id, _)| *id == op.id).map(|(_, name)| name.as_str()).collect();
        let text = format!("{} {} {} {}", op.method, op.path, op.id, op.summary).to_lowercase();
        if text.contains(&word) {
            rows.push(json!({
                "method": op.method, "path": op.path, "id": op.id, "area": op.area, "who": op.access_rule.to_string(),
                "command": by.join(", "), "summary": op.summary.trim(),
            }));
        }
    }
    ctx.out.records(rows, COLUMNS)?;
    Ok(Exit::Ok)
}

/// Pairs of an endpoint's id and a command that calls it.
fn commands() -> Vec<(&'static str, String)> {
    fn walk(path: &str, cmd: &Cmd, into: &mut Vec<(&'static str, String)>) {
        let path = format!("{path} {}", cmd.name());
        match cmd {
            Cmd::Nested(noun) => noun.verbs.iter().for_each(|verb| walk(&path, verb, into)),
            cmd => into.extend(cmd.ops().iter().map(|op| (op.id, path.clone()))),
        }
    }
    let mut commands = Vec::new();
    for noun in NOUNS {
        noun.verbs.iter().for_each(|verb| walk(noun.name, verb, &mut commands));
    }
    commands.extend(
        TOP_LEVEL.iter().flat_map(|custom| custom.ops.iter().map(|op| (op.id, custom.name.to_owned()))),
    );
    commands
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Endpoints that no command calls, with the reason.
    const WITHOUT: &[(&str, &str)] = &[
        ("handoff", "the console signs in with it"),
        ("show_handoff", "the console asks whether to sign in"),
        ("begin_passkey", "passkeys require a browser, so only the console adds them"),
        ("register_passkey", "passkeys require a browser, so only the console adds them"),
        ("challenge_passkey", "passkeys require a browser; panelctl asks for a code or the password"),
        ("setup", "done once in the browser, or by panel-server admin create"),
        ("metrics", "read by Prometheus"),
        ("call_reseller", "called by customers' programs with their own key"),
        ("openapi", "a document for generators; panelctl api /openapi.json"),
        ("report_client_error", "the console reports its own errors; panelctl prints them"),
        ("update_saved_view", "the console edits views; panelctl deletes and creates them"),
    ];

    #[test]
    fn every_endpoint_has_a_command() {
        let called: BTreeSet<_> = commands().into_iter().map(|(id, _)| id).collect();
        let without: BTreeSet<_> = WITHOUT.iter().map(|(id, _)| *id).collect();
        let all: BTreeSet<_> = endpoints::all().map(|op| op.id).collect();
        let missing: Vec<_> = all.difference(&called).filter(|id| !without.contains(*id)).collect();
        assert!(missing.is_empty(), "no command calls {missing:?}");
        let unneeded: Vec<_> =
            without.iter().filter(|id| called.contains(*id) || !all.contains(*id)).collect();
        assert!(unneeded.is_empty(), "{unneeded:?} need no exception");
    }
}
