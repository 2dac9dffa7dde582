//! The sweep: every operation of the endpoint table is called by every kind of caller, and the outcome must be the one that
//! the table states. A new operation or a new role is swept by itself.

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
use crate::served::Served;

both! {
    every_endpoint_lets_in_whom_the_table_says;
}

/// What staff may do who must set up a second factor first; a new operation is refused to them.
const ENROLMENT: [&str; 10] = [
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

/// The class of an answer: refused by the guard with this status and code, or passed on to the handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Refused(u16, &'static str),
    Passed,
}

const UNAUTHENTICATED: Outcome = Outcome::Refused(401, "unauthenticated");
const FORBIDDEN: Outcome = Outcome::Refused(403, "forbidden");

/// A kind of caller.
enum Caller {
    /// Sends this token, or none, and is no member of staff: the code that refuses them.
    Outsider { kind: &'static str, token: Option<String>, code: &'static str },
    /// A member of staff, who holds these permissions.
    Staff { kind: String, token: String, held: Vec<Permission>, confirmed: bool, must_enrol: bool },
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

    /// What the table says of a call without a dry run.
    fn expected(&self, op: &Op) -> Outcome {
        let (held, confirmed, must_enrol) = match self {
            _ if op.access_rule == AccessRule::Public => return Outcome::Passed,
            Self::Outsider { token: None, .. } if op.id == "refresh" => {
                return Outcome::Refused(401, "no_saved_token");
            }
            Self::Outsider { token: None, .. } => return UNAUTHENTICATED,
            Self::Outsider { code, .. } => return Outcome::Refused(401, code),
            Self::Staff { held, confirmed, must_enrol, .. } => (held, *confirmed, *must_enrol),
        };
        if must_enrol && !ENROLMENT.contains(&op.id) {
            return Outcome::Refused(403, "second_factor_required");
        }
        let may = match op.access_rule {
            AccessRule::AnyOf(needed) => needed.iter().any(|permission| held.contains(permission)),
            AccessRule::Public | AccessRule::Bearer => true,
        };
        match may {
            false => FORBIDDEN,
            true if !confirmed && op.confirmed == ConfirmationRule::Always => {
                Outcome::Refused(403, "confirmation_required")
            }
            true => Outcome::Passed,
        }
    }
}

/// What was called, and what differs from the table.
#[derive(Default)]
struct Sweep {
    cells: usize,
    seen: BTreeSet<Outcome>,
    deviations: Vec<String>,
}

impl Sweep {
    async fn cell(&mut self, served: &Served, op: &Op, caller: &Caller) {
        let (status, code) = call(served, op, caller.token()).await;
        let expected = caller.expected(op);
        let is_as_stated = match expected {
            Outcome::Refused(refused, because) => (status, code.as_str()) == (refused, because),
            Outcome::Passed => !matches!(status, 401 | 403) && status < 500,
        };
        self.cells += 1;
        self.seen.insert(expected);
        if !is_as_stated {
            let deviation = format!("{} by {}: {status} {code}, not {expected:?}", op.id, caller.kind());
            self.deviations.push(deviation);
        }
    }
}

async fn every_endpoint_lets_in_whom_the_table_says(dialect: Dialect) {
    let served = Served::on(dialect).await;
    served.panel.fill(20, 60).await;
    // The operations act on records with the id 4: no role of a caller may be it.
    let spare = "INSERT INTO roles (name, created_at, updated_at) VALUES ('Spare 1', 1, 1), ('Spare 2', 1, 1), ('Spare 3', 1, 1), ('Spare 4', 1, 1), ('Spare 5', 1, 1)";
    served.panel.exec(Sql::new(spare)).await;
    let (outsiders, lasting) = (outsiders(&served).await, staff(&served, "").await);
    let (mut sweep, mut stated) = (Sweep::default(), 0);
    for op in endpoints::all() {
        // What ends the caller's session is called by sessions of its own.
        let fresh = match op.id {
            "logout" | "refresh" => Some(staff(&served, &format!(" of {}", op.id)).await),
            _ => None,
        };
        let holders = permission_holders(&served, op).await;
        for caller in outsiders.iter().chain(fresh.as_ref().unwrap_or(&lasting)).chain(&holders) {
            sweep.cell(&served, op, caller).await;
        }
        stated += outsiders.len() + lasting.len() + holders_of(op.access_rule);
    }
    let (count, some) = (sweep.deviations.len(), sweep.deviations.iter().take(20).collect::<Vec<_>>());
    assert_eq!(count, 0, "of {} cells: {some:#?}", sweep.cells);
    assert_eq!(sweep.cells, stated, "each operation by each kind of caller");
    assert_eq!(sweep.seen.len(), 10, "every kind of outcome is met: {:?}", sweep.seen);
    let operations = endpoints::all().count();
    eprintln!("{dialect:?}: {} cells of {operations} operations, 0 deviations", sweep.cells);
}

/// How many kinds of staff an operation is called by for its permissions alone.
fn holders_of(who: AccessRule) -> usize {
    match who {
        AccessRule::Public => 0,
        AccessRule::Bearer => 1,
        AccessRule::AnyOf(needed) => 1 + needed.len(),
    }
}

