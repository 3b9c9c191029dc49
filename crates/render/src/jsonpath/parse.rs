//! The parser of a template.

use serde_json::Value;

use super::{Comparator, Operand, Path, PathFilter, PathStep, TemplatePart};

/// The parts of a template; a template without braces is a path.
pub(crate) fn template(text: &str) -> Result<Vec<TemplatePart>, String> {
    if text.trim().is_empty() {
        return Err("template format specified but no template given".to_owned());
    }
    if !text.contains(['{', '}']) {
        let path = if text.starts_with(['.', '[', '$', '@']) {
            text.to_owned()
        } else {
            format!(".{text}")
        };
        return Ok(vec![TemplatePart::Path(whole_path(&path)?)]);
    }
    // The open parts: the template itself, and the enclosing ranges with their paths.
    let mut open: Vec<(Option<Path>, Vec<TemplatePart>)> = vec![(None, Vec::new())];
    let mut rest = text;
    while !rest.is_empty() {
        let (before, behind) =
            rest.split_once('{').map_or((rest, None), |(before, behind)| (before, Some(behind)));
        let mut parts = Vec::new();
        if !before.is_empty() {
            parts.push(TemplatePart::Text(before.to_owned()));
        }
        rest = "";
        let mut range = None;
        if let Some(behind) = behind {
            let mut reader = TemplateParser { rest: behind, depth: open.len() - 1 };
            match reader.action()? {
                Action::Literal(text) => parts.push(TemplatePart::Text(text)),
                Action::Path(path) => parts.push(TemplatePart::Path(path)),
                Action::Range(path) => range = Some(path),
                Action::End => {
                    let (path, mut body) = open.pop().unwrap_or_default();
                    let path = path.ok_or("{end}: not in range, nothing to end")?;
                    body.append(&mut parts);
                    parts.push(TemplatePart::Range(path, body));
                }
            }
            rest = reader.rest;
        }
        if let Some((_, list)) = open.last_mut() {
            list.append(&mut parts);
        }
        open.extend(range.map(|path| (Some(path), Vec::new())));
    }
    match (open.pop(), open.is_empty()) {
        (Some((None, parts)), true) => Ok(parts),
        _ => Err("{range}: there is no {end} to it".to_owned()),
    }
}

enum Action {
    Literal(String),
    Path(Path),
    Range(Path),
    End,
}

struct TemplateParser<'t> {
    rest: &'t str,
    /// The number of enclosing ranges and filters.
    depth: usize,
}

fn whole_path(text: &str) -> Result<Path, String> {
    let mut reader = TemplateParser { rest: text, depth: 0 };
    let path = reader.path()?;
    if reader.rest.is_empty() { Ok(path) } else { Err(reader.unknown()) }
}

