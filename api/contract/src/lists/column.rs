//! A column of a list: its name on the wire, its label, what it holds and what a caller can do with it.

use crate::permission::Permission;
use crate::words::Words;

/// What a column holds. From it follow how the column is searched, sorted, written in files and drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A number that names a record.
    Id,
    /// A whole number, such as a quantity.
    Number,
    /// An amount of money.
    Money,
    /// A share of one, such as `0.05`. It is searched as amounts are.
    Fraction,
    /// Hundredths of a percent, such as `12.50`.
    Percent,
    /// A moment, or a day.
    Time,
    /// A text, searched by a part of it.
    Text,
    /// A record beside the row, searched by its id, a comma list of ids, or a part of its texts.
    Record(Record),
    /// One word of a closed set.
    Word(Words),
    /// A JSON list of words of a closed set.
    Words(Words),
    /// A JSON list of ISO country codes.
    Countries,
    /// A word of an open set, searched whole.
    Exact,
    /// A word of those that the column has, searched whole or by a part of it.
    Choice,
    /// True or false, asked for as 1 or 0.
    Flag,
    /// A list or an object, which is only shown.
    Json,
}

impl Kind {
    /// Its name in `x-list`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Number => "number",
            Self::Money => "money",
            Self::Fraction => "fraction",
            Self::Percent => "percent",
            Self::Time => "time",
            Self::Text => "text",
            Self::Record(_) => "record",
            Self::Word(_) => "word",
            Self::Words(_) => "words",
            Self::Countries => "countries",
            Self::Exact => "exact",
            Self::Choice => "choice",
            Self::Flag => "flag",
            Self::Json => "json",
        }
    }
}

/// Which records a column names, so that a program can offer them to choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Record {
    /// Users: customers and staff.
    User,
    /// Services that are sold.
    Service,
    /// Services of external panels that deliver.
    Provider,
    /// Panels that orders are placed at.
    ExternalPanel,
    /// Ways to pay and to be paid out.
    PaymentMethod,
}

impl Record {
    /// Its name in `x-list`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Service => "service",
            Self::Provider => "provider",
            Self::ExternalPanel => "external_panel",
            Self::PaymentMethod => "payment_method",
        }
    }
}

/// One column, or one filter beside the columns.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its name on the wire, nested by dots: `user.email`.
    pub name: &'static str,
    /// Its English label in sentence case. The console offers no column without one.
    pub label: &'static str,
    /// The words at its head in a terminal, where the label is too long for them.
    pub short: Option<&'static str>,
    /// What its values are.
    pub kind: Kind,
    /// Whether the stored value may be NULL, which decides where such rows are sorted and so which index serves the order. A
    /// field may be null on the wire for another reason: the caller lacks [`Column::permission`].
    pub nullable: bool,
    /// Without this permission the field is empty, and the column can be neither sorted nor searched.
    pub permission: Option<Permission>,
    /// Whether the row has a field of this name.
    pub in_row: bool,
    /// Whether rows can be sorted and filtered by it: the list engine does both or neither.
    pub searchable: bool,
    /// Whether files have it.
    pub exported: bool,
    /// The column that the console searches in its place: it shows `user.name` and offers a choice of users.
    pub filtered_by: Option<&'static str>,
    /// The column that this is another name of. Clients of the first protocol use such names; no program of this repository offers
    /// them.
    pub alias_of: Option<&'static str>,
}

impl Column {
    const fn new(name: &'static str, label: &'static str, kind: Kind) -> Self {
        Self {
            name,
            label,
            short: None,
            kind,
            nullable: false,
            permission: None,
            in_row: true,
            searchable: true,
            exported: true,
            filtered_by: None,
            alias_of: None,
        }
    }

    /// Has these words at its head in a terminal.
    #[must_use]
    pub const fn short(mut self, head: &'static str) -> Self {
        self.short = Some(head);
        self
    }

    /// The stored value may be NULL.
    #[must_use]
    pub const fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }

    /// Only callers with `permission` see it.
    #[must_use]
    pub const fn needs(mut self, permission: Permission) -> Self {
        self.permission = Some(permission);
        self
    }

    /// The row has no field of this name: rows can be filtered and sorted by it.
    #[must_use]
    pub const fn filter_only(mut self) -> Self {
        self.in_row = false;
        self.exported = false;
        self
    }

    /// Files have it, and it can be neither sorted nor searched.
    #[must_use]
    pub const fn not_searchable(mut self) -> Self {
        self.searchable = false;
        self
    }

    /// A field that programs show and the list engine does not know: no search, no order, no file has it.
    #[must_use]
    pub const fn row_only(mut self) -> Self {
        self.searchable = false;
        self.exported = false;
        self
    }

    /// The console searches `column` in its place.
    #[must_use]
    pub const fn filtered_by(mut self, column: &'static str) -> Self {
        self.filtered_by = Some(column);
        self
    }

    /// Another name of `column`.
    #[must_use]
    pub const fn alias_of(mut self, column: &'static str) -> Self {
        self.alias_of = Some(column);
        self
    }

    /// Whether the list engine knows it, so that the server has SQL for it.
    #[must_use]
    pub const fn is_in_engine(&self) -> bool {
        self.searchable || self.exported
    }

    /// The words of its closed set; none for other kinds.
    #[must_use]
    pub const fn words(&self) -> Option<Words> {
        match self.kind {
            Kind::Word(words) | Kind::Words(words) => Some(words),
            _ => None,
        }
    }

    /// Whether a caller means it by `name`.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        is_called(self.name, name)
    }
}

/// Whether a caller means the column `declared` by `name`: as it is declared, or in camel case.
#[must_use]
pub fn is_called(declared: &str, name: &str) -> bool {
    declared == name || declared == snake(name)
}

/// `createdAt` → `created_at`.
fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for character in name.chars() {
        if character.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(character.to_ascii_lowercase());
    }
    snake
}

macro_rules! constructors {
    ($($(#[doc = $doc:literal])+ $name:ident: $kind:ident;)+) => { $(
        $(#[doc = $doc])+
        #[must_use]
        pub const fn $name(name: &'static str, label: &'static str) -> Column {
            Column::new(name, label, Kind::$kind)
        }
    )+ };
}

constructors! {
    /// A column of ids.
    id: Id;
    /// A column of whole numbers.
    number: Number;
    /// A column of amounts.
    money: Money;
    /// A column of shares of one.
    fraction: Fraction;
    /// A column of percents.
    percent: Percent;
    /// A column of moments.
    time: Time;
    /// A column of texts.
    text: Text;
    /// A column of country codes.
    countries: Countries;
    /// A column of words of an open set, searched whole.
    exact: Exact;
    /// A column of words of an open set, searched whole or by a part.
    choice: Choice;
    /// A column of flags.
    flag: Flag;
}

/// A column of one word of `words`.
#[must_use]
pub const fn word(name: &'static str, label: &'static str, words: Words) -> Column {
    Column::new(name, label, Kind::Word(words))
}

/// A column of lists of `words`.
#[must_use]
pub const fn words(name: &'static str, label: &'static str, words: Words) -> Column {
    Column::new(name, label, Kind::Words(words))
}

/// A column that names a record beside the row.
#[must_use]
pub const fn record(name: &'static str, label: &'static str, of: Record) -> Column {
    Column::new(name, label, Kind::Record(of))
}

/// A column of lists or objects, which is only shown.
#[must_use]
pub const fn json(name: &'static str, label: &'static str) -> Column {
    Column::new(name, label, Kind::Json).not_searchable()
}
