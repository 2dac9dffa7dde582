//! Bars in a terminal, from numbers.

/// Eighths of a block, from nothing to full.
const BLOCKS: [char; 9] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// A bar for `value` of `most`, at most `width` columns long; something is seen of everything above zero.
pub(crate) fn bar(value: i64, most: i64, width: usize) -> String {
    if value <= 0 || most <= 0 {
        return String::new();
    }
    let eighths = i128::from(value) * i128::try_from(width * 8).unwrap_or(0) / i128::from(most);
    let eighths = usize::try_from(eighths).unwrap_or(0).clamp(1, width * 8);
    let mut bar = BLOCKS[8].to_string().repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.push(BLOCKS[eighths % 8]);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars() {
        assert_eq!(bar(10, 10, 4), "████");
        assert_eq!(bar(5, 10, 3), "█▌");
        assert_eq!(bar(1, 1_000_000, 10), "▏");
        assert_eq!(bar(0, 10, 4), "");
        assert_eq!(bar(i64::MAX, i64::MAX, 2), "██");
    }
}
