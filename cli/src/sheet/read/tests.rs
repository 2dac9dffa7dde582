//! Tests reading service files: files that people wrote by hand, files that programs exported, and files that are too large.

use panel_contract::ids::RecordId;

use super::*;
use crate::catalogue::services::SCHEMA;

fn parse_csv_lines(bytes: &[u8]) -> Result<Vec<Line>, String> {
    super::parse_csv_lines(&SCHEMA, bytes)
}

fn parse_json_lines(bytes: &[u8]) -> Result<Vec<Line>, String> {
    super::parse_json_lines(&SCHEMA, bytes)
}

fn parse_workbook_lines(file: impl Read + Seek) -> Result<Vec<Line>, String> {
    super::parse_workbook_lines(&SCHEMA, file)
}

fn named_cells(line: &Line) -> Vec<(&str, &str)> {
    line.cells.iter(&SCHEMA).map(|(field, cell)| (field.name, cell)).collect()
}

#[test]
fn each_line_has_its_position_and_error() {
    let lines = parse_csv_lines(
        "\u{feff}id,name,default_price\r\n7,'=Likes,2.5\r\n\r\n,\"New\none\",1\nx,A,1\n8,A\n".as_bytes(),
    );
    let lines = lines.unwrap();
    let numbers_and_ids: Vec<_> = lines
        .iter()
        .map(|line| (line.line_number, line.id.map(RecordId::get), line.error.is_some()))
        .collect();
    assert_eq!(numbers_and_ids, [(2, Some(7), false), (4, None, false), (6, None, true), (7, Some(8), true)]);
    assert_eq!(named_cells(&lines[0])[0], ("name", "=Likes"));
    assert_eq!(named_cells(&lines[1])[0], ("name", "New\none"));
}

