//! Binds a stored secret to the server for which staff entered it. A staff member who may change the address, but does not know the
//! secret, must not obtain the secret by changing the address to their own server.

use url::{Origin, Url};

/// Whether the panel may keep a stored secret when staff change its address: if no secret is stored, if staff enter it again, if
/// they remove the address, or if scheme, host and port stay the same.
#[must_use]
pub fn may_keep_secret(
    old_url: Option<&str>,
    new_url: Option<&str>,
    has_secret: bool,
    is_reentered: bool,
) -> bool {
    let Some(new_url) = new_url else { return true };
    !has_secret || is_reentered || old_url.is_some_and(|old_url| is_same_server(old_url, new_url))
}

fn is_same_server(old_url: &str, new_url: &str) -> bool {
    let parse_origin = |text: &str| Url::parse(text).ok().map(|url| url.origin()).filter(Origin::is_tuple);
    match (parse_origin(old_url), parse_origin(new_url)) {
        (Some(old_origin), Some(new_origin)) => old_origin == new_origin,
        _ => old_url == new_url,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD_URL: Option<&str> = Some("https://a.example/api/v2?url={url}");

    #[test]
    fn keeps_a_secret_only_for_the_same_server() {
        let is_kept = |new_url| may_keep_secret(OLD_URL, Some(new_url), true, false);
        assert!(is_kept("https://a.example/other?url={url}&type={type}"));
        assert!(is_kept("https://A.example:443/api/v2"));
        for new_url in [
            "https://b.example/api/v2",
            "http://a.example/api/v2",
            "https://a.example:444/api/v2",
            "https://a.example.b.example/",
            "https://a.example@b.example/",
            "https://{network}.example/",
            "no address",
        ] {
            assert!(!is_kept(new_url), "{new_url}");
            assert!(may_keep_secret(OLD_URL, Some(new_url), true, true), "the secret is entered again");
            assert!(may_keep_secret(OLD_URL, Some(new_url), false, false), "no secret is stored");
        }
    }

    #[test]
    fn removing_the_address_first_does_not_circumvent_the_check() {
        assert!(may_keep_secret(OLD_URL, None, true, false));
        assert!(!may_keep_secret(None, OLD_URL, true, false));
    }
}