async fn call(served: &Served, op: &Op, token: Option<&str>) -> (u16, String) {
    let path: String = op
        .path
        .split('/')
        .map(|part| if part.starts_with('{') { "4" } else { part })
        .collect::<Vec<_>>()
        .join("/");
    let got = served.ask(op.method, &path, token, op.writes().then_some("{}")).await;
    assert!(!got.header("x-request-id").is_empty(), "{got:?}");
    if got.status >= 400 && op.id != "call_reseller" {
        let problem = got.json();
        assert_eq!(problem["request_id"], got.header("x-request-id"), "{got:?}");
        return (got.status, problem["code"].as_str().unwrap().to_owned());
    }
    (got.status, String::new())
}

/// Everybody who is not staff.
async fn outsiders(served: &Served) -> Vec<Caller> {
    let panel = &served.panel;
    panel.staff("ended", Permission::ALL).await;
    let ended = Sql::new("UPDATE sessions SET revoked_at = 1 WHERE family_id = 'ended'");
    panel.exec(ended).await;
    panel.staff("expired", Permission::ALL).await;
    panel.exec(Sql::new("UPDATE sessions SET expires_at = 1 WHERE family_id = 'expired'")).await;
    panel.staff("deactivated", Permission::ALL).await;
    panel.exec(Sql::new("UPDATE users SET status = 'deactivated' WHERE name = 'deactivated'")).await;
    panel.staff("customer", &[]).await;
    let outsider = |kind, token: &str, code| Caller::Outsider { kind, token: Some(token.to_owned()), code };
    panel.exec(Sql::new("UPDATE users SET account_type = 'child_panel' WHERE id = 3")).await;
    vec![
        Caller::Outsider { kind: "a caller without a token", token: None, code: "unauthenticated" },
        outsider("an unknown token", "pnl_stolen", "token_unknown"),
        outsider("a customer's key", &key_of(served, 2).await, "token_unknown"),
        outsider("a reseller's key", &key_of(served, 3).await, "token_unknown"),
        outsider("an ended session", "ended", "token_ended"),
        outsider("an expired session", "expired", "token_ended"),
        outsider("deactivated staff", "deactivated", "account_deactivated"),
        outsider("a customer's session", "customer", "not_staff"),
    ]
}

/// The key of a customer.
async fn key_of(served: &Served, user: i64) -> String {
    let answer = served.panel.post(&format!("/api/v1/admin/users/{user}/api-key"), &json!({})).await;
    answer.json()["data"]["key"].as_str().unwrap_or_else(|| panic!("{}", answer.text)).to_owned()
}

/// Staff of every stock role, of a role that requires a second factor which they do not have, and without a confirmation.
async fn staff(served: &Served, mark: &str) -> Vec<Caller> {
    let mut staff = Vec::new();
    for account in ACCOUNTS {
        staff.push(with_role(served, account.role, mark, account.permissions()).await);
    }
    let mut guarded = with_role(served, "Guarded", mark, Permission::ALL.to_vec()).await;
    served
        .panel
        .exec(Sql::new("UPDATE roles SET requires_second_factor = TRUE WHERE name = 'Guarded'"))
        .await;
    if let Caller::Staff { must_enrol, .. } = &mut guarded {
        *must_enrol = true;
    }
    staff.push(guarded);
    let (kind, held) = (format!("unconfirmed staff{mark}"), Permission::ALL.to_vec());
    served.panel.staff(&kind, &held).await;
    let sql = Sql::new("UPDATE sessions SET confirmed_at = NULL WHERE family_id = ?").bind(kind.as_str());
    served.panel.exec(sql).await;
    staff.push(Caller::Staff { token: kind.clone(), kind, held, confirmed: false, must_enrol: false });
    staff
}

/// A session whose user holds a role, and nothing beside it.
async fn with_role(served: &Served, role: &str, mark: &str, held: Vec<Permission>) -> Caller {
    let (kind, panel) = (format!("role {role}{mark}"), &served.panel);
    panel.staff(&kind, &[]).await;
    let id = panel.number(Sql::new("SELECT id FROM users WHERE name = ?").bind(kind.as_str())).await;
    let names: Vec<&str> = held.iter().map(|permission| permission.as_str()).collect();
    let mut tx = panel.app.db.begin().await.unwrap();
    store::grant_role(&mut tx, UserId::new(id), role, &names, Time(NOW)).await.unwrap();
    tx.commit().await.unwrap();
    Caller::Staff { token: kind.clone(), kind, held, confirmed: true, must_enrol: false }
}

/// Staff with all permissions but those that the operation needs, and staff with each one of them alone.
async fn permission_holders(served: &Served, op: &Op) -> Vec<Caller> {
    let needed: &[Permission] = match op.access_rule {
        AccessRule::Public => return Vec::new(),
        AccessRule::Bearer => &[],
        AccessRule::AnyOf(needed) => needed,
    };
    let others = Permission::ALL.iter().copied().filter(|held| !needed.contains(held)).collect();
    let mut sets = vec![(format!("{} without", op.id), others)];
    sets.extend(needed.iter().map(|permission| (format!("{} {permission}", op.id), vec![*permission])));
    let mut callers = Vec::new();
    for (kind, held) in sets {
        served.panel.staff(&kind, &held).await;
        let token = kind.clone();
        callers.push(Caller::Staff { kind, token, held, confirmed: true, must_enrol: false });
    }
    callers
}
