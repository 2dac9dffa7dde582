//! Recovery codes: each replaces the second factor once, if the owner lost the app or the passkey. The server shows new codes once
//! and stores only their hashes.

use panel_contract::ids::UserId;
use panel_contract::second_factor::RecoveryCodes;
use panel_kernel::error::Result;

use crate::app::App;
use crate::auth::factor_state::{FactorCheck, record_change};
use crate::auth::sessions;
use crate::auth::store::recovery_codes as store;
use crate::context::Ctx;
use panel_platform::db::DbResult;
use panel_platform::work::UnitOfWork;

/// Per account.
const CODE_COUNT: usize = 10;
/// Characters of a recovery code: 140 bits, so that its hash needs no salt and no cost.
const CODE_CHARS: usize = 28;
/// Digits and letters that are hard to confuse.
const ALPHABET: &[u8; 32] = b"23456789abcdefghjkmnpqrstuvwxyz0";

/// Consumes a recovery code. The account's owner gets an email, because an attacker may use the code.
pub(super) async fn use_code(ctx: &Ctx, user: UserId, code: &str) -> Result<FactorCheck> {
    let mut work = ctx.once().begin().await?;
    let now = work.now;
    if !store::consume(&mut work, user, sessions::hash(code), now).await? {
        return Ok(FactorCheck::Wrong);
    }
    let description = "a recovery code was used instead of the second factor of your account";
    record_change(&mut work, user, "second_factor.recovery_code_used", description).await?;
    work.finish(()).await?;
    Ok(FactorCheck::Valid)
}

/// Replaces the recovery codes of an account and returns the new ones.
pub(super) async fn replace(work: &mut UnitOfWork, app: &App, user: UserId) -> DbResult<RecoveryCodes> {
    let recovery_codes: Vec<String> = (0..CODE_COUNT).map(|_| new_code(app.random.bytes())).collect();
    store::delete(work, user).await?;
    let now = work.now;
    for code in &recovery_codes {
        store::insert(work, user, sessions::hash(&code.replace('-', "")), now).await?;
    }
    Ok(RecoveryCodes { recovery_codes })
}

// Rules

/// Normalizes a recovery code for hashing; `None` if the text is not one.
pub(super) fn parse(text: &str) -> Option<String> {
    let is_separator = |char: char| char == '-' || char.is_whitespace();
    let code: String =
        text.chars().filter(|char| !is_separator(*char)).collect::<String>().to_ascii_lowercase();
    (code.len() == CODE_CHARS && code.bytes().all(|byte| ALPHABET.contains(&byte))).then_some(code)
}

/// A new code, in groups of four.
fn new_code(random: [u8; CODE_CHARS]) -> String {
    let chars: Vec<char> = random.iter().map(|byte| char::from(ALPHABET[usize::from(byte & 31)])).collect();
    chars.chunks(4).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_codes_as_they_are_displayed() {
        let code = new_code([
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 30, 31, 32, 255, 128, 77, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
            20, 21,
        ]);
        assert_eq!(code.len(), 34);
        let plain = code.replace('-', "");
        for text in
            [code.clone(), plain.clone(), code.to_uppercase(), format!(" {} ", code.replace('-', " "))]
        {
            assert_eq!(parse(&text), Some(plain.clone()), "{text}");
        }
        for text in [
            "123456",
            "",
            "k7wq-2m3p-xv4d",
            "k7wq-2m3p-xv4d-9tfi-k7wq-2m3p-xv4d",
            "ä7wq-2m3p-xv4d-9tfa-k7wq-2m3p-xv4d",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(ALPHABET.iter().collect::<std::collections::BTreeSet<_>>().len(), 32);
    }
}
