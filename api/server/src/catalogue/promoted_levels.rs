//! Rows of the networks and service types that have a promoted service, kept while services move between them.

use panel_kernel::error::Result;

use panel_platform::db::{Source as _, Sql};
use panel_platform::work::UnitOfWork;

/// Gives every network and service type with a promoted service its row, placed last: services come in, and they move
/// to other service types and these to other networks. A level that lost its last one loses its row with its terms, so
/// that it begins anew, switched on, when services come back to it.
pub async fn follow_services(work: &mut UnitOfWork) -> Result<()> {
    for (emptied, closed) in [
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
        if work.exec(Sql::new(emptied)).await? > 0 {
            work.exec(Sql::new(closed)).await?;
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
        work.exec(Sql::new(sql)).await?;
    }
    Ok(())
}
