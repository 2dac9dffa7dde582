//! Backups and their restoration, on both databases: a folder with a copy of the database, the uploaded files, and a manifest.
//!
//! Only this room writes and reads that folder. A backup never holds `secret.key`: who finds a backup must not find the key of
//! its secrets with it.

pub mod create;
pub mod manifest;
mod pg_tools;
pub mod restore;
pub mod stream;

use panel_contract::moment::Time;

/// A moment as a part of names: `20261126t083400`.
fn stamp(now: Time) -> String {
    let digits: String = now.to_string().chars().filter(char::is_ascii_digit).take(14).collect();
    let (day, time) = digits.split_at(digits.len().min(8));
    format!("{day}t{time}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_a_name() {
        assert_eq!(stamp(Time(1_795_682_040_000_000)), "20261126t083400");
    }
}
