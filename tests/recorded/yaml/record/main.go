// Writes random YAML texts with what kubectl reads of them, one line of JSON each. The arguments are the seed and the number of texts.
//
// kubectl separates documents as apimachinery's YAMLOrJSONDecoder does, and reads each by sigs.k8s.io/yaml.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand"
	"os"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/yaml"
)

// A text, and the values of its documents; or why kubectl refuses it.
type record struct {
	Text    string            `json:"text"`
	Values  []json.RawMessage `json:"values,omitempty"`
	Refused string            `json:"refused,omitempty"`
}

func read(text string) (values []json.RawMessage, err error) {
	decoder := yaml.NewYAMLToJSONDecoder(strings.NewReader(text))
	for {
		var value json.RawMessage
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			return values, nil
		}
		if err != nil {
			return nil, err
		}
		if value == nil {
			value = json.RawMessage("null")
		}
		values = append(values, value)
	}
}

// Keys that are different values of YAML and the same name in JSON are taken in any order: what is read is not always the same.
func isAmbiguous(text string, values []json.RawMessage) bool {
	for range 8 {
		again, err := read(text)
		if err != nil || len(again) != len(values) {
			return true
		}
		for i := range again {
			if !bytes.Equal(again[i], values[i]) {
				return true
			}
		}
	}
	return false
}

type generator struct {
	*rand.Rand
	// The anchors of the document so far.
	anchors []string
	// How rare what is seldom right is.
	rarity int
}

func (g *generator) any(texts ...string) string { return texts[g.Intn(len(texts))] }

func (g *generator) oneIn(n int) bool { return g.Intn(n) == 0 }

func (g *generator) spaces(most int) string { return strings.Repeat(" ", g.Intn(most+1)) }

// A text of these characters.
func (g *generator) of(alphabet string, most int) string {
	characters := []rune(alphabet)
	var text strings.Builder
	for range 1 + g.Intn(most) {
		text.WriteRune(characters[g.Intn(len(characters))])
	}
	return text.String()
}

// What looks like a number, a time or something else that is not plain text.
func (g *generator) special() string {
	switch g.Intn(6) {
	case 0:
		return g.any("yes", "No", "on", "OFF", "y", "N", "true", "False", "TRUE", "tRUE", "null", "~", "Null", "nULL", "", "<<", ".inf",
			"-.Inf", ".nan", "+.INF", ".", "-", "+", "=", "--", "..", "...", "---", "0x", "0o8", "08", "007", "0b2", "1_", "_1", "1__0",
			"1:30", "190:20:30", "2001-12-14", "2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43.10 -5", "0.1", "1.", ".5", "+.5", "-.5",
			"1e3", "1E+3", "1e-3", "1e", "1e400", "-1e400", "1.7976931348623157e308", "1.7976931348623159e308", "4.9e-324", "1e-400", "-0",
			"-0.0", "0e0", "0x1p4", "1_000.5", "1e1_0", "0777", "-0777", "+0777", "0b101", "-0b101", "0b-101", "0b+1", "-0b-1", "0o17", "0O17",
			"0XfF", "0B1", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
			"18446744073709551615", "18446744073709551616", "+9223372036854775808", "0xffffffffffffffff", "0x10000000000000000",
			"0x7fffffffffffffff", "-0x8000000000000000", "1000000", "1e6", "123456789.5", "1e20", "1e21", "1e22", "100000000000000000000",
			"12e03", "685_230.15", "0.30000000000000004", "16777217.0", "1e39", "100m", "1Gi", "1e3Mi", "5.0", "1.50")
	case 1:
		return g.of("0123456789", 20)
	case 2:
		return g.of("0123456789_eE+-.", 8)
	case 3:
		return g.any("0x", "-0x", "+0X", "0b", "0o", "-0b", "0") + g.of("0123456789abcdefABCDEF_", 17)
	case 4:
		return strconv.FormatFloat(g.NormFloat64()*float64(g.Intn(1000)), byte(g.any("e", "f", "g", "G")[0]), g.Intn(20)-1, 64)
	default:
		return g.of("0123456789abcdefoxBX_.:+-~yYnN", 6)
	}
}

