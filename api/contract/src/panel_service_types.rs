//! The service types of the reseller API v2: which parameters an order of each takes, how long and how large they may be,
//! and which target of this product asks for them. One table for imports, for both sides of the API, for the demo's panel
//! and for whoever shows a type. Pure: no I/O, and no type is ever guessed.

use crate::targets::{TargetName, ViewType};

crate::words! {
    /// A service type, as panels spell it.
    PanelServiceType {
        Default = "Default",
        Package = "Package",
        CustomComments = "Custom Comments",
        CustomCommentsPackage = "Custom Comments Package",
        CommentLikes = "Comment Likes",
        CommentReplies = "Comment Replies",
        Mentions = "Mentions",
        MentionsWithHashtags = "Mentions with Hashtags",
        MentionsCustomList = "Mentions Custom List",
        MentionsHashtag = "Mentions Hashtag",
        MentionsUserFollowers = "Mentions User Followers",
        MentionsMediaLikers = "Mentions Media Likers",
        Poll = "Poll",
        InvitesFromGroups = "Invites from Groups",
        Seo = "SEO",
        WebTraffic = "Web Traffic",
        /// New posts of an account as they come: known, and not sold here.
        Subscriptions = "Subscriptions",
    }
}

crate::words! {
    /// A parameter of an order beside the link and the quantity, as the API spells it.
    PanelParameter {
        Comments = "comments",
        Username = "username",
        Usernames = "usernames",
        Hashtag = "hashtag",
        Hashtags = "hashtags",
        Media = "media",
        AnswerNumber = "answer_number",
        Groups = "groups",
        Keywords = "keywords",
        Country = "country",
        Device = "device",
        TypeOfTraffic = "type_of_traffic",
        GoogleKeyword = "google_keyword",
        ReferringUrl = "referring_url",
        Language = "language",
    }
}

/// What the value of a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// One line of up to 500 characters.
    Line,
    /// 1 to 10,000 lines of up to 1,000 characters.
    Lines,
    /// A whole number between these, both included.
    Number(i64, i64),
    /// An absolute http(s) address.
    Address,
    /// A country by the two letters of ISO 3166.
    Country,
}

/// Longest value of one line, in characters.
const LONGEST_LINE: usize = 500;
/// Longest line of a list, in characters.
const LONGEST_ENTRY: usize = 1_000;
/// Most lines of a list.
const MOST_LINES: usize = 10_000;

/// How the quantity of an order is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuantitySource {
    /// The order names it.
    Named,
    /// It is the number of lines of a parameter.
    LinesOf(PanelParameter),
    /// One package: the panel fixed how many are in it.
    One,
}

/// A text without what panels spell differently: case, spaces, hyphens and underscores.
fn normalized(word: &str) -> String {
    word.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The lines of a list that say something.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

impl PanelServiceType {
    /// The type that a panel's word means, whatever its case; none for a word that is not known. No word at all means
    /// `Default`, as panels without types send none.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let word = normalized(word);
        if word.is_empty() {
            return Some(Self::Default);
        }
        Self::ALL.iter().copied().find(|known| normalized(known.as_str()) == word)
    }

    /// Parameters without which an order is refused, in the order of the form.
    #[must_use]
    pub const fn required(self) -> &'static [PanelParameter] {
        use PanelParameter as P;
        match self {
            Self::Default | Self::Package | Self::Subscriptions => &[],
            Self::CustomComments | Self::CustomCommentsPackage => &[P::Comments],
            Self::CommentLikes | Self::MentionsUserFollowers => &[P::Username],
            Self::CommentReplies => &[P::Username, P::Comments],
            Self::Mentions | Self::MentionsCustomList => &[P::Usernames],
            Self::MentionsWithHashtags => &[P::Usernames, P::Hashtags],
            Self::MentionsHashtag => &[P::Hashtag],
            Self::MentionsMediaLikers => &[P::Media],
            Self::Poll => &[P::AnswerNumber],
            Self::InvitesFromGroups => &[P::Groups],
            Self::Seo => &[P::Keywords],
            Self::WebTraffic => &[P::Country, P::Device, P::TypeOfTraffic],
        }
    }

    /// Parameters that an order may have beside the required ones.
    #[must_use]
    pub const fn optional(self) -> &'static [PanelParameter] {
        match self {
            Self::WebTraffic => &[PanelParameter::GoogleKeyword, PanelParameter::ReferringUrl],
            _ => &[],
        }
    }

    /// Whether an order of this type may have a parameter.
    #[must_use]
    pub fn takes(self, parameter: PanelParameter) -> bool {
        self.required().contains(&parameter) || self.optional().contains(&parameter)
    }

    /// How the quantity of an order is found.
    #[must_use]
    pub const fn quantity(self) -> QuantitySource {
        match self {
            Self::Package | Self::CustomCommentsPackage => QuantitySource::One,
            Self::CustomComments | Self::CommentReplies => QuantitySource::LinesOf(PanelParameter::Comments),
            Self::MentionsCustomList => QuantitySource::LinesOf(PanelParameter::Usernames),
            _ => QuantitySource::Named,
        }
    }

    /// Whether the price is for one package instead of for a thousand.
    #[must_use]
    pub const fn is_package(self) -> bool {
        matches!(self.quantity(), QuantitySource::One)
    }

    /// Why this product cannot sell services of this type; none where it can.
    #[must_use]
    pub const fn refusal(self) -> Option<&'static str> {
        match self {
            Self::Subscriptions => Some(
                "the panel would order for new posts by itself, at a charge that is not known when the customer pays; import a service of the type Default and sell subscriptions of it, as this panel watches channels itself",
            ),
            _ => None,
        }
    }

    /// What is wrong with the answers of an order together: the parameter, and a sentence. `answer` gives the text of a
    /// parameter, where there is one.
    #[must_use]
    pub fn check<'t>(
        self,
        quantity: i64,
        answer: impl Fn(PanelParameter) -> Option<&'t str>,
    ) -> Option<(PanelParameter, String)> {
        if let QuantitySource::LinesOf(parameter) = self.quantity()
            && let Some(text) = answer(parameter)
        {
            let given = lines(text).count();
            if i64::try_from(given).ok() != Some(quantity) {
                let message = format!("Give one line for each of the {quantity} ordered; there are {given}.");
                return Some((parameter, message));
            }
        }
        let needed = match (self, answer(PanelParameter::TypeOfTraffic).map(str::trim)) {
            (Self::WebTraffic, Some("1")) => PanelParameter::GoogleKeyword,
            (Self::WebTraffic, Some("2")) => PanelParameter::ReferringUrl,
            _ => return None,
        };
        let is_missing = answer(needed).is_none_or(|text| text.trim().is_empty());
        is_missing
            .then(|| (needed, "This kind of traffic needs it: give it, or choose another kind.".to_owned()))
    }
}

