import Glibc
package import NIOCore

/// The rules that decide which addresses belong to the public Internet (IANA's special-purpose registries; RFC 6890).
/// If a third party names the destination of a connection, only public addresses are allowed. Otherwise the connection
/// could reach hosts behind the operator's firewall.
///
/// In IPv6, only the range for global use (2000::/3) is public. Addresses in this range that contain an IPv4 address
/// are excluded, because the IPv4 address may be private.
package enum AddressRules {
    /// A range of addresses with a common prefix, and its purpose.
    private struct Network<Bits: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
        let bits: Bits
        let length: Int
        let purpose: String

        func contains(_ address: Bits) -> Bool { (address ^ bits) >> (Bits.bitWidth - length) == 0 }
    }

    /// The special-purpose ranges of IPv4, checked in this order.
    private static let version4: [Network<UInt32>] = [
        Network(bits: 0x0000_0000, length: 8, purpose: "this network (0.0.0.0/8)"),
        Network(bits: 0x0a00_0000, length: 8, purpose: "private networks (10.0.0.0/8)"),
        Network(bits: 0x6440_0000, length: 10, purpose: "providers' own networks (100.64.0.0/10)"),
        Network(bits: 0x7f00_0000, length: 8, purpose: "loopback (127.0.0.0/8)"),
        Network(bits: 0xa9fe_0000, length: 16, purpose: "the local link (169.254.0.0/16)"),
        Network(bits: 0xac10_0000, length: 12, purpose: "private networks (172.16.0.0/12)"),
        Network(bits: 0xc000_0000, length: 24, purpose: "protocols' own use (192.0.0.0/24)"),
        Network(bits: 0xc000_0200, length: 24, purpose: "documentation (192.0.2.0/24)"),
        Network(bits: 0xc058_6300, length: 24, purpose: "IPv6 in IPv4 (192.88.99.0/24)"),
        Network(bits: 0xc0a8_0000, length: 16, purpose: "private networks (192.168.0.0/16)"),
        Network(bits: 0xc612_0000, length: 15, purpose: "benchmarks (198.18.0.0/15)"),
        Network(bits: 0xc633_6400, length: 24, purpose: "documentation (198.51.100.0/24)"),
        Network(bits: 0xcb00_7100, length: 24, purpose: "documentation (203.0.113.0/24)"),
        Network(bits: 0xe000_0000, length: 4, purpose: "multicast (224.0.0.0/4)"),
        Network(bits: 0xf000_0000, length: 4, purpose: "future use (240.0.0.0/4)"),
    ]

    /// The special-purpose ranges of IPv6, checked in this order.
    private static let version6: [Network<UInt128>] = [
        network(0, 0, 128, "the unspecified address (::)"),
        network(0, 1, 128, "loopback (::1)"),
        network(0, 0xffff_0000_0000, 96, "IPv4 in IPv6 (::ffff:0:0/96)"),
        network(0, 0, 96, "IPv4 in IPv6 (::/96)"),
        network(0x0064_ff9b_0000_0000, 0, 96, "IPv4 in IPv6 (64:ff9b::/96)"),
        network(0x0064_ff9b_0001_0000, 0, 48, "IPv4 in IPv6 (64:ff9b:1::/48)"),
        network(0xfc00_0000_0000_0000, 0, 7, "private networks (fc00::/7)"),
        network(0xfe80_0000_0000_0000, 0, 10, "the local link (fe80::/10)"),
        network(0xfec0_0000_0000_0000, 0, 10, "private networks (fec0::/10)"),
        network(0xff00_0000_0000_0000, 0, 8, "multicast (ff00::/8)"),
        network(0x2001_0000_0000_0000, 0, 32, "IPv6 in IPv4 (2001::/32)"),
        network(0x2001_0000_0000_0000, 0, 23, "protocols' own use (2001::/23)"),
        network(0x2001_0db8_0000_0000, 0, 32, "documentation (2001:db8::/32)"),
        network(0x2002_0000_0000_0000, 0, 16, "IPv6 in IPv4 (2002::/16)"),
        network(0x3fff_0000_0000_0000, 0, 20, "documentation (3fff::/20)"),
    ]

    private static let global = network(0x2000_0000_0000_0000, 0, 3, "everybody")

    private static func network(_ high: UInt64, _ low: UInt64, _ length: Int, _ purpose: String) -> Network<UInt128> {
        Network(bits: UInt128(high) << 64 | UInt128(low), length: length, purpose: purpose)
    }

    package static func isPublic(_ address: SocketAddress) -> Bool { purpose(of: address) == nil }

    /// Returns the special purpose of an address, or `nil` if the address is public.
    package static func purpose(of address: SocketAddress) -> String? {
        switch address {
        case .v4: purpose(of: bits(of: address, AF_INET, as: UInt32.self))
        case .v6: purpose(of: bits(of: address, AF_INET6, as: UInt128.self))
        case .unixDomainSocket: "this machine"
        }
    }

    private static func purpose(of bits: UInt32) -> String? { version4.first { $0.contains(bits) }?.purpose }

    private static func purpose(of bits: UInt128) -> String? {
        version6.first { $0.contains(bits) }?.purpose ?? (global.contains(bits) ? nil : "future use")
    }

    private static func bits<Bits: FixedWidthInteger>(of address: SocketAddress, _ family: Int32, as: Bits.Type) -> Bits
    {
        var bits = Bits()
        inet_pton(family, address.ipAddress ?? "", &bits)
        return Bits(bigEndian: bits)
    }
}
