//! Determines the address of a client behind trusted proxies from `X-Forwarded-For`. It reads the addresses from right to left and
//! must not trust an entry to the left of the first address that is not a trusted proxy, because the client may have invented it.

use std::net::{IpAddr, SocketAddr};

use axum::http::HeaderMap;

/// Headers that proxies add to a request that they forward.
const FORWARDING_HEADERS: [&str; 6] =
    ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via"];

/// The source of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClientAddress {
    /// Address of the client, or of the last trusted proxy if no further entry can be trusted.
    pub(crate) ip: IpAddr,
    /// Whether a trusted proxy, or any proxy that added a forwarding header, forwarded the request.
    pub(crate) is_proxied: bool,
}

impl ClientAddress {
    /// Determines the source of a request. `peer` is the other end of its TCP connection.
    pub(crate) fn from_request(
        peer: IpAddr,
        headers: &HeaderMap,
        is_trusted: impl Fn(IpAddr) -> bool,
    ) -> Self {
        let peer = peer.to_canonical();
        let is_proxied =
            is_trusted(peer) || FORWARDING_HEADERS.iter().any(|name| headers.contains_key(*name));
        Self { ip: client_ip(peer, headers, is_trusted), is_proxied }
    }
}

/// Starts at the peer and goes left through all lines of the header as long as the address is a trusted proxy. Each proxy appends
/// the address of its client to the last line or as a new line.
fn client_ip(peer: IpAddr, headers: &HeaderMap, is_trusted: impl Fn(IpAddr) -> bool) -> IpAddr {
    let lines: Vec<&[u8]> = headers.get_all("x-forwarded-for").iter().map(|line| line.as_bytes()).collect();
    let mut hops = lines.iter().rev().flat_map(|line| line.rsplit(|byte| *byte == b','));
    let mut client = peer;
    while is_trusted(client) {
        match hops.next().and_then(parse_address) {
            Some(hop) => client = hop,
            // A trusted proxy added no valid address, so entries further left cannot be trusted.
            None => break,
        }
    }
    client
}

/// Parses an entry: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:4711`.
fn parse_address(entry: &[u8]) -> Option<IpAddr> {
    let entry = std::str::from_utf8(entry).ok()?.trim();
    let parse_bracketed = || entry.strip_prefix('[')?.strip_suffix(']')?.parse().ok().map(IpAddr::V6);
    let parse_with_port = || entry.parse::<SocketAddr>().ok().map(|address| address.ip());
    let ip = entry.parse().ok().or_else(parse_with_port).or_else(parse_bracketed)?;
    Some(ip.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn client_of(peer: &str, lines: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append("x-forwarded-for", HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        let networks: [ipnet::IpNet; 2] = ["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()];
        let is_trusted = |ip| networks.iter().any(|network| network.contains(&ip));
        ClientAddress::from_request(peer.parse().unwrap(), &headers, is_trusted).ip.to_string()
    }

    #[test]
    fn the_client_is_the_first_untrusted_address_from_the_right() {
        for (peer, lines, expected_client) in [
            // The header of a client that is not a trusted proxy is ignored.
            ("203.0.113.9", &["192.0.2.1"][..], "203.0.113.9"),
            ("203.0.113.9", &[], "203.0.113.9"),
            ("10.0.0.1", &["203.0.113.9"], "203.0.113.9"),
            ("::ffff:10.0.0.1", &["::ffff:203.0.113.9"], "203.0.113.9"),
            // The client's own entries are left of those that the proxy appended.
            ("10.0.0.1", &["192.0.2.1, 203.0.113.9"], "203.0.113.9"),
            ("10.0.0.1", &["10.9.9.9, 203.0.113.9"], "203.0.113.9"),
            ("10.0.0.1", &["192.0.2.1", "203.0.113.9"], "203.0.113.9"),
            ("10.0.0.1", &["192.0.2.1, 10.0.0.3", "203.0.113.9", "10.0.0.2"], "203.0.113.9"),
            ("10.0.0.1", &["192.0.2.1", "203.0.113.9, 10.0.0.2"], "203.0.113.9"),
            // All notations of an address.
            ("10.0.0.1", &["203.0.113.9:4711"], "203.0.113.9"),
            ("10.0.0.1", &["203.0.113.9:4711, 10.0.0.2:80"], "203.0.113.9"),
            ("10.0.0.1", &["2001:db8::9"], "2001:db8::9"),
            ("10.0.0.1", &["[2001:db8::9]"], "2001:db8::9"),
            ("10.0.0.1", &["[2001:db8::9]:4711, [fd00::2]:80"], "2001:db8::9"),
            ("fd00::1", &["203.0.113.9 , fd00::2"], "203.0.113.9"),
            // An entry that is not an address ends the search at the last trusted proxy.
            ("10.0.0.1", &["192.0.2.1, unknown"], "10.0.0.1"),
            ("10.0.0.1", &["192.0.2.1, unknown, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", &["192.0.2.1", ""], "10.0.0.1"),
            ("10.0.0.1", &["192.0.2.1,, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", &["192.0.2.1, 203.0.113.9:port"], "10.0.0.1"),
            ("10.0.0.1", &["192.0.2.1, 203.0.113.9:99999"], "10.0.0.1"),
            ("10.0.0.1", &["192.0.2.1, [203.0.113.9]"], "10.0.0.1"),
            ("10.0.0.1", &["192.0.2.1, \u{e9}"], "10.0.0.1"),
            ("10.0.0.1", &["192.0.2.1 203.0.113.9"], "10.0.0.1"),
            // All addresses are trusted proxies: the leftmost sent the request.
            ("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", &[], "10.0.0.1"),
        ] {
            assert_eq!(client_of(peer, lines), expected_client, "{peer} {lines:?}");
        }
    }

    #[test]
    fn detects_a_request_that_a_proxy_forwarded() {
        let is_proxied = |peer: &str, header: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            if let Some(name) = header {
                headers.insert(name, HeaderValue::from_static("x"));
            }
            let proxy: IpAddr = "127.0.0.2".parse().unwrap();
            ClientAddress::from_request(peer.parse().unwrap(), &headers, |ip| ip == proxy).is_proxied
        };
        assert!(!is_proxied("127.0.0.1", None));
        assert!(is_proxied("127.0.0.2", None), "a trusted proxy counts even if it adds no header");
        assert!(FORWARDING_HEADERS.iter().all(|name| is_proxied("127.0.0.1", Some(name))));
    }
}
