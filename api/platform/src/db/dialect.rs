//! The two databases that the panel supports.

/// The database whose SQL is rendered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Embedded in the process.
    Sqlite,
    Postgres,
}
