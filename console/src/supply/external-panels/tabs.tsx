// The parts of an external panel's page, each with an address of its own. A new part is a row here.
import type { ComponentType } from 'react';
import type { Tab } from '@/ui/Tabs';
import { PanelChanges } from '../imports/Changes';
import { PanelServices } from '../imports/PanelServices';
import { PanelImportRule } from '../imports/RuleForm';
import { PanelRuns } from '../imports/Runs';
import { Billing } from './Billing';
import type { ExternalPanel } from './declaration';
import { Overview } from './Overview';

interface Part extends Tab {
  Draw: ComponentType<{ panel: ExternalPanel }>;
  /** Whether a panel has it. */
  has?: (panel: ExternalPanel) => boolean;
}

export const PARTS: readonly Part[] = [
  { name: '', label: 'externalPanels.tabs.overview', Draw: Overview },
  { name: 'services', label: 'panelServices.tab', Draw: PanelServices },
  { name: 'import-rule', label: 'importRule.tab', Draw: ({ panel }) => <PanelImportRule id={panel.id} /> },
  { name: 'changes', label: 'syncChanges.tab', Draw: ({ panel }) => <PanelChanges id={panel.id} /> },
  { name: 'syncs', label: 'syncRuns.tab', Draw: ({ panel }) => <PanelRuns id={panel.id} /> },
  { name: 'billing', label: 'externalPanels.tabs.billing', Draw: Billing, has: (panel) => panel.actions.show_billing },
];
