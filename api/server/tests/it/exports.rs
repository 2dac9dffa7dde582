//! Tests exports of lists: the workbook has the rows of the list, the request selects columns, and no cell is a formula.

use std::io::Cursor;

use calamine::{Data, Reader as _, Xlsx};
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use panel_platform::table::{Column, FilterKind, Table};

use crate::panel::{Panel, TestResponse};
use crate::tables::{fill_lists, lists};

test_both_databases! {
    a_workbook_has_the_rows_of_the_list;
    strings_of_customers_are_exported_as_strings;
    characters_and_lengths_that_a_sheet_cannot_store_are_handled;
    amounts_beyond_the_precision_of_a_number_are_strings;
    selected_columns_are_exported_or_rejected;
    no_cell_of_any_list_is_a_formula;
    file_names_contain_no_user_input;
}

const ORDERS: &str = "/api/v1/admin/orders";
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

fn parse_sheet_rows(response: &TestResponse) -> Vec<Vec<Data>> {
    assert_eq!(response.status, 200, "{}", response.text);
    assert_eq!(response.headers["content-type"], XLSX);
    let mut workbook: Xlsx<_> = Xlsx::new(Cursor::new(response.bytes.clone())).unwrap();
    let range = workbook.worksheet_range_at(0).unwrap().unwrap();
    range.rows().map(<[Data]>::to_vec).collect()
}

async fn a_workbook_has_the_rows_of_the_list(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(60, 2_300).await;
    let path = format!(
        "{ORDERS}?export_columns=id,cost,created_at,is_paid&columns[0][data]=cost&order[0][column]=0&order[0][dir]=asc"
    );
    let rows = parse_sheet_rows(&panel.get_as("owner", &path, XLSX).await);
    let csv = panel.get_as("owner", &path, "text/csv").await;
    assert_eq!(csv.headers["content-type"], "text/csv; charset=utf-8");
    let lines: Vec<&str> = csv.text.trim_start_matches('\u{feff}').lines().collect();
    assert_eq!((rows.len(), lines[0]), (lines.len(), "id,cost,created_at,is_paid"));
    for (row, line) in rows.iter().zip(&lines).skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(row[0], Data::Float(cells[0].parse().unwrap()));
        assert_eq!(row[1], Data::Float(cells[1].parse().unwrap()), "an amount must be an exact number");
        assert_eq!(row[2], Data::String(cells[2].into()), "a time must have the format of the JSON API");
        assert_eq!(row[3], Data::Bool(cells[3] == "true"));
    }
}

async fn strings_of_customers_are_exported_as_strings(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(60, 10).await;
    let rows =
        parse_sheet_rows(&panel.get_as("owner", "/api/v1/admin/users?export_columns=name", XLSX).await);
    let is_formula_row =
        |row: &&Vec<Data>| matches!(&row[0], Data::String(name) if name.starts_with("=cmd|evil"));
    assert!(rows.iter().any(|row| is_formula_row(&row)), "{rows:?}");
}

async fn characters_and_lengths_that_a_sheet_cannot_store_are_handled(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(60, 10).await;
    let export_with_name = |name: String| {
        let panel = &panel;
        async move {
            panel.execute(Sql::new("UPDATE users SET name = ? WHERE id = 3").bind(name)).await;
            panel.get_as("owner", "/api/v1/admin/users?export_columns=id,name", XLSX).await
        }
    };
    let exported_name = |response: &TestResponse| {
        let row = parse_sheet_rows(response).into_iter().find(|row| row[0] == Data::Float(3.0)).unwrap();
        row[1].clone()
    };
    let response = export_with_name("a\u{1}b\u{b}c\tд _x0041_ \u{ffff}<&>".into()).await;
    assert_eq!(exported_name(&response), Data::String("abc\tд _x0041_ <&>".into()));
    let longest_name = "x".repeat(32_767);
    assert_eq!(
        exported_name(&export_with_name(longest_name.clone()).await),
        Data::String(longest_name.clone())
    );
    let response = export_with_name(longest_name + "x").await;
    assert_eq!((response.status.as_u16(), response.json()["code"].as_str()), (422, Some("text_too_long")));
    assert!(response.text.contains("Export CSV"), "{}", response.text);
}

async fn amounts_beyond_the_precision_of_a_number_are_strings(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(60, 10).await;
    for (id, spent) in [(3, 123_456_789_123_456_i64), (4, 1_123_456_789_123_456)] {
        panel.execute(Sql::new("UPDATE users SET spent = ? WHERE id = ?").bind(spent).bind(id)).await;
    }
    let rows =
        parse_sheet_rows(&panel.get_as("owner", "/api/v1/admin/users?export_columns=id,spent", XLSX).await);
    let exported_spent = |id: f64| rows.iter().find(|row| row[0] == Data::Float(id)).unwrap()[1].clone();
    assert_eq!(exported_spent(3.0), Data::Float(123_456_789.123_456));
    assert_eq!(exported_spent(4.0), Data::String("1123456789.123456".into()));
}

