//! One table of options serves the description, the check and the command.

use axum::http::StatusCode;
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::wrong_option;
use crate::app::clip;
use crate::fault::{Answer, ErrorItem, Fault};

/// The longest text of an option.
const LONGEST: usize = 20_000;

/// What an option takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OptionKind {
    /// A finite number, 0 or more.
    Number,
    /// A whole number, 0 or more.
    Integer,
    /// A number from 0 to 100.
    Percent,
    /// One of `choices`.
    Choice,
    /// True or false.
    Flag,
    /// Words.
    Text,
}

/// An option as the API describes it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OptionView {
    /// The key in `options`; with dashes it is the flag of the command line.
    pub name: &'static str,
    /// What it takes.
    pub kind: OptionKind,
    /// What holds when it is left out; null: nothing is asked.
    pub default: Value,
    /// What may be chosen.
    pub choices: Vec<&'static str>,
    /// What it does.
    pub help: &'static str,
    /// The unit of a number.
    pub unit: &'static str,
    /// Whether a page should show it without being asked.
    pub important: bool,
}

impl OptionView {
    pub fn new(name: &'static str, kind: OptionKind, help: &'static str) -> Self {
        let default = match kind {
            OptionKind::Flag => json!(false),
            _ => Value::Null,
        };
        Self {
            name,
            kind,
            default,
            choices: Vec::new(),
            help,
            unit: "",
            important: false,
        }
    }

    pub fn by_default(self, default: impl Into<Value>) -> Self {
        Self {
            default: default.into(),
            ..self
        }
    }

    pub fn among(self, choices: &[&'static str]) -> Self {
        Self {
            choices: choices.to_vec(),
            ..self
        }
    }

    pub fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    pub fn important(self) -> Self {
        Self {
            important: true,
            ..self
        }
    }

    /// The value in its plain form; null and the default are `None`.
    fn read(&self, value: &Value) -> Result<Option<Value>, ErrorItem> {
        let wanted = match self.kind {
            OptionKind::Number => "a number, 0 or more".to_string(),
            OptionKind::Integer => "a whole number, 0 or more".into(),
            OptionKind::Percent => "a number from 0 to 100".into(),
            OptionKind::Choice => format!("one of {}", self.choices.join(", ")),
            OptionKind::Flag => "true or false".into(),
            OptionKind::Text => "a text without control characters".into(),
        };
        let plain = match (self.kind, value) {
            (_, Value::Null) => return Ok(None),
            (OptionKind::Number, Value::Number(number)) => number
                .as_f64()
                .filter(|n| n.is_finite() && *n >= 0.0)
                .map(|n| json!(n)),
            (OptionKind::Integer, Value::Number(number)) => number.as_u64().map(|n| json!(n)),
            (OptionKind::Percent, Value::Number(number)) => number
                .as_f64()
                .filter(|n| (0.0..=100.0).contains(n))
                .map(|n| json!(n)),
            (OptionKind::Choice, Value::String(text)) => {
                self.choices.contains(&text.as_str()).then(|| json!(text))
            }
            (OptionKind::Flag, Value::Bool(flag)) => Some(json!(flag)),
            (OptionKind::Text, Value::String(text)) => {
                let fit = text.len() <= LONGEST && !text.chars().any(char::is_control);
                fit.then(|| json!(text.trim()))
            }
            _ => None,
        };
        match plain {
            Some(plain) if same(&plain, &self.default) || plain == json!("") => Ok(None),
            Some(plain) => Ok(Some(plain)),
            None => {
                let what = format!("{} is not {wanted}", clip(&value.to_string()));
                Err(wrong_option(self.name, what, wanted))
            }
        }
    }
}

/// Equal as numbers, whole or not, or as anything else.
fn same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

/// The options that were given and differ from their defaults.
#[derive(Debug)]
pub struct Chosen(Vec<(OptionView, Value)>);

impl Chosen {
    /// Checks every option; all that is wrong is told at once.
    pub fn check(options: &[OptionView], given: &Map<String, Value>) -> Answer<Self> {
        let mut errors = Vec::new();
        let known = |name: &str| options.iter().any(|option| option.name == name);
        for name in given.keys().filter(|name| !known(name)).take(20) {
            let names: Vec<&str> = options.iter().map(|option| option.name).collect();
            let fix = format!("there are {}", names.join(", "));
            errors.push(wrong_option(&clip(name), "no such option".into(), fix));
        }
        let mut chosen = Vec::new();
        // In the order of the description, whatever the order given.
        for option in options {
            let Some(value) = given.get(option.name) else {
                continue;
            };
            match option.read(value) {
                Ok(None) => {}
                Ok(Some(value)) => chosen.push((option.clone(), value)),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() {
            Ok(Self(chosen))
        } else {
            Err(Fault::all(StatusCode::UNPROCESSABLE_ENTITY, errors))
        }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        let mut all = self.0.iter();
        all.find(|(option, _)| option.name == name)
            .map(|(_, value)| value)
    }

    pub fn flag(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value == &json!(true))
    }

    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.as_f64()
    }

