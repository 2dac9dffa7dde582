//! Draws a table for people that fits the terminal. Texts are cut; ids, words and times never.

use serde_json::Value;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::failure::CmdResult;
use crate::output::Out;
use crate::output::clean::clean;
use crate::output::column::{self, Column, Kind, brief_text, value_at};

/// Spaces between two columns.
const GAP: usize = 2;
/// A text column is not narrowed below this width.
const MIN_TEXT_WIDTH: usize = 8;

pub(super) fn draw(out: &Out, columns: &[Column], rows: &[Value]) -> CmdResult<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            columns.iter().map(|column| clean(&brief_text(value_at(row, column.name))).into_owned()).collect()
        })
        .collect();
    let mut widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let title = if out.header { column.title().width() } else { 0 };
            cells.iter().map(|row| row[index].width()).max().unwrap_or(0).max(title)
        })
        .collect();
    fit(columns, &mut widths, out.width);
    if out.header {
        let titles: Vec<_> = columns.iter().map(Column::title).collect();
        let line = line(columns, &widths, &titles, |_, text| text.to_owned());
        out.line(&out.paint.title(&line))?;
    }
    for row in &cells {
        let paint = |column: &Column, text: &str| match column.kind {
            Kind::Word => out.paint.word(text, text),
            _ => text.to_owned(),
        };
        out.line(&line(columns, &widths, row, paint))?;
    }
    Ok(())
}

/// Draws records without declared columns, with the fields of the first one.
pub(super) fn draw_undeclared(out: &Out, rows: &[Value]) -> CmdResult<()> {
    let flat: Vec<Value> =
        rows.iter().map(|row| Value::Object(column::flatten(row).into_iter().collect())).collect();
    let names = rows.first().map(column::flatten).unwrap_or_default();
    let is_shown = |name: &str| flat.iter().any(|row| row.get(name).is_some_and(|value| !value.is_null()));
    let columns: Vec<Column> = names
        .iter()
        .filter(|(name, _)| is_shown(name))
        .map(|(name, _)| {
            let kind = if name == "id" { Kind::Id } else { Kind::Text };
            Column::new(crate::output::rows::leak(name), kind)
        })
        .collect();
    draw(out, &columns, &flat)
}

/// Narrows the widest text columns until the table fits, or none can be narrowed.
fn fit(columns: &[Column], widths: &mut [usize], width: usize) {
    let gaps = GAP * columns.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > width {
        let can_shrink =
            |index: &usize| columns[*index].kind == Kind::Text && widths[*index] > MIN_TEXT_WIDTH;
        let Some(widest) = (0..columns.len()).filter(can_shrink).max_by_key(|index| widths[*index]) else {
            return;
        };
        widths[widest] -= 1;
    }
}

fn line(
    columns: &[Column],
    widths: &[usize],
    cells: &[String],
    paint: impl Fn(&Column, &str) -> String,
) -> String {
    let mut line = String::new();
    for ((column, width), cell) in columns.iter().zip(widths).zip(cells) {
        let text = cut(cell, *width);
        let pad = " ".repeat(width.saturating_sub(text.width()));
        let text = paint(column, &text);
        if matches!(column.kind, Kind::Id | Kind::Number) {
            line.push_str(&format!("{pad}{text}"));
        } else {
            line.push_str(&format!("{text}{pad}"));
        }
        line.push_str(&" ".repeat(GAP));
    }
    line.trim_end().to_owned()
}

/// Cuts a text to `width` columns, with an ellipsis if it was cut.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut remaining = width.saturating_sub(1);
    let start = text.chars().take_while(|c| {
        let wide = c.width().unwrap_or(0);
        let fits = wide <= remaining;
        remaining = remaining.saturating_sub(wide);
        fits
    });
    start.collect::<String>() + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrows_texts_but_never_ids() {
        let columns = [Column::new("id", Kind::Id), Column::new("name", Kind::Text)];
        let mut widths = [6, 40];
        fit(&columns, &mut widths, 30);
        assert_eq!(widths, [6, 22]);
        fit(&columns, &mut widths, 5);
        assert_eq!(widths, [6, MIN_TEXT_WIDTH]);
        assert_eq!(cut("鈴木さん Instagram", 8), "鈴木さ…");
        assert_eq!(cut("short", 8), "short");
    }
}
