//! Dictionaries for select fields of clients: countries, languages, user statuses.

use isocountry::CountryCode;
use panel_contract::common::{Choice, Data};
use panel_contract::dictionary::{LOCALES, enum_label};
use panel_contract::endpoints::session::{GetApplication, ListCountries, ListLocales};
use panel_contract::session::{Application, Country, Locale};
use panel_contract::users::UserStatus;
use panel_kernel::error::Result;

use crate::configuration::translate;
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;

pub fn routes(api: Api) -> Api {
    api.route::<ListCountries, _, _, _>(list_countries)
        .route::<GetApplication, _, _, _>(get_application)
        .route::<ListLocales, _, _, _>(list_locales)
}

fn all_locales() -> Vec<Locale> {
    LOCALES.iter().map(|(code, name)| Locale { code: (*code).into(), name: (*name).into() }).collect()
}

async fn list_countries(_ctx: Ctx, _req: Req<ListCountries>) -> Result<Data<Vec<Country>>> {
    let countries = CountryCode::iter()
        .map(|code| Country { iso_code_2: code.alpha2().into(), name: code.name().into() });
    Ok(Data { data: countries.collect() })
}

async fn get_application(ctx: Ctx, _req: Req<GetApplication>) -> Result<Data<Application>> {
    let user_statuses = UserStatus::ALL
        .iter()
        .map(|status| Choice { kind: status.to_string(), label: enum_label(status.as_str()) });
    let translatable_codes = translate::translatable_locales(&ctx.app.config.translate);
    let is_translatable =
        |locale: &Locale| translatable_codes.iter().any(|code| code.as_str() == locale.code);
    Ok(Data {
        data: Application {
            user_statuses: user_statuses.collect(),
            locales: all_locales(),
            auto_translation_locales: all_locales().into_iter().filter(is_translatable).collect(),
        },
    })
}

async fn list_locales(_ctx: Ctx, _req: Req<ListLocales>) -> Result<Data<Vec<Locale>>> {
    Ok(Data { data: all_locales() })
}
