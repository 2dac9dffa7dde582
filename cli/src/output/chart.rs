//! Bar charts for a terminal.

/// Block characters with 0 to 8 eighths of the width.
const BLOCKS: [char; 9] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// A bar for `value` of `max`, at most `width` columns long. A value above zero always has a visible bar.
pub(crate) fn draw_bar(value: i64, max: i64, width: usize) -> String {
    if value <= 0 || max <= 0 {
        return String::new();
    }
    let eighths = i128::from(value) * i128::try_from(width * 8).unwrap_or(0) / i128::from(max);
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
    fn a_bar_is_proportional_and_at_least_one_eighth_wide() {
        assert_eq!(draw_bar(10, 10, 4), "████");
        assert_eq!(draw_bar(5, 10, 3), "█▌");
        assert_eq!(draw_bar(1, 1_000_000, 10), "▏");
        assert_eq!(draw_bar(0, 10, 4), "");
        assert_eq!(draw_bar(i64::MAX, i64::MAX, 2), "██");
    }
}
