//! Decides which addresses the server may call: not this machine, not its network, not the metadata service of a cloud. No I/O.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use url::{Host, Url};

/// IPv4 networks without public servers: all of IANA's special-purpose registry, the deprecated relays of 6to4, and multicast. The
/// list also contains the blocks that the registry describes as globally reachable, because they are anycast services (port control
/// and relays around NAT, the name servers of AS112, multicast relays): the nearest network responds to them, often our own.
const BLOCKED_V4: [(Ipv4Addr, u8); 18] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 31, 196, 0), 24),
    (Ipv4Addr::new(192, 52, 193, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(192, 175, 48, 0), 24),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// The only network from which IANA assigns public IPv6 addresses. The guard rejects all other addresses: IPv4 addresses in other
/// notations (`::127.0.0.1`, `::ffff:0:127.0.0.1`, NAT64's `64:ff9b::/96` and `64:ff9b:1::/48`), the identifiers of segment routing
/// (`5f00::/16`), private and link-local addresses, multicast, and networks that are not assigned yet.
const PUBLIC_V6: (Ipv6Addr, u8) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Networks within [`PUBLIC_V6`] without public servers. Addresses of 6to4 (`2002::/16`) and Teredo (in `2001::/23`) contain an
/// IPv4 address that a relay would call. The list also contains the blocks that the registry describes as globally reachable: they are
/// anycast services, as in [`BLOCKED_V4`], or identifiers that no network routes.
const BLOCKED_V6: [(Ipv6Addr, u8); 5] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0), 48),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// The addresses, hosts and ports that the server may call.
#[derive(Debug, Clone, Default)]
pub struct AddressGuard {
    /// Networks that the server may call even if they are private.
    allowed_networks: Vec<IpNet>,
    allow_http: bool,
    /// In lower case; an empty list allows all hosts.
    allowed_hosts: Vec<String>,
    /// An empty list allows all ports.
    allowed_ports: Vec<u16>,
}

impl AddressGuard {
    /// Creates a guard that also allows these networks and, with `allow_http`, unencrypted HTTP.
    #[must_use]
    pub fn new(allowed_networks: Vec<IpNet>, allow_http: bool) -> Self {
        Self { allowed_networks, allow_http, ..Self::default() }
    }

    /// Allows only these hosts and ports; an empty list allows all. `*.example.com` matches every name below `example.com`, but
    /// not `example.com` itself.
    #[must_use]
    pub fn with_allowlist(mut self, hosts: &[String], ports: &[u16]) -> Self {
        self.allowed_hosts = hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
        self.allowed_ports = ports.to_vec();
        self
    }

    /// Checks that the configuration allows the host and the port.
    pub fn check_target(&self, url: &Url) -> Result<(), String> {
        let host = url.host_str().unwrap_or_default();
        let matches = |allowed: &String| match allowed.strip_prefix('*') {
            Some(suffix) => host.len() > suffix.len() && host.ends_with(suffix),
            None => host == allowed,
        };
        if !self.allowed_hosts.is_empty() && !self.allowed_hosts.iter().any(matches) {
            return Err(format!("{host} is not in outbound.allowed_hosts"));
        }
        match url.port_or_known_default() {
            Some(port) if !self.allowed_ports.is_empty() && !self.allowed_ports.contains(&port) => {
                Err(format!("port {port} is not in outbound.allowed_ports"))
            }
            _ => Ok(()),
        }
    }

    /// Whether the server may call `ip`.
    #[must_use]
    pub fn allows(&self, ip: IpAddr) -> bool {
        // The system would call the IPv4 address of an IPv4-mapped address.
        let ip = match ip {
            IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(ip, IpAddr::V4),
            IpAddr::V4(_) => ip,
        };
        if self.allowed_networks.iter().any(|network| network.contains(&ip)) {
            return true;
        }
        match ip {
            IpAddr::V4(ip) => {
                !BLOCKED_V4.iter().any(|(net, length)| Ipv4Net::new_assert(*net, *length).contains(&ip))
            }
            IpAddr::V6(ip) => {
                let contains =
                    |(net, length): &(Ipv6Addr, u8)| Ipv6Net::new_assert(*net, *length).contains(&ip);
                contains(&PUBLIC_V6) && !BLOCKED_V6.iter().any(contains)
            }
        }
    }

