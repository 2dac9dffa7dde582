// The tabs of an external panel's page. Each tab has its own URL.
import type { ComponentType } from 'react';
import type { Tab } from '@/ui/Tabs';
import { PanelServices } from '../imports/PanelServices';
import { PanelImportRule } from '../imports/RuleForm';
import { PanelSyncChanges } from '../imports/SyncChanges';
import { PanelSyncRuns } from '../imports/SyncRuns';
import type { ExternalPanel } from './declaration';
import { PanelOverview } from './PanelOverview';
import { PanelPayments } from './PanelPayments';

interface PanelTab extends Tab {
  Content: ComponentType<{ panel: ExternalPanel }>;
  /** Whether the page of this panel has the tab. Without it, all panels have the tab. */
  isVisible?: (panel: ExternalPanel) => boolean;
}

export const PANEL_TABS: readonly PanelTab[] = [
  { name: '', label: 'externalPanels.tabs.overview', Content: PanelOverview },
  { name: 'services', label: 'panelServices.tab', Content: PanelServices },
  { name: 'import-rule', label: 'importRule.tab', Content: ({ panel }) => <PanelImportRule id={panel.id} /> },
  { name: 'changes', label: 'syncChanges.tab', Content: ({ panel }) => <PanelSyncChanges id={panel.id} /> },
  { name: 'syncs', label: 'syncRuns.tab', Content: ({ panel }) => <PanelSyncRuns id={panel.id} /> },
  {
    name: 'billing',
    label: 'externalPanels.tabs.billing',
    Content: PanelPayments,
    isVisible: (panel) => panel.actions.show_billing,
  },
];
