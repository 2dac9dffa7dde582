//! A column of a list: name in the API, label, type, and what callers can do with it.

use crate::permission::Permission;
use crate::string_enum::EnumValues;

/// Type of the values of a column, which determines search, sorting, export and display.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// An id of a record.
    Id,
    /// An integer, such as a quantity.
    Number,
    /// Money as a decimal string, such as `12.50`.
    Money,
    /// A fraction, such as `0.05`, searched like an amount.
    Fraction,
    /// A percentage with two decimals, such as `12.50`.
    Percent,
    /// A time or a day.
    Time,
    /// A string, searched by substring.
    Text,
    /// A referenced record, searched by id, by comma-separated ids, or by a part of its name.
    Record(RecordKind),
    /// A value of a string enum.
    Enum(EnumValues),
    /// A JSON list of values of a string enum.
    EnumList(EnumValues),
    /// A JSON list of ISO country codes.
    Countries,
    /// A string that is searched by equality, such as an external id.
    ExactText,
    /// A value of an enum that new versions extend, such as an event name; searched by equality or substring.
    OpenEnum,
    /// A boolean, searched by 1 or 0.
    Flag,
    /// A list or an object, which cannot be searched.
    Json,
}

impl ColumnKind {
    /// Name of the type in the OpenAPI extension `x-list`.
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
            Self::Enum(_) => "enum",
            Self::EnumList(_) => "enum_list",
            Self::Countries => "countries",
            Self::ExactText => "exact_text",
            Self::OpenEnum => "open_enum",
            Self::Flag => "flag",
            Self::Json => "json",
        }
    }
}

/// Type of record that a column refers to. User interfaces let the user choose such a record in a search field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordKind {
    /// Users: customers and staff.
    User,
    /// Services that this panel sells.
    Service,
    /// Providers, which deliver services.
    Provider,
    /// External panels, at which this panel places orders.
    ExternalPanel,
    /// Payment methods for deposits and withdrawals.
    PaymentMethod,
}

impl RecordKind {
    /// Name of the type in the OpenAPI extension `x-list`.
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
    /// Name in the API, nested by dots, such as `user.email`.
    pub name: &'static str,
    /// English label in sentence case. The console does not display columns with an empty label.
    pub label: &'static str,
    /// Short header for terminals; `None` if the label is short enough.
    pub short_label: Option<&'static str>,
    /// Type of the values.
    pub kind: ColumnKind,
    /// Whether the stored value may be NULL, which the server must know to sort by an index. In a response, a field may also be
    /// null because the caller lacks [`Column::permission`].
    pub nullable: bool,
    /// Permission that a caller needs to read, sort by and search the column; `None` if every caller may.
    pub permission: Option<Permission>,
    /// Whether the row has a field of this name; otherwise the column is only a filter.
    pub in_row: bool,
    /// Whether rows can be sorted and searched by the column.
    pub searchable: bool,
    /// Whether exports contain the column.
    pub exported: bool,
    /// Column by which the console filters instead. For example, the console displays `user.name`, and filters by the record
    /// `user`.
    pub filtered_by: Option<&'static str>,
    /// Column that has the same value under another name. Only old clients use aliases, not the programs of this repository.
    pub alias_of: Option<&'static str>,
}

impl Column {
    const fn new(name: &'static str, label: &'static str, kind: ColumnKind) -> Self {
        Self {
            name,
            label,
            short_label: None,
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
    pub const fn short_label(mut self, header: &'static str) -> Self {
        self.short_label = Some(header);
        self
    }

    /// Marks the stored value as nullable.
    #[must_use]
    pub const fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }

    /// Hides the column from callers without `permission`.
    #[must_use]
    pub const fn requires(mut self, permission: Permission) -> Self {
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

    /// Disables search and sorting. Exports still have the column.
    #[must_use]
    pub const fn not_searchable(mut self) -> Self {
        self.searchable = false;
        self
    }

    /// Disables search, sorting and export: the column is only a field of the row.
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

    /// Whether the server must have an SQL expression for the column: it can be searched, sorted or exported.
    #[must_use]
    pub const fn needs_sql(&self) -> bool {
        self.searchable || self.exported
    }

    /// The values of a column of a string enum; `None` for other types.
    #[must_use]
    pub const fn enum_values(&self) -> Option<EnumValues> {
        match self.kind {
            ColumnKind::Enum(values) | ColumnKind::EnumList(values) => Some(values),
            _ => None,
        }
    }

    /// Whether `name` is the name of the column, as declared or in camel case.
    #[must_use]
    pub fn has_name(&self, name: &str) -> bool {
        matches_name(self.name, name)
    }
}

/// Whether `name` is `declared_name`, or its camel case form.
#[must_use]
pub fn matches_name(declared_name: &str, name: &str) -> bool {
    declared_name == name || declared_name == to_snake_case(name)
}

/// Converts camel case: `createdAt` becomes `created_at`.
fn to_snake_case(name: &str) -> String {
    let mut snake_case = String::with_capacity(name.len() + 4);
    for character in name.chars() {
        if character.is_ascii_uppercase() {
            snake_case.push('_');
        }
        snake_case.push(character.to_ascii_lowercase());
    }
    snake_case
}

macro_rules! column_constructors {
    ($($(#[doc = $doc:literal])+ $name:ident: $kind:ident;)+) => { $(
        $(#[doc = $doc])+
        #[must_use]
        pub const fn $name(name: &'static str, label: &'static str) -> Column {
            Column::new(name, label, ColumnKind::$kind)
        }
    )+ };
}

column_constructors! {
    /// A column of record ids.
    id: Id;
    /// A column of integers, such as quantities.
    number: Number;
    /// A column of money amounts.
    money: Money;
    /// A column of fractions, such as `0.05`.
    fraction: Fraction;
    /// A column of percentages with two decimals.
    percent: Percent;
    /// A column of UTC times or days.
    time: Time;
    /// A column of strings, searched by substring.
    text: Text;
    /// A column of lists of ISO country codes.
    countries: Countries;
    /// A column of strings that are searched by equality.
    exact_text: ExactText;
    /// A column with values of an enum that new versions extend, such as event names; searched by equality or substring.
    open_enum: OpenEnum;
    /// A column of booleans, searched by 1 or 0.
    flag: Flag;
}

/// A column with one value of a string enum.
#[must_use]
pub const fn enum_value(name: &'static str, label: &'static str, values: EnumValues) -> Column {
    Column::new(name, label, ColumnKind::Enum(values))
}

/// A column with a list of values of a string enum.
#[must_use]
pub const fn enum_list(name: &'static str, label: &'static str, values: EnumValues) -> Column {
    Column::new(name, label, ColumnKind::EnumList(values))
}

/// A column that references another record.
#[must_use]
pub const fn record(name: &'static str, label: &'static str, record_kind: RecordKind) -> Column {
    Column::new(name, label, ColumnKind::Record(record_kind))
}

/// A column of lists or objects, which cannot be searched or sorted.
#[must_use]
pub const fn json(name: &'static str, label: &'static str) -> Column {
    Column::new(name, label, ColumnKind::Json).not_searchable()
}
