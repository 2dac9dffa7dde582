//! Dictionaries for select fields of clients: countries, languages, user statuses.

use isocountry::CountryCode;
use panel_contract::common::{Choice, Data};
use panel_contract::dictionary::{LOCALES, label};
use panel_contract::endpoints::session::{GetApplication, ListCountries, ListLocales};
use panel_contract::session::{Application, Country, Locale};
use panel_contract::users::UserStatus;
use panel_kernel::error::Result;

use crate::configuration::translate;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;

/// Adds the endpoints.
pub fn routes(api: Api) -> Api {
    api.on::<ListCountries, _, _, _>(countries)
        .on::<GetApplication, _, _, _>(application)
        .on::<ListLocales, _, _, _>(locales)
}

fn all_locales() -> Vec<Locale> {
    LOCALES.iter().map(|(code, name)| Locale { code: (*code).into(), name: (*name).into() }).collect()
}

async fn countries(_ctx: Ctx, _req: Req<ListCountries>) -> Result<Data<Vec<Country>>> {
    let all = CountryCode::iter()
        .map(|code| Country { iso_code_2: code.alpha2().into(), name: code.name().into() });
    Ok(Data { data: all.collect() })
}

async fn application(ctx: Ctx, _req: Req<GetApplication>) -> Result<Data<Application>> {
    let user_statuses = UserStatus::ALL
        .iter()
        .map(|status| Choice { kind: status.to_string(), label: label(status.as_str()) });
    let translatable = translate::locales(&ctx.app.config.translate);
    let is_translatable = |locale: &Locale| translatable.iter().any(|code| code.as_str() == locale.code);
    Ok(Data {
        data: Application {
            user_statuses: user_statuses.collect(),
            locales: all_locales(),
            auto_translation_locales: all_locales().into_iter().filter(is_translatable).collect(),
        },
    })
}

async fn locales(_ctx: Ctx, _req: Req<ListLocales>) -> Result<Data<Vec<Locale>>> {
    Ok(Data { data: all_locales() })
}