async fn selected_columns_are_exported_or_rejected(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(60, 10).await;
    for accept in [XLSX, "text/csv"] {
        let path = format!("{ORDERS}?export_columns=id,nonsense");
        let response = panel.get_as("owner", &path, accept).await;
        assert_eq!(response.status, 422);
        assert_eq!(
            response.json()["errors"]["export_columns"][0],
            "The list has no exportable column nonsense. Remove it from export_columns."
        );
    }
    let response = panel.get_as("owner", &format!("{ORDERS}?export_columns=id,id"), XLSX).await;
    assert_eq!(response.json()["errors"]["export_columns"][0], "The column id occurs twice. List it once.");
    let reordered_response = panel.get_as("owner", &format!("{ORDERS}?export_columns=url,id"), XLSX).await;
    assert_eq!(
        parse_sheet_rows(&reordered_response)[0],
        [Data::String("url".into()), Data::String("id".into())]
    );
    let response = panel.get(&format!("{ORDERS}?export_columns=id")).await;
    assert_eq!(
        (response.status.as_u16(), response.json()["errors"]["export_columns"].is_array()),
        (422, true)
    );
    panel.create_staff("manager", &[Permission::ViewUsers]).await;
    let users_path = "/api/v1/admin/users?export_columns=id,grade.name";
    assert_eq!(
        panel.get_as("manager", users_path, XLSX).await.status,
        422,
        "the column must not be exported without its permission"
    );
    assert_eq!(panel.get_as("owner", users_path, XLSX).await.status, 200);
}

/// File names consist of fixed words, so the header contains no user input and no special character.
async fn file_names_contain_no_user_input(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    fill_lists(&panel).await;
    let has_only_safe_characters = |name: &str| {
        name.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-' | b'.')
        })
    };
    for (path, table) in lists() {
        for (media_type, extension) in [("text/csv", "csv"), (XLSX, "xlsx")] {
            let response = panel.get_as("owner", path, media_type).await;
            let disposition = response.headers["content-disposition"].to_str().unwrap();
            assert_eq!(
                disposition,
                format!("attachment; filename=\"{}.{extension}\"", table.name()),
                "{path}"
            );
            assert!(has_only_safe_characters(table.name()), "{}", table.name());
        }
    }
    let data_export = panel.get("/api/v1/admin/users/1000001/data-export").await;
    assert_eq!(data_export.headers["content-disposition"], "attachment; filename=\"customer-1000001.json\"");
}

const FORMULA: &str = "=1+1|evil";

/// The table and column that store the values of a list column, or `None` if the list computes the values.
fn find_storage(table: &Table, column: &Column) -> Option<(String, &'static str)> {
    let (alias, field) = column.expr.split_once('.')?;
    if field == "id" || !field.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
        return None;
    }
    let parse_joined_table =
        |sql: &str| sql.split_whitespace().skip_while(|word| *word != "JOIN").nth(1).map(str::to_owned);
    let table_name = if alias == table.source.alias {
        table.source.base.to_owned()
    } else {
        parse_joined_table(table.join(alias))?
    };
    table_name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_').then_some((table_name, field))
}

/// Writes a formula into every text column that a list exports, even if no request could write it, and exports each list.
async fn no_cell_of_any_list_is_a_formula(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    fill_lists(&panel).await;
    for (_, table) in lists() {
        let is_exported_text = |column: &&Column| {
            column.exported
                && matches!(column.kind, FilterKind::Text | FilterKind::Reference | FilterKind::Choice(_))
        };
        for (table_name, field) in
            table.columns().iter().filter(is_exported_text).filter_map(|column| find_storage(table, column))
        {
            let sql = format!(
                "UPDATE {table_name} SET {field} = ? || id WHERE id IN (SELECT max(id) FROM {table_name})"
            );
            // Columns with enum values, numbers, and append-only tables reject the update.
            drop((&mut &panel.app.db).execute(Sql::new(sql.leak()).bind(FORMULA)).await);
        }
    }
    let insert_audit_sql = "INSERT INTO audits (created_at, user_id, ip_address, user_agent, request_id, event, auditable_type, auditable_id, old_values, new_values)
                 VALUES (1, NULL, '@a', ?, '-r', '+e', '\u{ff1d}t', 1, '{}', '{}')";
    panel.execute(Sql::new(insert_audit_sql).bind(FORMULA)).await;
    let mut list_count_with_formula = 0;
    for (path, table) in lists() {
        let response = panel.get_as("owner", path, "text/csv").await;
        assert_eq!(response.status, 200, "{path}: {}", response.text);
        let text = response.text.trim_start_matches('\u{feff}');
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let mut has_formula = false;
        for record in reader.records().map(Result::unwrap) {
            for (cell, column) in record.iter().zip(table.columns().iter().filter(|column| column.exported)) {
                let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\u{ff1d}']);
                assert!(
                    !is_formula || cell.parse::<f64>().is_ok(),
                    "{path}: the column {} has the formula {cell}",
                    column.name
                );
                has_formula |= cell.starts_with(&format!("'{FORMULA}"));
            }
        }
        list_count_with_formula += usize::from(has_formula);
        assert!(has_formula || table.name() != "audits", "the export must contain the user agent");
    }
    assert!(
        list_count_with_formula >= 20,
        "only {list_count_with_formula} lists exported the formula as text"
    );
}
