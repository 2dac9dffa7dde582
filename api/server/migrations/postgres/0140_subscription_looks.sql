-- Subscriptions find the contents of their channels by themselves: when each is looked at, what was seen, and where each
-- content stands until its orders are placed.

ALTER TABLE subscriptions ADD COLUMN delay_minutes BIGINT NOT NULL DEFAULT 0 CHECK (delay_minutes >= 0);
ALTER TABLE subscriptions ADD COLUMN old_contents BIGINT NOT NULL DEFAULT 0 CHECK (old_contents >= 0);
-- When its channel is read next; nothing for those that are over.
ALTER TABLE subscriptions ADD COLUMN look_at BIGINT;
-- When its channel was last read without trouble, and the trouble since then.
ALTER TABLE subscriptions ADD COLUMN looked_at BIGINT;
ALTER TABLE subscriptions ADD COLUMN look_error TEXT;
ALTER TABLE subscriptions ADD COLUMN look_failures BIGINT NOT NULL DEFAULT 0;
ALTER TABLE subscriptions ADD COLUMN look_failed_at BIGINT;
ALTER TABLE subscriptions ADD COLUMN look_told_at BIGINT;
-- Why a content that was found has no orders yet.
ALTER TABLE subscriptions ADD COLUMN wait_reason TEXT;
CREATE INDEX subscriptions_look ON subscriptions (look_at) WHERE look_at IS NOT NULL;
UPDATE subscriptions SET look_at = created_at WHERE status = 'in_processing';

-- Each content gets a quantity from `quantity` to here; just `quantity` where this is empty.
ALTER TABLE subscription_services ADD COLUMN max_quantity BIGINT;

ALTER TABLE subscription_contents ADD COLUMN status TEXT NOT NULL DEFAULT 'placed' CHECK (status IN ('found', 'placed', 'left'));
ALTER TABLE subscription_contents ADD COLUMN published_at BIGINT;
-- When its orders are placed, or tried again.
ALTER TABLE subscription_contents ADD COLUMN due_at BIGINT;
ALTER TABLE subscription_contents ADD COLUMN tries BIGINT NOT NULL DEFAULT 0;
ALTER TABLE subscription_contents ADD COLUMN last_error TEXT;
-- A content is known by its address, once for each subscription: the fragment leads to the same page.
UPDATE subscription_contents SET url = url || '#' || id WHERE EXISTS (SELECT 1 FROM subscription_contents o
  WHERE o.subscription_id = subscription_contents.subscription_id AND o.url = subscription_contents.url AND o.id < subscription_contents.id);
CREATE UNIQUE INDEX subscription_contents_once ON subscription_contents (subscription_id, url);
CREATE INDEX subscription_contents_due ON subscription_contents (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX subscription_contents_waiting ON subscription_contents (subscription_id, id) WHERE status = 'found';
