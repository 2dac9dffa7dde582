//! An order as its panel wants it: which fields travel for which type of service. Pure.

use panel_contract::targets::TargetName;

use crate::supply::reseller::wish::{Source, Wish};

/// What is known of an order that is to be sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Order {
    /// Where to.
    pub link: String,
    /// How many.
    pub quantity: i64,
    /// How many others delivered already.
    pub delivered: i64,
    /// What staff or the customer noted on it.
    pub comment: Option<String>,
    /// What the customer answered: kind, and text.
    pub answers: Vec<(TargetName, String)>,
}

impl Order {
    fn answer(&self, kind: TargetName) -> Option<&str> {
        let found = self.answers.iter().find(|answer| answer.0 == kind).map(|answer| answer.1.trim());
        found.filter(|text| !text.is_empty())
    }

    /// One each line; of comments only those that nobody delivered yet.
    fn comments(&self) -> Result<Vec<String>, String> {
        let text = self.answer(TargetName::Comment).or(self.comment.as_deref()).unwrap_or_default();
        let skipped = usize::try_from(self.delivered).unwrap_or_default();
        let rest: Vec<String> = lines(text).into_iter().skip(skipped).collect();
        if rest.is_empty() { Err("The order has no comments to send.".into()) } else { Ok(rest) }
    }

    fn words(&self) -> Result<Vec<String>, String> {
        let text =
            self.answer(TargetName::Keyword).or(self.answer(TargetName::SeoKeyword)).unwrap_or_default();
        let words = lines(text);
        if words.is_empty() { Err("The order has no keyword to send.".into()) } else { Ok(words) }
    }

    fn word(&self) -> Result<String, String> {
        Ok(self.words()?.swap_remove(0))
    }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// What is sent for a service of this type, in the panel's word for it; what is missing is said in a sentence.
pub(super) fn wish(kind: &str, order: &Order) -> Result<Wish, String> {
    let (link, quantity) = (order.link.clone(), order.quantity);
    Ok(match kind.trim().to_ascii_lowercase().as_str() {
        "package" => Wish::Package { link },
        "custom comments" | "custom comments package" => {
            Wish::CustomComments { link, comments: order.comments()? }
        }
        "mentions" => Wish::Mentions { link, quantity, usernames: order.words()? },
        "mentions with hashtags" => {
            let hashtags = lines(order.answer(TargetName::SeoKeyword).unwrap_or_default());
            Wish::MentionsWithHashtags { link, quantity, usernames: order.words()?, hashtags }
        }
        "mentions custom list" => Wish::MentionsCustomList { link, usernames: order.words()? },
        "mentions hashtag" => Wish::MentionsHashtag { link, quantity, hashtag: order.word()? },
        "mentions user followers" => Wish::MentionsUserFollowers { link, quantity, username: order.word()? },
        "mentions media likers" => Wish::MentionsMediaLikers { link, quantity, media: order.word()? },
        "comment likes" => Wish::CommentLikes { link, quantity, username: order.word()? },
        "comment replies" => {
            Wish::CommentReplies { link, username: order.word()?, comments: order.comments()? }
        }
        "poll" => {
            let answer_number =
                order.word()?.parse().map_err(|_| "The order's answer is not a number.".to_owned())?;
            Wish::Poll { link, quantity, answer_number }
        }
        "invites from groups" => Wish::InvitesFromGroups { link, quantity, groups: order.words()? },
        "seo" => Wish::Seo { link, quantity, keywords: order.words()? },
        "web traffic" => {
            let source = match order.word() {
                Ok(page) if page.starts_with("http://") || page.starts_with("https://") => {
                    Source::Referrer(page)
                }
                Ok(keyword) => Source::Google(keyword),
                Err(_) => Source::Blank,
            };
            let country = order.answer(TargetName::Geotargeting).unwrap_or("WW").to_owned();
            Wish::WebTraffic { link, quantity, country, device: "1".into(), source }
        }
        // Nobody said what type it is: what the customer wrote says it.
        "" if order.answer(TargetName::Comment).is_some() => {
            Wish::CustomComments { link, comments: order.comments()? }
        }
        _ => Wish::Default { link, quantity, runs: None },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(answers: &[(TargetName, &str)]) -> Order {
        Order {
            link: "https://example.com/p".into(),
            quantity: 3,
            delivered: 0,
            comment: None,
            answers: answers.iter().map(|(kind, text)| (*kind, (*text).to_owned())).collect(),
        }
    }

    fn sent(kind: &str, order: &Order) -> String {
        let pair = |(name, value): (&str, String)| format!("{name}={value}");
        match wish(kind, order) {
            Ok(wish) => wish.fields().into_iter().map(pair).skip(1).collect::<Vec<_>>().join("&"),
            Err(missing) => missing,
        }
    }

    #[test]
    fn each_type_takes_what_the_customer_answered() {
        let comments = order(&[(TargetName::Comment, "one\n\n two \nthree")]);
        let word = order(&[(TargetName::Keyword, "anna\nben")]);
        for (kind, parcel, wanted) in [
            ("Default", &comments, "quantity=3"),
            ("", &comments, "comments=one\ntwo\nthree"),
            ("", &word, "quantity=3"),
            ("Package", &word, ""),
            ("Custom Comments", &comments, "comments=one\ntwo\nthree"),
            ("Custom Comments", &word, "The order has no comments to send."),
            ("Mentions", &word, "quantity=3&usernames=anna\nben"),
            ("Comment Likes", &word, "quantity=3&username=anna"),
            ("Comment Likes", &comments, "The order has no keyword to send."),
            ("Poll", &word, "The order's answer is not a number."),
            ("Poll", &order(&[(TargetName::Keyword, "2")]), "quantity=3&answer_number=2"),
            ("SEO", &order(&[(TargetName::SeoKeyword, "a\nb")]), "quantity=3&keywords=a\nb"),
            (
                "Web Traffic",
                &order_of_visits(),
                "quantity=3&country=DE&device=1&type_of_traffic=2&referring_url=https://x.example",
            ),
            ("Something New", &word, "quantity=3"),
        ] {
            assert_eq!(sent(kind, parcel), wanted, "{kind}");
        }
    }

    fn order_of_visits() -> Order {
        order(&[(TargetName::Geotargeting, "DE"), (TargetName::SeoKeyword, "https://x.example")])
    }

    #[test]
    fn the_rest_of_an_order_sends_the_rest_of_its_comments() {
        let rest = Order { delivered: 2, quantity: 1, ..order(&[(TargetName::Comment, "one\ntwo\nthree")]) };
        assert_eq!(sent("custom comments", &rest), "comments=three");
        let none = Order { delivered: 3, ..rest };
        assert_eq!(sent("custom comments", &none), "The order has no comments to send.");
    }
}
