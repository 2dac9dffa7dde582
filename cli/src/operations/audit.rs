//! `audit`: lists the audit log and verifies its chain of seals.

use clap::{Arg, ArgMatches};
use panel_contract::audits::{AuditVerification, AuditVerifyQuery, auditable_types, events};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::audits::{AuditCollectionsOp, VerifyAudits};
use panel_contract::lists;
use serde_json::{Value, json};

use crate::command::call::{Call, of, opt};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Custom, Noun};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};

pub(crate) const NOUN: Noun = Noun {
    name: "audit",
    alias: Some("audits"),
    about: "Show and verify the audit log",
    verbs: &[Cmd::List(&LIST), Cmd::Call(&COLLECTIONS), Cmd::Custom(&VERIFY), Cmd::Export(&LIST)],
};

const LIST: List = List {
    declaration: &lists::audits::AUDITS,
    noun: "entries",
    one: "entry",
    about: "List audit entries, newest first",
    filters: &[
        Filter::new(
            "event",
            "event",
            "Filter by event, such as order.canceled or canceled, separated by commas",
        )
        .part_of("EVENT", events),
        Filter::new("record", "auditable_type", "Filter by record type, such as order")
            .part_of("KIND", auditable_types),
        Filter::new("record-id", "auditable_id", "Filter by record id"),
        Filter::new("user-id", "user.id", "Filter by the id of the user who made the change"),
        Filter::new("ip", "ip_address", "Filter by IP address").value("ADDRESS"),
        Filter::new("created", "created_at", "Filter by time"),
    ],
    since: "created_at",
    examples: &[
        ("audit list --record order --record-id 981204", "every change of one order"),
        ("audit list --user-id 3 --since yesterday --all -o csv", "export what one staff member did"),
    ],
};

const COLLECTIONS: Call = Call {
    name: "collections",
    about: "List the events and record types of the audit log",
    examples: &[],
    op: AuditCollectionsOp::OP,
    args: |command| command,
    request: |_, _| of::<AuditCollectionsOp>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[],
    write: None,
};

const VERIFY: Custom = Custom {
    name: "verify",
    about: "Verify that no sealed entry was changed; exits with code 1 if one was",
    examples: &[
        ("audit verify", "verify the whole chain"),
        ("audit verify --head 5f1cab02", "also check that the newest seal has the hash you noted"),
    ],
    ops: &[VerifyAudits::OP],
    args: |command| {
        command.args([
            Arg::new("after")
                .long("after")
                .value_name("SEAL")
                .value_parser(clap::value_parser!(i64).range(1..))
                .help("Start after this seal, which is trusted"),
            Arg::new("head").long("head").value_name("HASH").help(
                "Require the newest seal's hash to start with HASH; detects whether the end was cut off",
            ),
        ])
    },
    run: |ctx, matches| Box::pin(verify(ctx, matches)),
};

const COLUMNS: &[Column] = &[
    Column::new("whole", Kind::Word),
    Column::new("seals", Kind::Number),
    Column::new("rows", Kind::Number),
    Column::new("unsealed", Kind::Number),
    Column::new("head.id", Kind::Id),
    Column::new("head.last_id", Kind::Id),
    Column::new("head.hash", Kind::Text),
    Column::new("broken", Kind::Text),
];

async fn verify(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let mut query = AuditVerifyQuery { after: opt(matches, "after") };
    let expected_head = opt::<String>(matches, "head");
    let mut all: Option<AuditVerification> = None;
    loop {
        let page = ctx.client()?.verify_audits((), &query, &EmptyBody {}).await?.data;
        query.after = page.next;
        all = Some(match all {
            None => page,
            Some(before) => merge(before, page),
        });
        if query.after.is_none() {
            break;
        }
    }
    let Some(mut result) = all else {
        return Err(Failure::failed("The panel returned no result.".to_owned()));
    };
    let head = result.head.as_ref().map(|head| head.hash.as_str());
    if expected_head.as_deref().is_some_and(|expected| head.is_none_or(|head| !head.starts_with(expected))) {
        result.whole = false;
        result.broken.push(
            "The newest seal has another hash: entries were added since, or the end was cut off.".into(),
        );
    }
    let whole = result.whole;
    ctx.out.record(&to_json(&result), COLUMNS)?;
    ctx.out.print_message(if whole {
        "The audit log is unchanged."
    } else {
        "The audit log was tampered with."
    });
    Ok(if whole { Exit::Ok } else { Exit::Failed })
}

fn merge(before: AuditVerification, page: AuditVerification) -> AuditVerification {
    let mut broken = before.broken;
    broken.extend(page.broken);
    AuditVerification {
        whole: before.whole && page.whole,
        seals: before.seals + page.seals,
        rows: before.rows + page.rows,
        broken,
        head: page.head.or(before.head),
        ..page
    }
}

fn to_json(result: &AuditVerification) -> Value {
    json!({
        "whole": result.whole,
        "seals": result.seals,
        "rows": result.rows,
        "unsealed": result.unsealed,
        "head": result.head,
        "broken": result.broken,
    })
}
