//! Known error messages of panels, with their meaning and its evidence. Pure: proven facts only, no guesses. `rejections` compares
//! them.

use panel_contract::rejections::RejectionReason;

use RejectionReason::{
    AccountSuspended, DuplicateLink, InsufficientFunds, InvalidKey, InvalidLink, InvalidRequest,
    QuantityAbove, QuantityBelow, TooManyCalls, UnknownService,
};
use UsedBy::{Many, PerfectPanel, SmartPanel, ThisProduct};

/// Which panels use a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsedBy {
    /// Perfect Panel and panels that copy its keys and sentences.
    PerfectPanel,
    /// Smart Panel and panels made from its source.
    SmartPanel,
    /// Panels of several makers.
    Many,
    /// Panels of this product: their own words count only where staff set that kind, as another panel may use them
    /// for something else.
    ThisProduct,
}

/// What a known message means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// The panel did not accept the order.
    NotAccepted(RejectionReason),
    /// The panel does not know the order of the request. As an answer to a new order this proves nothing.
    UnknownOrder,
    /// The panel does not know the refill.
    UnknownRefill,
}

/// A known message with its evidence.
#[derive(Debug, Clone, Copy)]
pub struct KnownMessage {
    /// The whole message or key; `{number}` stands for a number.
    pub message: &'static str,
    /// The meaning of the message.
    pub meaning: Meaning,
    /// The panels or panel software that send it.
    pub used_by: UsedBy,
    /// Where it is documented or was seen.
    pub evidence: &'static str,
}

const fn not_accepted(
    message: &'static str,
    reason: RejectionReason,
    used_by: UsedBy,
    evidence: &'static str,
) -> KnownMessage {
    KnownMessage { message, meaning: Meaning::NotAccepted(reason), used_by, evidence }
}

const KEYS: &str =
    "error key of Perfect Panel's API v2; clients of several panels compare it with the answer to add";
const CLONES: &str = "sentence of Perfect Panel's API v2; open clones answer it before they write the order";
const CLIENTS: &str = "listed by clients of the API v2 among the final answers to add";
const CMSNT: &str = "source of CMSNT's SMM panel: answered before the balance is touched";
const DOCS: &str = "public API v2 page of a panel, table of errors";
const SMART: &str = "source of Smart Panel 4.0, api/v1 add: answered before the order is written";
const LANGUAGE: &str = "English texts of Smart Panel; its add checks this before the order is written";
const OWN: &str = "operations/reseller of this product: the transaction is not committed";

/// How a panel of this product begins the refusal of an order for which this field has no words of its own. Whatever follows,
/// the order was not taken.
pub const OWN_REFUSAL: &str = "Incorrect request: ";

