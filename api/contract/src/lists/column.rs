//! A column of a list: wire name, label, type and capabilities.

use crate::permission::Permission;
use crate::string_enum::EnumValues;

/// Type of a column, which determines search, sorting, export and display.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An id of a record.
    Id,
    /// An integer, such as a quantity.
    Number,
    /// An amount of money.
    Money,
    /// A fraction, such as `0.05`, searched like an amount.
    Fraction,
    /// A percentage with two decimals, such as `12.50`.
    Percent,
    /// A time or a day.
    Time,
    /// A text, searched by substring.
    Text,
    /// A referenced record, searched by id, by comma-separated ids, or by a part of its texts.
    Record(Record),
    /// A value of a string enum.
    Word(EnumValues),
    /// A JSON list of values of a string enum.
    Words(EnumValues),
    /// A JSON list of ISO country codes.
    Countries,
    /// A value of an open set, searched by equality.
    Exact,
    /// A value of an open set, searched by equality or substring.
    Choice,
    /// A boolean, filtered by 1 or 0.
    Flag,
    /// A list or an object, for display only.
    Json,
}

impl Kind {
    /// Name in the OpenAPI extension `x-list`.
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

/// Type of record that a column refers to, so that programs can offer a picker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Record {
    /// Users: customers and staff.
    User,
    /// Services of this panel.
    Service,
    /// Providers of services.
    Provider,
    /// External panels.
    ExternalPanel,
    /// Payment methods.
    PaymentMethod,
}

impl Record {
    /// Name in the OpenAPI extension `x-list`.
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

/// A column of a list, or a filter without a column.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Wire name, nested by dots: `user.email`.
    pub name: &'static str,
    /// English label in sentence case. The console hides columns without one.
    pub label: &'static str,
    /// Short header for terminals, if the label is too long.
    pub short: Option<&'static str>,
    /// Type of the values.
    pub kind: Kind,
    /// Whether the stored value may be NULL, which decides where such rows are sorted and so which index serves the order. A
    /// field may be null on the wire for another reason: the caller lacks [`Column::permission`].
    pub nullable: bool,
    /// Permission without which the field is empty and the column can be neither sorted nor searched.
    pub permission: Option<Permission>,
    /// Whether the row has a field of this name.
    pub in_row: bool,
    /// Whether rows can be sorted and filtered by the column.
    pub searchable: bool,
    /// Whether exports contain the column.
    pub exported: bool,
    /// Column that the console filters by instead: it shows `user.name` and offers a picker of users.
    pub filtered_by: Option<&'static str>,
    /// Column that this one is an alias of. Old clients use aliases; the programs of this repository do not.
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

    /// Sets the short header for terminals.
    #[must_use]
    pub const fn short(mut self, head: &'static str) -> Self {
        self.short = Some(head);
        self
    }

    /// Marks the stored value as nullable.
    #[must_use]
    pub const fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }

    /// Restricts the column to callers with `permission`.
    #[must_use]
    pub const fn needs(mut self, permission: Permission) -> Self {
        self.permission = Some(permission);
        self
    }

    /// Marks the column as a filter without a field in the row.
    #[must_use]
    pub const fn filter_only(mut self) -> Self {
        self.in_row = false;
        self.exported = false;
        self
    }

    /// Disables search and sorting; exports contain the column.
    #[must_use]
    pub const fn not_searchable(mut self) -> Self {
        self.searchable = false;
        self
    }

    /// Marks a field of the row that has no search, sorting or export.
    #[must_use]
    pub const fn row_only(mut self) -> Self {
        self.searchable = false;
        self.exported = false;
        self
    }

    /// Makes the console filter by `column` instead.
    #[must_use]
    pub const fn filtered_by(mut self, column: &'static str) -> Self {
        self.filtered_by = Some(column);
        self
    }

    /// Marks the column as an alias of `column`.
    #[must_use]
    pub const fn alias_of(mut self, column: &'static str) -> Self {
        self.alias_of = Some(column);
        self
    }

    /// Whether the server has SQL for the column.
    #[must_use]
    pub const fn is_in_engine(&self) -> bool {
        self.searchable || self.exported
    }

    /// Values of the string enum; `None` for other types.
    #[must_use]
    pub const fn words(&self) -> Option<EnumValues> {
        match self.kind {
            Kind::Word(words) | Kind::Words(words) => Some(words),
            _ => None,
        }
    }

    /// Whether `name` refers to the column, as declared or in camel case.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        is_called(self.name, name)
    }
}

/// Whether `name` refers to the column `declared`, as declared or in camel case.
#[must_use]
pub fn is_called(declared: &str, name: &str) -> bool {
    declared == name || declared == snake(name)
}

/// Converts camel case: `createdAt` becomes `created_at`.
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
    /// A column of integers.
    number: Number;
    /// A column of amounts.
    money: Money;
    /// A column of fractions.
    fraction: Fraction;
    /// A column of percentages.
    percent: Percent;
    /// A column of times.
    time: Time;
    /// A column of texts.
    text: Text;
    /// A column of country codes.
    countries: Countries;
    /// A column of values of an open set, searched by equality.
    exact: Exact;
    /// A column of values of an open set, searched by equality or substring.
    choice: Choice;
    /// A column of flags.
    flag: Flag;
}

/// A column of a string enum.
#[must_use]
pub const fn word(name: &'static str, label: &'static str, words: EnumValues) -> Column {
    Column::new(name, label, Kind::Word(words))
}

/// A column of lists of values of a string enum.
#[must_use]
pub const fn words(name: &'static str, label: &'static str, words: EnumValues) -> Column {
    Column::new(name, label, Kind::Words(words))
}

/// A column that refers to another record.
#[must_use]
pub const fn record(name: &'static str, label: &'static str, of: Record) -> Column {
    Column::new(name, label, Kind::Record(of))
}

/// A column of lists or objects, for display only.
#[must_use]
pub const fn json(name: &'static str, label: &'static str) -> Column {
    Column::new(name, label, Kind::Json).not_searchable()
}