impl TemplateParser<'_> {
    fn eat(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Whether the next word is this one, and not the beginning of a longer one.
    fn at_word(&self, word: &str) -> bool {
        let rest = self.rest.strip_prefix(word);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    }

    fn spaces(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// The error for text that is not part of the grammar.
    fn unknown(&self) -> String {
        if self.rest.is_empty() {
            return "unclosed action: there is no }".to_owned();
        }
        let here: String = self.rest.chars().take(20).collect();
        format!("`{here}` is not understood: paths are written as {{.nodes[*].name}}")
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) { Ok(()) } else { Err(self.unknown()) }
    }

    fn action(&mut self) -> Result<Action, String> {
        self.spaces();
        let action = if self.rest.starts_with(['"', '\'']) {
            Action::Literal(self.quoted()?)
        } else if self.at_word("range") {
            self.eat("range");
            self.spaces();
            Action::Range(self.path()?)
        } else if self.at_word("end") {
            self.eat("end");
            Action::End
        } else {
            Action::Path(self.path()?)
        };
        self.spaces();
        self.expect("}")?;
        Ok(action)
    }

    fn path(&mut self) -> Result<Path, String> {
        if self.depth > 0 && self.rest.starts_with('$') {
            // For kubectl it is the item, in other dialects the root.
            return Err(
                "`$` inside of a range or a filter is ambiguous: write @ for the item".to_owned()
            );
        }
        let here = self.eat("$") || self.eat("@");
        let mut steps = Vec::new();
        loop {
            if self.eat("..") {
                steps.push(PathStep::Below);
                if self.eat("*") {
                    steps.push(PathStep::All);
                } else if !self.rest.starts_with('[') {
                    steps.push(PathStep::Keys(vec![self.name()?]));
                }
            } else if self.eat(".") {
                if self.eat("*") {
                    steps.push(PathStep::All);
                } else if !self.rest.starts_with('[') {
                    steps.push(PathStep::Keys(vec![self.name()?]));
                }
            } else if self.eat("[") {
                steps.push(self.bracket()?);
            } else {
                break;
            }
        }
        if steps.is_empty() && !here { Err(self.unknown()) } else { Ok(steps) }
    }

    /// A key after a dot; `\` escapes the next character.
    fn name(&mut self) -> Result<String, String> {
        let mut name = String::new();
        let mut chars = self.rest.char_indices();
        let mut end = self.rest.len();
        while let Some((at, c)) = chars.next() {
            if c == '\\' {
                name.push(chars.next().ok_or("a \\ at the end escapes nothing")?.1);
            } else if c.is_whitespace() || ".[]{}()=!<>|&,@$\"'".contains(c) {
                end = at;
                break;
            } else {
                name.push(c);
            }
        }
        if name.is_empty() {
            return Err(self.unknown());
        }
        self.rest = self.rest.get(end..).unwrap_or_default();
        Ok(name)
    }

    /// The content of brackets, and the closing `]`.
    fn bracket(&mut self) -> Result<PathStep, String> {
        self.spaces();
        let step = if self.eat("*") {
            PathStep::All
        } else if self.eat("?(") {
            self.depth += 1;
            let filter = self.filter()?;
            self.depth -= 1;
            self.expect(")")?;
            PathStep::PathFilter(filter)
        } else if self.rest.starts_with(['"', '\'']) {
            let mut keys = vec![key(&self.quoted()?)];
            while self.comma() {
                keys.push(key(&self.quoted()?));
            }
            PathStep::Keys(keys)
        } else {
            self.numbers()?
        };
        self.spaces();
        self.expect("]")?;
        Ok(step)
    }

    fn comma(&mut self) -> bool {
        self.spaces();
        let found = self.eat(",");
        self.spaces();
        found
    }

    fn numbers(&mut self) -> Result<PathStep, String> {
        let from = self.number()?;
        if !self.rest.starts_with(':') {
            let mut indices = vec![from.ok_or_else(|| self.unknown())?];
            while self.comma() {
                indices.push(self.number()?.ok_or_else(|| self.unknown())?);
            }
            return Ok(PathStep::Indices(indices));
        }
        self.eat(":");
        let (from, to) = (from.unwrap_or(0), self.number()?);
        let step = if self.eat(":") { self.number()?.unwrap_or(1) } else { 1 };
        let step = usize::try_from(step)
            .ok()
            .filter(|step| *step > 0)
            .ok_or("the step of a slice is 1 or more")?;
        Ok(PathStep::Slice { from, to, step })
    }

    fn number(&mut self) -> Result<Option<i64>, String> {
        let behind = self.rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-');
        let digits = self.rest.get(..self.rest.len() - behind.len()).unwrap_or_default();
        if digits.is_empty() {
            return Ok(None);
        }
        let number = digits.parse().map_err(|_| format!("`{digits}` is no number of an item"))?;
        self.rest = behind;
        Ok(Some(number))
    }

    fn filter(&mut self) -> Result<PathFilter, String> {
        let left = self.operand()?;
        self.spaces();
        // The longer sign of two that begin alike comes first.
        let comparisons = [
            ("==", Comparator::Equal),
            ("!=", Comparator::NotEqual),
            ("<=", Comparator::LessOrEqual),
            (">=", Comparator::GreaterOrEqual),
            ("<", Comparator::Less),
            (">", Comparator::Greater),
        ];
        let found = comparisons.into_iter().find(|(sign, _)| self.eat(sign));
        let right = match found {
            Some((_, comparison)) => Some((comparison, self.operand()?)),
            None => None,
        };
        self.spaces();
        if ["&&", "||", "=~"].iter().any(|sign| self.rest.starts_with(sign)) {
            return Err(
                "filters make one comparison, as kubectl's do: && || and =~ are not supported"
                    .to_owned(),
            );
        }
        Ok(PathFilter { left, right })
    }

    fn operand(&mut self) -> Result<Operand, String> {
        self.spaces();
        if self.rest.starts_with(['"', '\'']) {
            return Ok(Operand::Literal(self.quoted()?.into()));
        }
        if self.rest.starts_with(['@', '$', '.']) {
            return Ok(Operand::Path(self.path()?));
        }
        let behind =
            self.rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "-+.".contains(c));
        let word = self.rest.get(..self.rest.len() - behind.len()).unwrap_or_default();
        // kubectl uses the literals of JSON.
        let value: Value = serde_json::from_str(word).map_err(|_| self.unknown())?;
        self.rest = behind;
        Ok(Operand::Literal(value))
    }

    /// A string in single or double quotes, with the escapes of JSON and `\'`.
    fn quoted(&mut self) -> Result<String, String> {
        let mut chars = self.rest.char_indices();
        let quote = chars
            .next()
            .map(|(_, c)| c)
            .filter(|c| ['"', '\''].contains(c))
            .ok_or_else(|| self.unknown())?;
        let mut text = String::new();
        while let Some((at, c)) = chars.next() {
            if c == quote {
                self.rest = self.rest.get(at + 1..).unwrap_or_default();
                return Ok(text);
            }
            if c != '\\' {
                text.push(c);
                continue;
            }
            match chars.next().map(|(_, c)| c) {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('r') => text.push('\r'),
                Some(c @ ('\\' | '"' | '\'' | '/')) => text.push(c),
                // The escape of a dot in a key, see `key`.
                Some('.') => text.push_str("\\."),
                Some(c) => {
                    return Err(format!(
                        "`\\{c}` is no escape that is known: \\n \\t \\r \\\\ \\\" \\' are"
                    ));
                }
                None => break,
            }
        }
        Err("unterminated quoted string".to_owned())
    }
}

/// kubectl requires dots in quoted keys to be escaped; here both forms are accepted.
fn key(text: &str) -> String {
    text.replace("\\.", ".")
}
