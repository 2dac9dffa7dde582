//! `withdrawals payout`: marks withdrawals as paid by a file of the bank. The whole file is checked before any change. Each line
//! is then sent with its own idempotency key and written to a journal, so that an interrupted run can be resumed.

use std::collections::{BTreeMap, HashMap, HashSet};

use clap::{Arg, ArgMatches};
use futures_util::TryStreamExt as _;
use panel_client::bulk::action::Action;
use panel_client::bulk::report::Report;
use panel_client::bulk::run::{self, RunInfo, RunOutcome};
use panel_contract::amount::Money;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::withdrawals::{ListWithdrawals, MarkWithdrawalPaid};
use panel_contract::ids::{RecordId, WithdrawalId};
use panel_contract::table::TableQuery;
use panel_contract::withdrawals::{PaidWithdrawalInput, Withdrawal, WithdrawalStatus};
use serde_json::{Value, json};

use crate::command::Custom;
use crate::command::call::arg;
use crate::command::confirm::{self, Danger, Question};
use crate::command::outcome::{RecordNouns, conclude, exit_of, is_object, json_of};
use crate::command::progress::Progress;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{CmdResult, Failure};
use crate::input::csv::{CsvRecord, CsvRecords};
use crate::input::{quoted, read_text};
use crate::output::column::{Column, Kind};

/// Ids per list request.
const LOOKUP_CHUNK: usize = 200;
/// Limit of errors of a file that are listed.
const MAX_NAMED: usize = 20;
/// Longest transaction id, in characters.
const MAX_CHARS: usize = 200;

pub(super) const PAYOUT: Custom = Custom {
    name: "payout",
    about: "Mark approved withdrawals as paid from a CSV file with the columns id and transaction_id",
    examples: &[
        ("withdrawals payout --file bank.csv --dry-run", "show what each line would change"),
        (
            "withdrawals payout --file bank.csv --yes -o csv > report.csv",
            "write a report with one row per line",
        ),
    ],
    ops: &[ListWithdrawals::OP, MarkWithdrawalPaid::OP],
    args: |command| {
        let file = Arg::new("file").long("file").value_name("FILE").required(true);
        let file = file.help("CSV file, or - for standard input; its first line is id,transaction_id");
        confirm::args(command.arg(file)).arg(confirm::count_arg())
    },
    run: |ctx, matches| Box::pin(payout(ctx, matches)),
};

const NOUNS: RecordNouns = RecordNouns { one: "withdrawal", many: "withdrawals", past: "paid" };

const COLUMNS: &[Column] = &[
    Column::new("line", Kind::Id),
    Column::new("id", Kind::Id),
    Column::new("transaction_id", Kind::Text).titled("transaction"),
    Column::new("amount", Kind::Number),
    Column::new("result", Kind::Word),
    Column::new("message", Kind::Text),
];

#[derive(Debug, Clone, PartialEq, Eq)]
struct PayoutLine {
    line: u64,
    id: WithdrawalId,
    transaction_id: String,
}

async fn payout(ctx: &Ctx, matches: &ArgMatches) -> CmdResult {
    let lines = parse(&read_text("--file", &arg::<String>(matches, "file")?)?)?;
    if !is_object(ctx) {
        // Refuses columns that the report does not have before anything is sent.
        drop(ctx.out.rows(COLUMNS)?);
    }
    confirm::announce(ctx)?;
    let withdrawals = fetch(ctx, &lines).await?;
    check(&lines, &withdrawals)?;
    // A line whose withdrawal is already paid by this transaction needs no request.
    let (already_paid, open): (Vec<PayoutLine>, Vec<PayoutLine>) =
        lines.iter().cloned().partition(|line| is_paid(line, &withdrawals[&line.id]));
    let ended = match (open.is_empty(), confirm::is_dry(matches)) {
        (true, _) => RunOutcome { id: None, report: Report::default(), error: None },
        (false, true) => preview(ctx, &open).await?,
        (false, false) => {
            ask(ctx, matches, &open, &withdrawals).await?;
            apply(ctx, matches, &open).await?
        }
    };
    let printed = show(ctx, &lines, &withdrawals, &ended);
    if !already_paid.is_empty() {
        ctx.out.print_message(&format!("{} were already paid by these transactions.", already_paid.len()));
    }
    if open.is_empty() {
        return exit_of(printed, Ok(Exit::Ok));
    }
    // Lines that were already paid count as successful.
    let exit = exit_of(printed, conclude(ctx, &NOUNS.owned(), &ended))?;
    Ok(if exit == Exit::Failed && !already_paid.is_empty() { Exit::Partial } else { exit })
}

