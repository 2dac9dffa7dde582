//! Words as a POSIX shell reads them back: for commands that are recorded or hinted at, so that they can be pasted.

/// A command line of these words.
pub(crate) fn line<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> String {
    words.into_iter().map(|word| quoted(word.as_ref())).collect::<Vec<_>>().join(" ")
}

/// One word; in single quotes where a shell would read more into it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:=,@%+".contains(&byte);
    match !word.is_empty() && word.bytes().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_act_on_them() {
        assert_eq!(
            line(["orders", "list", "--cost=5..10", "-n3", "a@b.example"]),
            "orders list --cost=5..10 -n3 a@b.example"
        );
        assert_eq!(
            line(["", "two words", "$HOME", "it's", "*", "ä"]),
            r#"'' 'two words' '$HOME' 'it'\''s' '*' 'ä'"#
        );
    }

    /// A real shell reads back what was written.
    #[cfg(unix)]
    #[test]
    fn a_shell_reads_the_words_back() {
        let words =
            ["a b", "", "$(echo x)", "`id`", "it's", "\"", "\\", "!x", "#", "~", "a\nb", ";", "&", "-- "];
        let script = format!("printf '%s\\0' {}", line(words));
        let output = std::process::Command::new("sh").arg("-c").arg(script).output().unwrap();
        let expected: String = words.iter().map(|word| format!("{word}\0")).collect();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
}
