//! Draws a QR code on a terminal, with two modules above each other per character. Never for a file, a pipe or a machine-readable
//! format.

use qrcodegen::{QrCode, QrCodeEcc};

use crate::failure::{CmdResult, Failure};
use crate::output::Out;

/// Quiet zone in modules. The standard requires four; scanners of screens accept two, and terminals are small.
const QUIET_ZONE: i32 = 2;

/// Prints the code, or a message if the terminal is too narrow.
pub(crate) fn show(out: &Out, text: &str) -> CmdResult<()> {
    let code = encode(text)?;
    let width = usize::try_from(code.size() + 2 * QUIET_ZONE).unwrap_or(usize::MAX);
    if width > out.width {
        out.print_message(&format!("The terminal is too narrow for the QR code ({width} columns required). Type the secret into the app."));
        return Ok(());
    }
    for line in lines(&code, true) {
        match out.paint.black_on_white(&line) {
            Some(line) => out.line(&line)?,
            None => return lines(&code, false).iter().try_for_each(|line| out.line(line)),
        }
    }
    Ok(())
}

fn encode(text: &str) -> CmdResult<QrCode> {
    QrCode::encode_text(text, QrCodeEcc::Low)
        .map_err(|error| Failure::failed(format!("Could not draw the QR code: {error}.")))
}

/// Half blocks for the dark modules, or for the light ones if the terminal's own colors are used, since most are light on dark.
fn lines(code: &QrCode, draws_dark: bool) -> Vec<String> {
    let end = code.size() + QUIET_ZONE;
    // Modules outside the code are light.
    let is_drawn = |x, y| code.get_module(x, y) == draws_dark && y < end;
    let block = |x, y| match (is_drawn(x, y), is_drawn(x, y + 1)) {
        (true, true) => '█',
        (true, false) => '▀',
        (false, true) => '▄',
        (false, false) => ' ',
    };
    (-QUIET_ZONE..end).step_by(2).map(|y| (-QUIET_ZONE..end).map(|x| block(x, y)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str =
        "otpauth://totp/Panel:anna%40panel.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Panel";

    #[test]
    fn draws_every_module() {
        let code = encode(ADDRESS).unwrap();
        for draws_dark in [true, false] {
            let lines: Vec<Vec<char>> =
                lines(&code, draws_dark).iter().map(|line| line.chars().collect()).collect();
            for (y, x) in (-QUIET_ZONE..code.size() + QUIET_ZONE)
                .flat_map(|y| (-QUIET_ZONE..code.size() + QUIET_ZONE).map(move |x| (y, x)))
            {
                let row = &lines[usize::try_from((y + QUIET_ZONE) / 2).unwrap()];
                let upper = (y + QUIET_ZONE) % 2 == 0;
                let drawn = match row[usize::try_from(x + QUIET_ZONE).unwrap()] {
                    '█' => true,
                    '▀' => upper,
                    '▄' => !upper,
                    _ => false,
                };
                assert_eq!(drawn, code.get_module(x, y) == draws_dark, "{x}, {y}, {draws_dark}");
            }
        }
    }

    #[test]
    fn a_code_fits_a_common_terminal() {
        let lines = lines(&encode(ADDRESS).unwrap(), true);
        assert!(lines.len() <= 30 && lines.iter().all(|line| line.chars().count() <= 60), "{lines:#?}");
    }
}
