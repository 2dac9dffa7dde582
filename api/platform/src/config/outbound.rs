//! Configuration of outbound requests: allowed networks, hosts and ports, the timeout of a request.

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use crate::outbound::guard::AddressGuard;

/// Limits of outbound requests.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OutboundConfig {
    /// Private networks that the server may call.
    pub allowed_networks: Vec<IpNet>,
    /// Whether the server may call plain http.
    pub allow_http: bool,
    /// The only hosts that the server may call; an empty list allows all. `example.com`, or `*.example.com` for all names below it.
    pub allowed_hosts: Vec<String>,
    /// The only ports that the server may call; an empty list allows all.
    pub allowed_ports: Vec<u16>,
    /// Timeout in seconds of a request, until its response is complete.
    pub timeout_seconds: u64,
    /// Average requests per second to one external panel, of all processes together.
    pub panel_calls_per_second: u32,
}

impl Default for OutboundConfig {
    fn default() -> Self {
        Self {
            allowed_networks: Vec::new(),
            allow_http: false,
            allowed_hosts: Vec::new(),
            allowed_ports: Vec::new(),
            timeout_seconds: 15,
            panel_calls_per_second: 20,
        }
    }
}

impl OutboundConfig {
    /// Creates the guard that checks the address of each request.
    #[must_use]
    pub fn guard(&self) -> AddressGuard {
        AddressGuard::new(self.allowed_networks.clone(), self.allow_http)
            .with_allowlist(&self.allowed_hosts, &self.allowed_ports)
    }

    /// Rejects host names that cannot occur in an address.
    pub(super) fn check(&self) -> Result<(), String> {
        let is_host = |host: &String| {
            let name = host.strip_prefix("*.").unwrap_or(host);
            !name.contains('*')
                && url::Url::parse(&format!("https://{name}/"))
                    .is_ok_and(|url| url.host_str().is_some_and(|host| host.eq_ignore_ascii_case(name)))
        };
        match self.allowed_hosts.iter().find(|host| !is_host(host)) {
            Some(host) => Err(format!(
                "configuration: outbound.allowed_hosts: write host names such as panel.example.com or *.example.com (a name with other letters as xn--…), not {host:?}"
            )),
            None => Ok(()),
        }
    }

    /// Rejects a configured address that the server may not call.
    pub(super) fn check_callable(&self, key: &str, url: Option<&str>) -> Result<(), String> {
        let Some(Ok(url)) = url.map(url::Url::parse) else { return Ok(()) };
        self.guard().check_target(&url).map_err(|error| format!("configuration: {key}: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_invalid_hosts() {
        let check = |host: &str| {
            OutboundConfig { allowed_hosts: vec![host.into()], ..OutboundConfig::default() }.check()
        };
        for host in [
            "example.com",
            "*.example.com",
            "Example.com",
            "10.0.0.7",
            "[2001:db8::7]",
            "xn--e1afmkfd.example",
        ] {
            assert!(check(host).is_ok(), "{host}");
        }
        for host in [
            "",
            "*",
            "*.",
            "a.*.example",
            "https://example.com",
            "example.com:443",
            "example.com/",
            "пример.example",
        ] {
            assert!(check(host).unwrap_err().contains("outbound.allowed_hosts"), "{host}");
        }
    }

    #[test]
    fn errors_name_a_configured_address_outside_the_allowed_hosts() {
        let outbound =
            OutboundConfig { allowed_hosts: vec!["example.com".into()], ..OutboundConfig::default() };
        assert!(outbound.check_callable("translate.url", None).is_ok());
        assert!(outbound.check_callable("translate.url", Some("https://example.com/x")).is_ok());
        let error = outbound.check_callable("translate.url", Some("https://deepl.example")).unwrap_err();
        assert_eq!(error, "configuration: translate.url: deepl.example is not in outbound.allowed_hosts");
    }
}
