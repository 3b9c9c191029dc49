//! The type check of an expression: names, fields and functions exist, and known types match.

use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators as op};

use super::CompileError;
use super::functions::{self, TYPES, Ty, is_unsupported};

/// Checks an expression.
pub(super) fn check(expression: &IdedExpr) -> Result<(), CompileError> {
    let mut check = Check { scope: Vec::new() };
    match check.of(expression)? {
        Ty::Bool | Ty::Any => Ok(()),
        other => Err(CompileError::Invalid(format!("must evaluate to bool or the unknown type, not {}", other.name()))),
    }
}

struct Check {
    scope: Vec<(String, Ty)>,
}

impl Check {
    fn of(&mut self, expression: &IdedExpr) -> Result<Ty, CompileError> {
        Ok(match &expression.expr {
            Expr::Literal(literal) => literal_type(literal),
            Expr::Ident(name) => self.variable(name)?,
            Expr::Select(select) => {
                let operand = self.of(&select.operand)?;
                let field = field(operand, &select.field)?;
                if select.test { Ty::Bool } else { field }
            }
            Expr::Call(call) => self.call(call)?,
            Expr::Comprehension(comprehension) => self.comprehension(comprehension)?,
            Expr::List(list) => {
                list.elements.iter().try_for_each(|e| self.of(e).map(|_| ()))?;
                Ty::List
            }
            Expr::Map(map) => {
                for entry in &map.entries {
                    match &entry.expr {
                        EntryExpr::MapEntry(entry) => {
                            self.of(&entry.key)?;
                            self.of(&entry.value)?;
                        }
                        EntryExpr::StructField(field) => {
                            self.of(&field.value)?;
                        }
                    }
                }
                Ty::Map
            }
            Expr::Struct(structure) => {
                return Err(CompileError::Unsupported(format!("makes a message ({})", structure.type_name)));
            }
            Expr::Unspecified => return Err(CompileError::Invalid("an empty expression".into())),
        })
    }

    fn variable(&self, name: &str) -> Result<Ty, CompileError> {
        if let Some((_, ty)) = self.scope.iter().rev().find(|(known, _)| known == name) {
            return Ok(*ty);
        }
        match name {
            "device" => Ok(Ty::Device),
            _ if TYPES.contains(&name) => Ok(Ty::Type),
            _ => Err(unknown(name)),
        }
    }

    fn call(&mut self, call: &CallExpr) -> Result<Ty, CompileError> {
        let name = call.func_name.as_str();
        match (name, call.args.as_slice()) {
            (op::LOGICAL_AND | op::LOGICAL_OR, [a, b]) => {
                let types = [self.of(a)?, self.of(b)?];
                if types.iter().all(|t| t.fits(Ty::Bool)) { Ok(Ty::Bool) } else { Err(no_overload(name, &types)) }
            }
            (op::CONDITIONAL, [condition, yes, no]) => {
                let types = [self.of(condition)?, self.of(yes)?, self.of(no)?];
                let [condition, yes, no] = types;
                if !condition.fits(Ty::Bool) || !functions::comparable(yes, no) {
                    return Err(no_overload(name, &types));
                }
                Ok(if yes == no { yes } else { Ty::Any })
            }
            (op::NOT_STRICTLY_FALSE, [argument]) => self.of(argument).map(|_| Ty::Bool),
            (op::INDEX, [container, key]) => {
                let types = [self.of(container)?, self.of(key)?];
                element(types[0]).ok_or_else(|| no_overload(name, &types))
            }
            (op::OPT_INDEX | op::OPT_SELECT, [container, key]) => {
                let types = [self.of(container)?, self.of(key)?];
                element(types[0]).map(|_| Ty::Optional).ok_or_else(|| no_overload(name, &types))
            }
            (op::IN, [value, container]) => {
                let types = [self.of(value)?, self.of(container)?];
                if types[1].fits(Ty::List) || types[1].fits(Ty::Map) {
                    Ok(Ty::Bool)
                } else {
                    Err(no_overload(name, &types))
                }
            }
            (op::EQUALS | op::NOT_EQUALS, [a, b]) => {
                let types = [self.of(a)?, self.of(b)?];
                if functions::comparable(types[0], types[1]) { Ok(Ty::Bool) } else { Err(no_overload(name, &types)) }
            }
            (op::LESS | op::LESS_EQUALS | op::GREATER | op::GREATER_EQUALS, [a, b]) => {
                let types = [self.of(a)?, self.of(b)?];
                if functions::orderable(types[0], types[1]) { Ok(Ty::Bool) } else { Err(no_overload(name, &types)) }
            }
            (op::ADD | op::SUBSTRACT | op::MULTIPLY | op::DIVIDE | op::MODULO, [a, b]) => {
                let types = [self.of(a)?, self.of(b)?];
                functions::combined(name, types[0], types[1]).ok_or_else(|| no_overload(name, &types))
            }
            _ => self.function(call),
        }
    }