// The file

/// Parses a file; an error names every invalid line.
fn parse(text: &str) -> CmdResult<Vec<PayoutLine>> {
    let mut records = CsvRecords::new(text);
    let header = records.next().transpose().map_err(|error| invalid_file(&[error]))?;
    if header.is_none_or(|header| header.cells != ["id", "transaction_id"]) {
        return Err(invalid_file(&["the first line must be exactly: id,transaction_id".to_owned()]));
    }
    let (mut lines, mut errors, mut seen) = (Vec::new(), Vec::new(), HashMap::new());
    for record in records {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        let number = record.line;
        match parse_line(&record) {
            Ok(line) => match seen.insert(line.id, number) {
                Some(first) => {
                    errors.push(format!("line {number}: withdrawal {} is already on line {first}", line.id));
                }
                None => lines.push(line),
            },
            Err(error) => errors.push(format!("line {number}: {error}")),
        }
    }
    match (errors.is_empty(), lines.is_empty()) {
        (true, false) => Ok(lines),
        (true, true) => Err(invalid_file(&["there are no lines below the header".to_owned()])),
        (false, _) => Err(invalid_file(&errors)),
    }
}

fn parse_line(record: &CsvRecord) -> Result<PayoutLine, String> {
    let [id, transaction] = &record.cells[..] else {
        return Err(format!("{} fields instead of 2", record.cells.len()));
    };
    let id = id.trim();
    let is_numeric = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    let number = id.parse::<i64>().ok().filter(|number| is_numeric && *number > 0);
    let number = number.ok_or_else(|| format!("{} is not an id", quoted(id)))?;
    let transaction = transaction.trim();
    if transaction.is_empty() {
        return Err("the transaction_id is missing".to_owned());
    }
    if transaction.chars().count() > MAX_CHARS || transaction.chars().any(char::is_control) {
        return Err(format!(
            "the transaction_id must have at most {MAX_CHARS} characters and no control characters"
        ));
    }
    Ok(PayoutLine {
        line: record.line,
        id: WithdrawalId::new(number),
        transaction_id: transaction.to_owned(),
    })
}

fn invalid_file(errors: &[String]) -> Failure {
    let mut text = format!("The file has {} errors; nothing changed.", errors.len());
    if let [one] = errors {
        text = format!("The file has an error; nothing changed: {one}.");
    } else {
        for error in errors.iter().take(MAX_NAMED) {
            text.push_str(&format!("\n  {error}"));
        }
        if errors.len() > MAX_NAMED {
            text.push_str(&format!("\n  and {} more", errors.len() - MAX_NAMED));
        }
    }
    Failure::usage(text)
}

// The panel

/// Fetches the withdrawals of the lines.
async fn fetch(ctx: &Ctx, lines: &[PayoutLine]) -> CmdResult<BTreeMap<WithdrawalId, Withdrawal>> {
    let client = ctx.client()?;
    let mut withdrawals = BTreeMap::new();
    for lines in lines.chunks(LOOKUP_CHUNK) {
        let ids: Vec<String> = lines.iter().map(|line| line.id.to_string()).collect();
        let query = TableQuery::new().filter("id", ids.join(","));
        let rows: Vec<Withdrawal> = client.rows::<ListWithdrawals, _>(query).try_collect().await?;
        withdrawals.extend(rows.into_iter().map(|row| (row.id, row)));
    }
    Ok(withdrawals)
}

