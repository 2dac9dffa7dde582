//! Measures the memory that the reader needs for hostile files, each in its own process. Linux only, because it reads /proc.
#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::read_file_lines;
use crate::catalogue::services::SCHEMA;
use crate::input::workbook::sample::{build_shared_strings, build_sheet, build_workbook};

/// Maximum memory in bytes that reading a file may add to the process.
const MAX_BYTES: u64 = 50 << 20;
/// The environment variable that passes the file to the measured process.
const FILE_VARIABLE: &str = "PANELCTL_MEASURED_FILE";

/// Not a test by itself: [`measure`] runs this function in another process with the variable set. Without the variable, this
/// function does nothing.
#[test]
fn read_file_in_the_measured_process() {
    let Ok(file) = std::env::var(FILE_VARIABLE) else { return };
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let memory_before = read_process_status("VmRSS:");
    let result = match read_file_lines(&SCHEMA, &file) {
        Ok(lines) => format!("{} lines", lines.len()),
        Err(failure) => failure.message,
    };
    assert!(result.len() < 3_000, "{} bytes", result.len());
    println!("\nmeasured {} {result}", read_process_status("VmHWM:").saturating_sub(memory_before));
}

/// Reads the value of a line of /proc/self/status, in bytes.
fn read_process_status(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

/// Reads a file in another process. Returns the bytes of memory that the process needed, and the text of the result.
fn measure(file: &Path) -> (u64, String) {
    let executable = std::env::current_exe().unwrap();
    let module = module_path!().split_once("::").unwrap().1;
    let name = format!("{module}::read_file_in_the_measured_process");
    let output = Command::new(executable)
        .args(["--exact", "--nocapture", &name])
        .env(FILE_VARIABLE, file)
        .output()
        .unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let line = stdout.lines().find_map(|line| line.strip_prefix("measured "));
    let (bytes, result) = line.unwrap_or_else(|| panic!("{stdout}")).split_once(' ').unwrap();
    (bytes.parse().unwrap(), result.to_owned())
}

/// A workbook whose header has long unknown names, each in its own shared text.
fn workbook_with_unknown_columns() -> Vec<u8> {
    let (mut texts, mut cells) = (String::new(), String::new());
    for column in 0..1_000 {
        let _ = write!(texts, "<si><t>{column}{}</t></si>", "x".repeat(10_000));
        let _ = write!(cells, r#"<c t="s"><v>{column}</v></c>"#);
    }
    build_workbook(&build_sheet(&format!("<row>{cells}</row>")), &build_shared_strings(&texts))
}

/// A workbook with the same long shared text in every row.
fn workbook_with_repeated_text() -> Vec<u8> {
    let text = format!("<si><t>id</t></si><si><t>name</t></si><si><t>{}</t></si>", "x".repeat(30_000));
    let header_row = r#"<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row>"#;
    let rows = r#"<row><c t="s"/><c t="s"><v>2</v></c></row>"#.repeat(100_000);
    build_workbook(&build_sheet(&format!("{header_row}{rows}")), &build_shared_strings(&text))
}

/// A workbook whose tags have as many attributes as possible.
fn workbook_with_many_attributes() -> Vec<u8> {
    let mut row = String::from("<row");
    for index in 0..80_000 {
        let _ = write!(row, " a{index}=\"\"");
    }
    row.push_str("/>");
    build_workbook(&build_sheet(&row.repeat((12 << 20) / row.len())), &build_shared_strings(""))
}

fn hostile_files() -> Vec<(&'static str, Vec<u8>)> {
    let many_texts = build_workbook(&build_sheet(""), &build_shared_strings(&"<si/>".repeat(1_500_000)));
    let distant_cell = r#"<dimension ref="A1:XFD1048576"/><row r="1"><c r="A1" t="str"><v>id</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>"#;
    let false_count = br#"<sst uniqueCount="9999999999"><si><t>id</t></si></sst>"#;
    let text_lines = |line: &str, bytes: usize| format!("id,name\n{}", line.repeat(bytes / line.len()));
    let objects = format!("[{}]", vec![r#"{"id":1,"name":"","slug":"","labels":""}"#; 200_000].join(","));
    let names: Vec<String> = (0..1_000_000).map(|index| format!("\"{index}\":1")).collect();
    vec![
        ("blank.xlsx", build_workbook(&vec![b' '; 70 << 20], b"")),
        ("empty.xlsx", build_workbook(&build_sheet(&"<x/>".repeat(5 << 20)), b"")),
        ("unknown.xlsx", workbook_with_unknown_columns()),
        ("repeated.xlsx", workbook_with_repeated_text()),
        ("attributes.xlsx", workbook_with_many_attributes()),
        ("texts.xlsx", many_texts),
        ("distant_cell.xlsx", build_workbook(&build_sheet(distant_cell), &build_shared_strings(""))),
        ("false_count.xlsx", build_workbook(&build_sheet("<row><c t=\"s\"><v>0</v></c></row>"), false_count)),
        ("commas.csv", vec![b','; 20 << 20]),
        ("lines.csv", text_lines(",x\n", 19 << 20).into_bytes()),
        ("long_cells.csv", text_lines(&format!("1,{}\n", "x".repeat(20_000)), 19 << 20).into_bytes()),
        ("large.csv", vec![b'x'; 64 << 20]),
        ("values.json", format!("[{{\"labels\":[{}1]}}]", "1,".repeat(9 << 20)).into_bytes()),
        ("labels.json", format!("[{{\"labels\":[{}1]}}]", "1,".repeat(1_400_000)).into_bytes()),
        ("objects.json", objects.into_bytes()),
        ("names.json", format!("[{{{}}}]", names.join(",")).into_bytes()),
        ("deep.json", "[".repeat(20 << 20).into_bytes()),
    ]
}

#[test]
fn every_hostile_file_is_read_within_the_memory_and_time_limits() {
    let folder = tempfile::tempdir().unwrap();
    let mut failures = String::new();
    for (name, bytes) in hostile_files() {
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).unwrap();
        let start = Instant::now();
        let (used_bytes, result) = measure(&path);
        let time = start.elapsed();
        println!("{name} of {} KiB: {} KiB, {time:.1?}, {result:.80}", bytes.len() >> 10, used_bytes >> 10);
        if used_bytes > MAX_BYTES || time > Duration::from_secs(20) {
            let _ = writeln!(failures, "{name}: {} KiB, {time:.1?}, {result:.80}", used_bytes >> 10);
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
