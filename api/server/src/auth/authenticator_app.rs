//! Generates and checks the codes of an authenticator app (TOTP, RFC 6238), and draws the QR code of its setup. Reads and writes no
//! data: the caller must ensure that a code is accepted only once.

use panel_contract::moment::Time;
use panel_kernel::error::{Error, Result};
use qrcodegen::{QrCode, QrCodeEcc};
use totp_rs::{Builder, Secret, Totp};

/// Creates the code generator for a secret. Replaces colons in names, because a colon separates issuer and account in the otpauth URL.
pub(super) fn totp_generator(secret: Vec<u8>, account: &str, issuer: Option<&str>) -> Result<Totp> {
    let issuer = issuer.map(|name| name.replace(':', " ")).filter(|name| !name.trim().is_empty());
    let builder =
        Builder::new().with_secret(Secret::from(secret)).with_account_name(account.replace(':', " "));
    builder.with_issuer(issuer).build().map_err(internal_error)
}

/// Returns the time step to which a code belongs; `None` if the code is wrong. Codes of the previous and of the next time step are
/// accepted too, for clocks that differ by up to half a minute.
pub(super) fn matching_step(secret: &[u8], otp: &str, now: Time) -> Result<Option<i64>> {
    let now_secs = u64::try_from(now.0 / 1_000_000).unwrap_or(0);
    let time_step = totp_generator(secret.to_vec(), "account", None)?.check(otp.trim(), now_secs);
    Ok(time_step.and_then(|time_step| i64::try_from(time_step).ok()))
}

/// Draws a text as a QR code in SVG, with the empty margin of four modules that scanners need.
pub(super) fn draw_qr_svg(text: &str) -> Result<String> {
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).map_err(internal_error)?;
    let modules = (0..code.size()).flat_map(|y| (0..code.size()).map(move |x| (x, y)));
    let path: String = modules
        .filter(|(x, y)| code.get_module(*x, *y))
        .map(|(x, y)| format!("M{},{}h1v1h-1z", x + 4, y + 4))
        .collect();
    let size = code.size() + 8;
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M0,0h{size}v{size}h-{size}z\"/><path d=\"{path}\"/></svg>"
    ))
}

fn internal_error(error: impl std::fmt::Display) -> Error {
    Error::Internal(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renders_a_qr_code_as_svg() {
        let image =
            draw_qr_svg("otpauth://totp/Panel:a%40b.example?secret=JBSWY3DPEHPK3PXP&issuer=Panel").unwrap();
        assert!(image.starts_with("<svg ") && image.ends_with("</svg>") && !image.contains("script"));
        assert!(image.matches("h1v1h-1z").count() > 300);
    }

    #[test]
    fn names_with_colons_result_in_valid_otpauth_urls() {
        let otpauth_url =
            totp_generator(vec![7; 20], "a:b@c.example", Some("My: panel")).unwrap().to_url().unwrap();
        assert!(
            otpauth_url.starts_with("otpauth://totp/My%20%20panel:a%20b") && otpauth_url.contains("secret="),
            "{otpauth_url}"
        );
    }
}
