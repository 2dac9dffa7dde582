//! Behavior of an unreliable panel for new orders. Pure and seeded, so that a run can be repeated.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::Reply;

/// What it does with an add order call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AddBehavior {
    /// Answers correctly.
    Answers,
    /// Accepts the order and sends half of its answer.
    Breaks,
    /// Accepts the order and never answers.
    Hangs,
    /// Sends this reply.
    Replies(Reply),
}

/// Ambiguous answers, sent with and without accepting the order.
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

/// Answers that certainly mean that the order was not accepted.
const REJECTED: [&str; 3] = [
    r#"{"error":"neworder.error.not_enough_funds"}"#,
    r#"{"error":"You have active order with this link. Please wait until order being completed."}"#,
    r#"{"error":"Incorrect service ID"}"#,
];

/// What it does with the `turn`th call (from 1) that orders for this link.
pub(crate) fn behavior_of(seed: u64, link: &str, turn: usize) -> AddBehavior {
    let mut hasher = DefaultHasher::new();
    (seed, link, turn).hash(&mut hasher);
    let hash = hasher.finish();
    let reply = |takes| {
        let (status, body) = UNKNOWN[usize::try_from(hash >> 8).unwrap_or_default() % UNKNOWN.len()];
        AddBehavior::Replies(Reply { takes, status, body: body.to_owned() })
    };
    // About fifty of a hundred calls are answered correctly.
    match hash % 100 {
        0..50 => AddBehavior::Answers,
        50..75 => reply(true),
        75..80 => reply(false),
        80..85 => AddBehavior::Breaks,
        85..87 => AddBehavior::Hangs,
        _ => {
            let body = REJECTED[usize::try_from(hash >> 8).unwrap_or_default() % REJECTED.len()];
            AddBehavior::Replies(Reply { takes: false, status: 200, body: body.to_owned() })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_seed_repeats_its_behavior_and_covers_all_answers() {
        let run = |seed| {
            (0..500).map(|n| behavior_of(seed, &format!("https://a.example/{n}"), 1)).collect::<Vec<_>>()
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
        let (mut accepted, mut lost) = (HashSet::new(), HashSet::new());
        for behavior in run(1) {
            if let AddBehavior::Replies(Reply { takes, body, .. }) = behavior {
                if takes {
                    accepted.insert(body)
                } else {
                    lost.insert(body)
                };
            }
        }
        assert!(accepted.len() >= 10 && lost.len() >= 10, "{} {}", accepted.len(), lost.len());
    }
}
