//! `withdrawals payout`: marks withdrawals as paid according to a file of the bank. panelctl checks the whole file before the first
//! change. Then panelctl sends each line with its own idempotency key and writes a journal, so that an interrupted run can be resumed.

use std::collections::{BTreeMap, HashMap, HashSet};

use clap::{Arg, ArgMatches};
use futures_util::TryStreamExt as _;
use panel_client::bulk::action::BulkAction;
use panel_client::bulk::report::RunReport;
use panel_client::bulk::run::{self, RunInfo, RunOutcome};
use panel_contract::amount::Money;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::withdrawals::{ListWithdrawals, MarkWithdrawalPaid};
use panel_contract::ids::{RecordId, WithdrawalId};
use panel_contract::table::TableQuery;
use panel_contract::withdrawals::{PaidWithdrawalInput, Withdrawal, WithdrawalStatus};
use serde_json::{Value, json};

use crate::command::CustomCommand;
use crate::command::confirm::{self, Question, Reversibility};
use crate::command::outcome::{
    RecordNouns, combine_results, prints_one_object, report_to_json, report_without_data,
};
use crate::command::progress::Progress;
use crate::command::request_command::required_value;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CommandResult, Failure};
use crate::input::csv::{CsvRecord, CsvRecords};
use crate::input::{quote_start, read_text};
use crate::output::column::{Column, DisplayKind};

const IDS_PER_LIST_REQUEST: usize = 200;
/// Maximum number of errors that the message lists.
const MAX_LISTED_ERRORS: usize = 20;
/// Maximum length of a transaction id in characters.
const MAX_TRANSACTION_ID_CHARS: usize = 200;

pub(super) const PAYOUT: CustomCommand = CustomCommand {
    name: "payout",
    about: "Mark approved withdrawals as paid from a CSV file with the columns id and transaction_id",
    examples: &[
        ("withdrawals payout --file bank.csv --dry-run", "show what each line would change"),
        (
            "withdrawals payout --file bank.csv --yes -o csv > report.csv",
            "write a report with one row per line",
        ),
    ],
    operations: &[ListWithdrawals::OP, MarkWithdrawalPaid::OP],
    args: |command| {
        let file = Arg::new("file").long("file").value_name("FILE").required(true);
        let file = file.help("CSV file, or - for standard input; the first line is id,transaction_id");
        confirm::safety_args(command.arg(file)).arg(confirm::confirm_count_arg())
    },
    run: |ctx, matches| Box::pin(pay_out_file(ctx, matches)),
};

const NOUNS: RecordNouns =
    RecordNouns { singular: "withdrawal", plural: "withdrawals", past_participle: "paid" };

const COLUMNS: &[Column] = &[
    Column::new("line", DisplayKind::Id),
    Column::new("id", DisplayKind::Id),
    Column::new("transaction_id", DisplayKind::Text).with_title("transaction"),
    Column::new("amount", DisplayKind::Number),
    Column::new("result", DisplayKind::Enum),
    Column::new("message", DisplayKind::Text),
];

#[derive(Debug, Clone, PartialEq, Eq)]
struct PayoutLine {
    line_number: u64,
    id: WithdrawalId,
    transaction_id: String,
}

async fn pay_out_file(ctx: &Ctx, matches: &ArgMatches) -> CommandResult {
    let lines = parse_file(&read_text("--file", &required_value::<String>(matches, "file")?)?)?;
    if !prints_one_object(ctx) {
        // Rejects columns that the report does not have, before panelctl sends a request.
        drop(ctx.out.row_writer(COLUMNS)?);
    }
    confirm::announce_target(ctx)?;
    let withdrawals = fetch_withdrawals(ctx, &lines).await?;
    check_against_server(&lines, &withdrawals)?;
    // panelctl sends no request for a withdrawal that is already paid by the same transaction.
    let (paid_lines, unpaid_lines): (Vec<PayoutLine>, Vec<PayoutLine>) =
        lines.iter().cloned().partition(|line| is_paid(line, &withdrawals[&line.id]));
    let outcome = match (unpaid_lines.is_empty(), confirm::is_dry_run(matches)) {
        (true, _) => RunOutcome { id: None, report: RunReport::default(), error: None },
        (false, true) => preview_payout(ctx, &unpaid_lines).await?,
        (false, false) => {
            confirm_payout(ctx, matches, &unpaid_lines, &withdrawals).await?;
            send_lines(ctx, matches, &unpaid_lines).await?
        }
    };
    let print_result = print_lines(ctx, &lines, &withdrawals, &outcome);
    if !paid_lines.is_empty() {
        ctx.out.print_message(&format!("{} were already paid by these transactions.", paid_lines.len()));
    }
    if unpaid_lines.is_empty() {
        return combine_results(print_result, Ok(Exit::Ok));
    }
    // A line whose withdrawal was already paid counts as successful.
    let exit = combine_results(print_result, report_without_data(ctx, &NOUNS.into_wording(), &outcome))?;
    Ok(if exit == Exit::Failed && !paid_lines.is_empty() { Exit::Partial } else { exit })
}

