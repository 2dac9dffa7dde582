-- When and from where a key to the reseller API was last used; written once a minute at most.
ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;
ALTER TABLE api_keys ADD COLUMN last_used_ip TEXT;
