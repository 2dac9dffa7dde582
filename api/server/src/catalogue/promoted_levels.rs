//! Keeps one row of promotion settings for each network and each service type that has a promoted service.

use panel_kernel::error::Result;

use panel_platform::db::{Sql, SqlExecutor as _};
use panel_platform::work::UnitOfWork;

/// Inserts missing rows at the last position, and deletes the rows of networks and service types without a promoted service. The
/// caller must run this after each of these changes: a service is promoted, a promoted service moves to another service type, or a
/// service type moves to another network. A deleted row loses its settings: if the network gets a promoted service again later, its
/// new row has the default settings and is enabled.
pub async fn sync_with_services(work: &mut UnitOfWork) -> Result<()> {
    for (delete_unused_sql, close_gaps_sql) in [
        (
            "DELETE FROM auto_promotion_networks WHERE network_id NOT IN (SELECT t.network_id FROM auto_promotions a
               JOIN services s ON s.id = a.service_id JOIN service_types t ON t.id = s.service_type_id)",
            "UPDATE auto_promotion_networks SET sorting = (SELECT count(*) FROM auto_promotion_networks x WHERE x.sorting < auto_promotion_networks.sorting) + 1",
        ),
        (
            "DELETE FROM auto_promotion_types WHERE service_type_id NOT IN (SELECT s.service_type_id FROM auto_promotions a JOIN services s ON s.id = a.service_id)",
            "UPDATE auto_promotion_types SET sorting = (SELECT count(*) FROM auto_promotion_types x WHERE x.sorting < auto_promotion_types.sorting) + 1",
        ),
    ] {
        if work.execute(Sql::new(delete_unused_sql)).await? > 0 {
            work.execute(Sql::new(close_gaps_sql)).await?;
        }
    }
    for sql in [
        "INSERT INTO auto_promotion_networks (network_id, sorting)
         SELECT n.id, (SELECT COALESCE(max(sorting), 0) FROM auto_promotion_networks) + row_number() OVER (ORDER BY n.sorting, n.id) FROM networks n
         WHERE NOT EXISTS (SELECT 1 FROM auto_promotion_networks p WHERE p.network_id = n.id)
           AND n.id IN (SELECT t.network_id FROM auto_promotions a JOIN services s ON s.id = a.service_id JOIN service_types t ON t.id = s.service_type_id)
         ON CONFLICT (network_id) DO NOTHING",
        "INSERT INTO auto_promotion_types (service_type_id, sorting)
         SELECT t.id, (SELECT COALESCE(max(sorting), 0) FROM auto_promotion_types) + row_number() OVER (ORDER BY t.sorting, t.id) FROM service_types t
         WHERE NOT EXISTS (SELECT 1 FROM auto_promotion_types p WHERE p.service_type_id = t.id)
           AND t.id IN (SELECT s.service_type_id FROM auto_promotions a JOIN services s ON s.id = a.service_id)
         ON CONFLICT (service_type_id) DO NOTHING",
    ] {
        work.execute(Sql::new(sql)).await?;
    }
    Ok(())
}
