-- Affiliations that begin or end by themselves are found by their times.

CREATE INDEX user_affiliates_started ON user_affiliates (started_at);
CREATE INDEX user_affiliates_ended ON user_affiliates (ended_at) WHERE ended_at IS NOT NULL;
