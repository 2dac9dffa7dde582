//! What is ordered at a panel, for every type of service: which fields travel. Pure.

/// An order as a panel wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// So many of it, perhaps in several runs some minutes apart.
    Default {
        /// Where to.
        link: String,
        /// How many.
        quantity: i64,
        /// How many runs, and minutes between them.
        runs: Option<(i64, i64)>,
    },
    /// A package: its quantity is fixed.
    Package {
        /// Where to.
        link: String,
    },
    /// These comments; their number is the quantity.
    CustomComments {
        /// Where to.
        link: String,
        /// One each.
        comments: Vec<String>,
    },
    /// Mentions of these names.
    Mentions {
        /// Where to.
        link: String,
        /// How many.
        quantity: i64,
        /// One each.
        usernames: Vec<String>,
    },
    /// Mentions of these names, with these hashtags.
    MentionsWithHashtags {
        /// Where to.
        link: String,
        /// How many.
        quantity: i64,
        /// One each.
        usernames: Vec<String>,
        /// One each.
        hashtags: Vec<String>,
    },
    /// Mentions of exactly these names.
    MentionsCustomList {
        /// Where to.
        link: String,
        /// One each.
        usernames: Vec<String>,
    },
    /// Mentions of people who use a hashtag.
    MentionsHashtag {
        /// Where to.
        link: String,
        /// How many.
        quantity: i64,
        /// Without #.
        hashtag: String,
    },
    /// Mentions of somebody's followers.
    MentionsUserFollowers {
        /// Where to.
        link: String,
        /// How many.
        quantity: i64,
        /// Whose.
        username: String,
    },
    /// Mentions of those who like a post.
    MentionsMediaLikers {
        /// Where to.
        link: String,
        /// How many.
        quantity: i64,
        /// The post.
        media: String,
    },
    /// Likes of somebody's comment.
    CommentLikes {
        /// Where to.
        link: String,
        /// How many.
        quantity: i64,
        /// Whose.
        username: String,
    },
    /// Replies to somebody's comment.
    CommentReplies {
        /// Where to.
        link: String,
        /// Whose.
        username: String,
        /// One each.
        comments: Vec<String>,
    },
    /// Votes for an answer.
    Poll {
        /// Where to.
        link: String,
        /// How many.
        quantity: i64,
        /// Which answer, from 1.
        answer_number: i64,
    },
    /// People from groups.
    InvitesFromGroups {
        /// Where to.
        link: String,
        /// How many.
        quantity: i64,
        /// One each.
        groups: Vec<String>,
    },
    /// Searches for keywords.
    Seo {
        /// Where to.
        link: String,
        /// How many.
        quantity: i64,
        /// One each.
        keywords: Vec<String>,
    },
    /// Visits of a page.
    WebTraffic {
        /// Where to.
        link: String,
        /// How many.
        quantity: i64,
        /// Its code.
        country: String,
        /// The panel's number of a device.
        device: String,
        /// Where visitors come from.
        source: Source,
    },
    /// New posts of an account, as they come.
    Subscription(Subscription),
}

/// Where visitors come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A search for a keyword.
    Google(String),
    /// A page that links here.
    Referrer(String),
    /// Nowhere in particular.
    Blank,
}

/// New posts of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// The account.
    pub username: String,
    /// Smallest quantity of a post.
    pub min: i64,
    /// Largest quantity of a post.
    pub max: i64,
    /// How many new posts; none for no end.
    pub posts: Option<i64>,
    /// How many posts there are already.
    pub old_posts: Option<i64>,
    /// Minutes between a post and its delivery.
    pub delay: i64,
    /// The last day, as day, month, year.
    pub expiry: Option<(u32, u32, i32)>,
}

