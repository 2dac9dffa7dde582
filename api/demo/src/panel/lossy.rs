//! Behavior of an unreliable panel for new orders. Pure and seeded, so that a run can be repeated.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::FixedReply;

/// What the panel does with a call that adds an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AddBehavior {
    AnswersCorrectly,
    /// Accepts the order and sends half of its answer.
    AcceptsThenTruncates,
    /// Accepts the order and never answers.
    AcceptsThenHangs,
    SendsReply(FixedReply),
}

/// HTTP status and body of answers that do not show whether the panel accepted the order. The panel sends them in both cases.
const AMBIGUOUS_ANSWERS: [(u16, &str); 14] = [
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
const REJECTIONS: [&str; 3] = [
    r#"{"error":"neworder.error.not_enough_funds"}"#,
    r#"{"error":"You have active order with this link. Please wait until order being completed."}"#,
    r#"{"error":"Incorrect service ID"}"#,
];

/// What the panel does with a call that adds an order. `call_number` counts the calls for this link from 1.
pub(crate) fn add_behavior(seed: u64, link: &str, call_number: usize) -> AddBehavior {
    let mut hasher = DefaultHasher::new();
    (seed, link, call_number).hash(&mut hasher);
    let hash = hasher.finish();
    let reply = |accepts_order| {
        let (status, body) =
            AMBIGUOUS_ANSWERS[usize::try_from(hash >> 8).unwrap_or_default() % AMBIGUOUS_ANSWERS.len()];
        AddBehavior::SendsReply(FixedReply { accepts_order, status, body: body.to_owned() })
    };
    // Half of the calls get a correct answer.
    match hash % 100 {
        0..50 => AddBehavior::AnswersCorrectly,
        50..75 => reply(true),
        75..80 => reply(false),
        80..85 => AddBehavior::AcceptsThenTruncates,
        85..87 => AddBehavior::AcceptsThenHangs,
        _ => {
            let body = REJECTIONS[usize::try_from(hash >> 8).unwrap_or_default() % REJECTIONS.len()];
            AddBehavior::SendsReply(FixedReply { accepts_order: false, status: 200, body: body.to_owned() })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_seed_repeats_its_behavior_and_covers_most_answers() {
        let behaviors = |seed| {
            (0..500).map(|n| add_behavior(seed, &format!("https://a.example/{n}"), 1)).collect::<Vec<_>>()
        };
        assert_eq!(behaviors(1), behaviors(1));
        assert_ne!(behaviors(1), behaviors(2));
        let (mut accepted, mut refused) = (HashSet::new(), HashSet::new());
        for behavior in behaviors(1) {
            if let AddBehavior::SendsReply(FixedReply { accepts_order, body, .. }) = behavior {
                if accepts_order {
                    accepted.insert(body)
                } else {
                    refused.insert(body)
                };
            }
        }
        assert!(accepted.len() >= 10 && refused.len() >= 10, "{} {}", accepted.len(), refused.len());
    }
}
