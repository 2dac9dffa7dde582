//! What uses a record that is about to be archived or deleted: every kind of use is declared here, read in one statement
//! and named in one sentence. It never writes, and it never decides for the records that use it.

use panel_contract::moment::Time;

use crate::db::{Source, Sql};
use crate::http::error::Result;
use crate::refusal::Refusal;
use crate::work::Work;

/// Most records of one kind that a refusal names; it counts the others.
const NAMED: i64 = 10;

/// One kind of record that may use another.
#[derive(Debug)]
struct Use {
    /// What people call several of them.
    what: &'static str,
    /// Selects `id` and `name` of those that use the record with this id at this moment.
    rows: fn(i64, Time) -> Sql,
}

/// Everything that may use one kind of record.
#[derive(Debug)]
pub struct Uses {
    /// What people call the record.
    noun: &'static str,
    /// The code of the refusal.
    code: &'static str,
    all: &'static [Use],
}

// Rules

/// Records of one kind that use it: what they are called, the first of them, and how many there are.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    what: &'static str,
    named: Vec<(i64, String)>,
    count: i64,
}

fn judge(noun: &str, code: &'static str, found: &[Found]) -> Result<(), Refusal> {
    if found.is_empty() {
        return Ok(());
    }
    let said: Vec<String> = found.iter().map(sentence).collect();
    let message = format!("This {noun} is used by {}. Take it out of them first.", said.join("; "));
    Err(Refusal::conflict(code, message))
}

fn sentence(found: &Found) -> String {
    let name = |(id, name): &(i64, String)| match id {
        0 => name.clone(),
        id => format!("{name} ({id})"),
    };
    let names: Vec<String> = found.named.iter().map(name).collect();
    let others = found.count - i64::try_from(names.len()).unwrap_or(0);
    let more = if others > 0 { format!(" and {others} more") } else { String::new() };
    format!("{}: {}{more}", found.what, names.join(", "))
}

// Store

/// Uses of a service. Prices of single customers are terms of the service and end with it; they are no use.
pub static OF_SERVICE: Uses = Uses {
    noun: "service",
    code: "service_in_use",
    all: &[
        Use {
            what: "packages",
            rows: |id, _| {
                Sql::new("SELECT p.id, p.name FROM package_contents x JOIN packages p ON p.id = x.package_id WHERE x.service_id = ? AND NOT p.is_archived").bind(id)
            },
        },
        Use {
            what: "discounts",
            rows: |id, now| {
                Sql::new("SELECT d.id, d.name FROM discount_services x JOIN discounts d ON d.id = x.discount_id WHERE x.service_id = ? AND NOT d.is_archived AND d.completed_at IS NULL AND (d.valid_to IS NULL OR d.valid_to > ?)")
                    .bind(id)
                    .bind(now)
            },
        },
        Use {
            what: "special offers",
            rows: |id, _| {
                Sql::new("SELECT o.id, o.name FROM special_offer_services x JOIN special_offers o ON o.id = x.offer_id WHERE x.service_id = ? AND NOT o.is_archived").bind(id)
            },
        },
        Use {
            what: "auto-promotion of networks",
            rows: |id, _| {
                Sql::new("SELECT n.id, n.name FROM auto_promotions a JOIN services s ON s.id = a.service_id JOIN service_types t ON t.id = s.service_type_id JOIN networks n ON n.id = t.network_id WHERE a.service_id = ?").bind(id)
            },
        },
        Use {
            what: "quests",
            rows: |id, _| {
                Sql::new("SELECT q.id, q.name FROM free_trial_quests q WHERE q.service_id = ? AND NOT q.is_archived").bind(id)
            },
        },
        Use {
            what: "subscriptions in progress",
            rows: |id, _| {
                Sql::new("SELECT d.id, d.name FROM subscription_services x JOIN subscriptions d ON d.id = x.subscription_id WHERE x.service_id = ? AND d.status = 'in_processing'").bind(id)
            },
        },
        Use {
            what: "drip-feeds in progress",
            rows: |id, _| {
                Sql::new("SELECT d.id, d.name FROM drip_feeds d WHERE d.service_id = ? AND d.status = 'in_processing'").bind(id)
            },
        },
    ],
};