    /// Parses a URL and makes all checks that need no DNS lookup.
    pub fn check(&self, text: &str) -> Result<Url, String> {
        let url = Url::parse(text).map_err(|error| format!("it is not an address: {error}"))?;
        match url.scheme() {
            "https" => {}
            "http" if self.allow_http => {}
            "http" => return Err("it must begin with https://".into()),
            other => return Err(format!("{other}: is not a web address")),
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("it must not contain a user name or password".into());
        }
        match url.host() {
            Some(Host::Ipv4(ip)) if !self.allows(IpAddr::V4(ip)) => Err(format!("{ip} is a private address")),
            Some(Host::Ipv6(ip)) if !self.allows(IpAddr::V6(ip)) => Err(format!("{ip} is a private address")),
            // 134744072, 0x8.8.8.8 and 8.8.2056 are all 8.8.8.8. Such a spelling hides the address.
            Some(Host::Ipv4(ip)) if written_host(text).is_none_or(|host| host != ip.to_string()) => {
                Err(format!("write the host as {ip}"))
            }
            Some(Host::Domain("")) | None => Err("it has no host".into()),
            Some(_) => self.check_target(&url).map(|()| url),
        }
    }
}

/// Returns the host as the text spells it, without the port. The address must not contain a user name.
fn written_host(url: &str) -> Option<&str> {
    let (_, after_scheme) = url.split_once("://")?;
    let authority = after_scheme.split(['/', '?', '#', '\\']).next()?;
    authority.split(':').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_private_addresses() {
        let guard = AddressGuard::default();
        let rejected_urls = [
            "http://example.com/",
            "ftp://example.com/",
            "file:///etc/passwd",
            "gopher://example.com/",
            "javascript:alert(1)",
            "data:text/plain,x",
            "https://user@example.com/",
            "https://user:pass@example.com/",
            "https://0.0.0.0/",
            "https://0.1.2.3/",
            "https://10.0.0.1/",
            "https://10.255.255.255/",
            "https://100.64.0.1/",
            "https://100.127.255.255/",
            "https://127.0.0.1/",
            "https://127.1/",
            "https://127.0.1/",
            "https://0177.0.0.1/",
            "https://0x7f.0.0.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://2852039166/",
            "https://0xa9fea9fe/",
            "https://169.254.169.254/latest/meta-data",
            "https://172.16.0.1/",
            "https://172.31.255.255/",
            "https://192.0.0.8/",
            "https://192.0.2.1/",
            "https://192.88.99.1/",
            "https://192.168.0.1/",
            "https://192.168.255.255/",
            "https://198.18.0.1/",
            "https://198.19.255.255/",
            "https://198.51.100.1/",
            "https://203.0.113.1/",
            "https://224.0.0.1/",
            "https://239.255.255.255/",
            "https://240.0.0.1/",
            "https://255.255.255.255/",
            "https://[::]/",
            "https://[::1]/",
            "https://[::ffff:127.0.0.1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://[::ffff:169.254.169.254]/",
            "https://[64:ff9b::7f00:1]/",
            "https://[64:ff9b:1::1]/",
            "https://[100::1]/",
            "https://[2001::1]/",
            "https://[2001:db8::1]/",
            "https://[2002:7f00:1::]/",
            "https://[3fff::1]/",
            "https://[fc00::1]/",
            "https://[fd12:3456::1]/",
            "https://[fe80::1]/",
            "https://[fec0::1]/",
            "https://[ff02::1]/",
            "https://127。0。0。1/",
            "https://①②⑦.0.0.1/",
            "https://[::127.0.0.1]/",
            "https://[::ffff:0:127.0.0.1]/",
            "https://[64:ff9b::8.8.8.8]/",
            "https://[5f00::1]/",
            "https://[4000::1]/",
            "https://[2001:0:53aa:64c:0:1::1]/",
            "https://[2002:808:808::1]/",
            "https://192.175.48.1/",
            "https://134744072/",
            "https://0x08080808/",
            "https://010.8.8.8/",
            "https://8.8.2056/",
            "https://8.8.8.8./",
            "https:8.8.8.8/",
            "https://\t8.8.8.8/",
            "not an address",
            "https://",
            "//example.com/",
        ];
        assert!(rejected_urls.len() >= 60);
        for url in rejected_urls {
            assert!(guard.check(url).is_err(), "{url} was allowed");
        }
        for url in [
            "https://example.com/",
            "https://8.8.8.8/",
            "https://8.8.8.8:8443?x=1",
            "https://172.32.0.1/",
            "https://100.128.0.1/",
            "https://[2606:4700::1]/",
            "https://192.0.1.1/",
        ] {
            assert!(guard.check(url).is_ok(), "{url} was rejected");
        }
    }

    /// Returns the first, the middle and the last address of each block in a row.
    fn sample_addresses(blocks: &str) -> Vec<IpAddr> {
        let parse_net = |block: &str| -> IpNet { block.split(' ').next().unwrap().parse().unwrap() };
        let sample = |net: IpNet| {
            let middle = match net {
                IpNet::V4(net) => {
                    let (first, last) = (u32::from(net.network()), u32::from(net.broadcast()));
                    IpAddr::V4((first + (last - first) / 2).into())
                }
                IpNet::V6(net) => {
                    let (first, last) = (u128::from(net.network()), u128::from(net.broadcast()));
                    IpAddr::V6((first + (last - first) / 2).into())
                }
            };
            [net.network(), middle, net.broadcast()]
        };
        blocks.split(", ").flat_map(|block| sample(parse_net(block))).collect()
    }

    #[test]
    fn rejects_every_special_purpose_network() {
        let guard = AddressGuard::default();
        for (file, min_rows) in [
            (include_str!("../../../../fixtures/iana-ipv4-special-registry.csv"), 25),
            (include_str!("../../../../fixtures/iana-ipv6-special-registry.csv"), 25),
        ] {
            assert!(
                file.lines().next().unwrap().contains("as of 20"),
                "the file has the date of the registry"
            );
            let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(file.as_bytes());
            assert_eq!(&reader.headers().unwrap()[8], "Globally Reachable");
            let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
            assert!(rows.len() >= min_rows, "{} rows", rows.len());
            for row in &rows {
                for ip in sample_addresses(&row[0]) {
                    assert!(!guard.allows(ip), "{ip} of {} ({}) was allowed", &row[0], &row[1]);
                }
            }
        }
    }

    #[test]
    fn allows_a_configured_private_network() {
        let guard = AddressGuard::new(vec!["127.0.0.0/8".parse().unwrap()], true);
        assert!(guard.check("http://127.0.0.1:9/").is_ok() && guard.check("http://10.0.0.1/").is_err());
        assert!(guard.allows("::ffff:127.0.0.1".parse().unwrap()));
    }

    #[test]
    fn a_configured_allowlist_limits_hosts_and_ports() {
        let hosts = ["panel.example".to_owned(), "*.Hooks.example".to_owned()];
        let guard = AddressGuard::default().with_allowlist(&hosts, &[443, 8443]);
        for url in [
            "https://panel.example/",
            "https://PANEL.example:443/x",
            "https://panel.example:8443/",
            "https://a.hooks.example/",
            "https://a.b.hooks.example/",
        ] {
            assert!(guard.check(url).is_ok(), "{url} was rejected");
        }
        for url in [
            "https://hooks.example/",
            "https://evilhooks.example/",
            "https://.hooks.example/",
            "https://panel.example.evil.example/",
            "https://a.panel.example/",
            "https://8.8.8.8/",
            "https://panel.example.:443/",
        ] {
            assert!(guard.check(url).unwrap_err().contains("outbound.allowed_hosts"), "{url} was allowed");
        }
        for url in ["https://panel.example:22/", "https://panel.example:444/"] {
            assert!(guard.check(url).unwrap_err().contains("outbound.allowed_ports"), "{url} was allowed");
        }
        let any_host = AddressGuard::default().with_allowlist(&[], &[443]);
        assert!(any_host.check("https://other.example/").is_ok());
        assert!(any_host.check("https://other.example:8080/").is_err());
        // An allowed host must not be in a private network.
        let private_host = AddressGuard::default().with_allowlist(&["10.0.0.1".to_owned()], &[]);
        assert!(private_host.check("https://10.0.0.1/").unwrap_err().contains("private"));
    }

    #[test]
    fn fuzz_addresses() {
        const SAMPLES: &[&str] = &[
            "https://a.example/x?y=1#z",
            "http://127.0.0.1/",
            "https://[::ffff:10.0.0.1]:8443/",
            "https://user:pass@a.example/",
            "https://0x7f.1/",
            "https://xn--e1afmkfd.example/{url}",
        ];
        const TOKENS: &[&str] = &[
            "[", "]", "@", ":", "//", "\\", "%", "0x7f", "\u{3002}", "\u{ad}", "#", "?", "127.1", "\t",
            "{url}",
        ];
        let guard = AddressGuard::new(Vec::new(), false);
        panel_fuzz::FuzzTarget::new("panel-platform", "addresses").run(
            panel_fuzz::mutated_texts(SAMPLES, TOKENS),
            |text| {
                if let Ok(url) = guard.check(text) {
                    assert_eq!(url.scheme(), "https", "{text}");
                    assert!(
                        !matches!(url.host(), Some(Host::Ipv4(ip)) if !guard.allows(ip.into())),
                        "{text}"
                    );
                }
                drop(crate::outbound::fill_template(text, &[("url", text)]));
            },
        );
    }
}
