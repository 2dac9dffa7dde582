//! `audit`: lists the audit log, and verifies the hash chain of its seals.

use clap::{Arg, ArgMatches};
use panel_contract::audits::{AuditVerification, AuditVerifyQuery, auditable_types, events};
use panel_contract::endpoint::{EmptyBody, EmptyQuery, Endpoint as _};
use panel_contract::endpoints::audits::{GetAuditCollections, VerifyAudits};
use panel_contract::lists;
use serde_json::{Value, json};

use crate::command::filter::Filter;
use crate::command::list::ListCommand;
use crate::command::request_command::{RequestCommand, build_request, optional_value};
use crate::command::{CommandGroup, CommandSpec, CustomCommand};
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::output::column::{Column, DisplayKind};

pub(crate) const COMMANDS: CommandGroup = CommandGroup {
    name: "audit",
    alias: Some("audits"),
    about: "Show and verify the audit log",
    commands: &[
        CommandSpec::List(&LIST),
        CommandSpec::Request(&LIST_ENUM_LABELS),
        CommandSpec::Custom(&VERIFY),
        CommandSpec::Export(&LIST),
    ],
};

const LIST: ListCommand = ListCommand {
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

const LIST_ENUM_LABELS: RequestCommand = RequestCommand {
    name: "collections",
    about: "List the events and record types of the audit log",
    examples: &[],
    op: GetAuditCollections::OP,
    args: |command| command,
    request: |_, _| build_request::<GetAuditCollections>((), &EmptyQuery {}, &EmptyBody {}),
    json_pointer: "/data",
    columns: &[],
    write: None,
};

const VERIFY: CustomCommand = CustomCommand {
    name: "verify",
    about: "Verify that no sealed entry was changed; exits with code 1 if an entry was changed",
    examples: &[
        ("audit verify", "verify the whole chain"),
        ("audit verify --newest-hash 5f1cab02", "also check that the newest seal has the hash you noted"),
    ],
    operations: &[VerifyAudits::OP],
    args: |command| {
        command.args([
            Arg::new("after")
                .long("after")
                .value_name("ID")
                .value_parser(clap::value_parser!(i64).range(1..))
                .help("Skip the entries up to the seal with this id; they are not checked"),
            Arg::new("newest-hash").long("newest-hash").value_name("HASH").help(
                "Fail if the hash of the newest seal does not start with HASH, as an earlier check printed it; detects deleted newest entries",
            ),
        ])
    },
    run: |ctx, matches| Box::pin(verify_log(ctx, matches)),
};

const COLUMNS: &[Column] = &[
    Column::new("is_intact", DisplayKind::Enum),
    Column::new("seals", DisplayKind::Number),
    Column::new("rows", DisplayKind::Number),
    Column::new("unsealed", DisplayKind::Number),
    Column::new("head.id", DisplayKind::Id),
    Column::new("head.last_id", DisplayKind::Id),
    Column::new("head.hash", DisplayKind::Text),
    Column::new("problems", DisplayKind::Text),
];

async fn verify_log(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let mut query = AuditVerifyQuery { after: optional_value(matches, "after") };
    let expected_hash_prefix = optional_value::<String>(matches, "newest-hash");
    let mut merged_pages: Option<AuditVerification> = None;
    loop {
        let page = ctx.client()?.verify_audits((), &query, &EmptyBody {}).await?.data;
        query.after = page.next;
        merged_pages = Some(match merged_pages {
            None => page,
            Some(previous_pages) => merge_pages(previous_pages, page),
        });
        if query.after.is_none() {
            break;
        }
    }
    let Some(mut result) = merged_pages else {
        return Err(Failure::failed("The server returned no result.".to_owned()));
    };
    let newest_hash = result.head.as_ref().map(|head| head.hash.as_str());
    if expected_hash_prefix
        .as_deref()
        .is_some_and(|prefix| newest_hash.is_none_or(|hash| !hash.starts_with(prefix)))
    {
        result.is_intact = false;
        result.problems.push(
            "The newest seal has another hash: entries were added after you noted it, or the newest entries were deleted.".into(),
        );
    }
    let is_unchanged = result.is_intact;
    ctx.out.print_record(&to_result_json(&result), COLUMNS)?;
    ctx.out.print_message(if is_unchanged {
        "The audit log is unchanged."
    } else {
        "The audit log was tampered with."
    });
    Ok(if is_unchanged { Exit::Ok } else { Exit::Failed })
}

fn merge_pages(previous_pages: AuditVerification, page: AuditVerification) -> AuditVerification {
    let mut problems = previous_pages.problems;
    problems.extend(page.problems);
    AuditVerification {
        is_intact: previous_pages.is_intact && page.is_intact,
        seals: previous_pages.seals + page.seals,
        rows: previous_pages.rows + page.rows,
        problems,
        head: page.head.or(previous_pages.head),
        ..page
    }
}

fn to_result_json(result: &AuditVerification) -> Value {
    json!({
        "is_intact": result.is_intact,
        "seals": result.seals,
        "rows": result.rows,
        "unsealed": result.unsealed,
        "head": result.head,
        "problems": result.problems,
    })
}
