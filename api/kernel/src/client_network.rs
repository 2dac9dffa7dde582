//! The network that one client owns, for limits that count by client.

use std::net::{IpAddr, Ipv6Addr};

/// The address of an IPv4 client, the /64 of an IPv6 one, who owns all of it. Dual-stack sockets show IPv4 as IPv6.
#[must_use]
pub fn network_of(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V4(ip) => IpAddr::V4(ip),
        IpAddr::V6(ip) => IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() & (u128::MAX << 64))),
    }
}
