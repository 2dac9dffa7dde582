-- One number that grows with every change of what somebody may do: whoever keeps permissions in memory looks at it in
-- the statement that finds the session, so that a change bites at the next request of every process.

CREATE TABLE access_version (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  n INTEGER NOT NULL
) STRICT;
INSERT INTO access_version (id, n) VALUES (1, 0);

CREATE TRIGGER access_roles_insert AFTER INSERT ON roles BEGIN UPDATE access_version SET n = n + 1; END;
CREATE TRIGGER access_roles_update AFTER UPDATE ON roles BEGIN UPDATE access_version SET n = n + 1; END;
CREATE TRIGGER access_roles_delete AFTER DELETE ON roles BEGIN UPDATE access_version SET n = n + 1; END;
CREATE TRIGGER access_role_permissions_insert AFTER INSERT ON role_permissions BEGIN UPDATE access_version SET n = n + 1; END;
CREATE TRIGGER access_role_permissions_update AFTER UPDATE ON role_permissions BEGIN UPDATE access_version SET n = n + 1; END;
CREATE TRIGGER access_role_permissions_delete AFTER DELETE ON role_permissions BEGIN UPDATE access_version SET n = n + 1; END;
CREATE TRIGGER access_user_roles_insert AFTER INSERT ON user_roles BEGIN UPDATE access_version SET n = n + 1; END;
CREATE TRIGGER access_user_roles_update AFTER UPDATE ON user_roles BEGIN UPDATE access_version SET n = n + 1; END;
CREATE TRIGGER access_user_roles_delete AFTER DELETE ON user_roles BEGIN UPDATE access_version SET n = n + 1; END;
CREATE TRIGGER access_user_permissions_insert AFTER INSERT ON user_permissions BEGIN UPDATE access_version SET n = n + 1; END;
CREATE TRIGGER access_user_permissions_update AFTER UPDATE ON user_permissions BEGIN UPDATE access_version SET n = n + 1; END;
CREATE TRIGGER access_user_permissions_delete AFTER DELETE ON user_permissions BEGIN UPDATE access_version SET n = n + 1; END;
