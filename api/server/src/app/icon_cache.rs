//! Icons of external panels, fetched by this server within a size, a type and a time, and cached. Redirects are not followed, as
//! nowhere.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use panel_contract::moment::{DAY, Time};
use tokio::sync::Semaphore;

use panel_platform::outbound::{Call, Purpose};
use panel_platform::platform::Platform;

/// Largest icon, in bytes.
const LARGEST: usize = 64 << 10;
/// Longest that a panel is waited for.
const TIMEOUT: Duration = Duration::from_secs(3);
/// Addresses that are remembered: 8 MiB at most.
const REMEMBERED: usize = 128;
/// Panels that are asked at a time.
const ASKED_AT_ONCE: usize = 4;
/// An icon is read again after this time, and a panel without one is asked again.
const FRESH: Duration = DAY;
const FRESH_NONE: Duration = Duration::from_hours(1);

/// Icons by their addresses, as they were last read.
pub struct Icons {
    read: Mutex<HashMap<String, ReadIcon>>,
    turns: Semaphore,
}

impl Default for Icons {
    fn default() -> Self {
        Self { read: Mutex::default(), turns: Semaphore::new(ASKED_AT_ONCE) }
    }
}

#[derive(Debug, Clone)]
struct ReadIcon {
    at: Time,
    icon: Option<Icon>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Icon {
    pub(crate) media_type: &'static str,
    pub(crate) bytes: Bytes,
}

/// The type of an image by its first bytes, whatever the panel calls it. No SVG: it is a document with links and scripts.
fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0, 0, 1, 0, ..] => Some("image/x-icon"),
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

impl ReadIcon {
    fn is_fresh(&self, now: Time) -> bool {
        now.since(self.at) < if self.icon.is_some() { FRESH } else { FRESH_NONE }
    }
}

impl Icons {
    /// The icon at an address: as it is remembered, or read now. Whatever is wrong with it, there is none.
    pub(crate) async fn of(&self, platform: &Platform, address: &str) -> Option<Icon> {
        let now = platform.clock.now();
        if let Some(known) = self.remembered(address, now) {
            return known.icon;
        }
        let _turn = self.turns.acquire().await.ok()?;
        // Another request may have read it meanwhile.
        if let Some(known) = self.remembered(address, now) {
            return known.icon;
        }
        let icon = fetch(platform, address).await;
        self.remember(address, ReadIcon { at: now, icon: icon.clone() });
        icon
    }

    fn remembered(&self, address: &str, now: Time) -> Option<ReadIcon> {
        self.lock().get(address).filter(|known| known.is_fresh(now)).cloned()
    }

    /// Forgets the oldest where there are too many.
    fn remember(&self, address: &str, icon: ReadIcon) {
        let mut read = self.lock();
        if read.len() >= REMEMBERED && !read.contains_key(address) {
            let oldest = read.iter().min_by_key(|(_, known)| known.at).map(|(address, _)| address.clone());
            if let Some(oldest) = oldest {
                read.remove(&oldest);
            }
        }
        read.insert(address.to_owned(), icon);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, ReadIcon>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn fetch(platform: &Platform, address: &str) -> Option<Icon> {
    let timeout = TIMEOUT.min(Duration::from_secs(platform.config.outbound.seconds));
    let call =
        Call::get(Purpose::PanelIcon, address).header("accept", "image/*").at_most(LARGEST).within(timeout);
    let bytes = platform.outbound.send(call).await.ok()?.success().ok()?;
    Some(Icon { media_type: media_type(&bytes)?, bytes: bytes.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_images_are_icons() {
        assert_eq!(media_type(&[0, 0, 1, 0, 1]), Some("image/x-icon"));
        assert_eq!(media_type(b"GIF89a"), Some("image/gif"));
        assert_eq!(media_type(b"RIFF\x01\x02\x03\x04WEBPVP8 "), Some("image/webp"));
        for other in [&b"<svg xmlns='http://www.w3.org/2000/svg'/>"[..], b"<html>", b"RIFF1234WAVE", b""] {
            assert_eq!(media_type(other), None);
        }
    }

    #[test]
    fn the_oldest_is_forgotten_and_nothing_lasts_for_ever() {
        let icons = Icons::default();
        let count = i64::try_from(REMEMBERED).unwrap();
        for at in 0..=count {
            icons.remember(&format!("https://{at}.example"), ReadIcon { at: Time(at), icon: None });
        }
        assert_eq!(icons.lock().len(), REMEMBERED);
        assert!(icons.remembered("https://0.example", Time(count)).is_none());
        assert!(icons.remembered("https://1.example", Time(count)).is_some());
        assert!(icons.remembered("https://1.example", Time(1).after(FRESH_NONE)).is_none());
        let bytes = Bytes::from_static(b"GIF89a");
        let icon = Some(Icon { media_type: "image/gif", bytes });
        icons.remember("https://1.example", ReadIcon { at: Time(0), icon });
        assert!(icons.remembered("https://1.example", Time(1).after(FRESH_NONE)).is_some());
        assert!(icons.remembered("https://1.example", Time(0).after(FRESH)).is_none());
    }
}
