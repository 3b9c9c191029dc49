//! The parser.
//!
//! Upstream: cel-go `parser/parser.go`, `parser/helper.go`, `parser/gen/CEL.g4`.

use std::sync::Arc;

use super::expr::{Element, Expr, ExprKind, Id, MapEntry, op};
use super::source::{Issue, SourceText};
use super::token::{Token, TokenKind, tokens, unquote};
use crate::release::Release;
use crate::values::Value;

/// Maximum nesting of the grammar and of the visitor.
pub(crate) const DEEPEST: usize = 250;
/// A parsed expression and its errors.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub expr: Expr,
    pub issues: Vec<Issue>,
    /// The offset of each expression in the text, by number.
    pub offsets: Vec<usize>,
}

/// Names that are reserved.
const RESERVED: &[&str] = &[
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "package",
    "namespace",
    "null",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// The operators of one precedence level.
const RELATIONS: &[(&str, &str)] = &[
    ("<", "_<_"),
    ("<=", "_<=_"),
    (">=", "_>=_"),
    (">", "_>_"),
    ("==", op::EQUALS),
    ("!=", op::NOT_EQUALS),
    ("in", op::IN),
];
const SUMS: &[(&str, &str)] = &[("+", op::ADD), ("-", "_-_")];
const PRODUCTS: &[(&str, &str)] = &[("*", "_*_"), ("/", "_/_"), ("%", "_%_")];

/// Parses a text that is nested up to `deepest`, at most [`DEEPEST`], and expands its macros to at
/// most `most` expressions.
pub(crate) fn parse(
    source: &SourceText,
    release: &Release,
    deepest: usize,
    most: usize,
) -> Result<Parsed, SyntaxError> {
    let tokens = tokens(&source.characters).map_err(SyntaxError::At)?;
    let mut parser = Parser {
        tokens,
        at: 0,
        deepest,
        most,
        depth: 0,
        operands: [0; 2],
        walk: 0,
        release,
        issues: Vec::new(),
        offsets: vec![0],
        is_large: false,
    };
    let expr = parser.expr()?;
    if parser.kind() != TokenKind::End {
        return Err(parser.wrong());
    }

    // Upstream's visitor, which has a limit of its own, and the macros see only texts without syntax
    // errors.
    if parser.walk > DEEPEST {
        return Err(WALK);
    }
    if parser.is_large {
        return Err(SyntaxError::Large);
    }
    Ok(Parsed { expr, issues: parser.issues, offsets: parser.offsets })
}

pub(super) struct Parser<'r> {
    tokens: Vec<Token>,
    at: usize,
    /// The deepest nesting that is parsed.
    deepest: usize,
    /// The most expressions.
    most: usize,
    /// Nesting depth of the next token.
    depth: usize,
    /// Nesting of right operands of comparisons, and of sums and products, at the next token.
    operands: [usize; 2],
    /// Depth of upstream's visitor in the subtree parsed last.
    walk: usize,
    release: &'r Release,
    issues: Vec<Issue>,
    pub(super) offsets: Vec<usize>,
    is_large: bool,
}

type Made = Result<Expr, SyntaxError>;

