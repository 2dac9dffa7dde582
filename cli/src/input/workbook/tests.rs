//! Tests reading workbooks of other programs and hostile workbooks.

use std::io::Cursor;
use std::time::{Duration, Instant};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::sample::{build_shared_strings, build_sheet, build_workbook};
use super::*;

type Rows = Vec<(u64, Vec<(usize, String)>)>;

fn read_all_rows(file: &[u8]) -> Result<Rows, WorkbookError> {
    let mut rows = Rows::new();
    read_rows(Cursor::new(file), |row, cells| {
        rows.push((row, cells.iter().map(|cell| (cell.column, cell.text.to_string())).collect()));
        Ok(())
    })?;
    Ok(rows)
}

/// Reads an invalid workbook and returns the error. Checks that the reader needs less than 20 seconds and that the error is short.
fn read_error(sheet: &[u8], shared_strings: &[u8]) -> String {
    let (file, start) = (build_workbook(sheet, shared_strings), Instant::now());
    let error = read_all_rows(&file).unwrap_err().to_string();
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    assert!(error.len() < 300, "{} bytes", error.len());
    error
}

#[test]
fn cell_values_become_texts() {
    let shared_strings = build_shared_strings(
        r#"<si><t>one</t></si><si/><si><r><t xml:space="preserve">a </t></r><r><t>&amp;_x000D_&#10;b</t></r><rPh><t>no</t></rPh></si>"#,
    );
    let sheet = build_sheet(
        r#"<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="s"><v>1</v></c><c r="D2" t="s"><v>2</v></c></row><row/>
        <row><c><v>0.10000000000000001</v></c><c t="b"><v>1</v></c><c t="inlineStr"><is><t> in </t></is></c><c t="e"><v>#REF!</v></c><c t="str"><f>A1</f><v>x&lt;y</v></c></row>"#,
    );
    let rows = read_all_rows(&build_workbook(&sheet, &shared_strings)).unwrap();
    let cells =
        |cells: &[(usize, &str)]| cells.iter().map(|(column, text)| (*column, (*text).to_owned())).collect();
    assert_eq!(
        rows,
        [
            (2, cells(&[(0, "one"), (3, "a &\r\nb")])),
            (4, cells(&[(0, "0.1"), (1, "true"), (2, "in"), (3, "#REF!"), (4, "x<y")])),
        ]
    );
}

#[test]
fn a_distant_cell_takes_no_memory() {
    let distant_cell = r#"<dimension ref="A1:XFD1048576"/><row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>"#;
    let rows = read_all_rows(&build_workbook(&build_sheet(distant_cell), &build_shared_strings(""))).unwrap();
    assert_eq!(rows, [(1, vec![(0, "1".to_owned())]), (1_048_576, vec![(16_383, "2".to_owned())])]);
}

