//! Quotes words for a POSIX shell, so that recorded and suggested commands can be pasted.

/// Quotes words and joins them to a command line.
pub(crate) fn join_words<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> String {
    words.into_iter().map(|word| quote(word.as_ref())).collect::<Vec<_>>().join(" ")
}

/// Quotes a word with single quotes if a shell would interpret it.
pub(crate) fn quote(word: &str) -> String {
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
    fn quotes_words_that_a_shell_would_interpret() {
        assert_eq!(
            join_words(["orders", "list", "--cost=5..10", "-n3", "a@b.example"]),
            "orders list --cost=5..10 -n3 a@b.example"
        );
        assert_eq!(
            join_words(["", "two words", "$HOME", "it's", "*", "ä"]),
            r#"'' 'two words' '$HOME' 'it'\''s' '*' 'ä'"#
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_real_shell_reads_back_the_quoted_words() {
        let words =
            ["a b", "", "$(echo x)", "`id`", "it's", "\"", "\\", "!x", "#", "~", "a\nb", ";", "&", "-- "];
        let script = format!("printf '%s\\0' {}", join_words(words));
        let output = std::process::Command::new("sh").arg("-c").arg(script).output().unwrap();
        let expected: String = words.iter().map(|word| format!("{word}\0")).collect();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
}
