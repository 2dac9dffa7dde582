//! What records of all kinds have in common: translated texts, their order, archiving, what uses them, the change log and undo. It
//! knows the tables of records and imports no resource.

pub mod archivables;
pub mod archiving;
pub mod change_log;
pub mod changes;
pub mod joins;
pub mod positions;
pub mod search_texts;
pub mod texts;
pub mod undo;
pub mod uses;
