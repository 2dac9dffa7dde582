//! Fetches and caches the icons of external panels. Limits their size, their media type and the time for fetching, and never
//! follows a redirect.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use panel_contract::moment::{DAY, Time};
use tokio::sync::Semaphore;

use panel_platform::outbound::{OutboundRequest, Purpose};
use panel_platform::platform::Platform;

const MAX_ICON_BYTES: usize = 64 << 10;
/// Timeout for fetching an icon.
const FETCH_TIMEOUT: Duration = Duration::from_secs(3);
/// Maximum number of cached icons; together at most 8 MiB.
const MAX_ENTRIES: usize = 128;
/// Maximum number of concurrent fetches.
const MAX_CONCURRENT_FETCHES: usize = 4;
/// Time after which an icon is fetched again.
const ICON_TTL: Duration = DAY;
/// Time after which the server tries again to fetch the icon of a panel that had none.
const NO_ICON_TTL: Duration = Duration::from_hours(1);

/// Cached icons by URL.
pub struct IconCache {
    entries: Mutex<HashMap<String, CachedIcon>>,
    fetch_permits: Semaphore,
}

impl Default for IconCache {
    fn default() -> Self {
        Self { entries: Mutex::default(), fetch_permits: Semaphore::new(MAX_CONCURRENT_FETCHES) }
    }
}

#[derive(Debug, Clone)]
struct CachedIcon {
    fetched_at: Time,
    /// `None` if the panel had no valid icon at `fetched_at`.
    icon: Option<Icon>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Icon {
    pub(crate) media_type: &'static str,
    pub(crate) bytes: Bytes,
}

/// Detects the media type of an image from its first bytes, because the server does not trust the Content-Type of a panel.
/// Returns `None` for SVG, because an SVG image may contain links and scripts.
fn detect_media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0, 0, 1, 0, ..] => Some("image/x-icon"),
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

impl CachedIcon {
    fn is_fresh_at(&self, now: Time) -> bool {
        now.since(self.fetched_at) < if self.icon.is_some() { ICON_TTL } else { NO_ICON_TTL }
    }
}

impl IconCache {
    /// Returns the icon at a URL from the cache, or fetches it. `None` if it cannot be fetched or is not an image.
    pub(crate) async fn get(&self, platform: &Platform, url: &str) -> Option<Icon> {
        let now = platform.clock.now();
        if let Some(cached) = self.get_fresh(url, now) {
            return cached.icon;
        }
        let _permit = self.fetch_permits.acquire().await.ok()?;
        // Another request may have fetched the icon meanwhile.
        if let Some(cached) = self.get_fresh(url, now) {
            return cached.icon;
        }
        let icon = fetch(platform, url).await;
        self.insert(url, CachedIcon { fetched_at: now, icon: icon.clone() });
        icon
    }

    fn get_fresh(&self, url: &str, now: Time) -> Option<CachedIcon> {
        self.lock().get(url).filter(|cached| cached.is_fresh_at(now)).cloned()
    }

    /// Adds an icon to the cache, and removes the oldest icon if the cache is full.
    fn insert(&self, url: &str, icon: CachedIcon) {
        let mut entries = self.lock();
        if entries.len() >= MAX_ENTRIES && !entries.contains_key(url) {
            let oldest_url =
                entries.iter().min_by_key(|(_, cached)| cached.fetched_at).map(|(url, _)| url.clone());
            if let Some(oldest_url) = oldest_url {
                entries.remove(&oldest_url);
            }
        }
        entries.insert(url.to_owned(), icon);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, CachedIcon>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn fetch(platform: &Platform, url: &str) -> Option<Icon> {
    let timeout = FETCH_TIMEOUT.min(Duration::from_secs(platform.config.outbound.timeout_seconds));
    let request = OutboundRequest::get(Purpose::PanelIcon, url)
        .header("accept", "image/*")
        .max_bytes(MAX_ICON_BYTES)
        .with_timeout(timeout);
    let bytes = platform.outbound.send(request).await.ok()?.into_success_body().ok()?;
    Some(Icon { media_type: detect_media_type(&bytes)?, bytes: bytes.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_images_as_icons() {
        assert_eq!(detect_media_type(&[0, 0, 1, 0, 1]), Some("image/x-icon"));
        assert_eq!(detect_media_type(b"GIF89a"), Some("image/gif"));
        assert_eq!(detect_media_type(b"RIFF\x01\x02\x03\x04WEBPVP8 "), Some("image/webp"));
        for content in [&b"<svg xmlns='http://www.w3.org/2000/svg'/>"[..], b"<html>", b"RIFF1234WAVE", b""] {
            assert_eq!(detect_media_type(content), None);
        }
    }

    #[test]
    fn the_cache_removes_the_oldest_icon_and_expires_all() {
        let icon_cache = IconCache::default();
        let count = i64::try_from(MAX_ENTRIES).unwrap();
        for index in 0..=count {
            icon_cache.insert(
                &format!("https://{index}.example"),
                CachedIcon { fetched_at: Time(index), icon: None },
            );
        }
        assert_eq!(icon_cache.lock().len(), MAX_ENTRIES);
        assert!(icon_cache.get_fresh("https://0.example", Time(count)).is_none());
        assert!(icon_cache.get_fresh("https://1.example", Time(count)).is_some());
        assert!(icon_cache.get_fresh("https://1.example", Time(1).plus(NO_ICON_TTL)).is_none());
        let bytes = Bytes::from_static(b"GIF89a");
        let icon = Some(Icon { media_type: "image/gif", bytes });
        icon_cache.insert("https://1.example", CachedIcon { fetched_at: Time(0), icon });
        assert!(icon_cache.get_fresh("https://1.example", Time(1).plus(NO_ICON_TTL)).is_some());
        assert!(icon_cache.get_fresh("https://1.example", Time(0).plus(ICON_TTL)).is_none());
    }
}