impl Parser<'_> {
    fn token(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn kind(&self) -> TokenKind {
        self.token().map_or(TokenKind::End, |t| t.kind)
    }

    fn text(&self) -> &str {
        self.token().map_or("", |t| t.text.as_str())
    }

    fn offset(&self) -> usize {
        self.token().map_or(0, |t| t.offset)
    }

    fn wrong(&self) -> SyntaxError {
        SyntaxError::At(self.offset())
    }

    fn is(&self, symbol: &str) -> bool {
        self.kind() == TokenKind::Symbol && self.text() == symbol
    }

    fn next_is(&self, ahead: usize, symbol: &str) -> bool {
        self.tokens
            .get(self.at + ahead)
            .is_some_and(|t| t.kind == TokenKind::Symbol && t.text == symbol)
    }

    fn take(&mut self, symbol: &str) -> bool {
        let is = self.is(symbol);
        self.at += usize::from(is);
        is
    }

    fn want(&mut self, symbol: &str) -> Result<usize, SyntaxError> {
        let offset = self.offset();
        if self.take(symbol) { Ok(offset) } else { Err(self.wrong()) }
    }

    /// A fresh id for an expression at an offset.
    pub(super) fn id(&mut self, offset: usize) -> Id {
        self.offsets.push(offset);
        self.offsets.len() - 1
    }

    pub(super) fn make(&mut self, offset: usize, kind: ExprKind) -> Expr {
        Expr { id: self.id(offset), kind }
    }

    pub(super) fn issue(&mut self, offset: usize, text: impl Into<String>) -> Expr {
        self.issues.push(Issue { offset, text: text.into() });
        self.make(offset, ExprKind::Wrong)
    }

    pub(super) fn call(&mut self, offset: usize, function: &str, args: Vec<Expr>) -> Expr {
        self.make(offset, ExprKind::Call { function: function.into(), target: None, args })
    }

    /// Whether `more` further expressions stay within the limit.
    pub(super) fn has_room(&mut self, more: usize) -> bool {
        self.is_large |= self.offsets.len() + more > self.most;
        !self.is_large
    }

    fn deeper(&mut self, parse: impl FnOnce(&mut Self) -> Made) -> Made {
        self.depth += 1;
        if self.depth > self.deepest {
            return Err(if self.depth > DEEPEST { GRAMMAR } else { SyntaxError::Nested });
        }
        let made = parse(self);
        self.depth -= 1;
        made
    }

    fn expr(&mut self) -> Made {
        self.deeper(|p| {
            let condition = p.logic(op::OR)?;
            if !p.is("?") {
                return Ok(condition);
            }
            let mut walk = p.walk;
            let offset = p.want("?")?;
            let yes = p.logic(op::OR)?;
            walk = walk.max(p.walk);
            p.want(":")?;
            let no = p.expr()?;
            p.walk = walk.max(p.walk) + 1;
            Ok(p.call(offset, op::CONDITIONAL, vec![condition, yes, no]))
        })
    }

    /// Balances a chain of `&&` or `||`.
    fn logic(&mut self, function: &str) -> Made {
        let symbol = if function == op::OR { "||" } else { "&&" };
        let mut terms = vec![self.term(function)?];
        let (mut offsets, mut walk) = (Vec::new(), self.walk);
        while self.is(symbol) {
            offsets.push(self.want(symbol)?);
            terms.push(self.term(function)?);
            walk = walk.max(self.walk);
        }
        self.walk = walk;
        Ok(self.balanced(function, terms, &offsets))
    }

    /// A term of a chain of `&&` or `||`.
    fn term(&mut self, function: &str) -> Made {
        if function == op::OR { self.logic(op::AND) } else { self.relation() }
    }

    fn balanced(&mut self, function: &str, mut terms: Vec<Expr>, offsets: &[usize]) -> Expr {
        if terms.len() == 1 {
            return terms.pop().unwrap_or_else(|| self.make(0, ExprKind::Wrong));
        }
        let middle = offsets.len() / 2;
        let right = terms.split_off(middle + 1);
        let left = self.balanced(function, terms, offsets.get(..middle).unwrap_or_default());
        let right = self.balanced(function, right, offsets.get(middle + 1..).unwrap_or_default());
        self.call(offsets.get(middle).copied().unwrap_or_default(), function, vec![left, right])
    }

    fn operator(&self, of: &'static [(&'static str, &'static str)]) -> Option<&'static str> {
        let operator = matches!(self.kind(), TokenKind::Symbol | TokenKind::Name);
        of.iter()
            .find(|(symbol, _)| operator && *symbol == self.text())
            .map(|(_, function)| *function)
    }

    fn chain(
        &mut self,
        of: &'static [(&'static str, &'static str)],
        term: fn(&mut Self) -> Made,
    ) -> Made {
        let mut left = term(self)?;
        while let Some(function) = self.operator(of) {
            let (offset, walk) = (self.offset(), self.walk);
            self.at += 1;
            let right = self.operand(usize::from(of != RELATIONS), term)?;
            self.chained(walk)?;
            left = self.call(offset, function, vec![left, right]);
        }
        Ok(left)
    }

    /// Parses the right operand of a comparison (0), or of a sum or product (1).
    fn operand(&mut self, rule: usize, term: fn(&mut Self) -> Made) -> Made {
        let depth = self.depth;
        let Some(operands) = self.operands.get_mut(rule) else { return Err(SyntaxError::Unclear) };
        *operands += 1;
        // Parity: upstream does not count every level after a chain.
        if depth + *operands > DEEPEST {
            return Err(SyntaxError::Unclear);
        }
        let made = term(self);
        if let Some(operands) = self.operands.get_mut(rule) {
            *operands -= 1;
        }
        made
    }

    /// Counts one more operator, selection, index or method on an operand of the given depth.
    fn chained(&mut self, walk: usize) -> Result<(), SyntaxError> {
        self.walk = self.walk.max(walk) + 1;
        if self.walk > DEEPEST { Err(WALK) } else { Ok(()) }
    }

    fn relation(&mut self) -> Made {
        self.chain(RELATIONS, |p| p.chain(SUMS, |p| p.chain(PRODUCTS, Self::unary)))
    }

    fn unary(&mut self) -> Made {
        for (symbol, function) in [("!", op::NOT), ("-", op::NEGATE)] {
            if !self.is(symbol) {
                continue;
            }
            let number = self.tokens.get(self.at + 1).map(|t| t.kind);
            if symbol == "-" && matches!(number, Some(TokenKind::Int | TokenKind::Double)) {
                break;
            }
            let (offset, mut count) = (self.offset(), 0);
            while self.take(symbol) {
                count += 1;
            }
            let operand = self.member()?;
            return Ok(if count % 2 == 0 {
                operand
            } else {
                self.call(offset, function, vec![operand])
            });
        }
        self.member()
    }

    fn member(&mut self) -> Made {
        self.walk = 0;
        let mut left = self.primary()?;
        loop {
            let (offset, walk) = (self.offset(), self.walk);
            if self.take(".") {
                left = self.selected(left, offset)?;
            } else if self.take("[") {
                let function = if self.take("?") { op::OPT_INDEX } else { op::INDEX };
                let index = self.expr()?;
                self.want("]")?;
                left = self.call(offset, function, vec![left, index]);
            } else {
                return Ok(left);
            }
            self.chained(walk)?;
        }
    }

    fn selected(&mut self, operand: Expr, offset: usize) -> Made {
        let optional = self.take("?");
        let (at, kind, mut name) = (self.offset(), self.kind(), self.text().to_owned());
        if !matches!(kind, TokenKind::Name | TokenKind::EscapedName)
            || matches!(&*name, "in" | "true" | "false" | "null")
        {
            return Err(self.wrong());
        }
        self.at += 1;
        if kind == TokenKind::Name && !optional && self.is("(") {
            let open = self.want("(")?;
            let args = self.list_of(")")?;
            return Ok(self.receiver_call(open, &name, operand, args));
        }

        // Before 1.37, a name in backquotes is an error and stands for no field.
        if kind == TokenKind::EscapedName {
            name.retain(|c| c != '`');
            if !self.release.escaped_names {
                self.issues.push(Issue { offset: at, text: "unsupported syntax: '`'".into() });
                name.clear();
            }
        }
        let field: Arc<str> = name.into();
        if optional {
            let field = self.make(at, ExprKind::Literal(Value::Text(field)));
            return Ok(self.call(offset, op::OPT_SELECT, vec![operand, field]));
        }
        Ok(self.make(offset, ExprKind::Select { operand: Box::new(operand), field, test: false }))
    }

    /// Parses expressions up to a closing symbol.
    fn list_of(&mut self, close: &str) -> Result<Vec<Expr>, SyntaxError> {
        let mut all = Vec::new();
        let mut walk = 0;
        while !self.take(close) {
            if !all.is_empty() {
                self.want(",")?;
            }
            all.push(self.expr()?);
            walk = walk.max(self.walk);
        }
        self.walk = walk;
        Ok(all)
    }

    fn primary(&mut self) -> Made {
        let offset = self.offset();
        match self.kind() {
            TokenKind::Name => self.named(""),
            TokenKind::Symbol => match self.text() {
                "." if self.tokens.get(self.at + 1).is_some_and(|t| t.kind == TokenKind::Name) => {
                    self.at += 1;
                    self.named(".")
                }
                "(" => {
                    self.at += 1;
                    let inner = self.expr()?;
                    self.want(")")?;
                    Ok(inner)
                }
                "[" => self.list(offset),
                "{" => self.map(offset),
                "-" => {
                    self.at += 1;
                    Ok(self.literal(offset, "-"))
                }
                _ => Err(self.wrong()),
            },
            TokenKind::End | TokenKind::EscapedName => Err(self.wrong()),
            _ => Ok(self.literal(offset, "")),
        }
    }
}

impl Parser<'_> {
    fn list(&mut self, offset: usize) -> Made {
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

    fn map(&mut self, offset: usize) -> Made {
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
    fn named(&mut self, dot: &str) -> Made {
        let offset = if dot.is_empty() { self.offset() } else { self.offset().saturating_sub(1) };
        let (at, name) = (self.offset(), self.text().to_owned());

        // Keywords are literals, and not members of the root scope.
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

        // Parity: the arguments of a reserved name are parsed before it is rejected.
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
    fn message(&mut self, dot: &str) -> Option<Made> {
        let mut ahead = 1;
        while self.next_is(ahead, ".")
            && self.tokens.get(self.at + ahead + 1).is_some_and(|t| t.kind == TokenKind::Name)
        {
            ahead += 2;
        }
        if !self.next_is(ahead, "{") {
            return None;
        }

        // Its fields are skipped: selectors with messages are not reproduced.
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

    fn literal(&mut self, offset: usize, sign: &str) -> Expr {
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

/// Why a text cannot be parsed at all.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SyntaxError {
    /// A syntax error at this offset.
    At(usize),
    /// Nested deeper than the caller's limit.
    Nested,
    /// Nested deeper than upstream allows; the text is upstream's error.
    Deep(&'static str),
    /// Nested so deeply that upstream's answer is not known.
    Unclear,
    /// Its macros expand to more expressions than the limit.
    Large,
}

/// Maximum recursion of a rule in upstream's grammar.
const GRAMMAR: SyntaxError = SyntaxError::Deep("expression recursion limit exceeded: 250");
/// Maximum nesting of operators, selections, indices, methods and conditions in upstream's visitor.
const WALK: SyntaxError = SyntaxError::Deep("max recursion depth exceeded");
