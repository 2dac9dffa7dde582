//! The audit log: its entries, and whether the chain over them is whole.

use clap::{Arg, ArgMatches};
use panel_contract::audits::{AuditVerification, AuditVerifyQuery, auditable_types, events};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::audits::{AuditCollectionsOp, VerifyAudits};
use panel_contract::lists;
use serde_json::{Value, json};

use crate::command::call::{Call, of, opt};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, Noun, Own};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::output::column::{Column, Kind};

/// `audit`.
pub(crate) const NOUN: Noun = Noun {
    name: "audit",
    alias: Some("audits"),
    about: "Who changed what, when and from where",
    verbs: &[Cmd::List(&LIST), Cmd::Call(&COLLECTIONS), Cmd::Own(&VERIFY), Cmd::Export(&LIST)],
};

const LIST: List = List {
    of: &lists::audits::AUDITS,
    noun: "entries",
    one: "entry",
    about: "Changes, newest first",
    filters: &[
        Filter::new("event", "event", "Such as order.canceled or canceled; several with commas")
            .part_of("EVENT", events),
        Filter::new("record", "auditable_type", "The kind of record, such as order")
            .part_of("KIND", auditable_types),
        Filter::new("record-id", "auditable_id", "The record"),
        Filter::new("user-id", "user.id", "Who did it"),
        Filter::new("ip", "ip_address", "From which address").value("ADDRESS"),
        Filter::new("created", "created_at", "When"),
    ],
    since: "created_at",
    examples: &[
        ("audit list --record order --record-id 981204", "everything that was done to one order"),
        ("audit list --user-id 3 --since yesterday --all -o csv", "what one of the staff did"),
    ],
};

const COLLECTIONS: Call = Call {
    name: "collections",
    about: "The events and kinds of record that the log can have",
    examples: &[],
    op: AuditCollectionsOp::OP,
    args: |command| command,
    request: |_, _| of::<AuditCollectionsOp>((), &NoQuery {}, &NoBody {}),
    at: "/data",
    columns: &[],
    write: None,
};

const VERIFY: Own = Own {
    name: "verify",
    about: "Looks whether every sealed entry is as it was sealed; exit code 1 when one is not",
    examples: &[
        ("audit verify", "the whole chain"),
        ("audit verify --head 5f1cab02", "whether the newest seal is the one that was written down"),
    ],
    reaches: &[VerifyAudits::OP],
    args: |command| {
        command.args([
            Arg::new("after")
                .long("after")
                .value_name("SEAL")
                .value_parser(clap::value_parser!(i64).range(1..))
                .help("Begins behind this seal, which is trusted"),
            Arg::new("head")
                .long("head")
                .value_name("HASH")
                .help("The newest seal must have this hash, or this beginning of it: shows whether the end was cut off"),
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

async fn verify(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let mut query = AuditVerifyQuery { after: opt(matches, "after") };
    let wanted = opt::<String>(matches, "head");
    let mut all: Option<AuditVerification> = None;
    loop {
        let part = ctx.client()?.verify_audits((), &query, &NoBody {}).await?.data;
        query.after = part.next;
        all = Some(match all {
            None => part,
            Some(before) => joined(before, part),
        });
        if query.after.is_none() {
            break;
        }
    }
    let Some(mut found) = all else { return Err(Failure::failed("The panel answered nothing.".to_owned())) };
    let head = found.head.as_ref().map(|head| head.hash.as_str());
    if wanted.as_deref().is_some_and(|wanted| head.is_none_or(|head| !head.starts_with(wanted))) {
        found.whole = false;
        found.broken.push(
            "The newest seal has another hash: the log went on meanwhile, or its end was cut off.".into(),
        );
    }
    let whole = found.whole;
    ctx.out.record(&shown(&found), COLUMNS)?;
    ctx.out.say(if whole { "The audit log is as it was sealed." } else { "The audit log was changed." });
    Ok(if whole { Exit::Ok } else { Exit::Failed })
}

fn joined(before: AuditVerification, part: AuditVerification) -> AuditVerification {
    let mut broken = before.broken;
    broken.extend(part.broken);
    AuditVerification {
        whole: before.whole && part.whole,
        seals: before.seals + part.seals,
        rows: before.rows + part.rows,
        broken,
        head: part.head.or(before.head),
        ..part
    }
}

fn shown(found: &AuditVerification) -> Value {
    json!({
        "whole": found.whole,
        "seals": found.seals,
        "rows": found.rows,
        "unsealed": found.unsealed,
        "head": found.head,
        "broken": found.broken,
    })
}