func (g *generator) word() string {
	if g.Intn(g.rarity) > 0 {
		return g.any("a", "web", "shop", "n1", "kubernetes.io/hostname", "grün", "日本", "x y", "a  b", "it's", "say \"hi\"", "C:\\dir", "a#b", "a:b",
			"http://x:80/q=a", "100%", "-a", "\u00e9", "e\u0301", "key", "\U0001f600", "...a", "a=b", "main", "0.5 x", "2026-06-01T12:00:00Z")
	}
	return g.any("a", "web", "shop", "n1", "kubernetes.io/hostname", "grün", "日本", "x y", "a  b", "it's", "say \"hi\"", "C:\\dir", "a#b", "a:b",
		"http://x:80/?q=a,b", "a, b", "[a]", "{a}", "100%", "@x", "`x`", "!x", "&x", "*x", "|", ">", "- a", "-a", "? a", "?a", ": a", ":a", "a:", "a: b", "a #b",
		"#a", "%a", "'", "\"", "a\tb", "\u00a0", "\u00e9", "e\u0301", "a]", "a}", "a,b", "a?b", "<<", "=", "key", "\U0001f600", "-", "--- a", "...a")
}

// A text in quotation marks, on several lines if it likes; those that follow stand anywhere.
func (g *generator) quoted(text string) string {
	breaks := func(escape bool) string {
		if escape && g.oneIn(3) {
			return "\\\n" + g.spaces(6)
		}
		return g.any("", "", " ", "\t", "  ") + strings.Repeat("\n", 1+g.Intn(2)) + g.any(g.spaces(8), g.spaces(2), "\t", " \t")
	}
	var out strings.Builder
	if g.oneIn(2) {
		for _, c := range text {
			if c == '\'' {
				out.WriteString("''")
			} else if c == ' ' && g.oneIn(2) || g.oneIn(20) {
				out.WriteString(breaks(false))
			} else {
				out.WriteRune(c)
			}
		}
		return "'" + out.String() + "'"
	}
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			out.WriteString("\\" + string(c))
		case c == ' ' && g.oneIn(2) || g.oneIn(20):
			out.WriteString(breaks(true))
		case g.oneIn(12):
			out.WriteString(g.any("\\n", "\\t", "\\x41", "\\u00e9", "\\U0001F600", "\\0", "\\e", "\\N", "\\_", "\\L", "\\'", "\\ ", "\\P", "\\v"))
			if g.Intn(2*g.rarity) == 0 {
				out.WriteString(g.any("\\/", "\\q", "\\x4", "\\ud800"))
			}
		default:
			out.WriteRune(c)
		}
	}
	return "\"" + out.String() + "\""
}

func (g *generator) single() string {
	switch g.Intn(10) {
	case 0, 1, 2, 3:
		return g.special()
	case 4, 5:
		return g.word()
	case 6:
		if g.Intn(g.rarity) == 0 {
			return g.word() + g.any("\n", "\n ", "\n    ", "\n\n  ", "\t") + g.word()
		}
		return g.word() + g.any(" ", "  ") + g.word()
	default:
		return g.quoted(g.any(g.word(), g.special(), g.word()+" "+g.word()+" "+g.word()))
	}
}

func (g *generator) properties() string {
	if !g.oneIn(14) {
		return ""
	}
	if g.oneIn(2) {
		return g.anchor() + " "
	}
	return g.any("!!str ", "!!str ", "!x ", "! ", "!<tag:yaml.org,2002:str> ", "!!map ", "!!seq ", g.anchor()+" !!str ", "!!str "+g.anchor()+" ",
		g.anchor()+"\n  ", "!!set ", g.any("!!int ", "!!float ", "!!bool ", "!!null ", "!e!x ", "!!binary "))
}

func (g *generator) anchor() string {
	name := g.any("a", "b", "a-1")
	g.anchors = append(g.anchors, name)
	return "&" + name
}

// An alias of an anchor before it, or rarely of none.
func (g *generator) alias() string {
	if g.Intn(20*g.rarity) == 0 {
		return "*a"
	}
	if len(g.anchors) == 0 {
		return "a"
	}
	return "*" + g.any(g.anchors...)
}

// A tab, or mostly a space.
func (g *generator) tab() string {
	if g.Intn(g.rarity) == 0 {
		return "\t"
	}
	return " "
}

func (g *generator) comment() string {
	if g.oneIn(8) {
		return g.any(" # c", " #", g.tab()+"# c", "  # a: b", " # 'x", " #"+g.tab()+"\"")
	}
	if g.Intn(4*g.rarity) == 0 {
		return "# c"
	}
	return g.any("", "", "", "", "", " ", "  ", g.tab())
}

// Lines without a value.
func (g *generator) gap() string {
	if !g.oneIn(8) {
		return ""
	}
	if g.Intn(g.rarity) == 0 {
		return g.any("\t\n", "\t# c\n", " \t \n")
	}
	return g.any("\n", "  \n", "# c\n", "    # c\n", "#\n\n")
}

