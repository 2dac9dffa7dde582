//! How a list is declared: one `static` [`Table`] per list. All texts are SQL of ours, none a caller's. `@now` in an
//! expression or in what is selected is the moment of the request.

use panel_contract::permission::Permission;

/// A list as data.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// Its name in file names and the audit trail: `orders`.
    pub name: &'static str,
    /// The table it lists: `orders`.
    pub base: &'static str,
    /// Its alias: `o`.
    pub alias: &'static str,
    /// Its primary key: `o.id`. Every order ends with it.
    pub key: &'static str,
    /// What is always asked of a row: `o.is_child_panel = TRUE`.
    pub scope: Option<&'static str>,
    /// Tables beside it; none may drop or double a row.
    pub joins: &'static [Join],
    /// The columns of the record that is shown, over the base and all joins.
    pub select: &'static str,
    /// What can be filtered and sorted.
    pub columns: &'static [Column],
    /// Filters beside the columns, as plain parameters: `subscription_id`. They make a list of its own.
    pub plain: &'static [Column],
    /// Where the common search looks, beside the id.
    pub common: &'static [Arm],
    /// The list's own order: column and whether largest first. Empty: newest first.
    pub order: &'static [(&'static str, bool)],
    /// The kept count of all its rows, as table and group of `row_counts`.
    pub kept: Option<(&'static str, &'static str)>,
}

impl Table {
    /// Rows of a page where nobody says how many: `usual` in most lists.
    pub(super) fn usual_length(&self, usual: i64) -> i64 {
        if self.name == "panel-pages" { 15 } else { usual }
    }
}

/// A table beside the base.
#[derive(Debug, Clone, Copy)]
pub struct Join {
    /// Its alias.
    pub alias: &'static str,
    /// `JOIN users u ON u.id = o.user_id`.
    pub sql: &'static str,
}

/// Texts of a table that are searched by a part of them.
#[derive(Debug)]
pub struct Index {
    /// The table: `users`.
    pub table: &'static str,
    /// Columns that the common search looks at.
    pub columns: &'static [&'static str],
    /// Index that the search uses.
    pub find: Find,
    /// The column with the ids that it finds: `id`.
    pub key: &'static str,
    /// The rows of the table that it looks at; none for all.
    pub scope: Option<&'static str>,
}

/// How a part of a text is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Find {
    /// By trigrams: the FTS5 table `<table>_fts` on SQLite, an index over the same columns on PostgreSQL.
    Trigrams,
    /// By reading all rows, for tables that stay small because staff write each row.
    Rows,
    /// By the distinct values of the only column, which a query reads by jumping along an index that begins with
    /// it: for columns of large tables with few different values. It finds values, not ids.
    Values,
}

