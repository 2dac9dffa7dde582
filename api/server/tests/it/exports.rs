//! Exports of lists: the workbook has the rows of the list, the request selects columns, and no cell is a formula.

use std::io::Cursor;

use calamine::{Data, Reader as _, Xlsx};
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source as _, Sql};
use panel_platform::table::{Column, FilterKind, Table};

use crate::panel::{Answer, Panel};
use crate::tables::{fill_lists, lists};

both! {
    a_workbook_has_the_rows_of_the_list;
    texts_of_customers_are_exported_as_text;
    characters_and_lengths_that_a_sheet_cannot_store;
    amounts_beyond_the_precision_of_a_number_are_text;
    selected_columns_are_exported_or_refused;
    no_cell_of_any_list_is_a_formula;
    file_names_contain_no_text_of_users;
}

const ORDERS: &str = "/api/v1/admin/orders";
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

fn sheet_rows(answer: &Answer) -> Vec<Vec<Data>> {
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.headers["content-type"], XLSX);
    let mut workbook: Xlsx<_> = Xlsx::new(Cursor::new(answer.bytes.clone())).unwrap();
    let range = workbook.worksheet_range_at(0).unwrap().unwrap();
    range.rows().map(<[Data]>::to_vec).collect()
}

async fn a_workbook_has_the_rows_of_the_list(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(60, 2_300).await;
    let path = format!(
        "{ORDERS}?export_columns=id,cost,created_at,is_paid&columns[0][data]=cost&order[0][column]=0&order[0][dir]=asc"
    );
    let rows = sheet_rows(&panel.get_as("owner", &path, XLSX).await);
    let csv = panel.get_as("owner", &path, "text/csv").await;
    assert_eq!(csv.headers["content-type"], "text/csv; charset=utf-8");
    let lines: Vec<&str> = csv.text.trim_start_matches('\u{feff}').lines().collect();
    assert_eq!((rows.len(), lines[0]), (lines.len(), "id,cost,created_at,is_paid"));
    for (row, line) in rows.iter().zip(&lines).skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(row[0], Data::Float(cells[0].parse().unwrap()));
        assert_eq!(row[1], Data::Float(cells[1].parse().unwrap()), "an amount is an exact number");
        assert_eq!(row[2], Data::String(cells[2].into()), "a time is the text of the JSON API");
        assert_eq!(row[3], Data::Bool(cells[3] == "true"));
    }
}

async fn texts_of_customers_are_exported_as_text(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(60, 10).await;
    let rows = sheet_rows(&panel.get_as("owner", "/api/v1/admin/users?export_columns=name", XLSX).await);
    let formula = |row: &&Vec<Data>| matches!(&row[0], Data::String(name) if name.starts_with("=cmd|evil"));
    assert!(rows.iter().any(|row| formula(&row)), "{rows:?}");
}

async fn characters_and_lengths_that_a_sheet_cannot_store(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(60, 10).await;
    let export_with_name = |name: String| {
        let panel = &panel;
        async move {
            panel.execute(Sql::new("UPDATE users SET name = ? WHERE id = 3").bind(name)).await;
            panel.get_as("owner", "/api/v1/admin/users?export_columns=id,name", XLSX).await
        }
    };
    let exported_name = |answer: &Answer| {
        let row = sheet_rows(answer).into_iter().find(|row| row[0] == Data::Float(3.0)).unwrap();
        row[1].clone()
    };
    let answer = export_with_name("a\u{1}b\u{b}c\tд _x0041_ \u{ffff}<&>".into()).await;
    assert_eq!(exported_name(&answer), Data::String("abc\tд _x0041_ <&>".into()));
    let longest = "x".repeat(32_767);
    assert_eq!(exported_name(&export_with_name(longest.clone()).await), Data::String(longest.clone()));
    let answer = export_with_name(longest + "x").await;
    assert_eq!((answer.status.as_u16(), answer.json()["code"].as_str()), (422, Some("text_too_long")));
    assert!(answer.text.contains("Export CSV"), "{}", answer.text);
}

async fn amounts_beyond_the_precision_of_a_number_are_text(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(60, 10).await;
    for (id, spent) in [(3, 123_456_789_123_456_i64), (4, 1_123_456_789_123_456)] {
        panel.execute(Sql::new("UPDATE users SET spent = ? WHERE id = ?").bind(spent).bind(id)).await;
    }
    let rows = sheet_rows(&panel.get_as("owner", "/api/v1/admin/users?export_columns=id,spent", XLSX).await);
    let spent = |id: f64| rows.iter().find(|row| row[0] == Data::Float(id)).unwrap()[1].clone();
    assert_eq!(spent(3.0), Data::Float(123_456_789.123_456));
    assert_eq!(spent(4.0), Data::String("1123456789.123456".into()));
}

