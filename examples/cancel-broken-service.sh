#!/usr/bin/env bash
# A service is broken: look what canceling its running orders would cost, do it with money, prove that all is well.
set -euo pipefail

service=$(panelctl orders list --status in_processing --limit 1 --jq '.[0].service.id')
filter=(--service-id "$service" --status in_processing --all-matching)

panelctl orders cancel "${filter[@]}" --refund --reason provider_failure --dry-run
panelctl orders cancel "${filter[@]}" --refund --reason provider_failure --yes -o csv >/dev/null
test "$(panelctl orders list --service-id "$service" --status in_processing --all -o ids | wc -l)" -eq 0
panelctl doctor