#[test]
fn ignores_the_text_counts_in_the_attributes() {
    let shared_strings =
        br#"<sst count="9999999999999999" uniqueCount="9999999999999999"><si><t>a</t></si></sst>"#;
    let sheet_xml = build_sheet(r#"<row><c t="s"><v>0</v></c></row>"#);
    assert_eq!(
        read_all_rows(&build_workbook(&sheet_xml, shared_strings)).unwrap(),
        [(1, vec![(0, "a".to_owned())])]
    );
}

#[test]
fn a_part_is_inflated_up_to_its_limit() {
    let large_xml = format!("<a>{}</a>", " ".repeat(1_000_000)).repeat(70).into_bytes();
    assert_eq!(
        read_error(&large_xml, b""),
        "xl/worksheets/sheet1.xml inflates to more than 64 MiB; split the file"
    );
    assert_eq!(
        read_error(&build_sheet(""), &large_xml[..33 << 20]),
        "xl/sharedStrings.xml inflates to more than 32 MiB; split the file"
    );
}

#[test]
fn texts_are_bounded_in_number_and_size() {
    let repeated_strings = |text: &str, count| build_shared_strings(&text.repeat(count));
    let text_count_error = read_error(&build_sheet(""), &repeated_strings("<si/>", 1_000_001));
    assert_eq!(text_count_error, "the file has more than 1000000 texts; split it");
    let text = format!("<si><t>{}</t></si>", "x".repeat(10_000));
    assert_eq!(
        read_error(&build_sheet(""), &repeated_strings(&text, 1_300)),
        "the texts are larger than 12 MiB; split the file"
    );
    let long_text = format!("<si><t>{}</t></si>", "x".repeat(300_000));
    assert_eq!(
        read_error(&build_sheet(""), &repeated_strings(&long_text, 1)),
        "text 1 of xl/sharedStrings.xml has more than 32767 characters"
    );
    let inline_text_row =
        format!(r#"<row><c/><c t="inlineStr"><is><t>{}</t></is></c></row>"#, "x".repeat(300_000));
    assert_eq!(read_error(&build_sheet(&inline_text_row), b""), "B1 has more than 32767 characters");
}

#[test]
fn attributes_are_not_compared_with_each_other() {
    let attributes: String = (0..80_000).map(|index| format!(" a{index}=\"\"")).collect();
    let many_attributes = build_sheet(&format!("<row{attributes}><c><v>1</v></c></row>"));
    let start = Instant::now();
    assert_eq!(read_all_rows(&build_workbook(&many_attributes, &build_shared_strings(""))).unwrap().len(), 1);
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

#[test]
fn rejects_a_damaged_workbook_with_a_short_error() {
    for (sheet, expected_problem) in [
        ("<a>".repeat(100_000), "the tags are nested deeper than 64 levels"),
        ("<a/>".repeat(4_000_001), "there are more than 8000000 tags and texts"),
        (" ".repeat(2 << 20), "a tag or text is longer than 1024 KiB"),
        (format!("<a b=\"{}\"/>", " ".repeat(2 << 20)), "a tag or text is longer than 1024 KiB"),
        ("<worksheet>".to_owned(), "the file ends within an element"),
        ("<a>&own;</a>".to_owned(), "the text refers to an unknown entity"),
        ("<a><row r=\"0\"/></a>".to_owned(), "the rows are not in order after row 0"),
        ("<a><row r=\"5\"/><row r=\"5\"/></a>".to_owned(), "the rows are not in order after row 5"),
        ("<a><row r=\"1048577\"/></a>".to_owned(), "the rows are not in order"),
        ("<a><row><c r=\"B1\"/><c r=\"A1\"/></row></a>".to_owned(), "the cells are not in order"),
        ("<a><row><c r=\"XFE1\"/></row></a>".to_owned(), "the cells are not in order"),
        ("<a><row><c t=\"s\"><v>7</v></c></row></a>".to_owned(), "a cell refers to a missing shared text"),
        (format!("<{}></b>", "a".repeat(100_000)), "is damaged"),
    ] {
        let message = read_error(sheet.as_bytes(), &build_shared_strings(""));
        assert!(
            message.starts_with("xl/worksheets/sheet1.xml is damaged") && message.contains(expected_problem),
            "{message}"
        );
    }
    assert!(read_all_rows(b"PK").is_err());
}

#[test]
fn an_archive_has_at_most_a_thousand_parts() {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for part in 0..1_001 {
        archive.start_file(format!("{part}"), SimpleFileOptions::default()).unwrap();
    }
    let file = archive.finish().unwrap().into_inner();
    assert_eq!(read_all_rows(&file).unwrap_err().to_string(), "the archive has more than 1000 parts");
}

#[test]
fn an_error_of_the_visitor_ends_reading() {
    let file = build_workbook(
        &build_sheet("<row><c><v>1</v></c></row><row><c><v>2</v></c></row>"),
        &build_shared_strings(""),
    );
    let mut rows = Vec::new();
    let result = read_rows(Cursor::new(file), |row, _| {
        rows.push(row);
        Err("stopped".to_owned())
    });
    assert!(matches!(result, Err(WorkbookError::Visitor(error)) if error == "stopped"));
    assert_eq!(rows, [1]);
}
