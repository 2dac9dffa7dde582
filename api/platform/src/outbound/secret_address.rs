//! A stored secret goes only to the server that it was entered for: a member of staff who may change an address, but does
//! not know the secret, must not learn it by pointing the address at a server of their own.

use url::{Origin, Url};

/// Whether a stored secret may stay when its address changes: there is none, it is entered again, no address is left, or
/// the address leads to the same scheme, host and port.
#[must_use]
pub fn secret_stays(before: Option<&str>, after: Option<&str>, is_set: bool, is_given: bool) -> bool {
    let Some(after) = after else { return true };
    !is_set || is_given || before.is_some_and(|before| is_same_server(before, after))
}

fn is_same_server(before: &str, after: &str) -> bool {
    let origin = |text: &str| Url::parse(text).ok().map(|url| url.origin()).filter(Origin::is_tuple);
    match (origin(before), origin(after)) {
        (Some(before), Some(after)) => before == after,
        _ => before == after,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Option<&str> = Some("https://a.example/api/v2?url={url}");

    #[test]
    fn a_secret_stays_with_its_server() {
        let stays = |after| secret_stays(A, Some(after), true, false);
        assert!(
            stays("https://a.example/other?url={url}&type={type}") && stays("https://A.example:443/api/v2")
        );
        for after in [
            "https://b.example/api/v2",
            "http://a.example/api/v2",
            "https://a.example:444/api/v2",
            "https://a.example.b.example/",
            "https://a.example@b.example/",
            "https://{network}.example/",
            "no address",
        ] {
            assert!(!stays(after), "{after}");
            assert!(secret_stays(A, Some(after), true, true), "entered again");
            assert!(secret_stays(A, Some(after), false, false), "there is none");
        }
    }

    #[test]
    fn taking_an_address_away_is_no_way_around() {
        assert!(secret_stays(A, None, true, false));
        assert!(!secret_stays(None, A, true, false));
    }
}
