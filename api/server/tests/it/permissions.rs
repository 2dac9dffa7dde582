//! docs/permissions.md: which permission opens which endpoint, made from the endpoint table.
//!
//! `make generate` writes it again.

use std::fmt::Write as _;

use panel_contract::endpoint::AccessRule;
use panel_contract::endpoints;
use panel_contract::permission::Permission;

use crate::generated;

const HEAD: &str = "# Permissions

Made from the endpoint table; a test fails when it drifts (`make generate` writes it again). A caller needs one of the permissions of an endpoint. Some endpoints ask for more by what is sent: bulk
changes of users need the permission of each part, sharing a view needs `manage panel settings`.

Granting permissions: staff members can grant only permissions that they hold, cannot change their own roles, and cannot act on
a member who holds more permissions. At least one member who may sign in always holds `manage staff`.
";

fn rows(text: &mut String, of: impl Fn(AccessRule) -> bool) {
    let mut lines: Vec<String> = endpoints::all()
        .filter(|op| of(op.access_rule))
        .map(|op| format!("| `{} {}` | {} |", op.method, op.path, op.summary.trim().trim_end_matches('.')))
        .collect();
    lines.sort_by_key(|line| line.split(' ').nth(2).map(str::to_owned));
    if lines.is_empty() {
        text.push_str("\nOpens nothing by itself.\n");
        return;
    }
    let _ = write!(text, "\n| Endpoint | What it does |\n|---|---|\n{}\n", lines.join("\n"));
}

fn matrix() -> String {
    let mut text = HEAD.to_owned();
    let mut group = "";
    // New permissions stand at the end of the table, whatever group they belong to.
    let first = |of: &Permission| Permission::ALL.iter().position(|one| one.group() == of.group());
    let mut all = Permission::ALL.to_vec();
    all.sort_by_key(first);
    for permission in &all {
        if permission.group() != group {
            group = permission.group();
            let _ = write!(text, "\n## {group}\n");
        }
        let _ = write!(text, "\n### {permission}\n");
        rows(&mut text, |who| matches!(who, AccessRule::AnyOf(needed) if needed.contains(permission)));
    }
    text.push_str("\n## Everybody who is signed in\n");
    rows(&mut text, |who| who == AccessRule::Bearer);
    text.push_str("\n## Anybody\n");
    rows(&mut text, |who| who == AccessRule::Public);
    text
}

#[test]
fn the_matrix_is_the_endpoint_table() {
    generated::check("docs/permissions.md", &matrix());
}
