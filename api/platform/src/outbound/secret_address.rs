//! Binds a stored secret to the server that it was entered for: a member of staff who may change the address, but does not know the
//! secret, must not obtain it by changing the address to a server of their own.

use url::{Origin, Url};

/// Whether a stored secret may be kept when its address changes: there is no secret, it is entered again, the address is removed, or
/// scheme, host and port stay the same.
#[must_use]
pub fn may_keep_secret(before: Option<&str>, after: Option<&str>, is_set: bool, is_entered: bool) -> bool {
    let Some(after) = after else { return true };
    !is_set || is_entered || before.is_some_and(|before| is_same_server(before, after))
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
    fn keeps_a_secret_only_for_the_same_server() {
        let stays = |after| may_keep_secret(A, Some(after), true, false);
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
            assert!(may_keep_secret(A, Some(after), true, true), "entered again");
            assert!(may_keep_secret(A, Some(after), false, false), "there is none");
        }
    }

    #[test]
    fn removing_the_address_first_does_not_circumvent_the_check() {
        assert!(may_keep_secret(A, None, true, false));
        assert!(!may_keep_secret(None, A, true, false));
    }
}
