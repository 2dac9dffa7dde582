//! Sessions, roles and permissions of staff members, and their cache. A cache entry is valid for one access version, which every
//! request reads together with its session or its result, so that a change takes effect immediately.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use panel_contract::ids::UserId;
use panel_contract::permission::PermissionEntry;
use panel_contract::session::Profile;
use panel_kernel::actor::{Grants, StaffMember};
use panel_kernel::error::{Error, Result};

use crate::auth::lifetime::SessionLifetime;
use crate::auth::store::SessionRow;
use crate::auth::store::staff_accounts::{self as store, Preferences};
use panel_platform::db::Source;

/// Maximum number of cached sessions; a new session above it clears the cache.
const MAX_SESSIONS: usize = 10_000;

/// Cached grants, sessions and session lifetime.
#[derive(Default)]
pub struct SessionCache {
    grants: Mutex<HashMap<UserId, (i64, Arc<Grants>)>>,
    /// The access version, and the sessions read at it by token hash.
    sessions: Mutex<(i64, HashMap<Vec<u8>, SessionRow>)>,
    /// The session lifetime, with the access version at which it was read.
    lifetime: Mutex<Option<(i64, SessionLifetime)>>,
}

impl SessionCache {
    /// The grants of `user_id` at `version` or later.
    pub async fn grants(&self, db: &mut impl Source, user_id: UserId, version: i64) -> Result<Arc<Grants>> {
        if let Some(grants) = self.cached_grants(user_id, version) {
            return Ok(grants);
        }
        let grants = grants(db, user_id).await?;
        let mut cache = lock(&self.grants);
        // Entries of an older version would be read again anyway.
        cache.retain(|_, (cached_version, _)| *cached_version >= version);
        cache.insert(user_id, (version, Arc::clone(&grants)));
        Ok(grants)
    }

    /// The session lifetime at `version` or later.
    pub async fn lifetime(&self, db: &mut impl Source, version: i64) -> Result<SessionLifetime> {
        let cached = lock(&self.lifetime).filter(|(cached_version, _)| *cached_version == version);
        if let Some((_, lifetime)) = cached {
            return Ok(lifetime);
        }
        let lifetime = SessionLifetime::read(db).await?;
        *lock(&self.lifetime) = Some((version, lifetime));
        Ok(lifetime)
    }

    /// The cached grants of `user_id` at exactly this version, if any.
    #[must_use]
    pub fn cached_grants(&self, user_id: UserId, version: i64) -> Option<Arc<Grants>> {
        let cache = lock(&self.grants);
        cache
            .get(&user_id)
            .filter(|(cached_version, _)| *cached_version == version)
            .map(|(_, grants)| Arc::clone(grants))
    }

    /// Caches an open session at the newest version, and drops the entries of older versions.
    pub fn cache_session(&self, token_hash: Vec<u8>, session: SessionRow) {
        let mut cache = lock(&self.sessions);
        let (version, sessions) = &mut *cache;
        if session.access_version < *version {
            return;
        }
        let is_full = sessions.len() >= MAX_SESSIONS && !sessions.contains_key(&token_hash);
        if session.access_version > *version || is_full {
            sessions.clear();
        }
        *version = session.access_version;
        sessions.insert(token_hash, session);
    }

    /// The cached session with this token hash, as of its `access_version`.
    #[must_use]
    pub fn session(&self, token_hash: &[u8]) -> Option<SessionRow> {
        lock(&self.sessions).1.get(token_hash).cloned()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Roles and all permissions (granted directly or by role) of one user.
pub async fn grants(db: &mut impl Source, user_id: UserId) -> Result<Arc<Grants>> {
    Ok(Arc::new(store::grants(db, user_id).await?))
}

/// The caller's profile. Language and time zone are read here and not with each request.
pub async fn profile(db: &mut impl Source, caller: &StaffMember) -> Result<Profile> {
    let preferences = preferences(db, caller.user_id).await?;
    Ok(Profile {
        id: caller.user_id,
        name: preferences.name,
        email: caller.email.clone(),
        roles: caller.roles().to_vec(),
        must_enrol_second_factor: caller.must_enrol,
        all_permissions: caller.permissions().iter().copied().map(PermissionEntry::from).collect(),
        locale: preferences.locale,
        time_zone: preferences.time_zone,
        updated_at: Some(preferences.updated_at),
    })
}

/// The preferences that `user_id` set in their profile.
pub(crate) async fn preferences(db: &mut impl Source, user_id: UserId) -> Result<Preferences> {
    let preferences = store::preferences(db, user_id).await?;
    preferences.ok_or_else(|| Error::unauthenticated("token_unknown"))
}
