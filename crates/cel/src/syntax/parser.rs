//! The parser.
//!
//! Upstream: cel-go `parser/parser.go`, `parser/helper.go`, `parser/gen/CEL.g4`.

use std::sync::Arc;

use super::expr::{Expr, ExprKind, Id, op};
use super::source::{Issue, Source};
use super::token::{Token, TokenKind, tokens};
use crate::release::Release;
use crate::values::Value;

/// The deepest nesting that is parsed. Upstream allows more, which would not fit the stack of a thread here.
const DEEPEST: usize = 60;
/// The longest chain of operators of one rank, or of selections; upstream has the same limit.
const LONGEST_CHAIN: usize = 250;

/// A parsed expression, and what is wrong in it.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub expr: Expr,
    pub issues: Vec<Issue>,
    /// The offset of each expression in the text, by number.
    pub offsets: Vec<usize>,
}

/// Why a text cannot be parsed at all.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SyntaxError {
    /// The grammar does not allow it at this offset.
    At(usize),
    /// It is nested deeper than upstream allows.
    Deep,
}

/// Names that are reserved.
pub(super) const RESERVED: &[&str] = &[
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

/// Operators of one rank, by their symbols.
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

/// Parses a text and expands its macros.
pub(crate) fn parse(source: &Source, release: &Release) -> Result<Parsed, SyntaxError> {
    let tokens = tokens(&source.characters).map_err(SyntaxError::At)?;
    let mut parser = Parser { tokens, at: 0, depth: 0, release, issues: Vec::new(), offsets: vec![0] };
    let expr = parser.expr()?;
    if parser.kind() != TokenKind::End {
        return Err(parser.wrong());
    }
    Ok(Parsed { expr, issues: parser.issues, offsets: parser.offsets })
}

pub(super) struct Parser<'r> {
    pub(super) tokens: Vec<Token>,
    pub(super) at: usize,
    depth: usize,
    pub(super) release: &'r Release,
    pub(super) issues: Vec<Issue>,
    pub(super) offsets: Vec<usize>,
}

pub(super) type Made = Result<Expr, SyntaxError>;

impl Parser<'_> {
    pub(super) fn token(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    pub(super) fn kind(&self) -> TokenKind {
        self.token().map_or(TokenKind::End, |t| t.kind)
    }

    pub(super) fn text(&self) -> &str {
        self.token().map_or("", |t| t.text.as_str())
    }

    pub(super) fn offset(&self) -> usize {
        self.token().map_or(0, |t| t.offset)
    }

    pub(super) fn wrong(&self) -> SyntaxError {
        SyntaxError::At(self.offset())
    }

    pub(super) fn is(&self, symbol: &str) -> bool {
        self.kind() == TokenKind::Symbol && self.text() == symbol
    }

    pub(super) fn next_is(&self, ahead: usize, symbol: &str) -> bool {
        self.tokens.get(self.at + ahead).is_some_and(|t| t.kind == TokenKind::Symbol && t.text == symbol)
    }

    pub(super) fn take(&mut self, symbol: &str) -> bool {
        let is = self.is(symbol);
        self.at += usize::from(is);
        is
    }

    pub(super) fn want(&mut self, symbol: &str) -> Result<usize, SyntaxError> {
        let offset = self.offset();
        if self.take(symbol) { Ok(offset) } else { Err(self.wrong()) }
    }

    /// A new number for an expression at an offset.
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

    pub(super) fn deeper(&mut self, parse: impl FnOnce(&mut Self) -> Made) -> Made {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(SyntaxError::Deep);
        }
        let made = parse(self);
        self.depth -= 1;
        made
    }

    pub(super) fn expr(&mut self) -> Made {
        self.deeper(|p| {
            let condition = p.logic(op::OR)?;
            if !p.is("?") {
                return Ok(condition);
            }
            let offset = p.want("?")?;
            let yes = p.logic(op::OR)?;
            p.want(":")?;
            let no = p.expr()?;
            Ok(p.call(offset, op::CONDITIONAL, vec![condition, yes, no]))
        })
    }

    /// Terms that `&&` or `||` joins, as a balanced tree.
    pub(super) fn logic(&mut self, function: &str) -> Made {
        let symbol = if function == op::OR { "||" } else { "&&" };
        let term = |p: &mut Self| if function == op::OR { p.logic(op::AND) } else { p.relation() };
        let mut terms = vec![term(self)?];
        let mut offsets = Vec::new();
        while self.is(symbol) {
            offsets.push(self.want(symbol)?);
            terms.push(term(self)?);
        }
        Ok(self.balanced(function, terms, &offsets))
    }

    pub(super) fn balanced(&mut self, function: &str, mut terms: Vec<Expr>, offsets: &[usize]) -> Expr {
        if terms.len() == 1 {
            return terms.pop().unwrap_or_else(|| self.make(0, ExprKind::Wrong));
        }
        let middle = offsets.len() / 2;
        let right = terms.split_off(middle + 1);
        let left = self.balanced(function, terms, offsets.get(..middle).unwrap_or_default());
        let right = self.balanced(function, right, offsets.get(middle + 1..).unwrap_or_default());
        self.call(offsets.get(middle).copied().unwrap_or_default(), function, vec![left, right])
    }

    pub(super) fn operator(&self, of: &'static [(&'static str, &'static str)]) -> Option<&'static str> {
        let operator = matches!(self.kind(), TokenKind::Symbol | TokenKind::Name);
        of.iter().find(|(symbol, _)| operator && *symbol == self.text()).map(|(_, function)| *function)
    }

    pub(super) fn chain(&mut self, of: &'static [(&'static str, &'static str)], term: fn(&mut Self) -> Made) -> Made {
        let (mut left, mut count) = (term(self)?, 0);
        while let Some(function) = self.operator(of) {
            count += 1;
            if count > LONGEST_CHAIN {
                return Err(SyntaxError::Deep);
            }
            let offset = self.offset();
            self.at += 1;
            let right = term(self)?;
            left = self.call(offset, function, vec![left, right]);
        }
        Ok(left)
    }

    pub(super) fn relation(&mut self) -> Made {
        self.chain(RELATIONS, |p| p.chain(SUMS, |p| p.chain(PRODUCTS, Self::unary)))
    }

    pub(super) fn unary(&mut self) -> Made {
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
            return Ok(if count % 2 == 0 { operand } else { self.call(offset, function, vec![operand]) });
        }
        self.member()
    }

    pub(super) fn member(&mut self) -> Made {
        let (mut left, mut count) = (self.primary()?, 0);
        loop {
            let offset = self.offset();
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
            count += 1;
            if count > LONGEST_CHAIN {
                return Err(SyntaxError::Deep);
            }
        }
    }

    pub(super) fn selected(&mut self, operand: Expr, offset: usize) -> Made {
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

    /// Expressions up to a closing symbol.
    pub(super) fn list_of(&mut self, close: &str) -> Result<Vec<Expr>, SyntaxError> {
        let mut all = Vec::new();
        while !self.take(close) {
            if !all.is_empty() {
                self.want(",")?;
            }
            all.push(self.expr()?);
        }
        Ok(all)
    }

    pub(super) fn primary(&mut self) -> Made {
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