impl PanelParameter {
    /// The parameter of that name, whatever its case.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let name = normalized(name);
        Self::ALL.iter().copied().find(|known| normalized(known.as_str()) == name)
    }

    /// What its value is.
    #[must_use]
    pub const fn kind(self) -> ParameterKind {
        match self {
            Self::Comments | Self::Usernames | Self::Hashtags | Self::Groups | Self::Keywords => {
                ParameterKind::Lines
            }
            Self::AnswerNumber => ParameterKind::Number(1, 1_000),
            Self::Device => ParameterKind::Number(1, 5),
            Self::TypeOfTraffic => ParameterKind::Number(1, 3),
            Self::ReferringUrl => ParameterKind::Address,
            Self::Country => ParameterKind::Country,
            Self::Username | Self::Hashtag | Self::Media | Self::GoogleKeyword | Self::Language => {
                ParameterKind::Line
            }
        }
    }

    /// Kind and form field of the target that asks for it.
    #[must_use]
    pub const fn target(self) -> (TargetName, ViewType) {
        match self {
            Self::Comments => (TargetName::Comment, ViewType::Textarea),
            Self::Keywords => (TargetName::SeoKeyword, ViewType::Textarea),
            Self::Usernames | Self::Hashtags | Self::Groups => (TargetName::Keyword, ViewType::Textarea),
            Self::AnswerNumber | Self::Device | Self::TypeOfTraffic => {
                (TargetName::Keyword, ViewType::NumberInput)
            }
            Self::ReferringUrl => (TargetName::Keyword, ViewType::UrlInput),
            Self::Country => (TargetName::Geotargeting, ViewType::Select),
            Self::Language => (TargetName::Language, ViewType::Select),
            Self::Username | Self::Hashtag | Self::Media | Self::GoogleKeyword => {
                (TargetName::Keyword, ViewType::Input)
            }
        }
    }

    /// The kinds of targets that answer it where no target of the service names a parameter.
    #[must_use]
    pub const fn answered_by(self) -> &'static [TargetName] {
        match self {
            Self::Comments => &[TargetName::Comment],
            Self::Country => &[TargetName::Geotargeting],
            Self::Language => &[TargetName::Language],
            Self::Hashtags => &[TargetName::SeoKeyword],
            Self::Keywords | Self::GoogleKeyword | Self::ReferringUrl => {
                &[TargetName::SeoKeyword, TargetName::Keyword]
            }
            _ => &[TargetName::Keyword, TargetName::SeoKeyword],
        }
    }

    /// English name and placeholder of the target that asks for it.
    #[must_use]
    pub const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Comments => ("Comments", "One comment a line"),
            Self::Username => ("Username", "The account, such as @name"),
            Self::Usernames => ("Usernames", "One account a line"),
            Self::Hashtag => ("Hashtag", "Without #"),
            Self::Hashtags => ("Hashtags", "One hashtag a line, without #"),
            Self::Media => ("Media", "The post whose likers are mentioned"),
            Self::AnswerNumber => ("Answer number", "Which answer of the poll, counted from 1"),
            Self::Groups => ("Groups", "One group a line"),
            Self::Keywords => ("Keywords", "One keyword a line"),
            Self::Country => ("Country", "Two letters, such as DE"),
            Self::Device => ("Device", "1 desktop, 2 Android, 3 iOS, 4 all mobile, 5 all"),
            Self::TypeOfTraffic => ("Type of traffic", "1 Google search, 2 a linking page, 3 direct"),
            Self::GoogleKeyword => ("Google keyword", "What visitors search for"),
            Self::ReferringUrl => ("Referring page", "https://…, the page that visitors come from"),
            Self::Language => ("Language", "Two letters, such as en"),
        }
    }

    /// Why a text is no value of it.
    ///
    /// # Errors
    /// One sentence that says what to give.
    pub fn check(self, text: &str) -> Result<(), String> {
        let (name, _) = self.texts();
        match self.kind() {
            ParameterKind::Line | ParameterKind::Address if text.contains(['\n', '\r']) => {
                Err(format!("{name} is one line."))
            }
            ParameterKind::Line | ParameterKind::Address if text.chars().count() > LONGEST_LINE => {
                Err(format!("{name} has at most {LONGEST_LINE} characters."))
            }
            ParameterKind::Line => Ok(()),
            ParameterKind::Address if text.starts_with("http://") || text.starts_with("https://") => Ok(()),
            ParameterKind::Address => {
                Err(format!("{name} is an address that begins with http:// or https://."))
            }
            ParameterKind::Lines => {
                let is_long = lines(text).any(|line| line.chars().count() > LONGEST_ENTRY);
                match lines(text).take(MOST_LINES + 1).count() {
                    1..=MOST_LINES if !is_long => Ok(()),
                    _ => Err(format!(
                        "{name}: give 1 to {MOST_LINES} lines of up to {LONGEST_ENTRY} characters."
                    )),
                }
            }
            ParameterKind::Number(least, most) => match text.trim().parse::<i64>() {
                Ok(number) if (least..=most).contains(&number) => Ok(()),
                _ => Err(format!("{name} is a whole number from {least} to {most}.")),
            },
            ParameterKind::Country => {
                let is_code = text.len() == 2 && text.bytes().all(|letter| letter.is_ascii_alphabetic());
                if is_code { Ok(()) } else { Err(format!("{name} is two letters, such as DE.")) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_in_every_spelling_and_never_guessed() {
        for known in PanelServiceType::ALL {
            let word = known.as_str();
            for spelled in [
                word.to_owned(),
                word.to_uppercase(),
                word.to_lowercase().replace(' ', "_"),
                format!(" {word} "),
            ] {
                assert_eq!(PanelServiceType::parse(&spelled), Some(*known), "{spelled}");
            }
        }
        assert_eq!(PanelServiceType::parse(""), Some(PanelServiceType::Default));
        assert_eq!(["Something New", "Defaults", "Comments"].map(PanelServiceType::parse), [None; 3]);
        assert_eq!(PanelParameter::parse("Answer-Number"), Some(PanelParameter::AnswerNumber));
    }

    #[test]
    fn the_answers_of_an_order_fit_together() {
        use PanelParameter as P;
        let check = |kind: PanelServiceType, quantity, answers: &[(P, &'static str)]| {
            let answer =
                |wanted| answers.iter().find(|(parameter, _)| *parameter == wanted).map(|(_, text)| *text);
            kind.check(quantity, answer).map(|(parameter, _)| parameter)
        };
        let comments = [(P::Comments, "one\n\n two \n")];
        assert_eq!(check(PanelServiceType::CustomComments, 2, &comments), None);
        assert_eq!(check(PanelServiceType::CustomComments, 3, &comments), Some(P::Comments));
        assert_eq!(
            check(PanelServiceType::CustomCommentsPackage, 1, &comments),
            None,
            "a package has its own number"
        );
        let visits = |kind| [(P::TypeOfTraffic, kind), (P::GoogleKeyword, "shoes")];
        assert_eq!(check(PanelServiceType::WebTraffic, 9, &visits("1")), None);
        assert_eq!(check(PanelServiceType::WebTraffic, 9, &visits("2")), Some(P::ReferringUrl));
        assert_eq!(check(PanelServiceType::WebTraffic, 9, &visits("3")), None);
        assert_eq!(check(PanelServiceType::Default, 9, &visits("2")), None);
    }

    #[test]
    fn values_have_bounds() {
        use PanelParameter as P;
        let good = [
            (P::Comments, "a\nb"),
            (P::Username, "@anna"),
            (P::AnswerNumber, "2"),
            (P::Device, "5"),
            (P::Country, "de"),
            (P::ReferringUrl, "https://a.example"),
        ];
        assert!(good.iter().all(|(parameter, text)| parameter.check(text).is_ok()));
        let wrong = [
            (P::Comments, " \n"),
            (P::Username, "a\nb"),
            (P::AnswerNumber, "0"),
            (P::AnswerNumber, "two"),
            (P::Device, "6"),
            (P::Country, "Germany"),
            (P::ReferringUrl, "a.example"),
        ];
        assert!(wrong.iter().all(|(parameter, text)| parameter.check(text).is_err()));
    }
}
