//! Calls every operation of the endpoint table as every kind of caller and compares the outcome with the table. New operations and
//! roles are included automatically.

use std::collections::BTreeSet;

use panel_contract::endpoint::{AccessRule, ConfirmationRule, Op};
use panel_contract::endpoints;
use panel_contract::ids::UserId;
use panel_contract::moment::Time;
use panel_contract::permission::Permission;
use panel_demo::accounts::ACCOUNTS;
use panel_platform::db::{Dialect, Sql};
use panel_server::auth::store;
use serde_json::json;

use crate::panel::NOW;
use crate::test_server::TestServer;

test_both_databases! {
    every_endpoint_allows_exactly_the_callers_of_the_table;
}

/// The operations that a staff member may call before they set up a required second factor. All others are rejected.
const ALLOWED_BEFORE_ENROLMENT: [&str; 10] = [
    "profile",
    "refresh",
    "logout",
    "confirm_profile",
    "second_factor",
    "begin_second_factor",
    "confirm_second_factor",
    "passkeys",
    "begin_passkey",
    "register_passkey",
];

/// The outcome of a request: the guard rejected it with this status and code, or passed it to the handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Rejected(u16, &'static str),
    Passed,
}

const UNAUTHENTICATED: Outcome = Outcome::Rejected(401, "unauthenticated");
const FORBIDDEN: Outcome = Outcome::Rejected(403, "forbidden");

/// A kind of caller.
enum Caller {
    /// A caller that is not a staff member. `code` is the error code of the rejection.
    Outsider { kind: &'static str, token: Option<String>, code: &'static str },
    /// A staff member with these permissions.
    Staff { kind: String, token: String, permissions: Vec<Permission>, is_confirmed: bool, must_enrol: bool },
}

impl Caller {
    fn kind(&self) -> &str {
        match self {
            Self::Outsider { kind, .. } => kind,
            Self::Staff { kind, .. } => kind,
        }
    }

    fn token(&self) -> Option<&str> {
        match self {
            Self::Outsider { token, .. } => token.as_deref(),
            Self::Staff { token, .. } => Some(token),
        }
    }

    /// The outcome that the table defines for a call without a dry run.
    fn expected(&self, op: &Op) -> Outcome {
        let (permissions, is_confirmed, must_enrol) = match self {
            _ if op.access_rule == AccessRule::Public => return Outcome::Passed,
            Self::Outsider { token: None, .. } if op.id == "refresh" => {
                return Outcome::Rejected(401, "no_saved_token");
            }
            Self::Outsider { token: None, .. } => return UNAUTHENTICATED,
            Self::Outsider { code, .. } => return Outcome::Rejected(401, code),
            Self::Staff { permissions, is_confirmed, must_enrol, .. } => {
                (permissions, *is_confirmed, *must_enrol)
            }
        };
        if must_enrol && !ALLOWED_BEFORE_ENROLMENT.contains(&op.id) {
            return Outcome::Rejected(403, "second_factor_required");
        }
        let is_permitted = match op.access_rule {
            AccessRule::AnyOf(required_permissions) => {
                required_permissions.iter().any(|permission| permissions.contains(permission))
            }
            AccessRule::Public | AccessRule::Bearer => true,
        };
        match is_permitted {
            false => FORBIDDEN,
            true if !is_confirmed && op.confirmation == ConfirmationRule::Always => {
                Outcome::Rejected(403, "confirmation_required")
            }
            true => Outcome::Passed,
        }
    }
}

/// The calls so far, and those whose outcome differs from the table.
#[derive(Default)]
struct Sweep {
    calls: usize,
    expected_outcomes: BTreeSet<Outcome>,
    deviations: Vec<String>,
}

impl Sweep {
    async fn check_call(&mut self, server: &TestServer, op: &Op, caller: &Caller) {
        let (status, code) = send_op_request(server, op, caller.token()).await;
        let expected_outcome = caller.expected(op);
        let is_expected = match expected_outcome {
            Outcome::Rejected(rejected_status, rejected_code) => {
                (status, code.as_str()) == (rejected_status, rejected_code)
            }
            Outcome::Passed => !matches!(status, 401 | 403) && status < 500,
        };
        self.calls += 1;
        self.expected_outcomes.insert(expected_outcome);
        if !is_expected {
            let deviation =
                format!("{} by {}: {status} {code}, not {expected_outcome:?}", op.id, caller.kind());
            self.deviations.push(deviation);
        }
    }
}

