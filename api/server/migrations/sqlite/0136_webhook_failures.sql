-- When a delivery of a webhook failed last: a long silence in between begins the time anew after which it is switched off.
ALTER TABLE webhooks ADD COLUMN last_failed_at INTEGER;
