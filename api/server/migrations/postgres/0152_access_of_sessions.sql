-- The version of who may do what also grows when a session is replaced or ended, and when a member of staff is renamed or
-- deactivated: what was read of a session at a version holds as long as the version does.

-- By row: a statement that ends the sessions of customers, who have none, changes nothing. Thousands that are forgotten at
-- once are one change.
CREATE TRIGGER access_sessions_update AFTER UPDATE OF user_id, token_hash, expires_at, rotated_at, revoked_at ON sessions FOR EACH ROW EXECUTE FUNCTION grow_access_version();
CREATE TRIGGER access_sessions_delete AFTER DELETE ON sessions FOR EACH STATEMENT EXECUTE FUNCTION grow_access_version();
CREATE TRIGGER access_users_update AFTER UPDATE OF name, email, status ON users FOR EACH ROW
  WHEN (OLD.is_staff AND (OLD.name <> NEW.name OR OLD.email <> NEW.email OR OLD.status <> NEW.status)) EXECUTE FUNCTION grow_access_version();
