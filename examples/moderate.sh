#!/usr/bin/env bash
# Approves the small orders in moderation, and leaves the large ones to a person.
set -euo pipefail

panelctl orders list --status in_moderation --cost ..5 --all -o ids >"$PANELCTL_HOME/small.txt"
if [ -s "$PANELCTL_HOME/small.txt" ]; then
  panelctl orders approve --ids-from "$PANELCTL_HOME/small.txt" --yes
fi
panelctl orders list --status in_moderation --sort -cost --limit 5