async fn every_endpoint_allows_exactly_the_callers_of_the_table(dialect: Dialect) {
    let server = TestServer::start(dialect).await;
    server.panel.insert_generated_records(20, 60).await;
    // The operations act on records with the id 4, so no role of a caller may have this id.
    let insert_unused_roles_sql = "INSERT INTO roles (name, created_at, updated_at) VALUES ('Spare 1', 1, 1), ('Spare 2', 1, 1), ('Spare 3', 1, 1), ('Spare 4', 1, 1), ('Spare 5', 1, 1)";
    server.panel.execute(Sql::new(insert_unused_roles_sql)).await;
    let (all_outsiders, shared_staff) = (create_outsiders(&server).await, staff(&server, "").await);
    let (mut sweep, mut expected_calls) = (Sweep::default(), 0);
    for op in endpoints::all() {
        // Operations that end the session of their caller get separate sessions.
        let separate_staff = match op.id {
            "logout" | "refresh" => Some(staff(&server, &format!(" of {}", op.id)).await),
            _ => None,
        };
        let holders = permission_holders(&server, op).await;
        for caller in
            all_outsiders.iter().chain(separate_staff.as_ref().unwrap_or(&shared_staff)).chain(&holders)
        {
            sweep.check_call(&server, op, caller).await;
        }
        expected_calls += all_outsiders.len() + shared_staff.len() + permission_holder_count(op.access_rule);
    }
    let (count, first_deviations) =
        (sweep.deviations.len(), sweep.deviations.iter().take(20).collect::<Vec<_>>());
    assert_eq!(count, 0, "of {} calls: {first_deviations:#?}", sweep.calls);
    assert_eq!(sweep.calls, expected_calls, "each kind of caller must call each operation");
    assert_eq!(
        sweep.expected_outcomes.len(),
        10,
        "the calls cover every kind of outcome: {:?}",
        sweep.expected_outcomes
    );
    let operations = endpoints::all().count();
    eprintln!("{dialect:?}: {} calls of {operations} operations, 0 deviations", sweep.calls);
}

/// The number of callers that `permission_holders` returns for this rule.
fn permission_holder_count(rule: AccessRule) -> usize {
    match rule {
        AccessRule::Public => 0,
        AccessRule::Bearer => 1,
        AccessRule::AnyOf(required_permissions) => 1 + required_permissions.len(),
    }
}

async fn send_op_request(server: &TestServer, op: &Op, token: Option<&str>) -> (u16, String) {
    let path: String = op
        .path
        .split('/')
        .map(|part| if part.starts_with('{') { "4" } else { part })
        .collect::<Vec<_>>()
        .join("/");
    let response = server.request(op.method, &path, token, op.is_write().then_some("{}")).await;
    assert!(!response.header("x-request-id").is_empty(), "{response:?}");
    if response.status >= 400 && op.id != "call_reseller" {
        let problem = response.json();
        assert_eq!(problem["request_id"], response.header("x-request-id"), "{response:?}");
        return (response.status, problem["code"].as_str().unwrap().to_owned());
    }
    (response.status, String::new())
}

/// All kinds of callers that are not staff members.
async fn create_outsiders(server: &TestServer) -> Vec<Caller> {
    let panel = &server.panel;
    panel.create_staff("ended", Permission::ALL).await;
    let update_ended_sql = Sql::new("UPDATE sessions SET revoked_at = 1 WHERE family_id = 'ended'");
    panel.execute(update_ended_sql).await;
    panel.create_staff("expired", Permission::ALL).await;
    panel.execute(Sql::new("UPDATE sessions SET expires_at = 1 WHERE family_id = 'expired'")).await;
    panel.create_staff("deactivated", Permission::ALL).await;
    panel.execute(Sql::new("UPDATE users SET status = 'deactivated' WHERE name = 'deactivated'")).await;
    panel.create_staff("customer", &[]).await;
    let outsider = |kind, token: &str, code| Caller::Outsider { kind, token: Some(token.to_owned()), code };
    panel.execute(Sql::new("UPDATE users SET account_type = 'child_panel' WHERE id = 3")).await;
    vec![
        Caller::Outsider { kind: "a caller without a token", token: None, code: "unauthenticated" },
        outsider("an unknown token", "pnl_stolen", "token_unknown"),
        outsider("a customer's key", &create_api_key(server, 2).await, "token_unknown"),
        outsider("a reseller's key", &create_api_key(server, 3).await, "token_unknown"),
        outsider("an ended session", "ended", "token_ended"),
        outsider("an expired session", "expired", "token_ended"),
        outsider("deactivated staff", "deactivated", "account_deactivated"),
        outsider("a customer's session", "customer", "not_staff"),
    ]
}