#[test]
fn rejects_unknown_columns_and_lists_the_allowed_columns() {
    let error = parse_csv_lines(b"id,nmae,price\n1,a,2\n").unwrap_err();
    assert!(error.contains("nmae, price;") && error.contains("default_price"), "{error}");
    assert!(parse_csv_lines(b"name\nA\n").unwrap_err().contains("column id is missing"));
    assert_eq!(parse_csv_lines(b"id,name, name \n").unwrap_err(), "the column name occurs twice");
    assert!(parse_json_lines(br#"[{"id":1,"nmae":"a"}]"#).unwrap_err().contains("nmae"));
}

/// The error stays short, regardless of the length and number of the names.
#[test]
fn an_error_lists_only_the_first_unknown_columns() {
    let names: Vec<String> = (0..900).map(|index| format!("{index}{}", "x".repeat(1_000))).collect();
    let error = parse_csv_lines(format!("id,{}\n", names.join(",")).as_bytes()).unwrap_err();
    assert!(error.contains(" and 895 more; allowed columns: id") && error.len() < 3_000, "{error}");
    let members: Vec<String> = names.iter().map(|name| format!("{name:?}:1")).collect();
    let error = parse_json_lines(format!("[{{{}}}]", members.join(",")).as_bytes()).unwrap_err();
    assert!(error.contains(" and 895 more; allowed columns: id") && error.len() < 3_000, "{error}");
    let lines = parse_csv_lines(format!("id\n{}\n", "x".repeat(500_000)).as_bytes()).unwrap();
    assert!(lines[0].error.as_ref().is_some_and(|error| error.len() < 100));
}

#[test]
fn a_json_object_may_omit_fields() {
    let lines =
        parse_json_lines(br#"[{"id":7,"labels":[2,1],"slug":null},{"name":"New","default_price":"0.10"}]"#)
            .unwrap();
    assert_eq!(named_cells(&lines[0]), [("labels", "2,1"), ("slug", "")]);
    assert_eq!((lines[1].id, named_cells(&lines[1])[1]), (None, ("default_price", "0.10")));
    let error = parse_json_lines(br#"[{"id":7,"name":"a","name":"b"}]"#).unwrap_err();
    assert!(error.contains("name occurs twice"), "{error}");
    for text in ["{}", "[1]", "[{}", "[] []"] {
        assert!(parse_json_lines(text.as_bytes()).unwrap_err().contains("not a list of objects"), "{text}");
    }
}

#[test]
fn rejects_a_file_with_too_many_lines_cells_or_bytes() {
    let line_count_of_csv = |repeat_count: usize, line: &str| {
        let text = format!("id,name,admin_note,slug\n{}", line.repeat(repeat_count));
        parse_csv_lines(text.as_bytes()).map(|lines| lines.len())
    };
    assert_eq!(line_count_of_csv(100_000, "1,,,\n"), Ok(100_000));
    assert_eq!(
        line_count_of_csv(100_001, "1,,,\n").unwrap_err(),
        "the file has more than 100000 lines; split it"
    );
    let long_line = format!("1,{},,\n", "x".repeat(30_000));
    assert_eq!(
        line_count_of_csv(700, &long_line).unwrap_err(),
        "the file has more than 20 MiB of text; split it"
    );
    let line_count_of_json = |object: &str| {
        let text = format!("[{}]", vec![object; 100_000].join(","));
        parse_json_lines(text.as_bytes()).map(|lines| lines.len())
    };
    let object_with_eleven_cells = r#"{"name":"a","slug":"a","admin_note":"a","labels":"1","targets":"1","countries":"DE","min_price":"1","max_quantity":1,"min_quantity":1,"pricing_per":1,"buy_page_url":"a"}"#;
    assert_eq!(
        line_count_of_json(object_with_eleven_cells).unwrap_err(),
        "the file has more than 1000000 cells; split it"
    );
    let object_with_many_values = r#"{"id":1,"labels":[1,2,3,4,5,6,7,8,9,10,11,12,13,14]}"#;
    assert!(line_count_of_json(object_with_many_values).unwrap_err().contains("more than 1500000 values"));
    let deeply_nested = format!("[{{\"labels\":{}", "[".repeat(100_000));
    assert!(parse_json_lines(deeply_nested.as_bytes()).unwrap_err().contains("deeper than 64 levels"));
}

/// A file in the format of `services export` may have 20,000 services.
#[test]
fn a_large_catalogue_fits_into_one_file() {
    let mut workbook = rust_xlsxwriter::Workbook::new();
    let sheet = workbook.add_worksheet_with_constant_memory().unwrap();
    let names =
        ["id", "name", "service_type_id", "default_price", "min_price", "pricing_per", "min_quantity"];
    for (column, name) in (0..).zip(names) {
        sheet.write_string(0, column, name).unwrap();
    }
    for row in 1..=20_000 {
        sheet.write_string(row, 0, row.to_string()).unwrap();
        for (column, _) in (1..).zip(&names[1..]) {
            sheet.write_string(row, column, format!("{row}.{column}")).unwrap();
        }
    }
    let lines = parse_workbook_lines(Cursor::new(workbook.save_to_buffer().unwrap())).unwrap();
    assert_eq!(
        (lines.len(), lines[19_999].line_number, lines[19_999].id),
        (20_000, 20_001, Some(RecordId::new(20_000)))
    );
    assert_eq!(named_cells(&lines[19_999])[5], ("min_quantity", "20000.6"));
}

#[test]
fn a_workbook_row_may_be_shorter_but_not_longer_than_the_header() {
    for first_column in [0, 2] {
        let mut workbook = rust_xlsxwriter::Workbook::new();
        let sheet = workbook.add_worksheet();
        for (row, column, text) in
            [(1, 0, "id"), (1, 1, "name"), (2, 0, "7"), (4, 1, "New"), (5, 0, "8"), (5, 2, "x")]
        {
            sheet.write_string(row, first_column + column, text).unwrap();
        }
        let lines = parse_workbook_lines(Cursor::new(workbook.save_to_buffer().unwrap())).unwrap();
        let errors: Vec<_> = lines
            .iter()
            .map(|line| (line.line_number, line.id.map(RecordId::get), line.error.as_deref()))
            .collect();
        assert_eq!(errors, [(3, Some(7), None), (5, None, None), (6, Some(8), Some("3 cells instead of 2"))]);
        assert_eq!(named_cells(&lines[0]), [("name", "")]);
    }
}
