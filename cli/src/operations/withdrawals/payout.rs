//! `withdrawals payout`: marks what the bank has paid, by a file. All of it is checked before any of it is done; then
//! line by line, each under its own key, with a journal: a run that was cut goes on where it stood.

use std::collections::{BTreeMap, HashMap, HashSet};

use clap::{Arg, ArgMatches};
use futures_util::TryStreamExt as _;
use panel_client::bulk::action::Action;
use panel_client::bulk::report::Report;
use panel_client::bulk::run::{self, About, Ended};
use panel_contract::amount::Money;
use panel_contract::endpoint::Endpoint as _;
use panel_contract::endpoints::withdrawals::{ListWithdrawals, MarkWithdrawalPaid};
use panel_contract::ids::{RecordId, WithdrawalId};
use panel_contract::table::TableQuery;
use panel_contract::withdrawals::{PaidWithdrawalInput, Withdrawal, WithdrawalStatus};
use serde_json::{Value, json};

use crate::command::Own;
use crate::command::call::arg;
use crate::command::confirm::{self, Danger, Question};
use crate::command::outcome::{Words, after, conclude, is_object, json_of};
use crate::command::progress::Progress;
use crate::ctx::Ctx;
use crate::exit::Exit;
use crate::failure::{Done, Failure};
use crate::input::csv::{CsvRecord, CsvRecords};
use crate::input::{quoted, read_text};
use crate::output::column::{Column, Kind};

/// Ids of one look at the list.
const LOOKED_UP: usize = 200;
/// Faults of a file that are named.
const NAMED: usize = 20;
/// Longest transaction id.
const LONGEST: usize = 200;

/// `withdrawals payout`.
pub(super) const PAYOUT: Own = Own {
    name: "payout",
    about: "Marks approved withdrawals as paid by a CSV file with the columns id and transaction_id",
    examples: &[
        ("withdrawals payout --file bank.csv --dry-run", "what each line would do"),
        ("withdrawals payout --file bank.csv --yes -o csv > report.csv", "a report line for each line"),
    ],
    reaches: &[ListWithdrawals::OP, MarkWithdrawalPaid::OP],
    args: |command| {
        let file = Arg::new("file").long("file").value_name("FILE").required(true);
        let file = file.help("The CSV, or - for standard input; its first line is id,transaction_id");
        confirm::args(command.arg(file)).arg(confirm::count_arg())
    },
    run: |ctx, matches| Box::pin(payout(ctx, matches)),
};

const WORDS: Words = Words { one: "withdrawal", many: "withdrawals", past: "paid" };

const COLUMNS: &[Column] = &[
    Column::new("line", Kind::Id),
    Column::new("id", Kind::Id),
    Column::new("transaction_id", Kind::Text).titled("transaction"),
    Column::new("amount", Kind::Number),
    Column::new("result", Kind::Word),
    Column::new("message", Kind::Text),
];

/// A line of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    line: u64,
    id: WithdrawalId,
    transaction_id: String,
}

async fn payout(ctx: &Ctx, matches: &ArgMatches) -> Done {
    let lines = read(&read_text("--file", &arg::<String>(matches, "file")?)?)?;
    if !is_object(ctx) {
        // Columns that the report lacks are refused before anything is sent.
        drop(ctx.out.rows(COLUMNS)?);
    }
    confirm::announce(ctx)?;
    let found = look_up(ctx, &lines).await?;
    check(&lines, &found)?;
    // A line that was done before, by this file or by hand, is done: nothing is sent for it.
    let (before, open): (Vec<Line>, Vec<Line>) =
        lines.iter().cloned().partition(|line| is_done(line, &found[&line.id]));
    let ended = match (open.is_empty(), confirm::is_dry(matches)) {
        (true, _) => Ended { id: None, report: Report::default(), error: None },
        (false, true) => rehearse(ctx, &open).await?,
        (false, false) => {
            ask(ctx, matches, &open, &found).await?;
            apply(ctx, matches, &open).await?
        }
    };
    let printed = show(ctx, &lines, &found, &ended);
    if !before.is_empty() {
        ctx.out.say(&format!("{} were paid by these transactions before.", before.len()));
    }
    if open.is_empty() {
        return after(printed, Ok(Exit::Ok));
    }
    // Of the whole file, some lines are done.
    let told = after(printed, conclude(ctx, &WORDS.owned(), &ended))?;
    Ok(if told == Exit::Failed && !before.is_empty() { Exit::Partial } else { told })
}

// The file