// The file

/// Parses a file. The error lists every invalid line.
fn parse_file(text: &str) -> CommandResult<Vec<PayoutLine>> {
    let mut records = CsvRecords::new(text);
    let header = records.next().transpose().map_err(|error| invalid_file_failure(&[error]))?;
    if header.is_none_or(|header| header.cells != ["id", "transaction_id"]) {
        return Err(invalid_file_failure(&["the first line must be exactly: id,transaction_id".to_owned()]));
    }
    let (mut lines, mut errors, mut line_by_withdrawal) = (Vec::new(), Vec::new(), HashMap::new());
    for record in records {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        let line_number = record.line;
        match parse_line(&record) {
            Ok(line) => match line_by_withdrawal.insert(line.id, line_number) {
                Some(first_line) => {
                    errors.push(format!(
                        "line {line_number}: withdrawal {} is already on line {first_line}",
                        line.id
                    ));
                }
                None => lines.push(line),
            },
            Err(error) => errors.push(format!("line {line_number}: {error}")),
        }
    }
    match (errors.is_empty(), lines.is_empty()) {
        (true, false) => Ok(lines),
        (true, true) => Err(invalid_file_failure(&["there are no lines below the header".to_owned()])),
        (false, _) => Err(invalid_file_failure(&errors)),
    }
}

fn parse_line(record: &CsvRecord) -> Result<PayoutLine, String> {
    let [id, transaction] = &record.cells[..] else {
        return Err(format!("{} fields instead of 2", record.cells.len()));
    };
    let id = id.trim();
    let is_numeric = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    let withdrawal_id = id.parse::<i64>().ok().filter(|id| is_numeric && *id > 0);
    let withdrawal_id = withdrawal_id.ok_or_else(|| format!("{} is not an id", quote_start(id)))?;
    let transaction = transaction.trim();
    if transaction.is_empty() {
        return Err("the transaction_id is missing".to_owned());
    }
    if transaction.chars().count() > MAX_TRANSACTION_ID_CHARS || transaction.chars().any(char::is_control) {
        return Err(format!(
            "the transaction_id must have at most {MAX_TRANSACTION_ID_CHARS} characters and no control characters"
        ));
    }
    Ok(PayoutLine {
        line_number: record.line,
        id: WithdrawalId::new(withdrawal_id),
        transaction_id: transaction.to_owned(),
    })
}

fn invalid_file_failure(errors: &[String]) -> Failure {
    let mut text = format!("The file has {} errors; nothing changed.", errors.len());
    if let [error] = errors {
        text = format!("The file has an error; nothing changed: {error}.");
    } else {
        for error in errors.iter().take(MAX_LISTED_ERRORS) {
            text.push_str(&format!("\n  {error}"));
        }
        if errors.len() > MAX_LISTED_ERRORS {
            text.push_str(&format!("\n  and {} more", errors.len() - MAX_LISTED_ERRORS));
        }
    }
    Failure::usage(text)
}

// The server

/// Fetches the withdrawals of the lines.
async fn fetch_withdrawals(
    ctx: &Ctx,
    lines: &[PayoutLine],
) -> CommandResult<BTreeMap<WithdrawalId, Withdrawal>> {
    let client = ctx.client()?;
    let mut withdrawals = BTreeMap::new();
    for chunk in lines.chunks(IDS_PER_LIST_REQUEST) {
        let id_texts: Vec<String> = chunk.iter().map(|line| line.id.to_string()).collect();
        let query = TableQuery::new().filter("id", id_texts.join(","));
        let rows: Vec<Withdrawal> = client.stream_rows::<ListWithdrawals, _>(query).try_collect().await?;
        withdrawals.extend(rows.into_iter().map(|row| (row.id, row)));
    }
    Ok(withdrawals)
}

