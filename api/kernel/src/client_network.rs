//! The network of a client, for limits per client.

use std::net::{IpAddr, Ipv6Addr};

/// The address of an IPv4 client, or the /64 network of an IPv6 client, which usually owns all of it. IPv4-mapped IPv6 addresses
/// count as IPv4.
#[must_use]
pub fn client_network(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V4(ip) => IpAddr::V4(ip),
        IpAddr::V6(ip) => IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() & (u128::MAX << 64))),
    }
}