/// The lines of a file without a fault; else every fault with its line.
fn read(text: &str) -> Done<Vec<Line>> {
    let mut records = CsvRecords::new(text);
    let header = records.next().transpose().map_err(|error| faulty(&[error]))?;
    if header.is_none_or(|header| header.cells != ["id", "transaction_id"]) {
        return Err(faulty(&["the first line must be exactly: id,transaction_id".to_owned()]));
    }
    let (mut lines, mut faults, mut seen) = (Vec::new(), Vec::new(), HashMap::new());
    for record in records {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                faults.push(error);
                continue;
            }
        };
        let at = record.line;
        match line(&record) {
            Ok(line) => match seen.insert(line.id, at) {
                Some(first) => {
                    faults.push(format!("line {at}: withdrawal {} is on line {first} already", line.id));
                }
                None => lines.push(line),
            },
            Err(fault) => faults.push(format!("line {at}: {fault}")),
        }
    }
    match (faults.is_empty(), lines.is_empty()) {
        (true, false) => Ok(lines),
        (true, true) => Err(faulty(&["there are no lines below the first".to_owned()])),
        (false, _) => Err(faulty(&faults)),
    }
}

fn line(record: &CsvRecord) -> Result<Line, String> {
    let [id, transfer] = &record.cells[..] else {
        return Err(format!("{} fields instead of 2", record.cells.len()));
    };
    let id = id.trim();
    let plain = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    let number = id.parse::<i64>().ok().filter(|number| plain && *number > 0);
    let number = number.ok_or_else(|| format!("{} is no id", quoted(id)))?;
    let transfer = transfer.trim();
    if transfer.is_empty() {
        return Err("the transaction_id is missing".to_owned());
    }
    if transfer.chars().count() > LONGEST || transfer.chars().any(char::is_control) {
        return Err(format!(
            "the transaction_id must have at most {LONGEST} characters and no control characters"
        ));
    }
    Ok(Line { line: record.line, id: WithdrawalId::new(number), transaction_id: transfer.to_owned() })
}

fn faulty(faults: &[String]) -> Failure {
    let mut text = format!("The file has {} faults; nothing was done.", faults.len());
    if let [one] = faults {
        text = format!("The file has a fault; nothing was done: {one}.");
    } else {
        for fault in faults.iter().take(NAMED) {
            text.push_str(&format!("\n  {fault}"));
        }
        if faults.len() > NAMED {
            text.push_str(&format!("\n  and {} more", faults.len() - NAMED));
        }
    }
    Failure::usage(text)
}

// The panel

/// The withdrawals of the lines, as they stand.
async fn look_up(ctx: &Ctx, lines: &[Line]) -> Done<BTreeMap<WithdrawalId, Withdrawal>> {
    let client = ctx.client()?;
    let mut found = BTreeMap::new();
    for lines in lines.chunks(LOOKED_UP) {
        let ids: Vec<String> = lines.iter().map(|line| line.id.to_string()).collect();
        let query = TableQuery::new().filter("id", ids.join(","));
        let rows: Vec<Withdrawal> = client.rows::<ListWithdrawals, _>(query).try_collect().await?;
        found.extend(rows.into_iter().map(|row| (row.id, row)));
    }
    Ok(found)
}

/// Faults that only the panel knows: unknown withdrawals, one transfer for two of a method.
fn check(lines: &[Line], found: &BTreeMap<WithdrawalId, Withdrawal>) -> Done<()> {
    let mut faults = Vec::new();
    let mut transfers = HashMap::new();
    for line in lines {
        let Some(withdrawal) = found.get(&line.id) else {
            faults.push(format!("line {}: there is no withdrawal {}", line.line, line.id));
            continue;
        };
        // The method is absent for staff who may not view payment methods: the panel then judges a repetition.
        let Some(method) = &withdrawal.withdrawal_method else { continue };
        let transfer = (method.id, line.transaction_id.as_str());
        if let Some(first) = transfers.insert(transfer, line.line) {
            let method = &method.name;
            faults.push(format!(
                "line {}: transaction {} of {method} is on line {first} already",
                line.line, line.transaction_id
            ));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faulty(&faults)) }
}

fn is_done(line: &Line, withdrawal: &Withdrawal) -> bool {
    withdrawal.status == WithdrawalStatus::Paid
        && withdrawal.transaction_id.as_ref() == Some(&line.transaction_id)
}

fn action(lines: &[Line]) -> Done<Action> {
    let body = |line: &Line| PaidWithdrawalInput { transaction_id: line.transaction_id.clone() };
    let bodies: Vec<_> = lines.iter().map(|line| (line.id.record(), body(line))).collect();
    Ok(Action::each_its_own::<MarkWithdrawalPaid>(&bodies)?)
}

fn ids(lines: &[Line]) -> Vec<RecordId> {
    lines.iter().map(|line| line.id.record()).collect()
}

async fn rehearse(ctx: &Ctx, lines: &[Line]) -> Done<Ended> {
    let mut progress = Progress::new(&ctx.out, lines.len());
    let mut show = |report: &Report, total| progress.show(report, total);
    let report = run::rehearse(&ctx.client()?, &action(lines)?, &ids(lines), &mut show).await?;
    Ok(Ended { id: None, report, error: None })
}

