//! How an unreliable panel handles new orders. The behavior depends only on a seed, so that a test run can be repeated.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::FixedReply;

/// What the panel does with a request that places an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NewOrderBehavior {
    RespondsCorrectly,
    /// Accepts the order and sends half of the response.
    AcceptsThenTruncates,
    /// Accepts the order and never responds.
    AcceptsThenHangs,
    SendsReply(FixedReply),
}

/// HTTP status and body of responses that do not show whether the panel accepted the order. The panel sends them in both cases.
const AMBIGUOUS_RESPONSES: [(u16, &str); 14] = [
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

/// Bodies of responses which show that the panel did not accept the order.
const REJECTION_BODIES: [&str; 3] = [
    r#"{"error":"neworder.error.not_enough_funds"}"#,
    r#"{"error":"You have active order with this link. Please wait until order being completed."}"#,
    r#"{"error":"Incorrect service ID"}"#,
];

/// Chooses the behavior for a new order by the seed. `attempt_number` counts the requests for this link from 1.
pub(crate) fn choose_behavior(seed: u64, link: &str, attempt_number: usize) -> NewOrderBehavior {
    let mut hasher = DefaultHasher::new();
    (seed, link, attempt_number).hash(&mut hasher);
    let hash = hasher.finish();
    let ambiguous_reply = |accepts_order| {
        let (status, body) =
            AMBIGUOUS_RESPONSES[usize::try_from(hash >> 8).unwrap_or_default() % AMBIGUOUS_RESPONSES.len()];
        NewOrderBehavior::SendsReply(FixedReply { accepts_order, status, body: body.to_owned() })
    };
    // Half of the requests get a correct response.
    match hash % 100 {
        0..50 => NewOrderBehavior::RespondsCorrectly,
        50..75 => ambiguous_reply(true),
        75..80 => ambiguous_reply(false),
        80..85 => NewOrderBehavior::AcceptsThenTruncates,
        85..87 => NewOrderBehavior::AcceptsThenHangs,
        _ => {
            let body =
                REJECTION_BODIES[usize::try_from(hash >> 8).unwrap_or_default() % REJECTION_BODIES.len()];
            NewOrderBehavior::SendsReply(FixedReply {
                accepts_order: false,
                status: 200,
                body: body.to_owned(),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_behavior_and_most_replies_occur() {
        let choose_behaviors = |seed| {
            (0..500).map(|n| choose_behavior(seed, &format!("https://a.example/{n}"), 1)).collect::<Vec<_>>()
        };
        assert_eq!(choose_behaviors(1), choose_behaviors(1));
        assert_ne!(choose_behaviors(1), choose_behaviors(2));
        let (mut accepting_bodies, mut rejecting_bodies) = (HashSet::new(), HashSet::new());
        for behavior in choose_behaviors(1) {
            if let NewOrderBehavior::SendsReply(FixedReply { accepts_order, body, .. }) = behavior {
                if accepts_order {
                    accepting_bodies.insert(body)
                } else {
                    rejecting_bodies.insert(body)
                };
            }
        }
        let counts = (accepting_bodies.len(), rejecting_bodies.len());
        assert!(counts.0 >= 10 && counts.1 >= 10, "distinct replies (accepting, rejecting): {counts:?}");
    }
}