/// All known messages. Left out on purpose: sentences of accidents, such as Smart Panel's "There was an error processing
/// your request", and whatever was only ever seen in a guess ("service_inactive", "Invalid service").
pub static KNOWN: &[KnownMessage] = &[
    not_accepted(
        "Invalid API key",
        InvalidKey,
        Many,
        "API v2 documentation of several panels; open clones check it first",
    ),
    not_accepted("Incorrect API key", InvalidKey, Many, CLIENTS),
    not_accepted("Missing/invalid key", InvalidKey, Many, DOCS),
    not_accepted(
        "API is Disable for this user or User Not Found! Contact the Support",
        InvalidKey,
        SmartPanel,
        SMART,
    ),
    not_accepted("Your account has been suspended", AccountSuspended, PerfectPanel, CLONES),
    not_accepted("Account suspended", AccountSuspended, Many, DOCS),
    not_accepted("neworder.error.not_enough_funds", InsufficientFunds, PerfectPanel, KEYS),
    not_accepted("neworder.error.insufficient_balance", InsufficientFunds, Many, CMSNT),
    not_accepted(
        "Not enough funds on balance",
        InsufficientFunds,
        Many,
        "API v2 pages of several panels, also with 402; Smart Panel",
    ),
    not_accepted("Not enough funds", InsufficientFunds, Many, DOCS),
    not_accepted("You do not have enough funds to Place order", InsufficientFunds, SmartPanel, LANGUAGE),
    not_accepted("neworder.error.link_duplicate", DuplicateLink, PerfectPanel, KEYS),
    not_accepted(
        "You have active order with this link. Please wait until order being completed.",
        DuplicateLink,
        PerfectPanel,
        CLONES,
    ),
    not_accepted("You have active order with this link", DuplicateLink, PerfectPanel, CLIENTS),
    not_accepted("neworder.error.min_quantity", QuantityBelow, PerfectPanel, KEYS),
    not_accepted("Quantity less than minimal {number}", QuantityBelow, PerfectPanel, CLONES),
    not_accepted("Quantity less than minimal", QuantityBelow, PerfectPanel, CLIENTS),
    not_accepted(
        "Quantity must to be greater than or equal to minimum amount {number}",
        QuantityBelow,
        SmartPanel,
        SMART,
    ),
    not_accepted("neworder.error.max_quantity", QuantityAbove, PerfectPanel, KEYS),
    not_accepted("Quantity more than maximum {number}", QuantityAbove, PerfectPanel, CLONES),
    not_accepted("Quantity more than maximum", QuantityAbove, PerfectPanel, CLIENTS),
    not_accepted(
        "Quantity less than maximum {number}",
        QuantityAbove,
        PerfectPanel,
        "two open clones say so of too large a quantity, before they write the order",
    ),
    not_accepted(
        "Quantity must to be less than or equal to maximum amount {number}",
        QuantityAbove,
        SmartPanel,
        SMART,
    ),
    not_accepted("error.incorrect_service_id", UnknownService, PerfectPanel, KEYS),
    not_accepted("neworder.error.incorrect_service_id", UnknownService, PerfectPanel, CLIENTS),
    not_accepted("Incorrect service ID", UnknownService, PerfectPanel, CLONES),
    not_accepted("Service ID does not exists", UnknownService, SmartPanel, SMART),
    not_accepted("Service does not exists", UnknownService, SmartPanel, LANGUAGE),
    not_accepted("neworder.error.link", InvalidLink, PerfectPanel, KEYS),
    not_accepted("neworder.error.invalid_link", InvalidLink, PerfectPanel, CLIENTS),
    not_accepted("Bad link", InvalidLink, PerfectPanel, CLONES),
    not_accepted("Incorrect link", InvalidLink, Many, CLIENTS),
    not_accepted("Invalid Link", InvalidLink, SmartPanel, LANGUAGE),
    not_accepted("Link is required", InvalidLink, SmartPanel, LANGUAGE),
    not_accepted("neworder.error.comment", InvalidRequest, Many, CMSNT),
    not_accepted(
        "There are missing required parameters. Please check your API Manual",
        InvalidRequest,
        SmartPanel,
        SMART,
    ),
    not_accepted("This action is Invalid", InvalidRequest, SmartPanel, SMART),
    not_accepted("Comments field is required", InvalidRequest, SmartPanel, SMART),
    not_accepted("Username field is required", InvalidRequest, SmartPanel, LANGUAGE),
    not_accepted("Hashtag field is required", InvalidRequest, SmartPanel, LANGUAGE),
    not_accepted("Quantity is required", InvalidRequest, SmartPanel, SMART),
    not_accepted("Runs is required", InvalidRequest, SmartPanel, SMART),
    not_accepted("Interval time is required", InvalidRequest, SmartPanel, SMART),
    not_accepted("Invalid Interval in minutes", InvalidRequest, SmartPanel, SMART),
    not_accepted("This services does not support Dripfeed feature!", InvalidRequest, SmartPanel, SMART),
    not_accepted("Your account is suspended and cannot order", AccountSuspended, ThisProduct, OWN),
    not_accepted("Incorrect quantity", InvalidRequest, ThisProduct, OWN),
    not_accepted("Incorrect runs: send a whole number, at least {number}", InvalidRequest, ThisProduct, OWN),
    not_accepted(
        "Incorrect interval: send a whole number, at least {number}",
        InvalidRequest,
        ThisProduct,
        OWN,
    ),
    not_accepted(
        "Incorrect child_id: send a whole number, at least {number}",
        InvalidRequest,
        ThisProduct,
        OWN,
    ),
    not_accepted("Incorrect speedup: send {number} or {number}", InvalidRequest, ThisProduct, OWN),
    not_accepted("Incorrect guarantee: send {number} or {number}", InvalidRequest, ThisProduct, OWN),
    not_accepted("Incorrect customer_country", InvalidRequest, ThisProduct, OWN),
    not_accepted("Incorrect order widget", InvalidRequest, ThisProduct, OWN),
    not_accepted("Incorrect request", InvalidRequest, ThisProduct, OWN),
    not_accepted(
        "Too Many Attempts.",
        TooManyCalls,
        ThisProduct,
        "operations/reseller of this product: answered before the action is read",
    ),
    KnownMessage {
        message: "Incorrect order ID",
        meaning: Meaning::UnknownOrder,
        used_by: Many,
        evidence: "API v2 documentation of several panels, action status",
    },
    KnownMessage {
        message: "Refill not found",
        meaning: Meaning::UnknownRefill,
        used_by: Many,
        evidence: "API v2 documentation of several panels, action refill_status",
    },
];
