//! Recovery codes. If the owner of an account loses the authenticator app or the passkey, each code replaces the second factor once. The
//! server shows new codes once and stores only their hashes.

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

/// Number of recovery codes of an account.
const CODE_COUNT: usize = 10;
/// Length of a recovery code in characters. With 5 random bits per character, a code has 140 bits, so that a fast hash without salt is
/// safe.
const CODE_CHARS: usize = 28;
/// Digits and letters that are hard to confuse.
const ALPHABET: &[u8; 32] = b"23456789abcdefghjkmnpqrstuvwxyz0";

/// Consumes a recovery code. Sends an email to the owner of the account, because an attacker may have used the code.
pub(super) async fn use_code(ctx: &Ctx, user_id: UserId, code: &str) -> Result<FactorCheck> {
    let mut work = ctx.without_replay_and_dry_run().begin().await?;
    let now = work.now;
    if !store::consume(&mut work, user_id, sessions::hash(code), now).await? {
        return Ok(FactorCheck::Wrong);
    }
    let description = "a recovery code was used instead of the second factor of your account";
    record_change(&mut work, user_id, "second_factor.recovery_code_used", description).await?;
    work.finish(()).await?;
    Ok(FactorCheck::Valid)
}

/// Replaces the recovery codes of an account and returns the new ones.
pub(super) async fn replace(work: &mut UnitOfWork, app: &App, user_id: UserId) -> DbResult<RecoveryCodes> {
    let recovery_codes: Vec<String> = (0..CODE_COUNT).map(|_| generate_code(app.random.bytes())).collect();
    store::delete(work, user_id).await?;
    let now = work.now;
    for code in &recovery_codes {
        store::insert(work, user_id, sessions::hash(&code.replace('-', "")), now).await?;
    }
    Ok(RecoveryCodes { recovery_codes })
}

// Rules

/// Normalizes a recovery code for hashing; `None` if the text is not a recovery code.
pub(super) fn parse(text: &str) -> Option<String> {
    let is_separator = |char: char| char == '-' || char.is_whitespace();
    let code: String =
        text.chars().filter(|char| !is_separator(*char)).collect::<String>().to_ascii_lowercase();
    (code.len() == CODE_CHARS && code.bytes().all(|byte| ALPHABET.contains(&byte))).then_some(code)
}

/// Generates a code in groups of four characters.
fn generate_code(random: [u8; CODE_CHARS]) -> String {
    let chars: Vec<char> = random.iter().map(|byte| char::from(ALPHABET[usize::from(byte & 31)])).collect();
    chars.chunks(4).map(|group| group.iter().collect::<String>()).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_codes_as_they_are_displayed() {
        let code = generate_code([
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 30, 31, 32, 255, 128, 77, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
            20, 21,
        ]);
        assert_eq!(code.len(), 34);
        let normalized_code = code.replace('-', "");
        for text in [
            code.clone(),
            normalized_code.clone(),
            code.to_uppercase(),
            format!(" {} ", code.replace('-', " ")),
        ] {
            assert_eq!(parse(&text), Some(normalized_code.clone()), "{text}");
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