/// Creates and returns an API key of a customer.
async fn create_api_key(server: &TestServer, user: i64) -> String {
    let response = server.panel.post(&format!("/api/v1/admin/users/{user}/api-key"), &json!({})).await;
    response.json()["data"]["key"].as_str().unwrap_or_else(|| panic!("{}", response.text)).to_owned()
}

/// A staff member of every demo role, one whose role requires a second factor that they do not have, and one without confirmation.
async fn staff(server: &TestServer, name_suffix: &str) -> Vec<Caller> {
    let mut staff = Vec::new();
    for account in ACCOUNTS {
        staff.push(create_staff_with_role(server, account.role, name_suffix, account.permissions()).await);
    }
    let mut must_enrol_staff =
        create_staff_with_role(server, "Guarded", name_suffix, Permission::ALL.to_vec()).await;
    server
        .panel
        .execute(Sql::new("UPDATE roles SET requires_second_factor = TRUE WHERE name = 'Guarded'"))
        .await;
    if let Caller::Staff { must_enrol, .. } = &mut must_enrol_staff {
        *must_enrol = true;
    }
    staff.push(must_enrol_staff);
    let (kind, permissions) = (format!("unconfirmed staff{name_suffix}"), Permission::ALL.to_vec());
    server.panel.create_staff(&kind, &permissions).await;
    let sql = Sql::new("UPDATE sessions SET confirmed_at = NULL WHERE family_id = ?").bind(kind.as_str());
    server.panel.execute(sql).await;
    staff.push(Caller::Staff {
        token: kind.clone(),
        kind,
        permissions,
        is_confirmed: false,
        must_enrol: false,
    });
    staff
}

/// Creates a staff member whose only permissions come from this role.
async fn create_staff_with_role(
    server: &TestServer,
    role: &str,
    name_suffix: &str,
    permissions: Vec<Permission>,
) -> Caller {
    let (kind, panel) = (format!("role {role}{name_suffix}"), &server.panel);
    panel.create_staff(&kind, &[]).await;
    let id = panel.fetch_number(Sql::new("SELECT id FROM users WHERE name = ?").bind(kind.as_str())).await;
    let names: Vec<&str> = permissions.iter().map(|permission| permission.as_str()).collect();
    let mut tx = panel.app.db.begin().await.unwrap();
    store::grant_role(&mut tx, UserId::new(id), role, &names, Time(NOW)).await.unwrap();
    tx.commit().await.unwrap();
    Caller::Staff { token: kind.clone(), kind, permissions, is_confirmed: true, must_enrol: false }
}

/// A staff member with all permissions except those of the operation, and one for each of its permissions with only that one.
async fn permission_holders(server: &TestServer, op: &Op) -> Vec<Caller> {
    let required_permissions: &[Permission] = match op.access_rule {
        AccessRule::Public => return Vec::new(),
        AccessRule::Bearer => &[],
        AccessRule::AnyOf(required_permissions) => required_permissions,
    };
    let others = Permission::ALL
        .iter()
        .copied()
        .filter(|permission| !required_permissions.contains(permission))
        .collect();
    let mut sets = vec![(format!("{} without", op.id), others)];
    sets.extend(
        required_permissions.iter().map(|permission| (format!("{} {permission}", op.id), vec![*permission])),
    );
    let mut callers = Vec::new();
    for (kind, permissions) in sets {
        server.panel.create_staff(&kind, &permissions).await;
        let token = kind.clone();
        callers.push(Caller::Staff { kind, token, permissions, is_confirmed: true, must_enrol: false });
    }
    callers
}
