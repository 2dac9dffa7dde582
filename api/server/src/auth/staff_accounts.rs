//! Loads and caches the sessions, roles and permissions of staff members. A cache entry is valid for one access version. Every
//! request reads the current access version together with its session or its data, so that a change of permissions takes effect
//! immediately.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use panel_contract::ids::UserId;
use panel_contract::permission::PermissionInfo;
use panel_contract::session::Profile;
use panel_kernel::actor::{Grants, StaffMember};
use panel_kernel::error::{Error, Result};

use crate::auth::lifetime::SessionLifetime;
use crate::auth::store::SessionRow;
use crate::auth::store::staff_accounts::{self as store, Preferences};
use panel_platform::db::SqlExecutor;

/// Maximum number of cached sessions. If the cache is full, it is cleared before a session is added.
const MAX_SESSIONS: usize = 10_000;

/// Cached grants, sessions and session lifetime.
#[derive(Default)]
pub struct SessionCache {
    grants: Mutex<HashMap<UserId, (i64, Arc<Grants>)>>,
    /// The newest access version, and the sessions with this version by token hash.
    sessions: Mutex<(i64, HashMap<Vec<u8>, SessionRow>)>,
    /// The access version, and the session lifetime that was read at this version.
    lifetime: Mutex<Option<(i64, SessionLifetime)>>,
}

impl SessionCache {
    /// Returns the grants of a user: from the cache if it holds those of access version `version`, otherwise from the database, which
    /// may already have a newer version.
    pub async fn grants(
        &self,
        db: &mut impl SqlExecutor,
        user_id: UserId,
        version: i64,
    ) -> Result<Arc<Grants>> {
        if let Some(grants) = self.cached_grants(user_id, version) {
            return Ok(grants);
        }
        let grants = load_grants(db, user_id).await?;
        let mut cache = lock_mutex(&self.grants);
        // Entries of older versions are no longer valid.
        cache.retain(|_, (cached_version, _)| *cached_version >= version);
        cache.insert(user_id, (version, Arc::clone(&grants)));
        Ok(grants)
    }

    /// Returns the session lifetime, from the cache or the database in the same way as [`Self::grants`].
    pub async fn lifetime(&self, db: &mut impl SqlExecutor, version: i64) -> Result<SessionLifetime> {
        let cached_lifetime =
            lock_mutex(&self.lifetime).filter(|(cached_version, _)| *cached_version == version);
        if let Some((_, lifetime)) = cached_lifetime {
            return Ok(lifetime);
        }
        let lifetime = SessionLifetime::read(db).await?;
        *lock_mutex(&self.lifetime) = Some((version, lifetime));
        Ok(lifetime)
    }

    /// Returns the cached grants of a user at exactly this access version; `None` if they are not cached.
    #[must_use]
    pub fn cached_grants(&self, user_id: UserId, version: i64) -> Option<Arc<Grants>> {
        let cache = lock_mutex(&self.grants);
        cache
            .get(&user_id)
            .filter(|(cached_version, _)| *cached_version == version)
            .map(|(_, grants)| Arc::clone(grants))
    }

    /// Caches an open session. Removes the sessions with an older access version.
    pub fn cache_session(&self, token_hash: Vec<u8>, session: SessionRow) {
        let mut cache = lock_mutex(&self.sessions);
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

    /// Returns the cached session with this token hash. It is valid at its `access_version`.
    #[must_use]
    pub fn session(&self, token_hash: &[u8]) -> Option<SessionRow> {
        lock_mutex(&self.sessions).1.get(token_hash).cloned()
    }
}

fn lock_mutex<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Loads the roles of a user and all permissions, which are granted directly or by a role.
pub async fn load_grants(db: &mut impl SqlExecutor, user_id: UserId) -> Result<Arc<Grants>> {
    Ok(Arc::new(store::load_grants(db, user_id).await?))
}

/// Loads the profile of the caller. Language and time zone are not part of the session, because only the profile needs them.
pub async fn load_profile(db: &mut impl SqlExecutor, caller: &StaffMember) -> Result<Profile> {
    let preferences = load_preferences(db, caller.user_id).await?;
    Ok(Profile {
        id: caller.user_id,
        name: preferences.name,
        email: caller.email.clone(),
        roles: caller.roles().to_vec(),
        must_enrol_second_factor: caller.must_enrol,
        all_permissions: caller.permissions().iter().copied().map(PermissionInfo::from).collect(),
        locale: preferences.locale,
        time_zone: preferences.time_zone,
        updated_at: Some(preferences.updated_at),
    })
}

/// Loads the preferences that a user has set in their profile.
pub(crate) async fn load_preferences(db: &mut impl SqlExecutor, user_id: UserId) -> Result<Preferences> {
    let preferences = store::load_preferences(db, user_id).await?;
    preferences.ok_or_else(|| Error::unauthenticated("token_unknown"))
}
