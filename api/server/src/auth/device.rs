//! Describes a device in a few words for the list of sessions. The description is derived from the `User-Agent` of the client, which may
//! be wrong, so no rule may depend on it.

/// Maximum length of the displayed name of a program, in characters.
const MAX_NAME_CHARS: usize = 40;

/// Part of the `User-Agent` and name of each browser. The first match counts: many browsers also send the parts of other browsers, so
/// `Chrome/` and `Safari/` come last.
const BROWSERS: [(&str, &str); 9] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("HeadlessChrome/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];

const SYSTEMS: [(&str, &str); 8] = [
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Windows", "Windows"),
    ("Macintosh", "macOS"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
    ("X11", "Unix"),
];

/// Returns the browser and the operating system, or the name of a program; `None` if the `User-Agent` contains neither.
#[must_use]
pub fn describe_device(user_agent: &str) -> Option<String> {
    let user_agent = user_agent.trim();
    if !user_agent.starts_with("Mozilla/") {
        let name: String =
            user_agent.split(['/', ' ']).next().unwrap_or_default().chars().take(MAX_NAME_CHARS).collect();
        return (!name.is_empty()).then_some(name);
    }
    let find = |markers: &[(&str, &'static str)]| {
        markers.iter().find(|(marker, _)| user_agent.contains(marker)).map(|(_, name)| *name)
    };
    let parts: Vec<&str> = [find(&BROWSERS), find(&SYSTEMS)].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describes_browsers_and_programs() {
        for (user_agent, device) in [
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0",
                Some("Edge · Windows"),
            ),
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
                Some("Chrome · Linux"),
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:133.0) Gecko/20100101 Firefox/133.0",
                Some("Firefox · macOS"),
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
                Some("Safari · iOS"),
            ),
            (
                "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36",
                Some("Chrome · Android"),
            ),
            ("panelctl/1.4.0", Some("panelctl")),
            ("curl/8.5.0", Some("curl")),
            ("Mozilla/5.0", None),
            ("", None),
        ] {
            assert_eq!(describe_device(user_agent).as_deref(), device, "{user_agent}");
        }
        assert_eq!(describe_device(&"x".repeat(500)).unwrap().len(), MAX_NAME_CHARS);
    }
}
