//! The service types of the reseller API v2: the order parameters of each type, their limits, and the form fields (targets) by
//! which customers enter them. Used by imports, by the server and the client side of the reseller API, and by the demo. An unknown
//! type must stay unknown; this module must not guess.

use crate::targets::{TargetName, ViewType};

crate::string_enum! {
    /// A service type of the reseller API v2.
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
        /// One order for each new post of an account; this panel does not sell the type.
        Subscriptions = "Subscriptions",
    }
}

crate::string_enum! {
    /// An additional parameter of an order besides link and quantity, as the API spells it.
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

/// Format of the value of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// One line of up to 500 characters.
    Line,
    /// 1 to 10,000 lines of up to 1,000 characters.
    Lines,
    /// An integer from the first to the second bound, inclusive.
    Number(i64, i64),
    /// An absolute http(s) URL.
    Url,
    /// An ISO 3166-1 alpha-2 country code.
    Country,
}

/// Maximum length of a one-line value, in characters.
const MAX_LINE_CHARS: usize = 500;
/// Maximum length of one line of a multi-line value, in characters.
const MAX_ENTRY_CHARS: usize = 1_000;
/// Maximum number of lines of a multi-line value.
const MAX_LINES: usize = 10_000;

/// How the quantity of an order is determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuantitySource {
    /// The customer sends the quantity.
    Explicit,
    /// The quantity is the number of lines of a parameter.
    LinesOf(PanelParameter),
    /// The quantity is always one package with fixed contents.
    SinglePackage,
}

/// Removes the differences in spelling between panels: upper case, spaces, hyphens and underscores.
fn normalize(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The non-empty lines of a multi-line value, trimmed.
pub fn non_empty_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

impl PanelServiceType {
    /// Parses the type in any spelling; `None` for an unknown type. An empty string is `Default`, because panels without service
    /// types send no type.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let normalized = normalize(text);
        if normalized.is_empty() {
            return Some(Self::Default);
        }
        Self::ALL.iter().copied().find(|kind| normalize(kind.as_str()) == normalized)
    }

    /// Parameters that an order of this type must have, in the order of the form.
    #[must_use]
    pub const fn required_parameters(self) -> &'static [PanelParameter] {
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

    /// Parameters that an order of this type may have.
    #[must_use]
    pub const fn optional_parameters(self) -> &'static [PanelParameter] {
        match self {
            Self::WebTraffic => &[PanelParameter::GoogleKeyword, PanelParameter::ReferringUrl],
            _ => &[],
        }
    }

    /// Whether an order of this type accepts `parameter`.
    #[must_use]
    pub fn accepts(self, parameter: PanelParameter) -> bool {
        self.required_parameters().contains(&parameter) || self.optional_parameters().contains(&parameter)
    }

    /// How the quantity of an order of this type is determined.
    #[must_use]
    pub const fn quantity_source(self) -> QuantitySource {
        match self {
            Self::Package | Self::CustomCommentsPackage => QuantitySource::SinglePackage,
            Self::CustomComments | Self::CommentReplies => QuantitySource::LinesOf(PanelParameter::Comments),
            Self::MentionsCustomList => QuantitySource::LinesOf(PanelParameter::Usernames),
            _ => QuantitySource::Explicit,
        }
    }

    /// Whether the price is for one package instead of a number of units.
    #[must_use]
    pub const fn is_package(self) -> bool {
        matches!(self.quantity_source(), QuantitySource::SinglePackage)
    }

    /// Why this panel cannot sell services of this type, an English clause without a capital letter; `None` if this panel can sell
    /// them.
    #[must_use]
    pub const fn reason_not_sellable(self) -> Option<&'static str> {
        match self {
            Self::Subscriptions => Some(
                "the external panel would order for new posts automatically, at a charge that is unknown when the customer pays; import a service of the type Default and sell subscriptions of it instead",
            ),
            _ => None,
        }
    }

    /// Checks rules that involve several parameters of an order. `value_of` returns the value of a parameter. Returns the invalid
    /// parameter and an error message, or `None` if all parameters are valid.
    #[must_use]
    pub fn check<'t>(
        self,
        quantity: i64,
        value_of: impl Fn(PanelParameter) -> Option<&'t str>,
    ) -> Option<(PanelParameter, String)> {
        if let QuantitySource::LinesOf(parameter) = self.quantity_source()
            && let Some(text) = value_of(parameter)
        {
            let count = non_empty_lines(text).count();
            if i64::try_from(count).ok() != Some(quantity) {
                let message =
                    format!("Send one line for each of the {quantity} ordered units; the text has {count}.");
                return Some((parameter, message));
            }
        }
        let required_parameter = match (self, value_of(PanelParameter::TypeOfTraffic).map(str::trim)) {
            (Self::WebTraffic, Some("1")) => PanelParameter::GoogleKeyword,
            (Self::WebTraffic, Some("2")) => PanelParameter::ReferringUrl,
            _ => return None,
        };
        let is_missing = value_of(required_parameter).is_none_or(|text| text.trim().is_empty());
        is_missing.then(|| {
            (
                required_parameter,
                "This type of traffic requires the parameter. Send it, or choose another type.".to_owned(),
            )
        })
    }
}

