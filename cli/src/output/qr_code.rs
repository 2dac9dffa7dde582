//! A text as a QR code on a terminal, two modules above each other in one character. It is for eyes only: never for a file, a
//! pipe or a format that programs read.

use qrcodegen::{QrCode, QrCodeEcc};

use crate::failure::{Done, Failure};
use crate::output::Out;

/// Light modules around the code. The standard asks for four; scanners of screens read two, and a terminal is small.
const QUIET: i32 = 2;

/// Shows a code, or says that the terminal is too narrow for it.
pub(crate) fn show(out: &Out, text: &str) -> Done<()> {
    let code = encode(text)?;
    let width = usize::try_from(code.size() + 2 * QUIET).unwrap_or(usize::MAX);
    if width > out.width {
        out.say(&format!("The QR code needs a terminal of {width} columns; type the secret into the app."));
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

fn encode(text: &str) -> Done<QrCode> {
    QrCode::encode_text(text, QrCodeEcc::Low)
        .map_err(|error| Failure::failed(format!("The QR code cannot be drawn: {error}.")))
}

/// Half blocks for the dark modules, or for the light ones where the terminal's own colours show: most are light on dark.
fn lines(code: &QrCode, draws_dark: bool) -> Vec<String> {
    let end = code.size() + QUIET;
    // Outside of the code every module is light.
    let is_drawn = |x, y| code.get_module(x, y) == draws_dark && y < end;
    let block = |x, y| match (is_drawn(x, y), is_drawn(x, y + 1)) {
        (true, true) => '█',
        (true, false) => '▀',
        (false, true) => '▄',
        (false, false) => ' ',
    };
    (-QUIET..end).step_by(2).map(|y| (-QUIET..end).map(|x| block(x, y)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: &str =
        "otpauth://totp/Panel:anna%40panel.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Panel";

    #[test]
    fn every_module_is_drawn() {
        let code = encode(ADDRESS).unwrap();
        for draws_dark in [true, false] {
            let lines: Vec<Vec<char>> =
                lines(&code, draws_dark).iter().map(|line| line.chars().collect()).collect();
            for (y, x) in
                (-QUIET..code.size() + QUIET).flat_map(|y| (-QUIET..code.size() + QUIET).map(move |x| (y, x)))
            {
                let row = &lines[usize::try_from((y + QUIET) / 2).unwrap()];
                let upper = (y + QUIET) % 2 == 0;
                let drawn = match row[usize::try_from(x + QUIET).unwrap()] {
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
    fn a_code_fits_a_usual_terminal() {
        let lines = lines(&encode(ADDRESS).unwrap(), true);
        assert!(lines.len() <= 30 && lines.iter().all(|line| line.chars().count() <= 60), "{lines:#?}");
    }
}
