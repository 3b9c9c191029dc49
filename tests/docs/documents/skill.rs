//! The skill for agents: every command of the cookbook answers with JSON, and every field that it
//! names is in that answer, or, where it says *sometimes*, in the schema of such answers.

use std::collections::BTreeSet;
use std::fs;

use regex::Regex;
use serde_json::Value;

use super::{Desk, commands, root};

const SKILL: &str = "skills/kubectl-preempt/SKILL.md";
const COOKBOOK: &str = "skills/kubectl-preempt/COOKBOOK.md";

/// A section of the cookbook.
#[derive(Default)]
struct Recipe {
    question: String,
    commands: Vec<String>,
    /// Paths such as `.items[].name`.
    always: Vec<String>,
    sometimes: Vec<String>,
}

fn read(document: &str) -> String {
    fs::read_to_string(root().join(document)).unwrap()
}

/// The recipes, by their headings.
fn recipes() -> Vec<Recipe> {
    let path = Regex::new(r"`(\.[A-Za-z][A-Za-z.\[\]]*)`").unwrap();
    let mut recipes: Vec<Recipe> = Vec::new();
    let (mut in_block, mut is_sometimes) = (false, false);
    for line in read(COOKBOOK).lines() {
        if let Some(question) = line.strip_prefix("## ") {
            recipes.push(Recipe { question: question.to_owned(), ..Recipe::default() });
            is_sometimes = false;
            continue;
        }
        let Some(recipe) = recipes.last_mut() else { continue };
        match line {
            "```sh" => in_block = true,
            "```" => in_block = false,
            "sometimes:" => is_sometimes = true,
            command if in_block => recipe.commands.push(command.to_owned()),
            _ => {
                let paths = path.captures_iter(line).map(|found| found[1].to_owned());
                if is_sometimes {
                    recipe.sometimes.extend(paths);
                } else {
                    recipe.always.extend(paths);
                }
            }
        }
    }
    recipes
}

/// The steps of a path: names, and `[]` for each item of a list.
fn steps(path: &str) -> Vec<String> {
    path.replace("[]", ".[]").split('.').skip(1).map(str::to_owned).collect()
}

/// Whether there is something at the path.
fn is_in_answer(value: &Value, steps: &[String]) -> bool {
    match steps {
        [] => true,
        [step, rest @ ..] if step == "[]" => {
            value.as_array().is_some_and(|items| items.iter().any(|item| is_in_answer(item, rest)))
        }
        [step, rest @ ..] => value.get(step).is_some_and(|inner| is_in_answer(inner, rest)),
    }
}

/// Whether the schema knows the path.
fn is_in_schema(schema: &Value, part: &Value, steps: &[String]) -> bool {
    if let Some(name) = part["$ref"].as_str() {
        let inner = schema.pointer(name.trim_start_matches('#')).expect("a reference");
        return is_in_schema(schema, inner, steps);
    }
    let choices = ["anyOf", "oneOf", "allOf"];
    let any = choices.iter().filter_map(|key| part[*key].as_array()).flatten();
    if any.into_iter().any(|choice| is_in_schema(schema, choice, steps)) {
        return true;
    }
    match steps {
        [] => true,
        [step, rest @ ..] if step == "[]" => {
            part.get("items").is_some_and(|items| is_in_schema(schema, items, rest))
        }
        [step, rest @ ..] => {
            let named = part["properties"].get(step).or_else(|| part.get("additionalProperties"));
            named.is_some_and(|inner| inner.is_object() && is_in_schema(schema, inner, rest))
        }
    }
}

/// The schema of answers of this kind.
fn of_kind<'s>(schema: &'s Value, kind: &str) -> &'s Value {
    schema["$defs"].get(kind).unwrap_or_else(|| panic!("the schema has no {kind}"))
}

#[test]
fn every_field_of_the_cookbook_is_in_the_answers() {
    let schema: Value = serde_json::from_str(&read("docs/schema.json")).unwrap();
    let desk = Desk::new();
    let mut fields = 0;
    for Recipe { question, commands, always, sometimes } in recipes() {
        assert!(!commands.is_empty() && !always.is_empty(), "{question}: no command or no field");
        let mut answer = Value::Null;
        for command in &commands {
            let output = desk.output(command);
            assert!(output.status.code().is_some_and(|code| code != 2), "{command}: {output:?}");
            if command.ends_with("-o json") {
                answer = serde_json::from_slice(&output.stdout).expect(command);
            }
        }
        let kind = answer["kind"].as_str().unwrap_or_else(|| panic!("{question}: no JSON"));
        for path in &always {
            assert!(is_in_answer(&answer, &steps(path)), "{question}: {path} is not in {answer:#}");
        }
        for path in &sometimes {
            let known = is_in_schema(&schema, of_kind(&schema, kind), &steps(path));
            assert!(known, "{question}: {kind} has no {path}");
        }
        fields += always.len() + sometimes.len();
    }
    assert!(fields > 80, "{fields}");
}

#[test]
fn a_field_that_no_answer_has_is_found() {
    let schema: Value = serde_json::from_str(&read("docs/schema.json")).unwrap();
    let list = of_kind(&schema, "PendingList");
    for (path, known) in [
        (".items[].cause.code", true),
        (".summary.Blocked", true),
        (".items[].podGroup.waiting[]", true),
        (".items[].cause.colour", false),
        (".items.name", false),
        (".things[]", false),
    ] {
        assert_eq!(is_in_schema(&schema, list, &steps(path)), known, "{path}");
    }
}

#[test]
fn the_skill_names_itself_and_each_command_of_its_table_has_a_recipe() {
    let skill = read(SKILL);
    let head = skill.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    let (head, body) = head.expect("front matter between two lines of hyphens");
    let head: Value = serde_saphyr::from_str(head).unwrap();
    assert_eq!(head["name"], "kubectl-preempt", "the name is that of the folder");
    let description = head["description"].as_str().unwrap();
    assert!((50..=1024).contains(&description.len()), "{}", description.len());

    let command = Regex::new(r"kubectl preempt ([a-z-]+)").unwrap();
    let named = |text: &str| -> BTreeSet<String> {
        command.captures_iter(text).map(|found| found[1].to_owned()).collect()
    };
    let table: String = body.lines().filter(|line| line.starts_with('|')).collect();
    let cooked = named(&super::commands(COOKBOOK).join("\n"));
    let missing: Vec<String> = named(&table).difference(&cooked).cloned().collect();
    assert!(missing.is_empty(), "no recipe for {missing:?}");
    assert!(named(&table).len() > 6, "{table}");
}

#[test]
fn no_command_for_agents_writes() {
    let all = [SKILL, COOKBOOK].map(commands).concat();
    assert!(!all.is_empty());
    for command in all {
        assert!(!command.contains("--apply"), "{command}");
    }
}
