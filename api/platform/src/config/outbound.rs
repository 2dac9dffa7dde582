//! What the server may call: networks, hosts, ports, and how long a call takes.

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use crate::outbound::guard::Guard;

/// What may be called from here.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Outbound {
    /// Private networks that may be called all the same.
    pub allowed_networks: Vec<IpNet>,
    /// Whether plain http may be called.
    pub allow_http: bool,
    /// The only hosts that may be called, where there are any: `example.com`, or `*.example.com` for all names below it.
    pub allowed_hosts: Vec<String>,
    /// The only ports that may be called, where there are any.
    pub allowed_ports: Vec<u16>,
    /// Seconds for a whole call.
    pub seconds: u64,
    /// Calls a second to one external panel, on average, of all processes together.
    pub panel_calls_per_second: u32,
}

impl Default for Outbound {
    fn default() -> Self {
        Self {
            allowed_networks: Vec::new(),
            allow_http: false,
            allowed_hosts: Vec::new(),
            allowed_ports: Vec::new(),
            seconds: 15,
            panel_calls_per_second: 20,
        }
    }
}

impl Outbound {
    /// What decides about each call.
    #[must_use]
    pub fn guard(&self) -> Guard {
        Guard::new(self.allowed_networks.clone(), self.allow_http)
            .only_to(&self.allowed_hosts, &self.allowed_ports)
    }

    /// Refuses hosts that are written in a way which no address has.
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

    /// Refuses an address of the configuration that the server is to call and may not.
    pub(super) fn check_called(&self, key: &str, url: Option<&str>) -> Result<(), String> {
        let Some(Ok(url)) = url.map(url::Url::parse) else { return Ok(()) };
        let refused = self.guard().check_target(&url).err();
        refused.map_or(Ok(()), |why| Err(format!("configuration: {key}: {why}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_that_no_address_has_are_named() {
        let checked =
            |host: &str| Outbound { allowed_hosts: vec![host.into()], ..Outbound::default() }.check();
        for host in [
            "example.com",
            "*.example.com",
            "Example.com",
            "10.0.0.7",
            "[2001:db8::7]",
            "xn--e1afmkfd.example",
        ] {
            assert!(checked(host).is_ok(), "{host}");
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
            assert!(checked(host).unwrap_err().contains("outbound.allowed_hosts"), "{host}");
        }
    }

    #[test]
    fn a_configured_address_that_may_not_be_called_is_named() {
        let outbound = Outbound { allowed_hosts: vec!["example.com".into()], ..Outbound::default() };
        assert!(outbound.check_called("translate.url", None).is_ok());
        assert!(outbound.check_called("translate.url", Some("https://example.com/x")).is_ok());
        let refused = outbound.check_called("translate.url", Some("https://deepl.example")).unwrap_err();
        assert_eq!(refused, "configuration: translate.url: deepl.example is not in outbound.allowed_hosts");
    }
}
