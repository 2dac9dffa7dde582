//! Every endpoint that there is, called by nobody, by staff who hold everything but what it needs, and by staff who
//! hold it.

use panel_contract::endpoint::{Op, Who};
use panel_contract::endpoints;
use panel_contract::permission::Permission;
use panel_server::db::Dialect;

use crate::served::Served;

both! {
    every_endpoint_lets_in_whom_the_table_says;
}

async fn every_endpoint_lets_in_whom_the_table_says(dialect: Dialect) {
    let served = Served::on(dialect).await;
    served.panel.fill(20, 60).await;
    for op in endpoints::all() {
        by_nobody(&served, op).await;
        by_staff(&served, op).await;
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
    assert!(got.status < 500, "{} {path} as {token:?}: {got:?}", op.method);
    assert!(!got.header("x-request-id").is_empty(), "{got:?}");
    if got.status >= 400 {
        let problem = got.json();
        assert!(!problem["code"].as_str().unwrap().is_empty(), "{got:?}");
        assert_eq!(problem["request_id"], got.header("x-request-id"), "{got:?}");
        return (got.status, problem["code"].as_str().unwrap().to_owned());
    }
    (got.status, String::new())
}

async fn by_nobody(served: &Served, op: &Op) {
    let code = if op.id == "refresh" { "no_saved_token" } else { "unauthenticated" };
    let (status, said) = call(served, op, None).await;
    match op.who {
        Who::Public => assert!(status != 401 && status != 403, "{}: {status} {said}", op.id),
        _ => assert_eq!((status, said.as_str()), (401, code), "{}", op.id),
    }
    if op.who != Who::Public {
        assert_eq!(call(served, op, Some("pnl_stolen")).await, (401, "token_unknown".into()), "{}", op.id);
    }
}

async fn by_staff(served: &Served, op: &Op) {
    let (needed, others): (&[Permission], Vec<Permission>) = match op.who {
        Who::Public => return,
        Who::Bearer => (&[], vec![Permission::ViewAudits]),
        Who::AnyOf(needed) => {
            (needed, Permission::ALL.iter().copied().filter(|held| !needed.contains(held)).collect())
        }
    };
    let without = format!("{} without", op.id);
    served.panel.staff(&without, &others).await;
    let (status, code) = call(served, op, Some(&without)).await;
    if needed.is_empty() {
        assert!(status != 401 && status != 403, "{}: {status} {code}", op.id);
    } else {
        assert_eq!((status, code.as_str()), (403, "forbidden"), "{}", op.id);
    }
    for permission in needed {
        let with = format!("{} {permission}", op.id);
        served.panel.staff(&with, &[*permission]).await;
        let (status, code) = call(served, op, Some(&with)).await;
        assert!(status != 401 && status != 403, "{}: {status} {code}", op.id);
    }
}