/// Rejects lines of unknown withdrawals, and a transaction id of two withdrawals with the same payment method.
fn check_against_server(
    lines: &[PayoutLine],
    withdrawals: &BTreeMap<WithdrawalId, Withdrawal>,
) -> CommandResult<()> {
    let mut errors = Vec::new();
    let mut transactions = HashMap::new();
    for line in lines {
        let Some(withdrawal) = withdrawals.get(&line.id) else {
            errors.push(format!("line {}: withdrawal {} does not exist", line.line_number, line.id));
            continue;
        };
        // The method is absent if the user may not view payment methods. The server itself rejects repeated transactions, too.
        let Some(method) = &withdrawal.withdrawal_method else { continue };
        let transaction = (method.id, line.transaction_id.as_str());
        if let Some(first_line) = transactions.insert(transaction, line.line_number) {
            let method = &method.name;
            errors.push(format!(
                "line {}: transaction {} of {method} is already on line {first_line}",
                line.line_number, line.transaction_id
            ));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(invalid_file_failure(&errors)) }
}

fn is_paid(line: &PayoutLine, withdrawal: &Withdrawal) -> bool {
    withdrawal.status == WithdrawalStatus::Paid
        && withdrawal.transaction_id.as_ref() == Some(&line.transaction_id)
}

fn build_payout_action(lines: &[PayoutLine]) -> CommandResult<BulkAction> {
    let build_body = |line: &PayoutLine| PaidWithdrawalInput { transaction_id: line.transaction_id.clone() };
    let bodies: Vec<_> = lines.iter().map(|line| (line.id.as_record_id(), build_body(line))).collect();
    Ok(BulkAction::per_id_with_bodies::<MarkWithdrawalPaid>(&bodies)?)
}

fn record_ids(lines: &[PayoutLine]) -> Vec<RecordId> {
    lines.iter().map(|line| line.id.as_record_id()).collect()
}

async fn preview_payout(ctx: &Ctx, lines: &[PayoutLine]) -> CommandResult<RunOutcome> {
    let mut progress = Progress::new(&ctx.out, lines.len());
    let mut show_progress = |report: &RunReport, total| progress.show(report, total);
    let report = run::preview_run(
        &ctx.client()?,
        &build_payout_action(lines)?,
        &record_ids(lines),
        &mut show_progress,
    )
    .await?;
    Ok(RunOutcome { id: None, report, error: None })
}

async fn confirm_payout(
    ctx: &Ctx,
    matches: &ArgMatches,
    lines: &[PayoutLine],
    withdrawals: &BTreeMap<WithdrawalId, Withdrawal>,
) -> CommandResult<()> {
    let total = Money::sum(lines.iter().map(|line| withdrawals[&line.id].amount));
    let total = total.map_or_else(|_| "a total out of range".to_owned(), |total| total.to_string());
    let count = lines.len();
    let noun = if count == 1 { NOUNS.singular } else { NOUNS.plural };
    let text = format!("Mark {count} {noun} ({total} in total) as paid?");
    confirm::ask_confirmation(
        ctx,
        matches,
        &Question { text, count, reversibility: Reversibility::Irreversible, unfiltered_noun: None },
    )
    .await
}

/// Sends one request for each line; the journal has one chunk for each line.
async fn send_lines(ctx: &Ctx, matches: &ArgMatches, lines: &[PayoutLine]) -> CommandResult<RunOutcome> {
    let (profile_name, profile) = ctx.profile()?;
    let info = RunInfo {
        profile: Some(profile_name),
        user: profile.and_then(|profile| profile.user),
        command: ctx.command.clone(),
        filter: Some(format!("the lines of {}", required_value::<String>(matches, "file")?)),
        wording: Some(NOUNS.into_wording()),
    };
    let (client, folder) = (ctx.client()?, ctx.run_folder()?);
    ctx.interrupt.set_run_active();
    let mut progress = Progress::new(&ctx.out, lines.len());
    let mut show_progress = |report: &RunReport, total| progress.show(report, total);
    let action_and_info = (build_payout_action(lines)?, info);
    Ok(run::start_run(
        &client,
        &folder,
        action_and_info,
        (&record_ids(lines), 1),
        &ctx.interrupt.stop,
        &mut show_progress,
    )
    .await?)
}

/// Prints the result of each line. If the output is one object, the object is the report of the run with an additional field `lines`.
fn print_lines(
    ctx: &Ctx,
    lines: &[PayoutLine],
    withdrawals: &BTreeMap<WithdrawalId, Withdrawal>,
    outcome: &RunOutcome,
) -> CommandResult<()> {
    let rows = build_line_rows(lines, withdrawals, &outcome.report);
    if !prints_one_object(ctx) {
        return ctx.out.print_records(rows, COLUMNS);
    }
    let mut report_json = report_to_json(MarkWithdrawalPaid::OP.id, outcome.id.as_deref(), &outcome.report);
    report_json["lines"] = rows.into();
    ctx.out.print_record(&report_json, &[])
}

/// The result of each line, in the order of the file.
fn build_line_rows(
    lines: &[PayoutLine],
    withdrawals: &BTreeMap<WithdrawalId, Withdrawal>,
    report: &RunReport,
) -> Vec<Value> {
    let processed_ids: HashSet<RecordId> = report.processed.iter().copied().collect();
    let skip_messages: HashMap<RecordId, &str> =
        report.skipped.iter().map(|skip| (skip.id, skip.message.as_str())).collect();
    let paid_result = if report.dry_run { "would be paid" } else { "paid" };
    let row = |line: &PayoutLine| {
        let (result, message) = match skip_messages.get(&line.id.as_record_id()) {
            Some(message) => ("skipped", Some(*message)),
            None if processed_ids.contains(&line.id.as_record_id()) => (paid_result, None),
            None if is_paid(line, &withdrawals[&line.id]) => ("paid before", None),
            None => ("open", None),
        };
        json!({ "line": line.line_number, "id": line.id, "transaction_id": line.transaction_id,
            "amount": withdrawals[&line.id].amount, "result": result, "message": message })
    };
    lines.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_to_error(text: &str) -> String {
        parse_file(text).unwrap_err().message
    }

    #[test]
    fn parses_a_valid_file() {
        let lines = parse_file("\u{feff}id,transaction_id\r\n7, TX-1 \r\n\r\n9,\"a,b\"\n").unwrap();
        let lines: Vec<_> = lines
            .iter()
            .map(|line| (line.line_number, line.id.get(), line.transaction_id.as_str()))
            .collect();
        assert_eq!(lines, [(2, 7, "TX-1"), (4, 9, "a,b")]);
    }

    #[test]
    fn lists_every_error_with_its_line() {
        for header in [
            "",
            "\n",
            "transaction_id,id\n7,T\n",
            "id,transaction_id,amount\n7,T,1\n",
            "ID,transaction_id\n7,T\n",
            "id;transaction_id\n7;T\n",
            "7,T\n",
        ] {
            assert!(parse_to_error(header).contains("the first line must be exactly"), "{header:?}");
        }
        assert!(parse_to_error("id,transaction_id\n").contains("no lines"));
        let errors = parse_to_error(
            "id,transaction_id\n7\n8,T,1\nx,T\n-1,T\n+1,T\n0,T\n1e3,T\n99999999999999999999,T\n9,\n9, \n5,T\n5,U\n6,a\u{7}b\n",
        );
        for line in [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14] {
            assert!(errors.contains(&format!("\n  line {line}: ")), "{line}: {errors}");
        }
        assert!(errors.contains("line 13: withdrawal 5 is already on line 12"), "{errors}");
        assert!(!errors.contains("line 12: "), "{errors}");
    }

    #[test]
    fn lists_only_the_first_errors() {
        let text = (0..50).fold("id,transaction_id\n".to_owned(), |text, _| text + "x,T\n");
        assert!(parse_to_error(&text).contains("and 30 more"));
    }

    #[test]
    fn fuzz_payout_files() {
        let texts = panel_fuzz::mutated_texts(
            &["id,transaction_id\n7,abc\n8,\"d\"\n"],
            &["\"", ",", "\n", "\r", "\0", "\u{feff}", "7"],
        );
        panel_fuzz::FuzzTarget::new("panelctl", "payouts").run(texts, |text| drop(parse_file(text)));
    }
}
