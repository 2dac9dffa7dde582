//! Session, roles and permissions of a staff member. The cache is valid for one version of all permissions, which every
//! request reads with its session or with its answer, so a change counts at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use panel_contract::ids::UserId;
use panel_contract::permission::PermissionEntry;
use panel_contract::session::Profile;
use panel_kernel::actor::{Grants, StaffMember};
use panel_kernel::error::{Error, Result};

use crate::auth::lifetime::SessionLifetime;
use crate::auth::store::SessionRow;
use crate::auth::store::people::{self as store, Preferences};
use panel_platform::db::Source;

/// More sessions than these are remembered anew.
const MOST_SESSIONS: usize = 10_000;

/// Grants and sessions read lately.
#[derive(Default)]
pub struct Known {
    grants: Mutex<HashMap<UserId, (i64, Arc<Grants>)>>,
    /// Those of one version, by the hash of their token.
    sessions: Mutex<(i64, HashMap<Vec<u8>, SessionRow>)>,
    /// How long sessions last, as read at this version.
    lifetime: Mutex<Option<(i64, SessionLifetime)>>,
}

impl Known {
    /// What `user_id` may do at `version`, or later.
    pub async fn grants(&self, db: &mut impl Source, user_id: UserId, version: i64) -> Result<Arc<Grants>> {
        if let Some(grants) = self.held(user_id, version) {
            return Ok(grants);
        }
        let grants = grants(db, user_id).await?;
        let mut known = lock(&self.grants);
        // Entries of an older version are read again anyway.
        known.retain(|_, (at, _)| *at >= version);
        known.insert(user_id, (version, Arc::clone(&grants)));
        Ok(grants)
    }

    /// How long sessions last at `version`, or later.
    pub async fn lifetime(&self, db: &mut impl Source, version: i64) -> Result<SessionLifetime> {
        let known = lock(&self.lifetime).filter(|(at, _)| *at == version);
        if let Some((_, lifetime)) = known {
            return Ok(lifetime);
        }
        let lifetime = SessionLifetime::read(db).await?;
        *lock(&self.lifetime) = Some((version, lifetime));
        Ok(lifetime)
    }

    /// What `user_id` may do at exactly this version, where that is known.
    #[must_use]
    pub fn held(&self, user_id: UserId, version: i64) -> Option<Arc<Grants>> {
        let known = lock(&self.grants);
        known.get(&user_id).filter(|(at, _)| *at == version).map(|(_, grants)| Arc::clone(grants))
    }

    /// Caches an open session at the newest version, and drops the entries of older versions.
    pub fn remember(&self, token_hash: Vec<u8>, session: SessionRow) {
        let mut known = lock(&self.sessions);
        let (version, sessions) = &mut *known;
        if session.access_version < *version {
            return;
        }
        let is_full = sessions.len() >= MOST_SESSIONS && !sessions.contains_key(&token_hash);
        if session.access_version > *version || is_full {
            sessions.clear();
        }
        *version = session.access_version;
        sessions.insert(token_hash, session);
    }

    /// A session as it was at the version that it names.
    #[must_use]
    pub fn session(&self, token_hash: &[u8]) -> Option<SessionRow> {
        lock(&self.sessions).1.get(token_hash).cloned()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Roles and all permissions (held directly or by role) of one user.
pub async fn grants(db: &mut impl Source, user_id: UserId) -> Result<Arc<Grants>> {
    Ok(Arc::new(store::grants(db, user_id).await?))
}

/// The caller as the profile shows them. Language and time zone are read here and not with each request.
pub async fn profile(db: &mut impl Source, caller: &StaffMember) -> Result<Profile> {
    let chosen = preferences(db, caller.user_id).await?;
    Ok(Profile {
        id: caller.user_id,
        name: chosen.name,
        email: caller.email.clone(),
        roles: caller.roles().to_vec(),
        must_enrol_second_factor: caller.must_enrol,
        all_permissions: caller.permissions().iter().copied().map(PermissionEntry::from).collect(),
        locale: chosen.locale,
        time_zone: chosen.time_zone,
        updated_at: Some(chosen.updated_at),
    })
}

/// What `user_id` set in their profile.
pub(crate) async fn preferences(db: &mut impl Source, user_id: UserId) -> Result<Preferences> {
    let chosen = store::preferences(db, user_id).await?;
    chosen.ok_or_else(|| Error::unauthenticated("token_unknown"))
}