async fn selected_columns_are_exported_or_refused(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(60, 10).await;
    for accept in [XLSX, "text/csv"] {
        let path = format!("{ORDERS}?export_columns=id,nonsense");
        let answer = panel.get_as("owner", &path, accept).await;
        assert_eq!(answer.status, 422);
        assert_eq!(
            answer.json()["errors"]["export_columns"][0],
            "There is no exportable column nonsense. Remove it."
        );
    }
    let answer = panel.get_as("owner", &format!("{ORDERS}?export_columns=id,id"), XLSX).await;
    assert_eq!(answer.json()["errors"]["export_columns"][0], "The column id is listed twice. List it once.");
    let reordered = panel.get_as("owner", &format!("{ORDERS}?export_columns=url,id"), XLSX).await;
    assert_eq!(sheet_rows(&reordered)[0], [Data::String("url".into()), Data::String("id".into())]);
    let answer = panel.get(&format!("{ORDERS}?export_columns=id")).await;
    assert_eq!((answer.status.as_u16(), answer.json()["errors"]["export_columns"].is_array()), (422, true));
    panel.create_staff("seller", &[Permission::ViewUsers]).await;
    let users = "/api/v1/admin/users?export_columns=id,grade.name";
    assert_eq!(panel.get_as("seller", users, XLSX).await.status, 422, "a column without permission");
    assert_eq!(panel.get_as("owner", users, XLSX).await.status, 200);
}

/// File names consist of fixed words, so no text of a user and no special character gets into the header.
async fn file_names_contain_no_text_of_users(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    fill_lists(&panel).await;
    let is_plain = |name: &str| {
        name.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-' | b'.')
        })
    };
    for (path, table) in lists() {
        for (media_type, extension) in [("text/csv", "csv"), (XLSX, "xlsx")] {
            let answer = panel.get_as("owner", path, media_type).await;
            let disposition = answer.headers["content-disposition"].to_str().unwrap();
            assert_eq!(
                disposition,
                format!("attachment; filename=\"{}.{extension}\"", table.name()),
                "{path}"
            );
            assert!(is_plain(table.name()), "{}", table.name());
        }
    }
    let data_export = panel.get("/api/v1/admin/users/1000001/data-export").await;
    assert_eq!(data_export.headers["content-disposition"], "attachment; filename=\"customer-1000001.json\"");
}

const FORMULA: &str = "=1+1|evil";

/// Table and column in which the text of a list column is stored; none where the list computes the text.
fn stored_in(table: &Table, column: &Column) -> Option<(String, &'static str)> {
    let (alias, field) = column.expr.split_once('.')?;
    if field == "id" || !field.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
        return None;
    }
    let joined_table =
        |sql: &str| sql.split_whitespace().skip_while(|word| *word != "JOIN").nth(1).map(str::to_owned);
    let table_name = if alias == table.source.alias {
        table.source.base.to_owned()
    } else {
        joined_table(table.join(alias))?
    };
    table_name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_').then_some((table_name, field))
}

/// Writes a formula into every text column that a list exports, also where no request can write one, and exports each list.
async fn no_cell_of_any_list_is_a_formula(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    fill_lists(&panel).await;
    for (_, table) in lists() {
        let exported_texts = |column: &&Column| {
            column.exported
                && matches!(column.kind, FilterKind::Text | FilterKind::Reference | FilterKind::Choice(_))
        };
        for (table_name, field) in
            table.columns().iter().filter(exported_texts).filter_map(|column| stored_in(table, column))
        {
            let sql = format!(
                "UPDATE {table_name} SET {field} = ? || id WHERE id IN (SELECT max(id) FROM {table_name})"
            );
            // Closed sets, numbers and append-only tables refuse the update.
            drop((&mut &panel.app.db).execute(Sql::new(sql.leak()).bind(FORMULA)).await);
        }
    }
    let insert_audit = "INSERT INTO audits (created_at, user_id, ip_address, user_agent, request_id, event, auditable_type, auditable_id, old_values, new_values)
                 VALUES (1, NULL, '@a', ?, '-r', '+e', '\u{ff1d}t', 1, '{}', '{}')";
    panel.execute(Sql::new(insert_audit).bind(FORMULA)).await;
    let mut lists_with_formula = 0;
    for (path, table) in lists() {
        let answer = panel.get_as("owner", path, "text/csv").await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        let text = answer.text.trim_start_matches('\u{feff}');
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let mut has_formula = false;
        for record in reader.records().map(Result::unwrap) {
            for (cell, column) in record.iter().zip(table.columns().iter().filter(|column| column.exported)) {
                let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\u{ff1d}']);
                assert!(!is_formula || cell.parse::<f64>().is_ok(), "{path}: {} is {cell}", column.name);
                has_formula |= cell.starts_with(&format!("'{FORMULA}"));
            }
        }
        lists_with_formula += usize::from(has_formula);
        assert!(has_formula || table.name() != "audits", "the user agent is exported");
    }
    assert!(lists_with_formula >= 20, "only {lists_with_formula} lists exported the formula as text");
}
