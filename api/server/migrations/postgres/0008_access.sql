-- One number that grows with every change of what somebody may do: whoever keeps permissions in memory looks at it in
-- the statement that finds the session, so that a change bites at the next request of every process.

CREATE TABLE access_version (
  id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
  n BIGINT NOT NULL
);
INSERT INTO access_version (id, n) VALUES (1, 0);

CREATE FUNCTION grow_access_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE access_version SET n = n + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER access_roles AFTER INSERT OR UPDATE OR DELETE ON roles FOR EACH STATEMENT EXECUTE FUNCTION grow_access_version();
CREATE TRIGGER access_role_permissions AFTER INSERT OR UPDATE OR DELETE ON role_permissions FOR EACH STATEMENT EXECUTE FUNCTION grow_access_version();
CREATE TRIGGER access_user_roles AFTER INSERT OR UPDATE OR DELETE ON user_roles FOR EACH STATEMENT EXECUTE FUNCTION grow_access_version();
CREATE TRIGGER access_user_permissions AFTER INSERT OR UPDATE OR DELETE ON user_permissions FOR EACH STATEMENT EXECUTE FUNCTION grow_access_version();