// A value in brackets.
func (g *generator) flow(depth int) string {
	space := func() string { return g.any("", "", "", " ", "  ", "\t", "\n", "\n  ", "\n\t", " # c\n ") }
	if g.Intn(g.rarity) > 0 {
		space = func() string { return g.any("", "", "", " ") }
	}
	if depth <= 0 || g.oneIn(2) {
		if g.oneIn(15) {
			return g.alias() + g.any("", " ")
		}
		return g.properties() + g.single()
	}
	var out strings.Builder
	count := g.Intn(4)
	isList := g.oneIn(2)
	out.WriteString(map[bool]string{true: "[", false: "{"}[isList] + space())
	for i := range count {
		if i > 0 {
			out.WriteString(g.any(",", ", ", " , ", ",\n ") + space())
		}
		if !isList || g.oneIn(6) {
			out.WriteString(g.any("", "", "", "", "? ") + g.key())
			if !g.oneIn(8) {
				out.WriteString(g.any(": ", ": ", ":", " : ", ":\n ", ":\t"))
				if !g.oneIn(8) {
					out.WriteString(g.flow(depth - 1))
				}
			}
		} else {
			out.WriteString(g.flow(depth - 1))
		}
		out.WriteString(space())
	}
	if g.oneIn(8) {
		out.WriteString(",")
	}
	out.WriteString(space() + map[bool]string{true: "]", false: "}"}[isList])
	return out.String()
}

func (g *generator) key() string {
	switch g.Intn(12) {
	case 0:
		return g.special()
	case 1:
		return g.word()
	case 2:
		if g.Intn(g.rarity) > 0 {
			return g.any("'a b'", "\"a\\tb\"", "'it''s'", "\"1\"", "'true'", "\"\"", "'~'")
		}
		return g.quoted(g.any(g.word(), g.special()))
	case 3:
		if g.Intn(g.rarity) > 0 {
			return g.special()
		}
		if g.oneIn(2) {
			return g.alias() + " "
		}
		return g.any(g.anchor()+" ", "!!str ", "!!int ") + g.any("k", "1", "")
	default:
		return g.any("kind", "metadata", "spec", "a", "b", "c", "d", "name", "x-y", "a.b/c", "e", "f", "g", "h")
	}
}

