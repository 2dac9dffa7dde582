//! `api --list`: prints the endpoints with the commands that call them.

use panel_contract::endpoints;
use serde_json::json;

use crate::command::CommandSpec;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::CommandResult;
use crate::output::column::{Column, DisplayKind};
use crate::root::{COMMAND_GROUPS, TOP_LEVEL_COMMANDS};

const COLUMNS: &[Column] = &[
    Column::new("method", DisplayKind::Enum),
    Column::new("path", DisplayKind::Enum),
    Column::new("command", DisplayKind::Enum),
    Column::hidden("who", DisplayKind::Text),
    Column::new("summary", DisplayKind::Text),
    Column::hidden("id", DisplayKind::Enum),
    Column::hidden("area", DisplayKind::Enum),
];

/// Prints the endpoints whose method, path, id or summary contains `search_text`; all endpoints if `search_text` is empty.
pub(super) fn print_endpoints(ctx: &Ctx, search_text: &str) -> CommandResult {
    let endpoint_commands = list_endpoint_commands();
    let search_text = search_text.to_lowercase();
    let mut rows = Vec::new();
    for op in endpoints::all() {
        let command_names: Vec<_> =
            endpoint_commands.iter().filter(|(id, _)| *id == op.id).map(|(_, name)| name.as_str()).collect();
        let searched_text = format!("{} {} {} {}", op.method, op.path, op.id, op.summary).to_lowercase();
        if searched_text.contains(&search_text) {
            rows.push(json!({
                "method": op.method, "path": op.path, "id": op.id, "area": op.area, "who": op.access_rule.to_string(),
                "command": command_names.join(", "), "summary": op.summary.trim(),
            }));
        }
    }
    ctx.out.print_records(rows, COLUMNS)?;
    Ok(Exit::Ok)
}

/// Lists pairs of an endpoint id and the name of a command that calls the endpoint.
fn list_endpoint_commands() -> Vec<(&'static str, String)> {
    fn collect_endpoints(path: &str, command: &CommandSpec, endpoints: &mut Vec<(&'static str, String)>) {
        let path = format!("{path} {}", command.name());
        match command {
            CommandSpec::Nested(group) => {
                group.commands.iter().for_each(|command| collect_endpoints(&path, command, endpoints))
            }
            command => endpoints.extend(command.operations().iter().map(|op| (op.id, path.clone()))),
        }
    }
    let mut commands = Vec::new();
    for group in COMMAND_GROUPS {
        group.commands.iter().for_each(|command| collect_endpoints(group.name, command, &mut commands));
    }
    commands.extend(
        TOP_LEVEL_COMMANDS
            .iter()
            .flat_map(|custom| custom.operations.iter().map(|op| (op.id, custom.name.to_owned()))),
    );
    commands
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The ids of endpoints that no command calls, with the reason.
    const ENDPOINTS_WITHOUT_COMMAND: &[(&str, &str)] = &[
        ("handoff", "the console calls it to sign in"),
        ("show_handoff", "the console shows the account of the sign-in code before it signs in"),
        ("begin_passkey", "passkeys require a browser, so only the console adds them"),
        ("register_passkey", "passkeys require a browser, so only the console adds them"),
        ("challenge_passkey", "passkeys require a browser; panelctl asks for a code or the password"),
        ("setup", "done once in the browser, or by panel-server admin create"),
        ("metrics", "Prometheus reads it"),
        ("call_reseller", "programs of customers call it with their own key"),
        ("openapi", "a document for generators; panelctl api /openapi.json"),
        ("report_client_error", "the console reports its own errors; panelctl prints them"),
        ("update_saved_view", "the console edits views; panelctl deletes and creates them"),
    ];

    #[test]
    fn every_endpoint_has_a_command() {
        let ids_with_command: BTreeSet<_> = list_endpoint_commands().into_iter().map(|(id, _)| id).collect();
        let allowed_without_command: BTreeSet<_> =
            ENDPOINTS_WITHOUT_COMMAND.iter().map(|(id, _)| *id).collect();
        let all_ids: BTreeSet<_> = endpoints::all().map(|op| op.id).collect();
        let missing_ids: Vec<_> = all_ids
            .difference(&ids_with_command)
            .filter(|id| !allowed_without_command.contains(*id))
            .collect();
        assert!(missing_ids.is_empty(), "no command calls {missing_ids:?}");
        let unneeded_exceptions: Vec<_> = allowed_without_command
            .iter()
            .filter(|id| ids_with_command.contains(*id) || !all_ids.contains(*id))
            .collect();
        assert!(unneeded_exceptions.is_empty(), "{unneeded_exceptions:?} need no exception");
    }
}
