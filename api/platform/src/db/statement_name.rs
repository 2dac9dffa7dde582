//! Names a statement in metrics by its operation and its table. This module parses only the fixed texts of the statement, so that
//! a name never contains a bound value and the number of names is bounded.

/// Operation and table of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StatementName {
    /// `select`, `insert`, `update`, `delete` or `other`.
    pub(crate) operation: &'static str,
    /// The table that the statement writes, or the first one that it reads; `other` if that is a subquery.
    pub(crate) table: &'static str,
}

const OTHER: &str = "other";

/// The next token that the parser expects.
#[derive(Clone, Copy, PartialEq)]
enum Expected {
    Operation,
    /// The keyword before the table, such as `FROM`.
    Keyword(&'static str),
    Table,
}

/// Parses the texts of a statement in their order until it finds the table.
pub(crate) struct StatementNameParser {
    operation: &'static str,
    expected: Expected,
    depth: u32,
}

impl StatementNameParser {
    pub(crate) const fn new() -> Self {
        Self { operation: OTHER, expected: Expected::Operation, depth: 0 }
    }

    /// Parses the next text; returns the name as soon as it is complete.
    pub(crate) fn parse_text(&mut self, text: &'static str) -> Option<StatementName> {
        let bytes = text.as_bytes();
        let mut index = 0;
        while let Some(&byte) = bytes.get(index) {
            match byte {
                b'(' if self.depth == 0 && self.expected == Expected::Table => {
                    return Some(self.name_with_table(OTHER));
                }
                b'(' => self.depth += 1,
                b')' => self.depth = self.depth.saturating_sub(1),
                b'\'' => index += 1 + bytes[index + 1..].iter().position(|byte| *byte == b'\'').unwrap_or(0),
                byte if self.depth == 0 && is_word_byte(byte) => {
                    let length = bytes[index..].iter().position(|byte| !is_word_byte(*byte));
                    let word = &text[index..index + length.unwrap_or(bytes.len() - index)];
                    if let Some(name) = self.parse_word(word) {
                        return Some(name);
                    }
                    index += word.len();
                    continue;
                }
                _ => {}
            }
            index += 1;
        }
        None
    }

    /// Returns the name of a statement whose texts contained no table.
    pub(crate) const fn finish(&self) -> StatementName {
        self.name_with_table(OTHER)
    }

    /// Whether the next word is the table.
    pub(crate) fn expects_table(&self) -> bool {
        self.expected == Expected::Table
    }

    const fn name_with_table(&self, table: &'static str) -> StatementName {
        StatementName { operation: self.operation, table }
    }

    fn parse_word(&mut self, word: &'static str) -> Option<StatementName> {
        match self.expected {
            Expected::Table => return Some(self.name_with_table(word)),
            Expected::Keyword(keyword) if keyword == word => self.expected = Expected::Table,
            Expected::Keyword(_) => {}
            Expected::Operation => {
                (self.operation, self.expected) = match word {
                    "SELECT" => ("select", Expected::Keyword("FROM")),
                    "INSERT" => ("insert", Expected::Keyword("INTO")),
                    "DELETE" => ("delete", Expected::Keyword("FROM")),
                    "UPDATE" => ("update", Expected::Table),
                    // WITH, and the name and options of its CTE.
                    _ => return None,
                };
            }
        }
        None
    }
}

const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use crate::db::Sql;

    fn operation_and_table(sql: &Sql) -> (&'static str, &'static str) {
        let name = sql.name();
        (name.operation, name.table)
    }

    #[test]
    fn names_statements_by_operation_and_table() {
        let ids = || Sql::new("SELECT id FROM ").push("orders").push(" WHERE id IN ").numbers([1, 2]);
        for (sql, operation, table) in [
            (ids(), "select", "orders"),
            (Sql::new("SELECT (SELECT max(id) FROM users), ' FROM x (' FROM orders o"), "select", "orders"),
            (Sql::new("SELECT count(*) FROM (SELECT id FROM orders) d"), "select", "other"),
            (Sql::new("SELECT 1"), "select", "other"),
            (Sql::new("INSERT INTO jobs (id) SELECT id FROM orders"), "insert", "jobs"),
            (Sql::new("UPDATE users SET name = ? WHERE id = ?").bind("a").bind(1), "update", "users"),
            (Sql::new("DELETE FROM sessions WHERE id = ?").bind(1), "delete", "sessions"),
            (
                ids().into_materialized_cte().append(Sql::new("UPDATE jobs SET x = 1 FROM due")),
                "update",
                "jobs",
            ),
            (Sql::new("PRAGMA wal_checkpoint"), "other", "other"),
            (
                Sql::new("SELECT v.id FROM ").rows("v", &["id"], vec![vec![1.into()]]).push(" JOIN users"),
                "select",
                "other",
            ),
        ] {
            assert_eq!(operation_and_table(&sql), (operation, table), "{sql:?}");
        }
    }
}
