//! Addresses and networks.
//!
//! Upstream: Go's `net/netip`.

use core::net::{Ipv4Addr, Ipv6Addr};
use std::fmt;

use go::quoted;

/// An address without a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ip {
    V4(u32),
    V6(u128),
}

/// A network: an address and a prefix length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cidr {
    pub ip: Ip,
    pub prefix: usize,
}

/// The canonical text of an address.
pub(crate) struct Address {
    pub ip: Ip,
    pub zone: bool,
}

impl Ip {
    pub const fn bits(&self) -> usize {
        match self {
            Self::V4(_) => 32,
            Self::V6(_) => 128,
        }
    }

    fn mask(self, prefix: usize) -> Self {
        match self {
            Self::V4(ip) => Self::V4(
                u32::try_from(prefix).map_or(0, |p| ip & !u32::MAX.checked_shr(p).unwrap_or(0)),
            ),
            Self::V6(ip) => Self::V6(
                u32::try_from(prefix).map_or(0, |p| ip & !u128::MAX.checked_shr(p).unwrap_or(0)),
            ),
        }
    }

    pub fn parse(text: &str) -> Result<Self, String> {
        let address = Address::parse(text).map_err(|e| {
            format!("IP Address {} parse error during conversion from string: {e}", quoted(text))
        })?;
        if address.zone {
            return Err(format!("IP address {} with zone value is not allowed", quoted(text)));
        }
        if address.ip.is_mapped() {
            return Err(format!("IPv4-mapped IPv6 address {} is not allowed", quoted(text)));
        }
        Ok(address.ip)
    }

    const fn is_mapped(self) -> bool {
        matches!(self, Self::V6(ip) if ip >> 32 == 0xffff)
    }

    pub const fn is_unspecified(self) -> bool {
        matches!(self, Self::V4(0) | Self::V6(0))
    }

    pub const fn is_loopback(self) -> bool {
        match self {
            Self::V4(ip) => ip >> 24 == 127,
            Self::V6(ip) => ip == 1,
        }
    }

    pub const fn is_link_local_multicast(self) -> bool {
        match self {
            Self::V4(ip) => ip >> 8 == 0xe0_0000,
            Self::V6(ip) => ip >> 112 & 0xff0f == 0xff02,
        }
    }

    pub const fn is_link_local_unicast(self) -> bool {
        match self {
            Self::V4(ip) => ip >> 16 == 0xa9fe,
            Self::V6(ip) => ip >> 112 & 0xffc0 == 0xfe80,
        }
    }

    const fn is_multicast(self) -> bool {
        match self {
            Self::V4(ip) => ip >> 28 == 0xe,
            Self::V6(ip) => ip >> 120 == 0xff,
        }
    }

    pub const fn is_global_unicast(self) -> bool {
        let broadcast = matches!(self, Self::V4(u32::MAX));
        !broadcast
            && !self.is_unspecified()
            && !self.is_loopback()
            && !self.is_multicast()
            && !self.is_link_local_unicast()
    }
}

impl Cidr {
    pub fn parse(text: &str) -> Result<Self, String> {
        let cidr = Self::read(text).map_err(|why| {
            let why = format!("netip.ParsePrefix({}): {why}", quoted(text));
            format!("network address parse error during conversion from string: {why}")
        })?;
        if cidr.ip.is_mapped() {
            return Err(format!("IPv4-mapped IPv6 address {} is not allowed", quoted(text)));
        }
        Ok(cidr)
    }

    /// Go's `netip.ParsePrefix`.
    fn read(text: &str) -> Result<Self, String> {
        let (address, bits) = text.rsplit_once('/').ok_or("no '/'")?;
        let address = Address::parse(address)?;
        if address.zone {
            return Err("IPv6 zones cannot be present in a prefix".into());
        }

        // A length is a decimal number without a sign or leading zeros.
        let is_plain = bits.len() <= 1 || bits.starts_with(|c: char| ('1'..='9').contains(&c));
        let prefix = bits.parse::<i64>().ok().filter(|_| is_plain);
        let prefix = prefix.ok_or_else(|| format!("bad bits after slash: {}", quoted(bits)))?;
        match usize::try_from(prefix) {
            Ok(prefix) if prefix <= address.ip.bits() => Ok(Self { ip: address.ip, prefix }),
            _ => Err("prefix length out of range".into()),
        }
    }

    pub fn masked(&self) -> Self {
        Self { ip: self.ip.mask(self.prefix), prefix: self.prefix }
    }

    pub fn contains(&self, ip: Ip) -> bool {
        self.ip.bits() == ip.bits() && self.ip.mask(self.prefix) == ip.mask(self.prefix)
    }
}

impl Address {
    pub fn parse(text: &str) -> Result<Self, String> {
        Self::read(text).map_err(|(why, at)| {
            let at = if at.is_empty() { String::new() } else { format!(" (at {})", quoted(at)) };
            format!("ParseAddr({}): {why}{at}", quoted(text))
        })
    }