/// Checks what only the panel's data shows: unknown withdrawals, and one transaction for two withdrawals of the same method.
fn check(lines: &[PayoutLine], withdrawals: &BTreeMap<WithdrawalId, Withdrawal>) -> CmdResult<()> {
    let mut errors = Vec::new();
    let mut transactions = HashMap::new();
    for line in lines {
        let Some(withdrawal) = withdrawals.get(&line.id) else {
            errors.push(format!("line {}: withdrawal {} does not exist", line.line, line.id));
            continue;
        };
        // The method is absent if the user may not view payment methods; the panel then checks for repeated transactions.
        let Some(method) = &withdrawal.withdrawal_method else { continue };
        let transaction = (method.id, line.transaction_id.as_str());
        if let Some(first) = transactions.insert(transaction, line.line) {
            let method = &method.name;
            errors.push(format!(
                "line {}: transaction {} of {method} is already on line {first}",
                line.line, line.transaction_id
            ));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(invalid_file(&errors)) }
}

fn is_paid(line: &PayoutLine, withdrawal: &Withdrawal) -> bool {
    withdrawal.status == WithdrawalStatus::Paid
        && withdrawal.transaction_id.as_ref() == Some(&line.transaction_id)
}

fn action(lines: &[PayoutLine]) -> CmdResult<Action> {
    let body = |line: &PayoutLine| PaidWithdrawalInput { transaction_id: line.transaction_id.clone() };
    let bodies: Vec<_> = lines.iter().map(|line| (line.id.record(), body(line))).collect();
    Ok(Action::each_its_own::<MarkWithdrawalPaid>(&bodies)?)
}

fn ids(lines: &[PayoutLine]) -> Vec<RecordId> {
    lines.iter().map(|line| line.id.record()).collect()
}

async fn preview(ctx: &Ctx, lines: &[PayoutLine]) -> CmdResult<RunOutcome> {
    let mut progress = Progress::new(&ctx.out, lines.len());
    let mut show = |report: &Report, total| progress.show(report, total);
    let report = run::preview_run(&ctx.client()?, &action(lines)?, &ids(lines), &mut show).await?;
    Ok(RunOutcome { id: None, report, error: None })
}

async fn ask(
    ctx: &Ctx,
    matches: &ArgMatches,
    lines: &[PayoutLine],
    withdrawals: &BTreeMap<WithdrawalId, Withdrawal>,
) -> CmdResult<()> {
    let total = Money::sum(lines.iter().map(|line| withdrawals[&line.id].amount));
    let total = total.map_or_else(|_| "a total out of range".to_owned(), |total| total.to_string());
    let count = lines.len();
    let noun = if count == 1 { NOUNS.one } else { NOUNS.many };
    let text = format!("Mark {count} {noun} ({total} in all) as paid?");
    confirm::ask(ctx, matches, &Question { text, count, danger: Danger::Final, unfiltered: None }).await
}

/// Sends one request per line, with one journal entry for each.
async fn apply(ctx: &Ctx, matches: &ArgMatches, lines: &[PayoutLine]) -> CmdResult<RunOutcome> {
    let (profile, settings) = ctx.profile()?;
    let about = RunInfo {
        profile: Some(profile),
        user: settings.and_then(|profile| profile.user),
        command: ctx.command.clone(),
        filter: Some(format!("the lines of {}", arg::<String>(matches, "file")?)),
        words: Some(NOUNS.owned()),
    };
    let (client, folder) = (ctx.client()?, ctx.runs()?);
    ctx.interrupt.arm();
    let mut progress = Progress::new(&ctx.out, lines.len());
    let mut show = |report: &Report, total| progress.show(report, total);
    let plan = (action(lines)?, about);
    Ok(run::begin(&client, &folder, plan, (&ids(lines), 1), &ctx.interrupt.stop, &mut show).await?)
}

/// Prints the result of each line; as one object, it is the run's report with the lines in it.
fn show(
    ctx: &Ctx,
    lines: &[PayoutLine],
    withdrawals: &BTreeMap<WithdrawalId, Withdrawal>,
    ended: &RunOutcome,
) -> CmdResult<()> {
    let rows = report(lines, withdrawals, &ended.report);
    if !is_object(ctx) {
        return ctx.out.records(rows, COLUMNS);
    }
    let mut value = json_of(MarkWithdrawalPaid::OP.id, ended.id.as_deref(), &ended.report);
    value["lines"] = rows.into();
    ctx.out.record(&value, &[])
}

/// The result of each line, in the order of the file.
fn report(
    lines: &[PayoutLine],
    withdrawals: &BTreeMap<WithdrawalId, Withdrawal>,
    run: &Report,
) -> Vec<Value> {
    let processed: HashSet<RecordId> = run.processed.iter().copied().collect();
    let skipped: HashMap<RecordId, &str> =
        run.skipped.iter().map(|skip| (skip.id, skip.message.as_str())).collect();
    let paid = if run.dry_run { "would be paid" } else { "paid" };
    let row = |line: &PayoutLine| {
        let (result, message) = match skipped.get(&line.id.record()) {
            Some(message) => ("skipped", Some(*message)),
            None if processed.contains(&line.id.record()) => (paid, None),
            None if is_paid(line, &withdrawals[&line.id]) => ("paid before", None),
            None => ("open", None),
        };
        json!({ "line": line.line, "id": line.id, "transaction_id": line.transaction_id,
            "amount": withdrawals[&line.id].amount, "result": result, "message": message })
    };
    lines.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(text: &str) -> String {
        parse(text).unwrap_err().what
    }

    #[test]
    fn parses_a_valid_file() {
        let lines = parse("\u{feff}id,transaction_id\r\n7, TX-1 \r\n\r\n9,\"a,b\"\n").unwrap();
        let lines: Vec<_> =
            lines.iter().map(|line| (line.line, line.id.get(), line.transaction_id.as_str())).collect();
        assert_eq!(lines, [(2, 7, "TX-1"), (4, 9, "a,b")]);
    }

    #[test]
    fn names_every_error_with_its_line() {
        for header in [
            "",
            "\n",
            "transaction_id,id\n7,T\n",
            "id,transaction_id,amount\n7,T,1\n",
            "ID,transaction_id\n7,T\n",
            "id;transaction_id\n7;T\n",
            "7,T\n",
        ] {
            assert!(error_of(header).contains("the first line must be exactly"), "{header:?}");
        }
        assert!(error_of("id,transaction_id\n").contains("no lines"));
        let many = error_of(
            "id,transaction_id\n7\n8,T,1\nx,T\n-1,T\n+1,T\n0,T\n1e3,T\n99999999999999999999,T\n9,\n9, \n5,T\n5,U\n6,a\u{7}b\n",
        );
        for line in [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14] {
            assert!(many.contains(&format!("\n  line {line}: ")), "{line}: {many}");
        }
        assert!(many.contains("line 13: withdrawal 5 is already on line 12"), "{many}");
        assert!(!many.contains("line 12: "), "{many}");
    }

    #[test]
    fn cuts_a_long_list_of_errors() {
        let text = (0..50).fold("id,transaction_id\n".to_owned(), |text, _| text + "x,T\n");
        assert!(error_of(&text).contains("and 30 more"));
    }

    #[test]
    fn fuzz_payout_files() {
        let texts = panel_fuzz::texts(
            &["id,transaction_id\n7,abc\n8,\"d\"\n"],
            &["\"", ",", "\n", "\r", "\0", "\u{feff}", "7"],
        );
        panel_fuzz::Run::new("panelctl", "payouts").on(texts, |text| drop(parse(text)));
    }
}
