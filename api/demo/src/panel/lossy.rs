//! What a panel that loses much does with a new order. Pure and seeded, so that a run can be repeated.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::Reply;

/// What it does with one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Does {
    /// As it should.
    Answers,
    /// It takes the order and sends half of its answer.
    Breaks,
    /// It takes the order and never answers.
    Hangs,
    /// It says this.
    Says(Reply),
}

/// Answers that say nothing certain: given after the order was taken as well as without taking it.
const UNKNOWN: [(u16, &str); 14] = [
    (200, r#"{"error":"Service temporarily unavailable"}"#),
    (200, r#"{"error":"Something went wrong, please try again"}"#),
    (200, r#"{"status":"fail","message":"Order queue is full"}"#),
    (200, r#"{"error":{"code":17,"message":"Provider error"}}"#),
    (200, r#"{"errors":["Unknown error"]}"#),
    (200, r#"{"error":"Not enough funds at the supplier, the order is queued"}"#),
    (200, r#"{"status":"success"}"#),
    (200, ""),
    (200, "<html><title>Checking your browser</title></html>"),
    (302, ""),
    (403, "Forbidden"),
    (422, r#"{"error":"Unprocessable"}"#),
    (500, r#"{"error":"Not enough funds on balance"}"#),
    (502, "Bad gateway"),
];

/// Answers that surely mean that nothing was taken.
const REJECTED: [&str; 3] = [
    r#"{"error":"neworder.error.not_enough_funds"}"#,
    r#"{"error":"You have active order with this link. Please wait until order being completed."}"#,
    r#"{"error":"Incorrect service ID"}"#,
];

/// What it does with the call number `turn`, from 1, that orders for this address.
pub(crate) fn does(seed: u64, link: &str, turn: usize) -> Does {
    let mut hasher = DefaultHasher::new();
    (seed, link, turn).hash(&mut hasher);
    let hash = hasher.finish();
    let says = |takes| {
        let (status, body) = UNKNOWN[usize::try_from(hash >> 8).unwrap_or_default() % UNKNOWN.len()];
        Does::Says(Reply { takes, status, body: body.to_owned() })
    };
    // Of a hundred calls about fifty are answered as they should be.
    match hash % 100 {
        0..50 => Does::Answers,
        50..75 => says(true),
        75..80 => says(false),
        80..85 => Does::Breaks,
        85..87 => Does::Hangs,
        _ => {
            let body = REJECTED[usize::try_from(hash >> 8).unwrap_or_default() % REJECTED.len()];
            Does::Says(Reply { takes: false, status: 200, body: body.to_owned() })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_seed_does_the_same_again_and_everything_in_turn() {
        let run =
            |seed| (0..500).map(|n| does(seed, &format!("https://a.example/{n}"), 1)).collect::<Vec<_>>();
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
        let (mut taken, mut lost) = (HashSet::new(), HashSet::new());
        for does in run(1) {
            if let Does::Says(Reply { takes, body, .. }) = does {
                if takes {
                    taken.insert(body)
                } else {
                    lost.insert(body)
                };
            }
        }
        assert!(taken.len() >= 10 && lost.len() >= 10, "{} {}", taken.len(), lost.len());
    }
}
