//! `--jq`: applies a jq filter to the JSON of `-o json`. Strings are printed without quotes, as `jq -r` does.

use jaq_core::load::{Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Vars, data, unwrap_valr};
use jaq_json::{Val, read};
use serde_json::Value;

use crate::failure::{CommandResult, Failure};
use crate::output::Output;

/// Applies a filter and prints its results, one per line.
pub(super) fn print_filtered(out: &Output, filter: &str, value: &Value) -> CommandResult<()> {
    for line in apply_filter(filter, value)? {
        out.print_text(&line)?;
    }
    Ok(())
}

fn apply_filter(code: &str, value: &Value) -> CommandResult<Vec<String>> {
    let filter_failure = |message: String| Failure::usage(format!("--jq: {message}"));
    let input = read::parse_single(value.to_string().as_bytes())
        .map_err(|error| filter_failure(error.to_string()))?;
    let definitions = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
    let functions = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
    let arena = Arena::default();
    let modules = Loader::new(definitions)
        .load(&arena, File { code, path: () })
        .map_err(|_| filter_failure(format!("{code} is not a jq filter.")))?;
    let filter = Compiler::default().with_funs(functions).compile(modules).map_err(|errors| {
        let names = errors.into_iter().flat_map(|(_, list)| list).map(|(name, _)| name.to_owned());
        filter_failure(format!("{code} uses undefined names: {}.", names.collect::<Vec<_>>().join(", ")))
    })?;
    let ctx = Ctx::<data::JustLut<Val>>::new(&filter.lut, Vars::new([]));
    filter
        .id
        .run((ctx, input))
        .map(unwrap_valr)
        .map(|result| match result {
            Ok(Val::TStr(text)) => Ok(String::from_utf8_lossy(&text).into_owned()),
            Ok(value) => Ok(value.to_string()),
            Err(error) => Err(Failure::failed(format!("--jq: {error}"))),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn applies_filters_and_rejects_invalid_filters() {
        let value = json!([{ "id": 1, "cost": "2.5" }, { "id": 2, "cost": "3" }]);
        assert_eq!(apply_filter(".[].cost", &value).unwrap(), ["2.5", "3"]);
        assert_eq!(apply_filter("map(.id)", &value).unwrap(), ["[1,2]"]);
        assert_eq!(apply_filter("length", &value).unwrap(), ["2"]);
        assert!(apply_filter(".[", &value).unwrap_err().message.contains("not a jq filter"));
        assert!(apply_filter("nonsense", &value).unwrap_err().message.contains("nonsense"));
        assert!(apply_filter(".[0].id.x", &value).is_err());
    }
}