    pub fn integer(&self, name: &str) -> Option<u64> {
        self.get(name)?.as_u64()
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// The parts of a text with commas.
    pub fn list(&self, name: &str) -> impl Iterator<Item = &str> {
        let parts = self.text(name).unwrap_or("").split(',').map(str::trim);
        parts.filter(|part| !part.is_empty())
    }

    /// A percent as the command line writes it.
    pub fn percent(&self, name: &str) -> Option<String> {
        self.number(name).map(|number| format!("{number}%"))
    }

    /// As words of the command line.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        for (option, value) in &self.0 {
            words.push(format!("--{}", option.name.replace('_', "-")));
            match (option.kind, value.as_f64(), value.as_str()) {
                (OptionKind::Flag, ..) => {}
                // Through f64: 80, not 80.0.
                (OptionKind::Percent, Some(number), _) => words.push(format!("{number}%")),
                (OptionKind::Number, Some(number), _) => words.push(number.to_string()),
                (_, _, Some(text)) => words.push(text.to_string()),
                _ => words.push(value.to_string()),
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> Vec<OptionView> {
        vec![
            OptionView::new("max_moves", OptionKind::Integer, ""),
            OptionView::new("alive", OptionKind::Percent, "").by_default(75.0),
            OptionView::new("frontier", OptionKind::Flag, ""),
            OptionView::new("level", OptionKind::Text, ""),
            OptionView::new("pool", OptionKind::Choice, "").among(&["auto", "mip"]),
        ]
    }

    fn check(value: Value) -> Answer<Chosen> {
        Chosen::check(&options(), value.as_object().unwrap())
    }

    #[test]
    fn what_is_given_becomes_words() {
        let given = json!({"frontier": true, "max_moves": 7, "alive": 80, "level": "my zone", "pool": "mip"});
        let words = check(given).unwrap().words();
        let wanted = ["--max-moves", "7", "--alive", "80%", "--frontier"];
        assert_eq!(words[..5], wanted.map(String::from));
        assert_eq!(
            words[5..],
            ["--level", "my zone", "--pool", "mip"].map(String::from)
        );
        let silent = json!({"alive": 75, "frontier": false, "level": " ", "max_moves": null});
        assert!(check(silent).unwrap().words().is_empty());
    }

    #[test]
    fn every_wrong_option_is_told() {
        let wrong = json!({"max_moves": -1, "alive": 101, "frontier": "yes", "level": "a\nb",
            "pool": "swimming", "colour": 3});
        let fault = format!("{:?}", check(wrong).unwrap_err());
        for name in ["max_moves", "alive", "frontier", "level", "pool", "colour"] {
            assert!(
                fault.contains(&format!("options.{name}")),
                "{name}: {fault}"
            );
        }
        for wrong in [json!(1.5), json!(1e300), json!([1]), json!("7"), json!({})] {
            assert!(check(json!({"max_moves": wrong})).is_err());
        }
    }
}
