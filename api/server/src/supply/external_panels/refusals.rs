//! Error messages about calls to external panels.

/// Explains that the rules for outgoing requests forbid an address.
pub(super) fn forbidden_address(why: &str) -> String {
    format!("This address cannot be called: {why}.")
}
