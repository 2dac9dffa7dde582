//! `audit`: lists the audit log, and verifies the hash chain of its seals.

use clap::{Arg, ArgMatches};
use panel_contract::audits::{AuditVerification, AuditVerifyQuery, auditable_types, events};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::audits::{GetAuditCollections, VerifyAudits};
use panel_contract::lists;
use serde_json::{Value, json};

use crate::command::call::{Call, optional_value, request_for};
use crate::command::filter::Filter;
use crate::command::list::List;
use crate::command::{Cmd, CommandGroup, CustomCommand};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};
use crate::output::column::{Column, Kind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "audit",
    alias: Some("audits"),
    about: "Show and verify the audit log",
    commands: &[Cmd::List(&LIST), Cmd::Call(&ENUM_LABELS), Cmd::Custom(&VERIFY), Cmd::Export(&LIST)],
};

const LIST: List = List {
    declaration: &lists::audits::AUDITS,
    plural: "entries",
    singular: "entry",
    about: "List audit entries, newest first",
    filters: &[
        Filter::new(
            "event",
            "event",
            "Filter by event, such as order.canceled or canceled, separated by commas",
        )
        .enum_substring("EVENT", events),
        Filter::new("record", "auditable_type", "Filter by record type, such as order")
            .enum_substring("KIND", auditable_types),
        Filter::new("record-id", "auditable_id", "Filter by record id"),
        Filter::new("user-id", "user.id", "Filter by the id of the user who made the change"),
        Filter::new("ip", "ip_address", "Filter by IP address").text_value("ADDRESS"),
        Filter::new("created", "created_at", "Filter by time"),
    ],
    time_column: "created_at",
    examples: &[
        ("audit list --record order --record-id 981204", "every change of one order"),
        ("audit list --user-id 3 --since yesterday --all -o csv", "export the actions of one staff member"),
    ],
};

const ENUM_LABELS: Call = Call {
    name: "collections",
    about: "List the events and record types of the audit log",
    examples: &[],
    op: GetAuditCollections::OP,
    args: |command| command,
    request: |_, _| request_for::<GetAuditCollections>((), &EmptyQuery {}, &EmptyBody {}),
    pointer: "/data",
    columns: &[],
    write: None,
};

const VERIFY: CustomCommand = CustomCommand {
    name: "verify",
    about: "Verify that no sealed entry was changed; exits with code 1 if an entry was changed",
    examples: &[
        ("audit verify", "verify the whole chain"),
        ("audit verify --head 5f1cab02", "also check that the newest seal has the hash you noted"),
    ],
    operations: &[VerifyAudits::OP],
    args: |command| {
        command.args([
            Arg::new("after")
                .long("after")
                .value_name("SEAL")
                .value_parser(clap::value_parser!(i64).range(1..))
                .help("Start after this seal and trust it"),
            Arg::new("head").long("head").value_name("HASH").help(
                "Require the hash of the newest seal to start with HASH; detects whether the newest entries were deleted",
            ),
        ])
    },
    run: |ctx, matches| Box::pin(verify(ctx, matches)),
};

const COLUMNS: &[Column] = &[
    Column::new("whole", Kind::Enum),
    Column::new("seals", Kind::Number),
    Column::new("rows", Kind::Number),
    Column::new("unsealed", Kind::Number),
    Column::new("head.id", Kind::Id),
    Column::new("head.last_id", Kind::Id),
    Column::new("head.hash", Kind::Text),
    Column::new("broken", Kind::Text),
];

async fn verify(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let mut query = AuditVerifyQuery { after: optional_value(matches, "after") };
    let expected_head = optional_value::<String>(matches, "head");
    let mut merged: Option<AuditVerification> = None;
    loop {
        let page = ctx.client()?.verify_audits((), &query, &EmptyBody {}).await?.data;
        query.after = page.next;
        merged = Some(match merged {
            None => page,
            Some(previous_pages) => merge_pages(previous_pages, page),
        });
        if query.after.is_none() {
            break;
        }
    }
    let Some(mut result) = merged else {
        return Err(Failure::failed("The panel returned no result.".to_owned()));
    };
    let head = result.head.as_ref().map(|head| head.hash.as_str());
    if expected_head.as_deref().is_some_and(|expected| head.is_none_or(|head| !head.starts_with(expected))) {
        result.whole = false;
        result.broken.push(
            "The newest seal has another hash: entries were added after you noted it, or the newest entries were deleted.".into(),
        );
    }
    let is_unchanged = result.whole;
    ctx.out.print_record(&result_json(&result), COLUMNS)?;
    ctx.out.print_message(if is_unchanged {
        "The audit log is unchanged."
    } else {
        "The audit log was tampered with."
    });
    Ok(if is_unchanged { Exit::Ok } else { Exit::Failed })
}

fn merge_pages(previous_pages: AuditVerification, page: AuditVerification) -> AuditVerification {
    let mut broken = previous_pages.broken;
    broken.extend(page.broken);
    AuditVerification {
        whole: previous_pages.whole && page.whole,
        seals: previous_pages.seals + page.seals,
        rows: previous_pages.rows + page.rows,
        broken,
        head: page.head.or(previous_pages.head),
        ..page
    }
}

fn result_json(result: &AuditVerification) -> Value {
    json!({
        "whole": result.whole,
        "seals": result.seals,
        "rows": result.rows,
        "unsealed": result.unsealed,
        "head": result.head,
        "broken": result.broken,
    })
}
