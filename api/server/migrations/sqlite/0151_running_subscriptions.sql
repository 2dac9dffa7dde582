-- A customer's running subscriptions are counted before another one starts.
CREATE INDEX subscriptions_running ON subscriptions (user_id) WHERE status = 'in_processing';