    fn function(&mut self, call: &CallExpr) -> Result<Ty, CompileError> {
        let (name, args) = (call.func_name.as_str(), call.args.as_slice());
        let Some(target) = call.target.as_deref() else { return self.signature(name, false, args, Vec::new()) };
        if let Some(namespace) = functions::namespace(target) {
            return match (namespace, name, args) {
                ("cel", "bind", [variable, value, body]) => {
                    let value = self.of(value)?;
                    self.with(variable, value, body)
                }
                _ => self.signature(&format!("{namespace}.{name}"), false, args, Vec::new()),
            };
        }
        if let Expr::Ident(namespace) = &target.expr
            && is_unsupported(namespace)
            && !self.scope.iter().any(|(known, _)| known == namespace)
        {
            return Err(CompileError::Unsupported(format!("uses {namespace}.{name}()")));
        }
        let target = self.of(target)?;
        match (name, args) {
            ("optMap" | "optFlatMap", [variable, body]) => self.with(variable, Ty::Any, body).map(|_| Ty::Optional),
            _ => self.signature(name, true, args, vec![target]),
        }
    }

    fn with(&mut self, variable: &IdedExpr, ty: Ty, body: &IdedExpr) -> Result<Ty, CompileError> {
        let name = functions::identifier(variable);
        if name.is_empty() {
            return Err(CompileError::Invalid("argument must be a simple name".into()));
        }
        self.scope.push((name.to_owned(), ty));
        let result = self.of(body);
        self.scope.pop();
        result
    }

    fn signature(
        &mut self,
        name: &str,
        method: bool,
        args: &[IdedExpr],
        mut types: Vec<Ty>,
    ) -> Result<Ty, CompileError> {
        if functions::named(name, method).next().is_none() {
            // Comprehensions over two variables, and functions that are not implemented here.
            let unsupported = is_unsupported(name) || matches!(name, "all" | "exists" | "existsOne" | "exists_one");
            return Err(if unsupported { CompileError::Unsupported(format!("uses {name}()")) } else { unknown(name) });
        }
        for argument in args {
            types.push(self.of(argument)?);
        }
        let takes = |s: &&functions::FunctionSignature| {
            s.args.len() == types.len() && s.args.iter().zip(&types).all(|(wanted, given)| given.fits(*wanted))
        };
        functions::named(name, method).find(takes).map(|s| s.result).ok_or_else(|| no_overload(name, &types))
    }

    fn comprehension(&mut self, c: &ComprehensionExpr) -> Result<Ty, CompileError> {
        let range = self.of(&c.iter_range)?;
        if !range.fits(Ty::List) && !range.fits(Ty::Map) {
            return Err(CompileError::Invalid(format!(
                "expression of type '{}' cannot be range of a comprehension (must be list, map, or dynamic)",
                range.name()
            )));
        }
        let total = self.of(&c.accu_init)?;
        let before = self.scope.len();
        self.scope.push((c.accu_var.clone(), total));
        let keys = if range == Ty::List || range == Ty::Any { Ty::Any } else { Ty::Text };
        if let Some(second) = &c.iter_var2 {
            self.scope.push((c.iter_var.clone(), Ty::Any));
            self.scope.push((second.clone(), Ty::Any));
        } else {
            self.scope.push((c.iter_var.clone(), keys));
        }
        self.of(&c.loop_cond)?;
        self.of(&c.loop_step)?;
        self.scope.truncate(before + 1);
        let result = self.of(&c.result);
        self.scope.truncate(before);
        result
    }
}

fn unknown(name: &str) -> CompileError {
    if is_unsupported(name) {
        return CompileError::Unsupported(format!("uses {name}"));
    }
    CompileError::Invalid(format!("undeclared reference to '{name}' (in container '')"))
}

fn no_overload(name: &str, types: &[Ty]) -> CompileError {
    let types: Vec<&str> = types.iter().map(|t| t.name()).collect();
    CompileError::Invalid(format!("found no matching overload for '{name}' applied to '({})'", types.join(", ")))
}

fn literal_type(literal: &LiteralValue) -> Ty {
    match literal {
        LiteralValue::Boolean(_) => Ty::Bool,
        LiteralValue::Bytes(_) => Ty::Bytes,
        LiteralValue::Double(_) => Ty::Double,
        LiteralValue::Int(_) => Ty::Int,
        LiteralValue::Null => Ty::Null,
        LiteralValue::String(_) => Ty::Text,
        LiteralValue::UInt(_) => Ty::Uint,
    }
}

fn field(operand: Ty, name: &str) -> Result<Ty, CompileError> {
    Ok(match (operand, name) {
        (Ty::Device, "driver") => Ty::Text,
        (Ty::Device, "attributes") => Ty::Attributes,
        (Ty::Device, "capacity") => Ty::Capacities,
        (Ty::Device, "allowMultipleAllocations") => Ty::Bool,
        (Ty::Device, _) => return Err(CompileError::Invalid(format!("undefined field '{name}'"))),
        (Ty::Any, _) => Ty::Any,
        (Ty::Optional, _) => Ty::Optional,
        (Ty::Attributes | Ty::Capacities | Ty::Amounts | Ty::Map, _) => element(operand).unwrap_or(Ty::Any),
        _ => return Err(CompileError::Invalid(format!("type '{}' does not support field selection", operand.name()))),
    })
}

/// The type of an element of a container.
fn element(container: Ty) -> Option<Ty> {
    match container {
        Ty::Attributes | Ty::Any | Ty::List => Some(if container == Ty::Attributes { Ty::Map } else { Ty::Any }),
        Ty::Capacities => Some(Ty::Amounts),
        Ty::Amounts => Some(Ty::Quantity),
        Ty::Optional => Some(Ty::Optional),
        // The compiler does not treat `device` as a map, but its optional fields are selected in the same way.
        Ty::Map | Ty::Device => Some(Ty::Any),
        _ => None,
    }
}
