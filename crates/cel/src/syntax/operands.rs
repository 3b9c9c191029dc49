//! Parses operands: literals, lists, maps, names and messages.
//!
//! Upstream: cel-go `parser/parser.go`.

use super::expr::{Element, Expr, ExprKind, MapEntry};
use super::parser::{Made, Parser, RESERVED};
use super::token::TokenKind;
use super::unquote::unquote;
use crate::values::Value;

impl Parser<'_> {
    pub(super) fn list(&mut self, offset: usize) -> Made {
        self.want("[")?;
        let (mut elements, mut walk) = (Vec::new(), 0);
        while !self.take("]") {
            if !elements.is_empty() {
                self.want(",")?;
                if self.take("]") {
                    break;
                }
            } else if self.next_is(1, "]") && self.take(",") {
                continue;
            }
            let optional = self.take("?");
            elements.push(Element { optional, value: self.expr()? });
            walk = walk.max(self.walk);
        }
        self.walk = walk;
        Ok(self.make(offset, ExprKind::List(elements)))
    }

    pub(super) fn map(&mut self, offset: usize) -> Made {
        self.want("{")?;
        let (mut entries, mut walk) = (Vec::new(), 0);
        while !self.take("}") {
            if !entries.is_empty() {
                self.want(",")?;
                if self.take("}") {
                    break;
                }
            } else if self.next_is(1, "}") && self.take(",") {
                continue;
            }
            let optional = self.take("?");
            let key = self.expr()?;
            walk = walk.max(self.walk);
            self.want(":")?;
            entries.push(MapEntry { optional, key, value: self.expr()? });
            walk = walk.max(self.walk);
        }
        self.walk = walk;
        Ok(self.make(offset, ExprKind::Map(entries)))
    }

    /// A name, a call of a function, a keyword or a message.
    pub(super) fn named(&mut self, dot: &str) -> Made {
        let offset = if dot.is_empty() { self.offset() } else { self.offset().saturating_sub(1) };
        let (at, name) = (self.offset(), self.text().to_owned());
        let keyword = match name.as_str() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            "null" => Some(Value::Null),
            "in" => return Err(self.wrong()),
            _ => None,
        };
        if let Some(value) = keyword {
            if !dot.is_empty() {
                return Err(self.wrong());
            }
            self.at += 1;
            return Ok(self.make(offset, ExprKind::Literal(value)));
        }
        if let Some(message) = self.message(dot) {
            return message;
        }
        self.at += 1;
        let reserved = RESERVED.contains(&name.as_str());
        let full = format!("{dot}{name}");
        if self.is("(") {
            let open = self.want("(")?;
            if reserved {
                self.list_of(")")?;
                return Ok(self.issue(offset, format!("reserved identifier: {name}")));
            }
            let args = self.list_of(")")?;
            return Ok(self.global_call(open, &full, args));
        }
        if reserved {
            return Ok(self.issue(offset, format!("reserved identifier: {name}")));
        }
        Ok(self.make(at, ExprKind::Name(full.into())))
    }

    /// A message, `a.b{...}`, if one begins here.
    pub(super) fn message(&mut self, dot: &str) -> Option<Made> {
        let mut ahead = 1;
        while self.next_is(ahead, ".")
            && self.tokens.get(self.at + ahead + 1).is_some_and(|t| t.kind == TokenKind::Name)
        {
            ahead += 2;
        }
        if !self.next_is(ahead, "{") {
            return None;
        }
        let name: String =
            self.tokens.get(self.at..self.at + ahead)?.iter().map(|t| t.text.as_str()).collect();
        self.at += ahead;
        let offset = self.offset();
        let mut depth = 0usize;
        loop {
            match (self.kind(), self.text()) {
                (TokenKind::End, _) => return Some(Err(self.wrong())),
                (TokenKind::Symbol, "{") => depth += 1,
                (TokenKind::Symbol, "}") => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(Ok(
                    self.make(offset, ExprKind::Message { name: format!("{dot}{name}").into() })
                ));
            }
        }
    }

    pub(super) fn literal(&mut self, offset: usize, sign: &str) -> Expr {
        let (kind, text) = (self.kind(), self.text().to_owned());
        self.at += 1;
        let made = match kind {
            TokenKind::Int => integer(sign, &text).map(Value::Int).ok_or("invalid int literal"),
            TokenKind::Uint => {
                let digits = text.trim_end_matches(['u', 'U']);
                let (digits, radix) =
                    digits.strip_prefix("0x").map_or((digits, 10), |hex| (hex, 16));
                u64::from_str_radix(digits, radix)
                    .map(Value::Uint)
                    .map_err(|_| "invalid uint literal")
            }
            TokenKind::Double => match format!("{sign}{text}").parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(Value::Double(value)),
                _ => Err("invalid double literal"),
            },
            TokenKind::Bytes => {
                let literal = text.get(1..).unwrap_or_default();
                unquote(literal, true).map(|bytes| Value::Bytes(bytes.into()))
            }
            _ => unquote(&text, false).map(|bytes| Value::text(&String::from_utf8_lossy(&bytes))),
        };
        match made {
            Ok(value) => self.make(offset, ExprKind::Literal(value)),
            Err(issue) => self.issue(offset, issue),
        }
    }
}

fn integer(sign: &str, text: &str) -> Option<i64> {
    let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |hex| (hex, 16));
    i64::from_str_radix(&format!("{sign}{digits}"), radix).ok()
}
