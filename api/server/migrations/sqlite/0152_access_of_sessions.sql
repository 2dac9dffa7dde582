-- The version of who may do what also grows when a session is replaced or ended, and when a member of staff is renamed or
-- deactivated: what was read of a session at a version holds as long as the version does.

CREATE TRIGGER access_sessions_update AFTER UPDATE OF user_id, token_hash, expires_at, rotated_at, revoked_at ON sessions BEGIN UPDATE access_version SET n = n + 1; END;
CREATE TRIGGER access_sessions_delete AFTER DELETE ON sessions BEGIN UPDATE access_version SET n = n + 1; END;
CREATE TRIGGER access_users_update AFTER UPDATE OF name, email, status ON users
  WHEN old.is_staff AND (old.name <> new.name OR old.email <> new.email OR old.status <> new.status) BEGIN UPDATE access_version SET n = n + 1; END;
