//! The address of a client behind trusted proxies, from `X-Forwarded-For`. Pure. Never believes what stands left of the
//! first address that is not a trusted proxy: the client may have invented it.

use std::net::{IpAddr, SocketAddr};

use axum::http::HeaderMap;

/// Headers by which proxies say that they pass a request on.
const PASSED_ON: [&str; 6] =
    ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via"];

/// Where a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClientAddress {
    /// The client, or the last trusted proxy where nothing further can be believed.
    pub(crate) ip: IpAddr,
    /// Whether a proxy passed the request on: a trusted one, or one on the way that says so itself.
    pub(crate) is_proxied: bool,
}

impl ClientAddress {
    /// Of a request that `peer` sent.
    pub(crate) fn of(peer: IpAddr, headers: &HeaderMap, is_trusted: impl Fn(IpAddr) -> bool) -> Self {
        let peer = peer.to_canonical();
        let is_proxied = is_trusted(peer) || PASSED_ON.iter().any(|name| headers.contains_key(*name));
        Self { ip: client(peer, headers, is_trusted), is_proxied }
    }
}

/// Goes from the peer to the left through all lines of the header, as long as each address is a trusted proxy: each proxy
/// appends the address that it was called from, to the last line or as a line of its own.
fn client(peer: IpAddr, headers: &HeaderMap, is_trusted: impl Fn(IpAddr) -> bool) -> IpAddr {
    let lines: Vec<&[u8]> = headers.get_all("x-forwarded-for").iter().map(|line| line.as_bytes()).collect();
    let mut hops = lines.iter().rev().flat_map(|line| line.rsplit(|byte| *byte == b','));
    let mut client = peer;
    while is_trusted(client) {
        match hops.next().and_then(address) {
            Some(hop) => client = hop,
            // A proxy that we trust wrote no address: what is further left cannot be trusted.
            None => break,
        }
    }
    client
}

/// An entry: `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:4711`.
fn address(entry: &[u8]) -> Option<IpAddr> {
    let entry = std::str::from_utf8(entry).ok()?.trim();
    let bracketed = || entry.strip_prefix('[')?.strip_suffix(']')?.parse().ok().map(IpAddr::V6);
    let with_port = || entry.parse::<SocketAddr>().ok().map(|address| address.ip());
    let ip = entry.parse().ok().or_else(with_port).or_else(bracketed)?;
    Some(ip.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn of(peer: &str, lines: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append("x-forwarded-for", HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        let networks: [ipnet::IpNet; 2] = ["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()];
        let is_trusted = |ip| networks.iter().any(|network| network.contains(&ip));
        ClientAddress::of(peer.parse().unwrap(), &headers, is_trusted).ip.to_string()
    }

    #[test]
    fn the_client_is_the_first_address_from_the_right_that_is_no_trusted_proxy() {
        for (peer, lines, client) in [
            // The header of a client that is no proxy is not believed.
            ("203.0.113.9", &["192.0.2.1"][..], "203.0.113.9"),
            ("203.0.113.9", &[], "203.0.113.9"),
            ("10.0.0.1", &["203.0.113.9"], "203.0.113.9"),
            ("::ffff:10.0.0.1", &["::ffff:203.0.113.9"], "203.0.113.9"),
            // What the client sent itself stands left of what the proxy appended.
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
            // An entry that is no address ends the search at the last trusted proxy.
            ("10.0.0.1", &["192.0.2.1, unknown"], "10.0.0.1"),
            ("10.0.0.1", &["192.0.2.1, unknown, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", &["192.0.2.1", ""], "10.0.0.1"),
            ("10.0.0.1", &["192.0.2.1,, 10.0.0.2"], "10.0.0.2"),
            ("10.0.0.1", &["192.0.2.1, 203.0.113.9:port"], "10.0.0.1"),
            ("10.0.0.1", &["192.0.2.1, 203.0.113.9:99999"], "10.0.0.1"),
            ("10.0.0.1", &["192.0.2.1, [203.0.113.9]"], "10.0.0.1"),
            ("10.0.0.1", &["192.0.2.1, \u{e9}"], "10.0.0.1"),
            ("10.0.0.1", &["192.0.2.1 203.0.113.9"], "10.0.0.1"),
            // Everything on the way is ours: the request began at the leftmost.
            ("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", &[], "10.0.0.1"),
        ] {
            assert_eq!(of(peer, lines), client, "{peer} {lines:?}");
        }
    }

    #[test]
    fn a_request_that_a_proxy_passed_on_is_known() {
        let of = |peer: &str, header: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            if let Some(name) = header {
                headers.insert(name, HeaderValue::from_static("x"));
            }
            let proxy: IpAddr = "127.0.0.2".parse().unwrap();
            ClientAddress::of(peer.parse().unwrap(), &headers, |ip| ip == proxy).is_proxied
        };
        assert!(!of("127.0.0.1", None));
        assert!(of("127.0.0.2", None), "a trusted proxy that adds no header");
        assert!(PASSED_ON.iter().all(|name| of("127.0.0.1", Some(name))));
    }
}