// A text of whole lines.
func (g *generator) lines(indent int) string {
	var out strings.Builder
	header := g.any("|", ">") + g.any("", "", "", "-", "+", "+ # c")
	if g.Intn(g.rarity) == 0 {
		header += g.any(strconv.Itoa(1+g.Intn(4)), "-2", "2+", "0", "-#c", " x")
	}
	out.WriteString(header + g.any("", "", " ", "\t") + "\n")
	deep := indent + g.Intn(4)
	for range g.Intn(5) {
		out.WriteString(strings.Repeat(" ", deep+g.Intn(2)*g.Intn(3)) + g.any("x", "x y", "# x", "- a", "a: b", "", "", " ", "\t", "\tx", "x \t", "'", "---", "...") + "\n")
	}
	if g.oneIn(6) {
		return out.String() + g.spaces(6) + g.any("x", "# c", "...")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// A value behind a key or a dash, with what separates it from these, up to the end of its last line.
func (g *generator) block(indent, depth int, afterKey bool) string {
	if depth > 0 && !g.oneIn(3) {
		step := g.any("  ", "  ", "  ", " ", "    ", "   ")
		properties := strings.TrimSuffix(g.properties(), " ")
		if properties != "" {
			properties = " " + properties
		}
		if g.oneIn(2) {
			at := indent + len(step)
			if afterKey && g.oneIn(2) {
				at = indent
			}
			return properties + g.comment() + "\n" + g.list(at, depth-1)
		}
		if !afterKey && properties == "" {
			// An object begins behind its dash.
			first := g.any(" ", " ", " ", "  ", "   ", g.tab())
			return first + strings.TrimPrefix(g.object(indent+1+len(first), depth-1), strings.Repeat(" ", indent+1+len(first)))
		}
		return properties + g.comment() + "\n" + g.object(indent+len(step), depth-1)
	}
	space := g.any(" ", " ", " ", "  ", g.tab(), " "+g.tab())
	if g.Intn(4*g.rarity) == 0 {
		space = ""
	}
	switch g.Intn(12) {
	case 0:
		return space + g.flow(3) + g.comment() + "\n"
	case 1:
		return space + g.properties() + g.lines(indent+1) + "\n"
	case 2:
		return g.comment() + "\n"
	case 3:
		return space + g.alias() + g.comment() + "\n"
	case 4:
		return space + "\n" + strings.Repeat(" ", indent+g.Intn(4)) + g.single() + g.comment() + "\n"
	default:
		return space + g.properties() + g.single() + g.comment() + "\n"
	}
}

func (g *generator) list(indent, depth int) string {
	var out strings.Builder
	for range 1 + g.Intn(3) {
		out.WriteString(g.gap() + strings.Repeat(" ", indent) + "-" + g.block(indent, depth, false))
	}
	return out.String()
}

func (g *generator) object(indent, depth int) string {
	var out strings.Builder
	for range 1 + g.Intn(4) {
		out.WriteString(g.gap() + strings.Repeat(" ", indent))
		switch g.Intn(20) {
		case 0:
			if g.Intn(g.rarity) > 0 {
				out.WriteString("? a\n" + strings.Repeat(" ", indent) + ":" + g.block(indent, depth, true))
				continue
			}
			out.WriteString("?" + g.block(indent, 0, false))
			if g.oneIn(2) {
				out.WriteString(strings.Repeat(" ", indent) + ":" + g.block(indent, depth, true))
			}
		case 1:
			out.WriteString("<<:" + g.any(" {a: 1, b: 2}", " [{a: 1}, {a: 2, c: 3}]", " {a: 1, b: 2}", " "+g.alias(), " ["+g.alias()+"]") + "\n")
		default:
			colon := ":"
			if g.Intn(4*g.rarity) == 0 {
				colon = g.any(" :", "\t:")
			}
			out.WriteString(g.key() + colon + g.block(indent, depth, true))
		}
	}
	return out.String()
}

func (g *generator) document() string {
	switch g.Intn(12) {
	case 0:
		return g.list(g.Intn(3), 2)
	case 1:
		return g.flow(4) + g.comment() + "\n"
	case 2:
		return strings.TrimPrefix(g.block(0, 0, false), " ")
	case 3:
		return g.any("", "# c\n", "\n\n", "# c\n# d\n", "  \n", g.tab()+"\n")
	default:
		return g.object(g.indentation(), 3)
	}
}

func (g *generator) indentation() int {
	if g.oneIn(8) {
		return 1 + g.Intn(3)
	}
	return 0
}

func (g *generator) text() string {
	g.anchors, g.rarity = nil, 1+g.Intn(40)
	var out strings.Builder
	if g.oneIn(30) {
		out.WriteString(g.any("%YAML 1.1\n---\n", "%YAML 1.2\n---\n", "%TAG !e! tag:e.com,2000:\n---\n", "\ufeff", "---\n", "--- # c\n", "...\n"))
	}
	documents := 1
	if g.oneIn(4) {
		documents += g.Intn(3)
	}
	for i := range documents {
		if i > 0 {
			g.anchors = nil
			out.WriteString(g.any("---\n", "---\n", "---\n", "--- \n", "--- # c\n", "---# c\n", "...\n---\n", "...\n", "---\n\ufeff", "---\n---\n", "---\t\n"))
			if g.Intn(4*g.rarity) == 0 {
				out.WriteString(g.any("--- x\n", "----\n"))
			}
		}
		out.WriteString(g.document())
	}
	text := out.String()
	for g.Intn(2+g.rarity/2) == 0 {
		text = g.broken(text)
	}
	switch g.Intn(24) {
	case 0, 1:
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case 2:
		text = strings.ReplaceAll(text, "\n", g.any("\r", "\u0085", "\u2028", "\r\r\n"))
	case 3:
		text = strings.TrimSuffix(text, "\n")
	}
	return text
}

// The text with a small change.
func (g *generator) broken(text string) string {
	characters := []rune(text)
	if len(characters) == 0 {
		return text
	}
	at := g.Intn(len(characters))
	switch g.Intn(4) {
	case 0:
		return string(characters[:at]) + string(characters[at+1:])
	case 1, 2:
		return string(characters[:at]) + g.any(" ", "  ", "\t", "\n", ":", ": ", "-", "- ", "?", ",", "[", "]", "{", "}", "#", " #", "&", "*", "!", "|", ">", "'", "\"",
			"%", "@", "\\", "\r", "\u0085", "\u2028", "\ufeff", "...\n", "\u0007", "0", "<<: ") + string(characters[at:])
	default:
		lines := strings.SplitAfter(text, "\n")
		one := g.Intn(len(lines))
		lines[one] = g.any(" "+lines[one], strings.TrimPrefix(lines[one], " "), lines[one]+lines[one], "")
		return strings.Join(lines, "")
	}
}

func main() {
	seed, err := strconv.ParseInt(os.Args[1], 10, 64)
	if err != nil {
		panic(err)
	}
	count, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	g := &generator{Rand: rand.New(rand.NewSource(seed))}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	for written := 0; written < count; {
		text := g.text()
		values, err := read(text)
		result := record{Text: text, Values: values}
		if err != nil {
			result.Refused = err.Error()
		} else if isAmbiguous(text, values) || strings.Contains(text, "\u0007") {
			// A character that is not allowed behind the end of a document is found or not by the size of a buffer.
			continue
		}
		written++
		if err := encoder.Encode(result); err != nil {
			panic(err)
		}
	}
}
