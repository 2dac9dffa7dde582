//! Generates docs/permissions.md, which lists the endpoints of each permission, from the endpoint table. `make generate` writes the
//! page; the test compares it.

use std::fmt::Write as _;

use panel_contract::endpoint::AccessRule;
use panel_contract::endpoints;
use panel_contract::permission::Permission;

use crate::generated;

const INTRODUCTION: &str = "# Permissions

Generated from the endpoint table (`make generate`); a test fails when this page differs. A caller needs one of the permissions
of an endpoint. Some endpoints need more, depending on the request: bulk changes of users need the permission of each changed
field, and sharing a view needs `manage panel settings`.

Granting permissions: staff members can grant only permissions that they hold, cannot change their own roles, and cannot act on
a staff member who holds more permissions. At least one staff member who may sign in always holds `manage staff`.
";

fn write_endpoint_table(page: &mut String, has_access_rule: impl Fn(AccessRule) -> bool) {
    let mut lines: Vec<String> = endpoints::all()
        .filter(|op| has_access_rule(op.access_rule))
        .map(|op| format!("| `{} {}` | {} |", op.method, op.path, op.summary.trim().trim_end_matches('.')))
        .collect();
    lines.sort_by_key(|line| line.split(' ').nth(2).map(str::to_owned));
    if lines.is_empty() {
        page.push_str("\nNo endpoint needs this permission alone.\n");
        return;
    }
    let _ = write!(page, "\n| Endpoint | What it does |\n|---|---|\n{}\n", lines.join("\n"));
}

fn permissions_page() -> String {
    let mut page = INTRODUCTION.to_owned();
    let mut group = "";
    // New permissions are at the end of `ALL`, independently of their group.
    let group_position = |permission: &Permission| {
        Permission::ALL.iter().position(|other| other.group() == permission.group())
    };
    let mut permissions = Permission::ALL.to_vec();
    permissions.sort_by_key(group_position);
    for permission in &permissions {
        if permission.group() != group {
            group = permission.group();
            let _ = write!(page, "\n## {group}\n");
        }
        let _ = write!(page, "\n### {permission}\n");
        write_endpoint_table(
            &mut page,
            |rule| matches!(rule, AccessRule::AnyOf(required_permissions) if required_permissions.contains(permission)),
        );
    }
    page.push_str("\n## Every signed-in user\n");
    write_endpoint_table(&mut page, |rule| rule == AccessRule::Bearer);
    page.push_str("\n## Without sign-in\n");
    write_endpoint_table(&mut page, |rule| rule == AccessRule::Public);
    page
}

#[test]
fn the_permissions_page_matches_the_endpoint_table() {
    generated::assert_generated("docs/permissions.md", &permissions_page());
}