    fn read(text: &str) -> Result<Self, Wrong<'_>> {
        match text.chars().find(|c| matches!(c, '.' | ':' | '%')) {
            Some('.') => Ok(Self { ip: Ip::V4(v4(text)?), zone: false }),
            Some(':') => {
                let (body, zone) =
                    text.split_once('%').map_or((text, None), |(body, zone)| (body, Some(zone)));
                if zone == Some("") {
                    return Err(("zone must be a non-empty string", ""));
                }
                Ok(Self { ip: Ip::V6(v6(body)?), zone: zone.is_some() })
            }
            Some(_) => Err(("missing IPv6 address", "")),
            None => Err(("unable to parse IP", "")),
        }
    }
}

/// The error, and the text from where it occurred.
type Wrong<'t> = (&'static str, &'t str);

fn v4(text: &str) -> Result<u32, Wrong<'_>> {
    let (mut ip, mut value, mut fields, mut digits) = (0u32, 0u32, 0, 0);
    let mut before = '.';
    for (at, c) in text.char_indices() {
        let rest = text.get(at..).unwrap_or_default();
        if let Some(digit) = c.to_digit(10) {
            if digits == 1 && value == 0 {
                return Err(("IPv4 field has octet with leading zero", ""));
            }
            value = value * 10 + digit;
            digits += 1;
            if value > 255 {
                return Err(("IPv4 field has value >255", ""));
            }
        } else if c == '.' {
            // A dot ends a field, which must have digits, and another one must follow.
            if before == '.' || rest.len() == 1 {
                return Err(("IPv4 field must have at least one digit", rest));
            }
            if fields == 3 {
                return Err(("IPv4 address too long", ""));
            }
            ip = ip << 8 | value;
            (fields, value, digits) = (fields + 1, 0, 0);
        } else {
            return Err(("unexpected character", rest));
        }
        before = c;
    }
    if fields < 3 { Err(("IPv4 address too short", "")) } else { Ok(ip << 8 | value) }
}

fn v6(text: &str) -> Result<u128, Wrong<'_>> {
    let mut groups: Vec<u16> = Vec::new();
    // The number of groups before `::`, which stands for as many zeros as are missing.
    let (mut rest, mut gap) = (text, None);
    if let Some(behind) = rest.strip_prefix("::") {
        (rest, gap) = (behind, Some(0));
        if rest.is_empty() {
            return Ok(0);
        }
    }
    while groups.len() < 8 {
        let length = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        if length > 4 {
            return Err(("each group must have 4 or less digits", rest));
        }
        if length == 0 {
            return Err(("each colon-separated field must have at least one digit", rest));
        }
        let (group, behind) = rest.split_at(length);
        // The last two groups may be written as an IPv4 address.
        if behind.starts_with('.') {
            if gap.is_none() && groups.len() != 6 {
                return Err((
                    "embedded IPv4 address must replace the final 2 fields of the address",
                    rest,
                ));
            }
            if groups.len() > 6 {
                return Err((
                    "too many hex fields to fit an embedded IPv4 at the end of the address",
                    rest,
                ));
            }
            let ip = v4(rest)?;
            groups.extend([(ip >> 16) as u16, ip as u16]);
            rest = "";
            break;
        }
        groups.push(u16::from_str_radix(group, 16).unwrap_or(0));
        rest = behind;
        if rest.is_empty() {
            break;
        }
        let Some(behind) = rest.strip_prefix(':') else {
            return Err(("unexpected character, want colon", rest));
        };
        if behind.is_empty() {
            return Err(("colon must be followed by more characters", rest));
        }
        rest = behind;
        if let Some(behind) = rest.strip_prefix(':') {
            if gap.is_some() {
                return Err(("multiple :: in address", rest));
            }
            (gap, rest) = (Some(groups.len()), behind);
            if rest.is_empty() {
                break;
            }
        }
    }
    if !rest.is_empty() {
        return Err(("trailing garbage after address", rest));
    }
    match gap {
        None if groups.len() < 8 => return Err(("address string too short", "")),
        Some(_) if groups.len() == 8 => {
            return Err(("the :: must expand to at least one field of zeros", ""));
        }
        Some(at) => {
            let tail = groups.split_off(at);
            groups.resize(8 - tail.len(), 0);
            groups.extend(tail);
        }
        None => {}
    }
    Ok(groups.into_iter().fold(0, |ip, group| ip << 16 | u128::from(group)))
}

impl fmt::Display for Ip {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::V4(ip) => write!(f, "{}", Ipv4Addr::from(*ip)),
            Self::V6(ip) => write!(f, "{}", Ipv6Addr::from(*ip)),
        }
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.ip, self.prefix)
    }
}
