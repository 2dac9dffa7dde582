//! Lists as files: a workbook that opens and holds what the list holds, chosen columns, and what is refused.

use std::io::Cursor;

use calamine::{Data, Reader as _, Xlsx};
use panel_contract::permission::Permission;
use panel_server::db::{Dialect, Sql};

use crate::panel::{Answer, Panel};

both! {
    a_workbook_is_the_list;
    texts_of_customers_are_texts;
    what_a_sheet_cannot_carry;
    money_beyond_a_number_is_text;
    columns_are_chosen_or_refused;
}

const ORDERS: &str = "/api/v1/admin/orders";
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

fn sheet(answer: &Answer) -> Vec<Vec<Data>> {
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.headers["content-type"], XLSX);
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(answer.bytes.clone())).unwrap();
    let range = book.worksheet_range_at(0).unwrap().unwrap();
    range.rows().map(<[Data]>::to_vec).collect()
}

async fn a_workbook_is_the_list(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(60, 2_300).await;
    let path = format!(
        "{ORDERS}?export_columns=id,cost,created_at,is_paid&columns[0][data]=cost&order[0][column]=0&order[0][dir]=asc"
    );
    let rows = sheet(&panel.get_as("owner", &path, XLSX).await);
    let csv = panel.get_as("owner", &path, "text/csv").await;
    let lines: Vec<&str> = csv.text.trim_start_matches('\u{feff}').lines().collect();
    assert_eq!((rows.len(), lines[0]), (lines.len(), "id,cost,created_at,is_paid"));
    for (row, line) in rows.iter().zip(&lines).skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(row[0], Data::Float(cells[0].parse().unwrap()));
        assert_eq!(row[1], Data::Float(cells[1].parse().unwrap()), "money is a number, to the last digit");
        assert_eq!(row[2], Data::String(cells[2].into()), "times are the wire's text");
        assert_eq!(row[3], Data::Bool(cells[3] == "true"));
    }
}

async fn texts_of_customers_are_texts(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(60, 10).await;
    let rows = sheet(&panel.get_as("owner", "/api/v1/admin/users?export_columns=name", XLSX).await);
    let formula = |row: &&Vec<Data>| matches!(&row[0], Data::String(name) if name.starts_with("=cmd|evil"));
    assert!(rows.iter().any(|row| formula(&row)), "{rows:?}");
}

async fn what_a_sheet_cannot_carry(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(60, 10).await;
    let rename = |name: String| {
        let panel = &panel;
        async move {
            panel.exec(Sql::new("UPDATE users SET name = ? WHERE id = 3").bind(name)).await;
            panel.get_as("owner", "/api/v1/admin/users?export_columns=id,name", XLSX).await
        }
    };
    let name = |answer: &Answer| {
        let row = sheet(answer).into_iter().find(|row| row[0] == Data::Float(3.0)).unwrap();
        row[1].clone()
    };
    let answer = rename("a\u{1}b\u{b}c\tд _x0041_ \u{ffff}<&>".into()).await;
    assert_eq!(name(&answer), Data::String("abc\tд _x0041_ <&>".into()));
    let longest = "x".repeat(32_767);
    assert_eq!(name(&rename(longest.clone()).await), Data::String(longest.clone()));
    let answer = rename(longest + "x").await;
    assert_eq!((answer.status.as_u16(), answer.json()["code"].as_str()), (422, Some("text_too_long")));
    assert!(answer.text.contains("take CSV"), "{}", answer.text);
}

async fn money_beyond_a_number_is_text(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(60, 10).await;
    for (id, spent) in [(3, 123_456_789_123_456_i64), (4, 1_123_456_789_123_456)] {
        panel.exec(Sql::new("UPDATE users SET spent = ? WHERE id = ?").bind(spent).bind(id)).await;
    }
    let rows = sheet(&panel.get_as("owner", "/api/v1/admin/users?export_columns=id,spent", XLSX).await);
    let spent = |id: f64| rows.iter().find(|row| row[0] == Data::Float(id)).unwrap()[1].clone();
    assert_eq!(spent(3.0), Data::Float(123_456_789.123_456));
    assert_eq!(spent(4.0), Data::String("1123456789.123456".into()));
}

async fn columns_are_chosen_or_refused(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(60, 10).await;
    for accept in [XLSX, "text/csv"] {
        let path = format!("{ORDERS}?export_columns=id,nonsense");
        let answer = panel.get_as("owner", &path, accept).await;
        assert_eq!(answer.status, 422);
        assert_eq!(
            answer.json()["errors"]["export_columns"][0],
            "There is no column nonsense to export; leave it out."
        );
    }
    let answer = panel.get_as("owner", &format!("{ORDERS}?export_columns=id,id"), XLSX).await;
    assert_eq!(answer.json()["errors"]["export_columns"][0], "The column id is there twice; name it once.");
    let turned = panel.get_as("owner", &format!("{ORDERS}?export_columns=url,id"), XLSX).await;
    assert_eq!(sheet(&turned)[0], [Data::String("url".into()), Data::String("id".into())]);
    let answer = panel.get(&format!("{ORDERS}?export_columns=id")).await;
    assert_eq!((answer.status.as_u16(), answer.json()["errors"]["export_columns"].is_array()), (422, true));
    panel.staff("seller", &[Permission::ViewUsers]).await;
    let users = "/api/v1/admin/users?export_columns=id,grade.name";
    assert_eq!(panel.get_as("seller", users, XLSX).await.status, 422, "a column that one may not see");
    assert_eq!(panel.get_as("owner", users, XLSX).await.status, 200);
}