impl Index {
    /// Texts with a trigram index.
    #[must_use]
    pub const fn trigrams(table: &'static str, columns: &'static [&'static str]) -> Self {
        Self { table, columns, find: Find::Trigrams, key: "id", scope: None }
    }

    /// Texts of a small table without an index.
    #[must_use]
    pub const fn rows(table: &'static str, columns: &'static [&'static str]) -> Self {
        Self { table, columns, find: Find::Rows, key: "id", scope: None }
    }

    /// The names of records in every language: rows of `translations` for which `scope` holds, such as
    /// `owner_type = 'coupon' AND field = 'name'`, which its primary key finds.
    #[must_use]
    pub const fn translations(scope: &'static str) -> Self {
        Self {
            table: "translations",
            columns: &["value"],
            find: Find::Rows,
            key: "owner_id",
            scope: Some(scope),
        }
    }

    /// The distinct values of one column.
    #[must_use]
    pub const fn values(table: &'static str, column: &'static [&'static str; 1]) -> Self {
        Self { table, columns: column, find: Find::Values, key: "id", scope: None }
    }
}

/// One place where the common search looks: rows whose `key` is among what `index` finds.
#[derive(Debug, Clone, Copy)]
pub struct Arm {
    /// `o.user_id`, or the table's own key.
    pub key: &'static str,
    /// Where the text is.
    pub index: &'static Index,
    /// The indexed texts as expressions over the base, where the base itself has them.
    pub here: &'static [&'static str],
    /// The column that stands for it: a client that calls it not searchable leaves the arm out.
    pub column: &'static str,
    /// For a record that a table between leads to.
    pub through: Option<Through>,
    /// Rows for which it does not hold are not looked at: `c.type = 'service'`.
    pub only: Option<&'static str>,
}

/// How a row belongs to the record whose texts are searched.
#[derive(Debug, Clone, Copy)]
pub struct Through {
    /// Start of a SELECT of the arm's keys: `SELECT id FROM orders WHERE `.
    pub select: &'static str,
    /// Its column that the found ids stand in: `service_id`.
    pub column: &'static str,
    /// The same id as an expression over one row of the base; empty where a row has many of such records.
    pub here: &'static str,
}

impl Arm {
    /// Rows whose `key` is among what `index` finds.
    #[must_use]
    pub const fn new(key: &'static str, index: &'static Index, column: &'static str) -> Self {
        Self { key, index, here: &[], column, through: None, only: None }
    }

    /// The base has the texts itself.
    #[must_use]
    pub const fn here(mut self, here: &'static [&'static str]) -> Self {
        self.here = here;
        self
    }

    /// The texts belong to a record that a table between leads to.
    #[must_use]
    pub const fn through(mut self, through: Through) -> Self {
        self.through = Some(through);
        self
    }

    /// Only rows for which `condition` holds.
    #[must_use]
    pub const fn only(mut self, condition: &'static str) -> Self {
        self.only = Some(condition);
        self
    }
}

/// What a column holds, and so what can be searched in it.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// An id: one, `from..to`, or a comma list.
    Id,
    /// A whole number, likewise.
    Number,
    /// Money, likewise.
    Money,
    /// A percent in hundredths, likewise.
    Percent,
    /// A moment: a day, a moment, or `from..to` of either.
    Time,
    /// A text: part of it.
    Text,
    /// A record beside: its id, a comma list of ids, or part of its texts.
    Ref,
    /// One of these words: one, or a comma list.
    OneOf(fn() -> Vec<&'static str>),
    /// A JSON list of these words: rows that have one of those named, by commas. A list without words has none of them.
    SomeOf(fn() -> Vec<&'static str>),
    /// A word of an open set, whole: one, or a comma list.
    Exact,
    /// A word of those that the column has, by [`Find::Values`]: one, or a comma list. What is no such word finds the
    /// words that it is a part of.
    Choice(&'static Index),
    /// 1 or 0.
    Flag,
    /// 1 for everything, 0 for rows of which the expression is true.
    Unless,
    /// 1 for rows of which the expression is true, 0 for the others; it stands bare, so that an index can serve it.
    When,
    /// Anything that is only shown: it can be neither sorted nor searched.
    Shown,
}

/// Which kept count knows how many rows a filter on the column leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// The word itself is the group.
    Word,
    /// The flag set is this group.
    Set(&'static str),
    /// The user's orders.
    User,
    /// Orders of whole days, alone or with their status.
    Day,
}

/// One column.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its name on the wire, as in the contract, nested by dots. Camel case is understood as well.
    pub name: &'static str,
    /// Its value as SQL, what it is sorted by.
    pub expr: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// The join that `expr` needs.
    pub join: Option<&'static str>,
    /// Whether it may be NULL (such rows stand last).
    pub nullable: bool,
    /// For texts: the base's key, the index and the column of it that find rows; an empty column means all.
    pub find: Option<(&'static str, &'static Index, &'static str)>,
    /// For many of a record: what finds the list's rows by the ids found, as the start of a SELECT of them and the
    /// column that the ids stand in.
    pub through: Option<(&'static str, &'static str)>,
    /// Its kept count.
    pub group: Option<Group>,
    /// Without this permission it is empty, and can be neither sorted nor searched.
    pub permission: Option<Permission>,
    /// Whether the CSV has it.
    pub exported: bool,
}

impl Column {
    /// A column of the base.
    #[must_use]
    pub const fn new(name: &'static str, expr: &'static str, kind: Kind) -> Self {
        Self {
            name,
            expr,
            kind,
            join: None,
            nullable: false,
            find: None,
            through: None,
            group: None,
            permission: None,
            exported: true,
        }
    }

    /// Its value stands in a joined table.
    #[must_use]
    pub const fn of(mut self, alias: &'static str) -> Self {
        self.join = Some(alias);
        self
    }

    /// It may be NULL.
    #[must_use]
    pub const fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }

    /// Its text is found by an index: rows whose `key` is among the ids that it finds.
    #[must_use]
    pub const fn found(mut self, key: &'static str, index: &'static Index, column: &'static str) -> Self {
        self.find = Some((key, index, column));
        self
    }

    /// What is found belongs to the row by a table between: `SELECT order_id FROM order_labels WHERE `, `label_id`.
    #[must_use]
    pub const fn through(mut self, select: &'static str, column: &'static str) -> Self {
        self.through = Some((select, column));
        self
    }

    /// How many rows a filter on it leaves is kept.
    #[must_use]
    pub const fn counted(mut self, group: Group) -> Self {
        self.group = Some(group);
        self
    }

    /// Only for callers with `permission`.
    #[must_use]
    pub const fn only(mut self, permission: Permission) -> Self {
        self.permission = Some(permission);
        self
    }

    /// A filter that is no field of the row.
    #[must_use]
    pub const fn hidden(mut self) -> Self {
        self.exported = false;
        self
    }

    /// Whether `name` means it: as declared, or in camel case.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.name == name || self.name == snake(name)
    }
}

impl Table {
    /// The column that a client means.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&'static Column> {
        self.columns.iter().find(|column| column.is(name))
    }

    /// A join by its alias.
    #[must_use]
    pub fn join(&self, alias: &str) -> &'static str {
        self.joins.iter().find(|join| join.alias == alias).map_or("", |join| join.sql)
    }
}

/// `createdAt` → `created_at`.
fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// The words of an enum, for [`Kind::OneOf`].
#[macro_export]
macro_rules! words_of {
    ($name:ty) => {
        $crate::table::Kind::OneOf(|| <$name>::ALL.iter().map(|word| word.as_str()).collect())
    };
}

/// The words of an enum, for [`Kind::SomeOf`].
#[macro_export]
macro_rules! some_of {
    ($name:ty) => {
        $crate::table::Kind::SomeOf(|| <$name>::ALL.iter().map(|word| word.as_str()).collect())
    };
}
