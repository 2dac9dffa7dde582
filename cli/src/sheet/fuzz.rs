//! Fuzz tests: the reader of record files must parse or reject any content without a panic.

use std::time::Duration;

use panel_fuzz::{FuzzTarget, Input, Mutations, json_documents, mutated_bytes, mutated_texts};

use super::read::read_file_lines;
use crate::catalogue::services::SCHEMA;

/// Writes `bytes` to a file with this name and reads the file.
fn read_file_named(name: &str, bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    drop(read_file_lines(&SCHEMA, path.to_str().unwrap()));
}

#[test]
fn fuzz_sheet_csv() {
    const SAMPLES: &[&str] =
        &["id,name,price\r\n1,\"a \"\"b\"\"\",0.9\r\n\r\n,new,1\r\n", "\u{feff}id,name\n7,'=1+1\n"];
    let texts = mutated_texts(SAMPLES, &["\"", ",", "\n", "\r\n", "\0", "\u{feff}", "id", "="]);
    FuzzTarget::new("panelctl", "sheet_csv")
        .time_limit(Duration::from_secs(2))
        .run(texts, |text| read_file_named("a.csv", text.as_bytes()));
}

#[test]
fn fuzz_sheet_json() {
    let texts = json_documents(&["id", "name", "price"], &[r#"[{"id":1,"name":"a","price":"0.9"}]"#]);
    FuzzTarget::new("panelctl", "sheet_json")
        .time_limit(Duration::from_secs(2))
        .run(texts, |text: &Input| read_file_named("a.json", text));
}

#[test]
fn fuzz_sheet_xlsx() {
    let mut workbook = rust_xlsxwriter::Workbook::new();
    let sheet = workbook.add_worksheet();
    for (index, name) in (0..).zip(["id", "name"]) {
        sheet.write(0, index, name).unwrap();
    }
    sheet.write(1, 0, 7).unwrap();
    let bytes = workbook.save_to_buffer().unwrap();
    let mutations = Mutations {
        tokens: &["PK\u{1}\u{2}", "PK\u{3}\u{4}", "\u{0}\u{0}\u{0}\u{0}"],
        max_changes: 4,
        max_bytes: 64 << 10,
    };
    FuzzTarget::new("panelctl", "sheet_xlsx")
        .time_limit(Duration::from_secs(5))
        .run(mutated_bytes(vec![bytes], mutations), |input| read_file_named("a.xlsx", input));
}
