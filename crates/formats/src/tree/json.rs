//! JSON to a tree.

use std::borrow::Cow;

use super::{Kind, MAX_DEPTH, MAX_VALUES, SyntaxError, Tree};
use crate::error::clip;

/// Parses a whole document.
pub(crate) fn parse(text: &str) -> Result<Tree<'_>, SyntaxError> {
    let mut parser = Parser {
        text,
        at: 0,
        line: 1,
        line_start: 0,
        values: 0,
    };
    let tree = parser.value(0)?;
    parser.skip();
    if parser.at < text.len() {
        return parser.fail("text after the end of the document", "remove it");
    }
    Ok(tree)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    line_start: usize,
    values: usize,
}

impl<'a> Parser<'a> {
    fn fail<T>(&self, found: impl Into<String>, fix: &'static str) -> Result<T, SyntaxError> {
        self.fail_as("F007", found, fix)
    }

    fn fail_as<T>(
        &self,
        code: &'static str,
        found: impl Into<String>,
        fix: &'static str,
    ) -> Result<T, SyntaxError> {
        let column = (self.at - self.line_start.min(self.at)) as u64 + 1;
        Err(SyntaxError {
            code,
            line: u64::from(self.line),
            column,
            found: found.into(),
            fix,
        })
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => {
                    self.line = self.line.saturating_add(1);
                    self.line_start = self.at + 1;
                }
                b' ' | b'\t' | b'\r' => {}
                _ => break,
            }
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Tree<'a>, SyntaxError> {
        self.skip();
        self.values += 1;
        if self.values > MAX_VALUES {
            return self.fail_as(
                "F002",
                "too many values for one document",
                "use a table instead",
            );
        }
        if depth > MAX_DEPTH {
            return self.fail("nested too deeply", "no format here is nested that deep");
        }
        let line = self.line;
        let kind = match self.peek() {
            Some(b'{') => self.map(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Kind::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => Kind::Number(Cow::Borrowed(self.number()?)),
            Some(b't') => self.word("true", Kind::Bool(true))?,
            Some(b'f') => self.word("false", Kind::Bool(false))?,
            Some(b'n') => self.word("null", Kind::Null)?,
            None => return self.fail("the document ends too early", "is it cut off?"),
            Some(_) => {
                let rest: String = self.text[self.at..].chars().take(20).collect();
                return self.fail(
                    format!("`{}` where a value should be", clip(&rest)),
                    "check commas and quotes",
                );
            }
        };
        Ok(Tree { kind, line })
    }

