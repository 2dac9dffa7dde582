//! Known error messages of external panels, each with its meaning and the evidence for that meaning. This table must contain only
//! messages whose meaning is proven. The module `rejections` compares responses with them.

use panel_contract::rejections::RejectionReason;

use MessageSource::{PerfectPanel, SeveralPanels, SmartPanel, ThisProduct};
use RejectionReason::{
    AccountSuspended, DuplicateLink, InsufficientFunds, InvalidKey, InvalidLink, InvalidRequest,
    QuantityAbove, QuantityBelow, TooManyCalls, UnknownService,
};

/// The software of the external panels that send a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageSource {
    /// Perfect Panel and panels that copy its keys and sentences.
    PerfectPanel,
    /// Smart Panel and panels made from its source.
    SmartPanel,
    /// Panels with different software.
    SeveralPanels,
    /// Panels of this product. The message applies only to panels of this type, because other panels may use it with a different
    /// meaning.
    ThisProduct,
}

/// The meaning of a known message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageMeaning {
    /// The panel did not accept the order.
    NotAccepted(RejectionReason),
    /// The panel does not know the order of the request. As a response to a new order, the message proves nothing.
    UnknownOrder,
    /// The panel does not know the refill.
    UnknownRefill,
}

/// A known message with its evidence.
#[derive(Debug, Clone, Copy)]
pub struct KnownMessage {
    /// The whole message or key; `{number}` is the placeholder of a number.
    pub message: &'static str,
    /// The meaning of the message.
    pub meaning: MessageMeaning,
    /// The software of the panels that send the message.
    pub used_by: MessageSource,
    /// Where the message is documented or was observed.
    pub evidence: &'static str,
}

const fn not_accepted(
    message: &'static str,
    reason: RejectionReason,
    used_by: MessageSource,
    evidence: &'static str,
) -> KnownMessage {
    KnownMessage { message, meaning: MessageMeaning::NotAccepted(reason), used_by, evidence }
}

const PERFECT_PANEL_KEYS: &str =
    "error key of Perfect Panel's API v2; clients of several panels compare it with the response to add";
const PERFECT_PANEL_CLONES: &str =
    "sentence of Perfect Panel's API v2; open-source clones return it before they insert the order";
const CLIENT_LIBRARIES: &str = "client libraries of the API v2 list it as a final error of add";
const CMSNT_SOURCE: &str = "source of CMSNT's SMM panel: returned before the balance is changed";
const PUBLIC_DOCUMENTATION: &str = "public API v2 page of a panel, table of errors";
const SMART_PANEL_SOURCE: &str =
    "source of Smart Panel 4.0, api/v1 add: returned before the order is inserted";
const SMART_PANEL_TEXTS: &str =
    "English texts of Smart Panel; its add checks this before the order is inserted";
const OWN_SOURCE: &str = "operations/reseller of this product: the transaction is not committed";

/// The beginning of an error message of panels of this product, for errors for which there is no known message. It proves that the
/// order was not accepted, independent of the rest of the message.
pub const OWN_REJECTION_PREFIX: &str = "Incorrect request: ";

