//! Draws a QR code on a terminal; each character shows two modules, one above the other. Must never be used for a file, a pipe or a
//! machine-readable format.

use qrcodegen::{QrCode, QrCodeEcc};

use crate::failure::{CommandResult, Failure};
use crate::output::Output;

/// Quiet zone in modules. The standard requires four; scanners of screens accept two, and terminals are small.
const QUIET_ZONE: i32 = 2;

/// Prints the code, or a message if the terminal is too narrow.
pub(crate) fn print(out: &Output, text: &str) -> CommandResult<()> {
    let code = encode(text)?;
    let width = usize::try_from(code.size() + 2 * QUIET_ZONE).unwrap_or(usize::MAX);
    if width > out.width {
        out.print_message(&format!("The terminal is too narrow for the QR code ({width} columns required). Type the secret into the app."));
        return Ok(());
    }
    for line in draw_block_lines(&code, true) {
        match out.stdout_paint.paint_black_on_white(&line) {
            Some(line) => out.print_line(&line)?,
            None => return draw_block_lines(&code, false).iter().try_for_each(|line| out.print_line(line)),
        }
    }
    Ok(())
}

fn encode(text: &str) -> CommandResult<QrCode> {
    QrCode::encode_text(text, QrCodeEcc::Low)
        .map_err(|error| Failure::failed(format!("Could not draw the QR code: {error}.")))
}

/// Draws the dark modules as blocks, or the light modules if the output has no colors: most terminals show light text on a dark background.
fn draw_block_lines(code: &QrCode, draws_dark: bool) -> Vec<String> {
    let end_of_quiet_zone = code.size() + QUIET_ZONE;
    // Modules outside the code are light.
    let is_drawn = |x, y| code.get_module(x, y) == draws_dark && y < end_of_quiet_zone;
    let block = |x, y| match (is_drawn(x, y), is_drawn(x, y + 1)) {
        (true, true) => '█',
        (true, false) => '▀',
        (false, true) => '▄',
        (false, false) => ' ',
    };
    (-QUIET_ZONE..end_of_quiet_zone)
        .step_by(2)
        .map(|y| (-QUIET_ZONE..end_of_quiet_zone).map(|x| block(x, y)).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OTP_URL: &str =
        "otpauth://totp/Panel:anna%40panel.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Panel";

    #[test]
    fn draws_every_module() {
        let code = encode(OTP_URL).unwrap();
        for draws_dark in [true, false] {
            let lines: Vec<Vec<char>> =
                draw_block_lines(&code, draws_dark).iter().map(|line| line.chars().collect()).collect();
            for (y, x) in (-QUIET_ZONE..code.size() + QUIET_ZONE)
                .flat_map(|y| (-QUIET_ZONE..code.size() + QUIET_ZONE).map(move |x| (y, x)))
            {
                let row = &lines[usize::try_from((y + QUIET_ZONE) / 2).unwrap()];
                let is_upper_half = (y + QUIET_ZONE) % 2 == 0;
                let is_block = match row[usize::try_from(x + QUIET_ZONE).unwrap()] {
                    '█' => true,
                    '▀' => is_upper_half,
                    '▄' => !is_upper_half,
                    _ => false,
                };
                assert_eq!(is_block, code.get_module(x, y) == draws_dark, "{x}, {y}, {draws_dark}");
            }
        }
    }

    #[test]
    fn a_code_fits_into_60_columns_and_30_lines() {
        let lines = draw_block_lines(&encode(OTP_URL).unwrap(), true);
        assert!(lines.len() <= 30 && lines.iter().all(|line| line.chars().count() <= 60), "{lines:#?}");
    }
}
