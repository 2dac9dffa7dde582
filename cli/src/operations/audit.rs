//! The audit log: its entries, and whether the chain over them is whole.

use clap::{Arg, ArgMatches};
use panel_contract::audits::{AuditVerification, AuditVerifyQuery, auditable_types, events};
use panel_contract::endpoint::{Endpoint as _, NoBody, NoQuery};
use panel_contract::endpoints::audits::{AuditCollectionsOp, ListAudits, VerifyAudits};
use serde_json::{Value, json};

use crate::command::call::{Call, of, opt};
use crate::command::filter::{Filter, Takes};
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
    noun: "entries",
    one: "entry",
    about: "Changes, newest first",
    op: ListAudits::OP,
    columns: &[
        Column::new("id", Kind::Id),
        Column::new("created_at", Kind::Time).titled("when"),
        Column::new("user.email", Kind::Text).titled("who"),
        Column::new("event", Kind::Word),
        Column::new("auditable_type", Kind::Word).titled("record"),
        Column::new("auditable_id", Kind::Id).titled("of"),
        Column::new("old_values", Kind::Text).titled("old"),
        Column::new("new_values", Kind::Text).titled("new"),
        Column::more("user.id", Kind::Id),
        Column::more("user.name", Kind::Text),
        Column::more("ip_address", Kind::Text),
        Column::more("user_agent", Kind::Text),
        Column::more("request_id", Kind::Text),
    ],
    filters: &[
        Filter {
            flag: "event",
            column: "event",
            takes: Takes::PartOf("EVENT", events),
            help: "Such as order.canceled or canceled; several with commas",
        },
        Filter {
            flag: "record",
            column: "auditable_type",
            takes: Takes::PartOf("KIND", auditable_types),
            help: "The kind of record, such as order",
        },
        Filter { flag: "record-id", column: "auditable_id", takes: Takes::Ids, help: "The record" },
        Filter { flag: "user-id", column: "user.id", takes: Takes::Ids, help: "Who did it" },
        Filter { flag: "ip", column: "ip_address", takes: Takes::Any("ADDRESS"), help: "From which address" },
        Filter { flag: "created", column: "created_at", takes: Takes::Time, help: "When" },
    ],
    also_filters: &["user", "target"],
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
