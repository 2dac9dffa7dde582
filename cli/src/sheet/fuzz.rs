//! Fuzz tests of record files: any content is parsed or refused.

use std::time::Duration;

use panel_fuzz::{Input, Mutations, Run, json_texts, samples, texts};

use super::read::read;
use crate::catalogue::services::SCHEMA;

/// Reads bytes as a file with this name.
fn read_as(name: &str, bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    drop(read(&SCHEMA, path.to_str().unwrap()));
}

#[test]
fn fuzz_sheet_csv() {
    const SAMPLES: &[&str] =
        &["id,name,price\r\n1,\"a \"\"b\"\"\",0.9\r\n\r\n,new,1\r\n", "\u{feff}id,name\n7,'=1+1\n"];
    let texts = texts(SAMPLES, &["\"", ",", "\n", "\r\n", "\0", "\u{feff}", "id", "="]);
    Run::new("panelctl", "sheet_csv")
        .slowest(Duration::from_secs(2))
        .on(texts, |text| read_as("a.csv", text.as_bytes()));
}

#[test]
fn fuzz_sheet_json() {
    let texts = json_texts(&["id", "name", "price"], &[r#"[{"id":1,"name":"a","price":"0.9"}]"#]);
    Run::new("panelctl", "sheet_json")
        .slowest(Duration::from_secs(2))
        .on(texts, |text: &Input| read_as("a.json", text));
}

#[test]
fn fuzz_sheet_xlsx() {
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    for (index, name) in (0..).zip(["id", "name"]) {
        sheet.write(0, index, name).unwrap();
    }
    sheet.write(1, 0, 7).unwrap();
    let bytes = book.save_to_buffer().unwrap();
    let with = Mutations {
        tokens: &["PK\u{1}\u{2}", "PK\u{3}\u{4}", "\u{0}\u{0}\u{0}\u{0}"],
        max_changes: 4,
        max_bytes: 64 << 10,
    };
    Run::new("panelctl", "sheet_xlsx")
        .slowest(Duration::from_secs(5))
        .on(samples(vec![bytes], with), |input| read_as("a.xlsx", input));
}