/// All known messages. The list must not contain messages about unexpected failures, such as Smart Panel's "There was an error
/// processing your request", nor messages without evidence, such as "service_inactive" and "Invalid service".
pub static KNOWN_MESSAGES: &[KnownMessage] = &[
    not_accepted(
        "Invalid API key",
        InvalidKey,
        SeveralPanels,
        "API v2 documentation of several panels; open-source clones check it first",
    ),
    not_accepted("Incorrect API key", InvalidKey, SeveralPanels, CLIENT_LIBRARIES),
    not_accepted("Missing/invalid key", InvalidKey, SeveralPanels, PUBLIC_DOCUMENTATION),
    not_accepted(
        "API is Disable for this user or User Not Found! Contact the Support",
        InvalidKey,
        SmartPanel,
        SMART_PANEL_SOURCE,
    ),
    not_accepted("Your account has been suspended", AccountSuspended, PerfectPanel, PERFECT_PANEL_CLONES),
    not_accepted("Account suspended", AccountSuspended, SeveralPanels, PUBLIC_DOCUMENTATION),
    not_accepted("neworder.error.not_enough_funds", InsufficientFunds, PerfectPanel, PERFECT_PANEL_KEYS),
    not_accepted("neworder.error.insufficient_balance", InsufficientFunds, SeveralPanels, CMSNT_SOURCE),
    not_accepted(
        "Not enough funds on balance",
        InsufficientFunds,
        SeveralPanels,
        "API v2 pages of several panels, also with 402; Smart Panel",
    ),
    not_accepted("Not enough funds", InsufficientFunds, SeveralPanels, PUBLIC_DOCUMENTATION),
    not_accepted(
        "You do not have enough funds to Place order",
        InsufficientFunds,
        SmartPanel,
        SMART_PANEL_TEXTS,
    ),
    not_accepted("neworder.error.link_duplicate", DuplicateLink, PerfectPanel, PERFECT_PANEL_KEYS),
    not_accepted(
        "You have active order with this link. Please wait until order being completed.",
        DuplicateLink,
        PerfectPanel,
        PERFECT_PANEL_CLONES,
    ),
    not_accepted("You have active order with this link", DuplicateLink, PerfectPanel, CLIENT_LIBRARIES),
    not_accepted("neworder.error.min_quantity", QuantityBelow, PerfectPanel, PERFECT_PANEL_KEYS),
    not_accepted("Quantity less than minimal {number}", QuantityBelow, PerfectPanel, PERFECT_PANEL_CLONES),
    not_accepted("Quantity less than minimal", QuantityBelow, PerfectPanel, CLIENT_LIBRARIES),
    not_accepted(
        "Quantity must to be greater than or equal to minimum amount {number}",
        QuantityBelow,
        SmartPanel,
        SMART_PANEL_SOURCE,
    ),
    not_accepted("neworder.error.max_quantity", QuantityAbove, PerfectPanel, PERFECT_PANEL_KEYS),
    not_accepted("Quantity more than maximum {number}", QuantityAbove, PerfectPanel, PERFECT_PANEL_CLONES),
    not_accepted("Quantity more than maximum", QuantityAbove, PerfectPanel, CLIENT_LIBRARIES),
    not_accepted(
        "Quantity less than maximum {number}",
        QuantityAbove,
        PerfectPanel,
        "two open-source clones return it for a quantity that is too large, before they insert the order",
    ),
    not_accepted(
        "Quantity must to be less than or equal to maximum amount {number}",
        QuantityAbove,
        SmartPanel,
        SMART_PANEL_SOURCE,
    ),
    not_accepted("error.incorrect_service_id", UnknownService, PerfectPanel, PERFECT_PANEL_KEYS),
    not_accepted("neworder.error.incorrect_service_id", UnknownService, PerfectPanel, CLIENT_LIBRARIES),
    not_accepted("Incorrect service ID", UnknownService, PerfectPanel, PERFECT_PANEL_CLONES),
    not_accepted("Service ID does not exists", UnknownService, SmartPanel, SMART_PANEL_SOURCE),
    not_accepted("Service does not exists", UnknownService, SmartPanel, SMART_PANEL_TEXTS),
    not_accepted("neworder.error.link", InvalidLink, PerfectPanel, PERFECT_PANEL_KEYS),
    not_accepted("neworder.error.invalid_link", InvalidLink, PerfectPanel, CLIENT_LIBRARIES),
    not_accepted("Bad link", InvalidLink, PerfectPanel, PERFECT_PANEL_CLONES),
    not_accepted("Incorrect link", InvalidLink, SeveralPanels, CLIENT_LIBRARIES),
    not_accepted("Invalid Link", InvalidLink, SmartPanel, SMART_PANEL_TEXTS),
    not_accepted("Link is required", InvalidLink, SmartPanel, SMART_PANEL_TEXTS),
    not_accepted("neworder.error.comment", InvalidRequest, SeveralPanels, CMSNT_SOURCE),
    not_accepted(
        "There are missing required parameters. Please check your API Manual",
        InvalidRequest,
        SmartPanel,
        SMART_PANEL_SOURCE,
    ),
    not_accepted("This action is Invalid", InvalidRequest, SmartPanel, SMART_PANEL_SOURCE),
    not_accepted("Comments field is required", InvalidRequest, SmartPanel, SMART_PANEL_SOURCE),
    not_accepted("Username field is required", InvalidRequest, SmartPanel, SMART_PANEL_TEXTS),
    not_accepted("Hashtag field is required", InvalidRequest, SmartPanel, SMART_PANEL_TEXTS),
    not_accepted("Quantity is required", InvalidRequest, SmartPanel, SMART_PANEL_SOURCE),
    not_accepted("Runs is required", InvalidRequest, SmartPanel, SMART_PANEL_SOURCE),
    not_accepted("Interval time is required", InvalidRequest, SmartPanel, SMART_PANEL_SOURCE),
    not_accepted("Invalid Interval in minutes", InvalidRequest, SmartPanel, SMART_PANEL_SOURCE),
    not_accepted(
        "This services does not support Dripfeed feature!",
        InvalidRequest,
        SmartPanel,
        SMART_PANEL_SOURCE,
    ),
    not_accepted("Your account is suspended and cannot order", AccountSuspended, ThisProduct, OWN_SOURCE),
    not_accepted("Incorrect quantity", InvalidRequest, ThisProduct, OWN_SOURCE),
    not_accepted(
        "Incorrect runs: send a whole number, at least {number}",
        InvalidRequest,
        ThisProduct,
        OWN_SOURCE,
    ),
    not_accepted(
        "Incorrect interval: send a whole number, at least {number}",
        InvalidRequest,
        ThisProduct,
        OWN_SOURCE,
    ),
    not_accepted(
        "Incorrect child_id: send a whole number, at least {number}",
        InvalidRequest,
        ThisProduct,
        OWN_SOURCE,
    ),
    not_accepted("Incorrect speedup: send {number} or {number}", InvalidRequest, ThisProduct, OWN_SOURCE),
    not_accepted("Incorrect guarantee: send {number} or {number}", InvalidRequest, ThisProduct, OWN_SOURCE),
    not_accepted("Incorrect customer_country", InvalidRequest, ThisProduct, OWN_SOURCE),
    not_accepted("Incorrect order widget", InvalidRequest, ThisProduct, OWN_SOURCE),
    not_accepted("Incorrect request", InvalidRequest, ThisProduct, OWN_SOURCE),
    not_accepted(
        "Too Many Attempts.",
        TooManyCalls,
        ThisProduct,
        "operations/reseller of this product: returned before the action is read",
    ),
    KnownMessage {
        message: "Incorrect order ID",
        meaning: MessageMeaning::UnknownOrder,
        used_by: SeveralPanels,
        evidence: "API v2 documentation of several panels, action status",
    },
    KnownMessage {
        message: "Refill not found",
        meaning: MessageMeaning::UnknownRefill,
        used_by: SeveralPanels,
        evidence: "API v2 documentation of several panels, action refill_status",
    },
];
