//! Names and comments of demo records.

/// Each network with the names of its service types.
pub(crate) const NETWORKS: [(&str, &[&str]); 12] = [
    ("YouTube", &["Views", "Subscribers", "Likes", "Comments", "Live stream viewers"]),
    ("Instagram", &["Followers", "Likes", "Reels views", "Comments", "Story views"]),
    ("TikTok", &["Followers", "Likes", "Views", "Shares"]),
    ("Telegram", &["Members", "Post views", "Reactions"]),
    ("Facebook", &["Page likes", "Followers", "Video views"]),
    ("X", &["Followers", "Retweets", "Likes", "Impressions"]),
    ("Spotify", &["Plays", "Followers", "Saves"]),
    ("Twitch", &["Followers", "Live viewers"]),
    ("LinkedIn", &["Followers", "Post likes"]),
    ("VK", &["Friends", "Likes", "Members"]),
    ("Discord", &["Members", "Friend requests"]),
    ("Website traffic", &["Organic visits", "Visits by country"]),
];

/// Name suffixes that distinguish the services of one type.
pub(crate) const SERVICE_VARIANTS: [&str; 12] = [
    "real accounts, refill 30 days",
    "HQ, instant start",
    "cheap, no refill",
    "targeted: Brazil",
    "drip-feed, natural speed",
    "lifetime guarantee",
    "old accounts with avatars",
    "from advertising",
    "mixed quality",
    "premium, 10k a day",
    "Türkiye 🇹🇷",
    "日本のアカウント",
];

/// Names of external panels. A provider's name is such a name and a number.
pub(crate) const EXTERNAL_PANEL_NAMES: [&str; 10] = [
    "Peak Panel",
    "SMM Depot",
    "Northwind Social",
    "BoostHub",
    "Followiz",
    "Likeberry",
    "Panel of Kings",
    "Zen Growth",
    "Media Mill",
    "Trendline",
];

pub(crate) const FIRST_NAMES: [&str; 32] = [
    "Olivia", "Mateo", "Yuki", "Sofia", "Arjun", "Ava", "Mehmet", "Noah", "Linh", "Elena", "Diego", "Fatima",
    "Lukas", "Amara", "Chen", "Ivan", "Zoë", "Björn", "Ana", "Omar", "Priya", "Tomás", "Ingrid", "Kofi",
    "Mila", "Hugo", "Aylin", "Rafael", "Nina", "Sanjay", "Léa", "Pavel",
];

pub(crate) const LAST_NAMES: [&str; 32] = [
    "Ivanov",
    "García",
    "Tanaka",
    "Müller",
    "Patel",
    "Silva",
    "Yılmaz",
    "Dubois",
    "Nguyen",
    "Wang",
    "Kowalski",
    "Okafor",
    "Johansson",
    "Rossi",
    "Smith",
    "Petrova",
    "Costa",
    "Haddad",
    "Kim",
    "Novák",
    "Schmidt",
    "Fernandes",
    "Olsen",
    "Mensah",
    "O'Brien",
    "Demir",
    "Singh",
    "Popescu",
    "Jansen",
    "Moreau",
    "Lindqvist",
    "Santos",
];

/// Names that reveal errors in code: other scripts, markup, SQL, formulas, very long names.
pub(crate) const UNUSUAL_NAMES: [&str; 10] = [
    "鈴木 花子",
    "김서연",
    "محمد العربي",
    "אביגיל לוי",
    "=HYPERLINK(\"http://example.com\";\"click\")",
    "<script>alert('panel')</script>",
    "Social Media Marketing & Advertising Agency of the Greater Metropolitan Area, Department of Growth and Engagement, Team 7",
    "😀😀😀 Best SMM 😀😀😀",
    "O'; DROP TABLE orders; --",
    "नेहा शर्मा",
];

/// Comments of staff on orders.
pub(crate) const ORDER_COMMENTS: [&str; 8] = [
    "Customer asked to speed this up.",
    "Called twice; wait for the provider.",
    "VIP: look after it first.",
    "Provider says the link is private.",
    "お客様から連絡あり、返金希望",
    "Start count was wrong, corrected by hand 👍",
    "Same link as another order.",
    "Long story: the customer ordered the wrong service, wanted another one, then changed their mind, and now wants half of it on another account. Talk to them before you touch it.",
];
