//! Backups and their restoration, on both databases: a folder with a copy of the database, the uploaded files, and a manifest.
//!
//! Only this module writes and reads that folder. A backup never contains `secret.key`, so that a leaked backup does not leak
//! the key of its secrets.

pub mod create;
pub mod manifest;
mod pg_tools;
pub mod restore;
pub mod schedule;
pub mod stream;

use panel_contract::moment::Time;

/// Formats a time for the names of files and schemas: `20261126t083400`.
fn time_stamp(now: Time) -> String {
    let digits: String = now.to_string().chars().filter(char::is_ascii_digit).take(14).collect();
    let (day, time) = digits.split_at(digits.len().min(8));
    format!("{day}t{time}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_a_time_for_names() {
        assert_eq!(time_stamp(Time(1_795_682_040_000_000)), "20261126t083400");
    }
}