/// Uses of a service type; archived records count, as they come back to it.
pub static OF_SERVICE_TYPE: Uses = Uses {
    noun: "service type",
    code: "service_type_in_use",
    all: &[
        Use {
            what: "services",
            rows: |id, _| {
                Sql::new("SELECT s.id, s.name FROM services s WHERE s.service_type_id = ?").bind(id)
            },
        },
        Use {
            what: "packages",
            rows: |id, _| {
                Sql::new("SELECT p.id, p.name FROM packages p WHERE p.service_type_id = ?").bind(id)
            },
        },
        Use {
            what: "special offers",
            rows: |id, _| {
                Sql::new("SELECT o.id, o.name FROM special_offer_types x JOIN special_offers o ON o.id = x.offer_id WHERE x.service_type_id = ?").bind(id)
            },
        },
        Use {
            what: "panel settings",
            // The value is a JSON list of ids.
            rows: |id, _| {
                Sql::new("SELECT CAST(0 AS BIGINT) AS id, x.key AS name FROM settings x WHERE x.key = 'service_types' AND ',' || replace(replace(replace(x.value, '[', ''), ']', ''), ' ', '') || ',' LIKE ?")
                    .bind(format!("%,{id},%"))
            },
        },
    ],
};

/// Uses of a network; archived records count, as they come back to it.
pub static OF_NETWORK: Uses = Uses {
    noun: "network",
    code: "network_in_use",
    all: &[
        Use {
            what: "service types",
            rows: |id, _| {
                Sql::new("SELECT t.id, t.name FROM service_types t WHERE t.network_id = ?").bind(id)
            },
        },
        Use {
            what: "packages",
            rows: |id, _| Sql::new("SELECT p.id, p.name FROM packages p WHERE p.network_id = ?").bind(id),
        },
        Use {
            what: "packages of external panels",
            rows: |id, _| {
                Sql::new("SELECT p.id, p.name FROM provider_packages p WHERE p.network_id = ?").bind(id)
            },
        },
        Use {
            what: "special offers",
            rows: |id, _| {
                Sql::new("SELECT o.id, o.name FROM special_offers o WHERE o.network_id = ?").bind(id)
            },
        },
    ],
};

/// Uses of a target.
pub static OF_TARGET: Uses = Uses {
    noun: "target",
    code: "target_in_use",
    all: &[Use {
        what: "services",
        rows: |id, _| {
            Sql::new("SELECT s.id, s.name FROM service_targets x JOIN services s ON s.id = x.service_id WHERE x.target_id = ?").bind(id)
        },
    }],
};

/// Uses of a group of checks.
pub static OF_CHECKER_GROUP: Uses = Uses {
    noun: "group",
    code: "group_in_use",
    all: &[Use {
        what: "services",
        rows: |id, _| {
            Sql::new("SELECT s.id, s.name FROM services s WHERE s.promotable_checker_group_id = ?").bind(id)
        },
    }],
};

/// Refuses to archive or delete what is in use, and names each use. The record is locked.
pub async fn unless_used(work: &mut Work, uses: &Uses, id: i64) -> Result<()> {
    let mut sql = Sql::new("");
    let now = work.now;
    for (at, one) in uses.all.iter().enumerate() {
        let union = if at == 0 { "" } else { " UNION ALL " };
        sql = sql
            .push(union)
            .push(
                "SELECT * FROM (SELECT CAST(? AS BIGINT) AS kind, u.id, u.name, count(*) OVER () AS n FROM (",
            )
            .bind(i64::try_from(at).unwrap_or(0))
            .append((one.rows)(id, now))
            .push(") AS u ORDER BY u.id LIMIT ?) AS k")
            .bind(NAMED);
    }
    let rows: Vec<(i64, i64, String, i64)> = work.all(sql).await?;
    let mut found: Vec<Found> = Vec::new();
    for (kind, id, name, count) in rows {
        let Some(one) = usize::try_from(kind).ok().and_then(|at| uses.all.get(at)) else { continue };
        match found.iter_mut().find(|found| found.what == one.what) {
            Some(found) => found.named.push((id, name)),
            None => found.push(Found { what: one.what, named: vec![(id, name)], count }),
        }
    }
    Ok(judge(uses.noun, uses.code, &found)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_use_is_named() {
        assert_eq!(judge("service", "service_in_use", &[]), Ok(()));
        let found = [
            Found { what: "packages", named: vec![(3, "Starter".into()), (4, "Gold".into())], count: 2 },
            Found { what: "panel settings", named: vec![(0, "service_types".into())], count: 1 },
            Found { what: "quests", named: vec![(1, "Post".into())], count: 12 },
        ];
        let refused = judge("service", "service_in_use", &found).unwrap_err();
        assert_eq!(refused.code, "service_in_use");
        assert_eq!(
            refused.message,
            "This service is used by packages: Starter (3), Gold (4); panel settings: service_types; quests: Post (1) and 11 more. Take it out of them first."
        );
    }
}
