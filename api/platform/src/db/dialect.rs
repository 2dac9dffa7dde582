//! The two databases.

/// Which of the two it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// The embedded one.
    Sqlite,
    /// The server.
    Postgres,
}