type Fields = Vec<(&'static str, String)>;

impl Wish {
    /// The fields of the call beside key, action and service.
    #[must_use]
    pub fn fields(&self) -> Fields {
        let lines = |all: &[String]| all.join("\n");
        match self {
            Self::Default { link, quantity, runs } => {
                let mut fields = counted(link, *quantity);
                if let Some((runs, interval)) = runs {
                    fields.extend([("runs", runs.to_string()), ("interval", interval.to_string())]);
                }
                fields
            }
            Self::Package { link } => vec![("link", link.clone())],
            Self::CustomComments { link, comments } => {
                vec![("link", link.clone()), ("comments", lines(comments))]
            }
            Self::Mentions { link, quantity, usernames } => {
                with(counted(link, *quantity), "usernames", lines(usernames))
            }
            Self::MentionsWithHashtags { link, quantity, usernames, hashtags } => {
                let fields = with(counted(link, *quantity), "usernames", lines(usernames));
                with(fields, "hashtags", lines(hashtags))
            }
            Self::MentionsCustomList { link, usernames } => {
                vec![("link", link.clone()), ("usernames", lines(usernames))]
            }
            Self::MentionsHashtag { link, quantity, hashtag } => {
                with(counted(link, *quantity), "hashtag", hashtag.clone())
            }
            Self::MentionsUserFollowers { link, quantity, username }
            | Self::CommentLikes { link, quantity, username } => {
                with(counted(link, *quantity), "username", username.clone())
            }
            Self::MentionsMediaLikers { link, quantity, media } => {
                with(counted(link, *quantity), "media", media.clone())
            }
            Self::CommentReplies { link, username, comments } => {
                vec![("link", link.clone()), ("username", username.clone()), ("comments", lines(comments))]
            }
            Self::Poll { link, quantity, answer_number } => {
                with(counted(link, *quantity), "answer_number", answer_number.to_string())
            }
            Self::InvitesFromGroups { link, quantity, groups } => {
                with(counted(link, *quantity), "groups", lines(groups))
            }
            Self::Seo { link, quantity, keywords } => {
                with(counted(link, *quantity), "keywords", lines(keywords))
            }
            Self::WebTraffic { link, quantity, country, device, source } => {
                let fields = with(counted(link, *quantity), "country", country.clone());
                traffic(with(fields, "device", device.clone()), source)
            }
            Self::Subscription(subscription) => subscription.fields(),
        }
    }
}

fn counted(link: &str, quantity: i64) -> Fields {
    vec![("link", link.to_owned()), ("quantity", quantity.to_string())]
}

fn with(mut fields: Fields, name: &'static str, value: String) -> Fields {
    fields.push((name, value));
    fields
}

/// The panels' numbers for a source: 1 Google, 2 a page, 3 none.
fn traffic(fields: Fields, source: &Source) -> Fields {
    match source {
        Source::Google(keyword) => {
            with(with(fields, "type_of_traffic", "1".into()), "google_keyword", keyword.clone())
        }
        Source::Referrer(url) => {
            with(with(fields, "type_of_traffic", "2".into()), "referring_url", url.clone())
        }
        Source::Blank => with(fields, "type_of_traffic", "3".into()),
    }
}

impl Subscription {
    fn fields(&self) -> Fields {
        let mut fields = vec![
            ("username", self.username.clone()),
            ("min", self.min.to_string()),
            ("max", self.max.to_string()),
            ("delay", self.delay.to_string()),
        ];
        fields.extend(self.posts.map(|posts| ("posts", posts.to_string())));
        fields.extend(self.old_posts.map(|posts| ("old_posts", posts.to_string())));
        fields
            .extend(self.expiry.map(|(day, month, year)| ("expiry", format!("{day:02}/{month:02}/{year}"))));
        fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(wish: &Wish) -> String {
        wish.fields().iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_type_sends_its_own_fields() {
        let link = || "https://example.com/p/1".to_owned();
        let some = || vec!["one".to_owned(), "two".to_owned()];
        let quantity = 100;
        for (wish, wanted) in [
            (Wish::Default { link: link(), quantity, runs: None }, "link quantity"),
            (Wish::Default { link: link(), quantity, runs: Some((5, 60)) }, "link quantity runs interval"),
            (Wish::Package { link: link() }, "link"),
            (Wish::CustomComments { link: link(), comments: some() }, "link comments"),
            (Wish::Mentions { link: link(), quantity, usernames: some() }, "link quantity usernames"),
            (
                Wish::MentionsWithHashtags { link: link(), quantity, usernames: some(), hashtags: some() },
                "link quantity usernames hashtags",
            ),
            (Wish::MentionsCustomList { link: link(), usernames: some() }, "link usernames"),
            (Wish::MentionsHashtag { link: link(), quantity, hashtag: "x".into() }, "link quantity hashtag"),
            (
                Wish::MentionsUserFollowers { link: link(), quantity, username: "x".into() },
                "link quantity username",
            ),
            (Wish::MentionsMediaLikers { link: link(), quantity, media: "x".into() }, "link quantity media"),
            (Wish::CommentLikes { link: link(), quantity, username: "x".into() }, "link quantity username"),
            (
                Wish::CommentReplies { link: link(), username: "x".into(), comments: some() },
                "link username comments",
            ),
            (Wish::Poll { link: link(), quantity, answer_number: 2 }, "link quantity answer_number"),
            (Wish::InvitesFromGroups { link: link(), quantity, groups: some() }, "link quantity groups"),
            (Wish::Seo { link: link(), quantity, keywords: some() }, "link quantity keywords"),
        ] {
            assert_eq!(names(&wish), wanted, "{wish:?}");
        }
        let comments = Wish::CustomComments { link: link(), comments: some() };
        assert!(comments.fields().contains(&("comments", "one\ntwo".to_owned())));
    }

    #[test]
    fn visits_say_where_they_come_from_and_subscriptions_when_they_end() {
        let visits = |source| Wish::WebTraffic {
            link: "https://example.com".into(),
            quantity: 10,
            country: "DE".into(),
            device: "1".into(),
            source,
        };
        assert!(names(&visits(Source::Google("x".into()))).ends_with("type_of_traffic google_keyword"));
        assert!(names(&visits(Source::Referrer("x".into()))).ends_with("type_of_traffic referring_url"));
        assert!(names(&visits(Source::Blank)).ends_with("device type_of_traffic"));
        let subscription = Wish::Subscription(Subscription {
            username: "somebody".into(),
            min: 10,
            max: 20,
            posts: Some(5),
            old_posts: None,
            delay: 0,
            expiry: Some((3, 11, 2026)),
        });
        assert_eq!(names(&subscription), "username min max delay posts expiry");
        assert!(subscription.fields().contains(&("expiry", "03/11/2026".to_owned())));
    }
}