async fn ask(
    ctx: &Ctx,
    matches: &ArgMatches,
    lines: &[Line],
    found: &BTreeMap<WithdrawalId, Withdrawal>,
) -> Done<()> {
    let total = Money::sum(lines.iter().map(|line| found[&line.id].amount));
    let total = total.map_or_else(|_| "too much to add up".to_owned(), |total| total.to_string());
    let count = lines.len();
    let noun = if count == 1 { WORDS.one } else { WORDS.many };
    let text = format!("Mark {count} {noun} ({total} in all) as paid?");
    confirm::ask(ctx, matches, &Question { text, count, danger: Danger::Final, unfiltered: None }).await
}

/// One request a line, and one line of the journal for each.
async fn apply(ctx: &Ctx, matches: &ArgMatches, lines: &[Line]) -> Done<Ended> {
    let (profile, kept) = ctx.profile()?;
    let about = About {
        profile: Some(profile),
        user: kept.and_then(|profile| profile.user),
        command: ctx.command.clone(),
        filter: Some(format!("the lines of {}", arg::<String>(matches, "file")?)),
        words: Some(WORDS.owned()),
    };
    let (client, folder) = (ctx.client()?, ctx.runs()?);
    ctx.interrupt.arm();
    let mut progress = Progress::new(&ctx.out, lines.len());
    let mut show = |report: &Report, total| progress.show(report, total);
    let plan = (action(lines)?, about);
    Ok(run::begin(&client, &folder, plan, (&ids(lines), 1), &ctx.interrupt.stop, &mut show).await?)
}

/// What became of each line; where one object is asked for, the run's report with the lines in it.
fn show(ctx: &Ctx, lines: &[Line], found: &BTreeMap<WithdrawalId, Withdrawal>, ended: &Ended) -> Done<()> {
    let rows = report(lines, found, &ended.report);
    if !is_object(ctx) {
        return ctx.out.records(rows, COLUMNS);
    }
    let mut value = json_of(MarkWithdrawalPaid::OP.id, ended.id.as_deref(), &ended.report);
    value["lines"] = rows.into();
    ctx.out.record(&value, &[])
}

/// What became of each line, in the order of the file.
fn report(lines: &[Line], found: &BTreeMap<WithdrawalId, Withdrawal>, run: &Report) -> Vec<Value> {
    let processed: HashSet<RecordId> = run.processed.iter().copied().collect();
    let skipped: HashMap<RecordId, &str> =
        run.skipped.iter().map(|skip| (skip.id, skip.message.as_str())).collect();
    let done = if run.dry_run { "would be paid" } else { "paid" };
    let row = |line: &Line| {
        let (result, message) = match skipped.get(&line.id.record()) {
            Some(message) => ("skipped", Some(*message)),
            None if processed.contains(&line.id.record()) => (done, None),
            None if is_done(line, &found[&line.id]) => ("paid before", None),
            None => ("open", None),
        };
        json!({ "line": line.line, "id": line.id, "transaction_id": line.transaction_id,
            "amount": found[&line.id].amount, "result": result, "message": message })
    };
    lines.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        read(text).unwrap_err().what
    }

    #[test]
    fn a_sound_file_is_read() {
        let lines = read("\u{feff}id,transaction_id\r\n7, TX-1 \r\n\r\n9,\"a,b\"\n").unwrap();
        let lines: Vec<_> =
            lines.iter().map(|line| (line.line, line.id.get(), line.transaction_id.as_str())).collect();
        assert_eq!(lines, [(2, 7, "TX-1"), (4, 9, "a,b")]);
    }

    #[test]
    fn every_fault_is_named_with_its_line() {
        for header in [
            "",
            "\n",
            "transaction_id,id\n7,T\n",
            "id,transaction_id,amount\n7,T,1\n",
            "ID,transaction_id\n7,T\n",
            "id;transaction_id\n7;T\n",
            "7,T\n",
        ] {
            assert!(told(header).contains("the first line must be exactly"), "{header:?}");
        }
        assert!(told("id,transaction_id\n").contains("no lines"));
        let many = told(
            "id,transaction_id\n7\n8,T,1\nx,T\n-1,T\n+1,T\n0,T\n1e3,T\n99999999999999999999,T\n9,\n9, \n5,T\n5,U\n6,a\u{7}b\n",
        );
        for line in [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14] {
            assert!(many.contains(&format!("\n  line {line}: ")), "{line}: {many}");
        }
        assert!(many.contains("line 13: withdrawal 5 is on line 12 already"), "{many}");
        assert!(!many.contains("line 12: "), "{many}");
    }

    #[test]
    fn a_long_list_of_faults_is_cut() {
        let text = (0..50).fold("id,transaction_id\n".to_owned(), |text, _| text + "x,T\n");
        assert!(told(&text).contains("and 30 more"));
    }

    #[test]
    fn fuzz_payout_files() {
        let texts = panel_fuzz::texts(
            &["id,transaction_id\n7,abc\n8,\"d\"\n"],
            &["\"", ",", "\n", "\r", "\0", "\u{feff}", "7"],
        );
        panel_fuzz::Run::new("panelctl", "payouts").on(texts, |text| drop(read(text)));
    }
}