    fn word(&mut self, word: &str, kind: Kind<'a>) -> Result<Kind<'a>, SyntaxError> {
        if self.text[self.at..].starts_with(word) {
            self.at += word.len();
            return Ok(kind);
        }
        self.fail("an unknown word", "put text into quotes")
    }

    /// `-? digits (. digits)? ([eE] [+-]? digits)?`, digits without leading zeros.
    fn number(&mut self) -> Result<&'a str, SyntaxError> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        let leading_zero = self.peek() == Some(b'0');
        let mut valid = self.digits() > 0
            && !(leading_zero && self.at - start > 1 && {
                let digits = &self.text[start..self.at];
                digits.trim_start_matches('-').len() > 1
            });
        if self.peek() == Some(b'.') {
            self.at += 1;
            valid &= self.digits() > 0;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            valid &= self.digits() > 0;
        }
        if !valid {
            return self.fail("a malformed number", "write it as 1.5");
        }
        Ok(&self.text[start..self.at])
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    fn string(&mut self) -> Result<Cow<'a, str>, SyntaxError> {
        self.at += 1;
        let start = self.at;
        let mut owned: Option<String> = None;
        let mut piece = start;
        loop {
            match self.peek() {
                None => return self.fail("a text without its closing quote", "is it cut off?"),
                Some(b'"') => {
                    let last = &self.text[piece..self.at];
                    self.at += 1;
                    return Ok(match owned {
                        None => Cow::Borrowed(last),
                        Some(owned) => Cow::Owned(owned + last),
                    });
                }
                Some(b'\\') => {
                    let so_far = &self.text[piece..self.at];
                    let mut text = owned.take().unwrap_or_default();
                    text.push_str(so_far);
                    text.push(self.escape()?);
                    owned = Some(text);
                    piece = self.at;
                }
                Some(byte) if byte < 0x20 => {
                    return self.fail("a control character in a text", "escape it");
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<char, SyntaxError> {
        let code = self.text.as_bytes().get(self.at + 1).copied();
        self.at += 2;
        let simple = match code {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            _ => {
                self.at -= 2;
                return self.fail("an unknown escape", "write \\\\ for a backslash");
            }
        };
        Ok(simple)
    }

    fn unicode(&mut self) -> Result<char, SyntaxError> {
        let first = self.hex()?;
        let code = if (0xd800..0xdc00).contains(&first) {
            if !self.text[self.at..].starts_with("\\u") {
                return self.fail("half of a surrogate pair", "write the character itself");
            }
            self.at += 2;
            let second = self.hex()?;
            if !(0xdc00..0xe000).contains(&second) {
                return self.fail("half of a surrogate pair", "write the character itself");
            }
            0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
        } else {
            first
        };
        match char::from_u32(code) {
            Some(char) => Ok(char),
            None => self.fail("half of a surrogate pair", "write the character itself"),
        }
    }

    fn hex(&mut self) -> Result<u32, SyntaxError> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4);
        let valid = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let Some(digits) = valid else {
            return self.fail("a malformed \\u escape", "write four hexadecimal digits");
        };
        self.at += 4;
        Ok(digits.iter().fold(0, |code, digit| {
            code * 16 + char::from(*digit).to_digit(16).unwrap_or(0)
        }))
    }

    fn list(&mut self, depth: usize) -> Result<Kind<'a>, SyntaxError> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Kind::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if !self.more(b']')? {
                items.shrink_to_fit();
                return Ok(Kind::List(items));
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Kind<'a>, SyntaxError> {
        self.at += 1;
        let mut fields = Vec::new();
        self.skip();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Kind::Map(fields));
        }
        loop {
            self.skip();
            if self.peek() != Some(b'"') {
                return self.fail("a key without quotes", "put it into double quotes");
            }
            let key = self.string()?;
            self.skip();
            if self.peek() != Some(b':') {
                return self.fail(
                    format!("no colon after `{}`", clip(&key)),
                    "write \"key\": value",
                );
            }
            self.at += 1;
            fields.push((key, self.value(depth + 1)?));
            if !self.more(b'}')? {
                return Ok(Kind::Map(fields));
            }
        }
    }

    /// A comma (`true`) or the end of a list or map.
    fn more(&mut self, end: u8) -> Result<bool, SyntaxError> {
        self.skip();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(byte) if byte == end => {
                self.at += 1;
                Ok(false)
            }
            None => self.fail("the document ends too early", "is it cut off?"),
            Some(_) => self.fail("a missing comma or bracket", "check commas and brackets"),
        }
    }
}

/// Visits the keys of the outermost map, as written, until the visitor says
/// stop. Values are skipped, not parsed.
pub(crate) fn top_level_keys(bytes: &[u8], visit: &mut dyn FnMut(&str) -> bool) {
    let (mut depth, mut at, mut expect_key) = (0usize, 0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => {
                depth += 1;
                expect_key = depth == 1;
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' => expect_key = depth == 1,
            b':' => expect_key = false,
            b'"' => {
                let start = at + 1;
                at = start;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
                let key = bytes
                    .get(start..at)
                    .and_then(|key| std::str::from_utf8(key).ok());
                if depth == 1 && expect_key && key.is_some_and(|key| !visit(key)) {
                    return;
                }
            }
            _ => {}
        }
        at += 1;
    }
}
