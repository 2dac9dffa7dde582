//! The error message for an address that outgoing requests must not use.

pub(super) fn forbidden_address_message(reason: &str) -> String {
    format!("This address cannot be called: {reason}.")
}
