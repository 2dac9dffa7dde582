//! Functions that several kinds of records share: translated texts, positions, archiving, references between records, the change
//! log and undo. They read and write the tables of records, and import no module of a resource.

pub mod archivable_kinds;
pub mod archiving;
pub mod change_log;
pub mod changes;
pub mod joins;
pub mod positions;
pub mod references;
pub mod search_texts;
pub mod texts;
pub mod undo;
