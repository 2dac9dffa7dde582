-- Referral statistics: commissions by their moment.
CREATE INDEX ledger_entries_commissions ON ledger_entries (created_at, user_id) WHERE account = 'referral' AND type = 'referral';
