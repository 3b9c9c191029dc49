package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/cel-go/common/types"
)

var (
	words    = []string{"", "a", "b", "A100", "gpu.example.com", "model", "hello world", " x ", "größer", "世界", "a,b,,c", "3", "-7", "true", "null", "aaa", "\t", "100%", "a\\b", "\"q\"", "1.10.0"}
	versions = []string{"1.2.3", "1.10.0", "1.10.0-rc.1+build.5", "v1.2", "1.2", "01.2.3", "1.2.3-01", "1.2.3+", "x.y.z", "1.2.3-a..b", "18446744073709551616.0.0", "", "1", "v1.02.3-rc.1", "1.2.3-a_b", "9223372036854775808.1.2", "1.2.", "1.2.3-"}
	numbers  = []string{"1", "0", "-1", "1Ki", "1.5Gi", "100m", "1e3", "1E-3", "1.5", "many", "", "1 Gi", "9223372036854775807", "9223372036854775808", "0.1n", "1n", ".5", "5.", "+3", "1Ei", "9999999999999999999999G", "0.000000000001", "1e", "1e100", "12345678901234567890123", "-0.5Ki", "8Ei", "1u", "1KiB", "1.1.1", "--1", "1e-30"}
	ips      = []string{"10.1.2.3", "192.168.0.1", "::1", "2001:db8::abcd", "127.0.0.1", "0.0.0.0", "224.0.0.1", "169.254.1.1", "fe80::1%eth0", "::ffff:1.2.3.4", "1.2.3", "256.1.1.1", "01.2.3.4", "", "ff02::1", "1:2:3:4:5:6:7:8", "1::2::3", "g::1", "2001:DB8::1", "1.2.3.4.5", "::", "1:2:3", "fe80::1", "255.255.255.255", ":1", "1:", "12345::"}
	cidrs    = []string{"10.0.0.0/8", "10.1.2.3/24", "2001:db8::/32", "::1/128", "0.0.0.0/0", "10.0.0.0/33", "10.0.0.0", "10.0.0.0/", "10.0.0.0/x", "::ffff:1.2.3.4/100", "10.0.0.0/08", "fe80::%eth0/64", "/8", "1.2.3/8", "192.168.0.0/16", "1::/129"}
	urls     = []string{"https://example.com:443/path?k=v&k=w&l", "http://[::1]:80/", "/a/b%20c?x=1", "mailto:a@b", "", "example.com", "http://user:pw@host/p", "http://a b/", "https://example.com/%zz", "ftp://h/ü", "http://[::1", "http://h:port/", "http:///x", "//host/p", "*", "http://h?q=%41+b;c", "1http://x", ":foo", "http://a\x7f/"}
	times    = []string{"2024-02-29T12:34:56Z", "2023-01-01T00:00:00.123456789+02:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "2023-01-01T05:30:00+05:30", "2023-01-01T00:00:00+00:00", "2023-02-30T00:00:00Z", "now", "1970-01-01T00:00:00Z", "2023-1-1T0:0:0Z", "2023-01-01T24:00:00Z", "2000-06-15T23:59:60Z", "1969-12-31T23:59:59.5-07:00", "10000-01-01T00:00:00Z"}
	periods  = []string{"1s", "1h30m", "-5m", "1.5s", "100ms", "3us", "7ns", "0", "", "1d", "1", "2562047h47m16.854775807s", "9999999h", ".5s", "-.5h", "1h1h", "-0s", "1µs", "-2562047h47m16.854775808s", "0.000000001s", "1.0000000009s"}
	patterns = []string{"^a.*", "[0-9]+", "(a|b)c?", "\\d+", "(", "[", "a{2,3}", "(?i)A100", "\\pL+", "^$", "", "a**", "[z-a]", "\\", "(?P<n>a)", ".", "o", "[[:alpha:]]+", "x{1001}", "\\bw", "(?s).+", "a|", "[^a-z ]", "\\Qa.b\\E", "(?z)", "\\8", "a{,2}", "é|ß", "\\w+", "\\s", "*", "[[:foo:]]", "\\p{Greek}", "\\pX", "(?:a", "a)", "(?P<1>a)", "\\x{61}", "[a\\]b]+", "a+?", "\\S+$", "(?i:ß)", "(a*)*", "\\C"}
	formats  = []string{"%s", "%d", "%.3f", "%s and %d", "%e", "%b", "%x", "%X", "%o", "%%", "%", "%q", "%.2e", "%s%s%s", "plain", "%.f", "%.100f", "%.20e", "%.300f", "%.33000f", "%.70000e", "%.10000010f", "%5d", "%f", "ä%sß"}
	named    = []string{"dns1123Label", "dns1123Subdomain", "dns1035Label", "qualifiedName", "dns1123LabelPrefix", "dns1123SubdomainPrefix", "dns1035LabelPrefix", "labelValue", "uri", "uuid", "byte", "date", "datetime", "nope"}
	zones    = []string{"UTC", "", "+02:00", "-07:30", "02:00", "+2:5", "x:y", "+25:00", "1:60", "-0:30"}
	checked  = []string{"my-name", "a.b.c", "UPPER", "-x", "x-", "a/b", "example.com/name", strings.Repeat("a", 64), strings.Repeat("ab.", 90), "", "123e4567-e89b-12d3-a456-426614174000", "aGVsbG8=", "2021-01-01", "2021-13-01", "2021-01-01T00:00:00Z", "a b", "9x", "a/b/c", "aGVsbG8", "under_score", "ä"}
	ints     = []string{"0", "1", "2", "3", "-1", "5", "10", "100", "9223372036854775807", "-9223372036854775808", "0x1F", "7", "1000000"}
	doubles  = []string{"0.0", "1.5", "-2.25", "1e3", "1e300", "-0.0", "0.1", "123456.789", "1e21", "1e-7", "9223372036854775807.0", "3.0", "2.675", "1234567.0", "18446744073709551616.0"}
	uints    = []string{"0u", "1u", "3u", "18446744073709551615u", "0x10u", "7U"}
	bytes    = []string{`b"abc"`, `b""`, `b"\xff\x00"`, `b'ä'`, `B"\101"`, `b"b"`}
)

// textsFor are texts that a function has a use for.
func textsFor(function string, member bool, at int) []string {
	switch function {
	case "semver", "isSemver":
		return versions
	case "quantity", "isQuantity":
		return numbers
	case "ip", "isIP", "ip.isCanonical", "containsIP":
		return ips
	case "cidr", "isCIDR", "containsCIDR":
		return cidrs
	case "url", "isURL":
		return urls
	case "timestamp":
		return times
	case "duration":
		return periods
	case "matches", "find", "findAll":
		if at == 1 {
			return patterns
		}
	case "format":
		return formats
	case "format.named":
		return named
	case "validate":
		return checked
	case "int", "uint", "double", "bool":
		return []string{"1", "-1", "1.5", "b", "true", "", "9223372036854775808", "18446744073709551615", "NaN", "Infinity", "1e400", "0x1p-2", "t", "TRUE", "1_000", "+5", "inf", "0x10", " 1", "False", "0"}
	}
	if strings.HasPrefix(function, "get") && at == 1 {
		return zones
	}
	return nil
}

// attribute is an attribute or another part of the device.
func (g *generator) attribute() string {
	domain := pick(g, "gpu.example.com", "gpu.example.com", "gpu.example.com", "example.com", "nope.example.com")
	name := pick(g, "model", "index", "healthy", "firmware", "nope")
	if domain == "example.com" {
		name = pick(g, "socket", "numa", "address", "name")
	}
	of := pick(g, "attributes", "attributes", "attributes", "attributes", "capacity")
	if of == "capacity" {
		name = pick(g, "memory", "cores", "huge")
	}
	switch g.rand.IntN(14) {
	case 0:
		return fmt.Sprintf("device.%s[%q][%q]", of, domain, name)
	case 1:
		return fmt.Sprintf("device.%s[%q].?%s", of, domain, name)
	case 2:
		return fmt.Sprintf("device.?%s[%q].%s", of, domain, name)
	case 3:
		return fmt.Sprintf("device.%s[%q][?%q]", of, domain, name)
	case 4:
		return fmt.Sprintf("has(device.%s[%q].%s)", of, domain, name)
	case 5:
		return fmt.Sprintf("device.%s[?%q].%s", of, domain, name)
	case 6:
		return pick(g, "device", "device.attributes", "device.capacity", "device.nope", "device.driver", "has(device.driver)", "has(device.allowMultipleAllocations)", "has(device.attributes)", "device.?driver")
	}
	return fmt.Sprintf("device.%s[%q].%s", of, domain, name)
}

// quote writes a text as a literal.
func quote(g *generator, text string) string {
	plain := !strings.ContainsAny(text, "'\"\\\n\r\t\x7f")
	switch {
	case plain && g.chance(20):
		return "'" + text + "'"
	case plain && g.chance(5):
		return `r"` + text + `"`
	case plain && g.chance(5):
		return `"""` + text + `"""`
	}
	return strings.ReplaceAll(strings.ReplaceAll(strconv.Quote(text), `\x7f`, "\x7f"), `\u0000`, `\x00`)
}

// leaf is an expression of a type, as short as it can be.
func (g *generator) leaf(t *types.Type) string {
	switch t.Kind() {
	case types.BoolKind:
		return pick(g, "true", "false", "device.allowMultipleAllocations")
	case types.IntKind:
		return pick(g, ints...)
	case types.UintKind:
		return pick(g, uints...)
	case types.DoubleKind:
		return pick(g, doubles...)
	case types.BytesKind:
		return pick(g, bytes...)
	case types.NullTypeKind:
		return "null"
	case types.StringKind:
		if g.chance(15) {
			return "device.driver"
		}
		return quote(g, pick(g, words...))
	case types.DurationKind:
		return "duration(" + quote(g, pick(g, periods[:8]...)) + ")"
	case types.TimestampKind:
		if g.chance(20) {
			return "timestamp(" + pick(g, ints...) + ")"
		}
		return "timestamp(" + quote(g, pick(g, times[:6]...)) + ")"
	case types.TypeKind:
		return pick(g, "int", "string", "type", "bool", "list", "map", "null_type", "double", "uint", "bytes", "google.protobuf.Duration", "google.protobuf.Timestamp", "type(1)", "net.IP", "optional_type", `type("a")`)
	case types.ListKind:
		n := pick(g, 0, 1, 1, 2, 3, 4)
		switch t.Parameters()[0].Kind() {
		case types.IntKind, types.DoubleKind, types.StringKind, types.DurationKind, types.TimestampKind:
			if g.chance(4) {
				n = pick(g, 13, 20, 60) // the sort of more than twelve elements is not stable
			}
		}
		parts := make([]string, n)
		for i := range parts {
			parts[i] = g.leaf(t.Parameters()[0])
			if g.chance(4) {
				parts[i] = "?optional.of(" + parts[i] + ")"
			}
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case types.MapKind:
		parts := make([]string, pick(g, 0, 1, 1, 2, 3))
		for i := range parts {
			key := g.leaf(t.Parameters()[0])
			if t.Parameters()[0].Kind() == types.StringKind {
				key = quote(g, pick(g, "a", "b", "c"))
			}
			parts[i] = key + ": " + g.leaf(t.Parameters()[1])
			if g.chance(4) {
				parts[i] = "?" + key + ": optional.none()"
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case types.DynKind, types.AnyKind:
		return g.attribute()
	case types.StructKind:
		switch t.TypeName() {
		case "kubernetes.Quantity":
			if g.chance(30) {
				return pick(g, `device.capacity["gpu.example.com"].memory`, `device.capacity["gpu.example.com"].cores`, `device.capacity["example.com"].memory`)
			}
			return "quantity(" + quote(g, pick(g, numbers[:9]...)) + ")"
		case "kubernetes.Semver":
			return "semver(" + quote(g, pick(g, versions[:3]...)) + ")"
		case "kubernetes.URL":
			return "url(" + quote(g, pick(g, urls[:4]...)) + ")"
		case "kubernetes.NamedFormat":
			return "format." + pick(g, named[:13]...) + "()"
		}
	case types.OpaqueKind:
		switch t.TypeName() {
		case "net.IP":
			return "ip(" + quote(g, pick(g, ips[:7]...)) + ")"
		case "net.CIDR":
			return "cidr(" + quote(g, pick(g, cidrs[:5]...)) + ")"
		case "optional_type":
			if g.chance(25) {
				return "optional.none()"
			}
			return "optional.of(" + g.leaf(t.Parameters()[0]) + ")"
		}
	}
	return g.attribute()
}