impl PanelParameter {
    /// Parses the name of a parameter in any spelling.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let name = normalize(name);
        Self::ALL.iter().copied().find(|parameter| normalize(parameter.as_str()) == name)
    }

    /// Format of the value of the parameter.
    #[must_use]
    pub const fn kind(self) -> ParameterKind {
        match self {
            Self::Comments | Self::Usernames | Self::Hashtags | Self::Groups | Self::Keywords => {
                ParameterKind::Lines
            }
            Self::AnswerNumber => ParameterKind::Number(1, 1_000),
            Self::Device => ParameterKind::Number(1, 5),
            Self::TypeOfTraffic => ParameterKind::Number(1, 3),
            Self::ReferringUrl => ParameterKind::Url,
            Self::Country => ParameterKind::Country,
            Self::Username | Self::Hashtag | Self::Media | Self::GoogleKeyword | Self::Language => {
                ParameterKind::Line
            }
        }
    }

    /// Name and form control of a new target by which customers enter the parameter.
    #[must_use]
    pub const fn new_target(self) -> (TargetName, ViewType) {
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

    /// Targets, by name, that supply the value if no target of the service is linked to this parameter. The preferred name is
    /// first.
    #[must_use]
    pub const fn supplying_targets(self) -> &'static [TargetName] {
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

    /// English label of a new target by which customers enter the parameter.
    #[must_use]
    pub const fn display_name(self) -> &'static str {
        self.name_and_placeholder().0
    }

    /// English placeholder of a new target by which customers enter the parameter.
    #[must_use]
    pub const fn placeholder(self) -> &'static str {
        self.name_and_placeholder().1
    }

    const fn name_and_placeholder(self) -> (&'static str, &'static str) {
        match self {
            Self::Comments => ("Comments", "One comment per line"),
            Self::Username => ("Username", "The account, such as @name"),
            Self::Usernames => ("Usernames", "One account per line"),
            Self::Hashtag => ("Hashtag", "Without #"),
            Self::Hashtags => ("Hashtags", "One hashtag per line, without #"),
            Self::Media => ("Media", "The post whose likers are mentioned"),
            Self::AnswerNumber => ("Answer number", "Which answer of the poll, counted from 1"),
            Self::Groups => ("Groups", "One group per line"),
            Self::Keywords => ("Keywords", "One keyword per line"),
            Self::Country => ("Country", "Two letters, such as DE"),
            Self::Device => ("Device", "1 desktop, 2 Android, 3 iOS, 4 all mobile, 5 all"),
            Self::TypeOfTraffic => ("Type of traffic", "1 Google search, 2 a linking page, 3 direct"),
            Self::GoogleKeyword => ("Google keyword", "What visitors search for"),
            Self::ReferringUrl => ("Referring page", "https://…, the page that visitors come from"),
            Self::Language => ("Language", "Two letters, such as en"),
        }
    }

    /// Checks a value of the parameter.
    ///
    /// # Errors
    /// Returns one sentence about the expected value.
    pub fn check(self, text: &str) -> Result<(), String> {
        let name = self.display_name();
        match self.kind() {
            ParameterKind::Line | ParameterKind::Url if text.contains(['\n', '\r']) => {
                Err(format!("{name} must be one line."))
            }
            ParameterKind::Line | ParameterKind::Url if text.chars().count() > MAX_LINE_CHARS => {
                Err(format!("{name} must have at most {MAX_LINE_CHARS} characters."))
            }
            ParameterKind::Line => Ok(()),
            ParameterKind::Url if text.starts_with("http://") || text.starts_with("https://") => Ok(()),
            ParameterKind::Url => Err(format!("{name} must be a URL that starts with http:// or https://.")),
            ParameterKind::Lines => {
                let has_long_line = non_empty_lines(text).any(|line| line.chars().count() > MAX_ENTRY_CHARS);
                match non_empty_lines(text).take(MAX_LINES + 1).count() {
                    1..=MAX_LINES if !has_long_line => Ok(()),
                    _ => Err(format!(
                        "{name} must have 1 to {MAX_LINES} lines of up to {MAX_ENTRY_CHARS} characters."
                    )),
                }
            }
            ParameterKind::Number(min, max) => match text.trim().parse::<i64>() {
                Ok(number) if (min..=max).contains(&number) => Ok(()),
                _ => Err(format!("{name} must be an integer from {min} to {max}.")),
            },
            ParameterKind::Country => {
                let is_code = text.len() == 2 && text.bytes().all(|letter| letter.is_ascii_alphabetic());
                if is_code {
                    Ok(())
                } else {
                    Err(format!("{name} must be a two-letter country code, such as DE."))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_types_in_any_spelling_but_rejects_unknown_types() {
        for kind in PanelServiceType::ALL {
            let text = kind.as_str();
            for spelling in [
                text.to_owned(),
                text.to_uppercase(),
                text.to_lowercase().replace(' ', "_"),
                format!(" {text} "),
            ] {
                assert_eq!(PanelServiceType::parse(&spelling), Some(*kind), "{spelling}");
            }
        }
        assert_eq!(PanelServiceType::parse(""), Some(PanelServiceType::Default));
        assert_eq!(["Something New", "Defaults", "Comments"].map(PanelServiceType::parse), [None; 3]);
        assert_eq!(PanelParameter::parse("Answer-Number"), Some(PanelParameter::AnswerNumber));
    }

    #[test]
    fn checks_the_parameters_of_an_order_against_each_other() {
        use PanelParameter as P;
        let check = |kind: PanelServiceType, quantity, values: &[(P, &'static str)]| {
            let value_of = |requested| {
                values.iter().find(|(parameter, _)| *parameter == requested).map(|(_, text)| *text)
            };
            kind.check(quantity, value_of).map(|(parameter, _)| parameter)
        };
        let comments = [(P::Comments, "one\n\n two \n")];
        assert_eq!(check(PanelServiceType::CustomComments, 2, &comments), None);
        assert_eq!(check(PanelServiceType::CustomComments, 3, &comments), Some(P::Comments));
        assert_eq!(
            check(PanelServiceType::CustomCommentsPackage, 1, &comments),
            None,
            "the quantity of a package must not depend on the number of lines"
        );
        let traffic = |traffic_type| [(P::TypeOfTraffic, traffic_type), (P::GoogleKeyword, "shoes")];
        assert_eq!(check(PanelServiceType::WebTraffic, 9, &traffic("1")), None);
        assert_eq!(check(PanelServiceType::WebTraffic, 9, &traffic("2")), Some(P::ReferringUrl));
        assert_eq!(check(PanelServiceType::WebTraffic, 9, &traffic("3")), None);
        assert_eq!(check(PanelServiceType::Default, 9, &traffic("2")), None);
    }

    #[test]
    fn checks_the_bounds_of_values() {
        use PanelParameter as P;
        let valid = [
            (P::Comments, "a\nb"),
            (P::Username, "@anna"),
            (P::AnswerNumber, "2"),
            (P::Device, "5"),
            (P::Country, "de"),
            (P::ReferringUrl, "https://a.example"),
        ];
        assert!(valid.iter().all(|(parameter, text)| parameter.check(text).is_ok()));
        let invalid = [
            (P::Comments, " \n"),
            (P::Username, "a\nb"),
            (P::AnswerNumber, "0"),
            (P::AnswerNumber, "two"),
            (P::Device, "6"),
            (P::Country, "Germany"),
            (P::ReferringUrl, "a.example"),
        ];
        assert!(invalid.iter().all(|(parameter, text)| parameter.check(text).is_err()));
    }
}
