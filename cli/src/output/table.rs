//! Draws a table for people that fits the terminal. Only free text is truncated, never ids, enum values or times.

use serde_json::Value;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::failure::CommandResult;
use crate::output::Output;
use crate::output::column::{self, Column, DisplayKind, brief_text, value_at};
use crate::output::unsafe_characters::replace_unsafe;

/// Spaces between two columns.
const GAP: usize = 2;
/// Minimum width of a text column.
const MIN_TEXT_WIDTH: usize = 8;

pub(super) fn draw(out: &Output, columns: &[Column], rows: &[Value]) -> CommandResult<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            columns
                .iter()
                .map(|column| replace_unsafe(&brief_text(value_at(row, column.name))).into_owned())
                .collect()
        })
        .collect();
    let mut widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let title_width = if out.has_header { column.title().width() } else { 0 };
            cells.iter().map(|row| row[index].width()).max().unwrap_or(0).max(title_width)
        })
        .collect();
    narrow_to_fit(columns, &mut widths, out.width);
    if out.has_header {
        let titles: Vec<_> = columns.iter().map(Column::title).collect();
        let header = format_line(columns, &widths, &titles, |_, text| text.to_owned());
        out.print_line(&out.stdout_paint.paint_title(&header))?;
    }
    for row in &cells {
        let paint_cell = |column: &Column, text: &str| match column.kind {
            DisplayKind::Enum => out.stdout_paint.paint_enum_value(text),
            _ => text.to_owned(),
        };
        out.print_line(&format_line(columns, &widths, row, paint_cell))?;
    }
    Ok(())
}

/// Draws records without declared columns. The columns are the fields of the first record.
pub(super) fn draw_without_declared_columns(out: &Output, rows: &[Value]) -> CommandResult<()> {
    let flat_rows: Vec<Value> =
        rows.iter().map(|row| Value::Object(column::flatten(row).into_iter().collect())).collect();
    let names = rows.first().map(column::flatten).unwrap_or_default();
    let is_shown =
        |name: &str| flat_rows.iter().any(|row| row.get(name).is_some_and(|value| !value.is_null()));
    let columns: Vec<Column> = names
        .iter()
        .filter(|(name, _)| is_shown(name))
        .map(|(name, _)| {
            let kind = if name == "id" { DisplayKind::Id } else { DisplayKind::Text };
            Column::new(crate::output::rows::leak_name(name), kind)
        })
        .collect();
    draw(out, &columns, &flat_rows)
}

/// Narrows the widest text column repeatedly, until the table fits or every text column has its minimum width.
fn narrow_to_fit(columns: &[Column], widths: &mut [usize], width: usize) {
    let total_gap = GAP * columns.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + total_gap > width {
        let can_shrink =
            |index: &usize| columns[*index].kind == DisplayKind::Text && widths[*index] > MIN_TEXT_WIDTH;
        let Some(widest) = (0..columns.len()).filter(can_shrink).max_by_key(|index| widths[*index]) else {
            return;
        };
        widths[widest] -= 1;
    }
}

fn format_line(
    columns: &[Column],
    widths: &[usize],
    cells: &[String],
    paint_cell: impl Fn(&Column, &str) -> String,
) -> String {
    let mut line = String::new();
    for ((column, width), cell) in columns.iter().zip(widths).zip(cells) {
        let text = truncate(cell, *width);
        let padding = " ".repeat(width.saturating_sub(text.width()));
        let text = paint_cell(column, &text);
        if matches!(column.kind, DisplayKind::Id | DisplayKind::Number) {
            line.push_str(&format!("{padding}{text}"));
        } else {
            line.push_str(&format!("{text}{padding}"));
        }
        line.push_str(&" ".repeat(GAP));
    }
    line.trim_end().to_owned()
}

/// Truncates text to `width` columns. Truncated text ends with an ellipsis.
fn truncate(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut remaining = width.saturating_sub(1);
    let visible_start = text.chars().take_while(|c| {
        let char_width = c.width().unwrap_or(0);
        let fits = char_width <= remaining;
        remaining = remaining.saturating_sub(char_width);
        fits
    });
    visible_start.collect::<String>() + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrows_texts_but_never_ids() {
        let columns = [Column::new("id", DisplayKind::Id), Column::new("name", DisplayKind::Text)];
        let mut widths = [6, 40];
        narrow_to_fit(&columns, &mut widths, 30);
        assert_eq!(widths, [6, 22]);
        narrow_to_fit(&columns, &mut widths, 5);
        assert_eq!(widths, [6, MIN_TEXT_WIDTH]);
        assert_eq!(truncate("鈴木さん Instagram", 8), "鈴木さ…");
        assert_eq!(truncate("short", 8), "short");
    }
}
