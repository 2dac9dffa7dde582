// The tabs of an external panel's page. Each tab has its own URL.
import type { ComponentType } from 'react';
import type { Tab } from '@/ui/Tabs';
import { PanelImportRule } from '../imports/ImportRuleTab';
import { PanelServices } from '../imports/PanelServices';
import { PanelSyncChanges } from '../imports/SyncChanges';
import { PanelSyncRuns } from '../imports/SyncRuns';
import type { ExternalPanel } from './externalPanelList';
import { PanelOverview } from './PanelOverview';
import { PanelPayments } from './PanelPayments';

interface PanelTab extends Tab {
  Content: ComponentType<{ panel: ExternalPanel }>;
  /** Whether the page of an external panel has the tab. Without this function, all pages have the tab. */
  isVisible?: (panel: ExternalPanel) => boolean;
}

export const PANEL_TABS: readonly PanelTab[] = [
  { name: '', labelKey: 'externalPanels.tabs.overview', Content: PanelOverview },
  { name: 'services', labelKey: 'panelServices.tab', Content: PanelServices },
  { name: 'import-rule', labelKey: 'importRule.tab', Content: ({ panel }) => <PanelImportRule id={panel.id} /> },
  { name: 'changes', labelKey: 'syncChanges.tab', Content: ({ panel }) => <PanelSyncChanges id={panel.id} /> },
  { name: 'syncs', labelKey: 'syncRuns.tab', Content: ({ panel }) => <PanelSyncRuns id={panel.id} /> },
  {
    name: 'billing',
    labelKey: 'externalPanels.tabs.billing',
    Content: PanelPayments,
    isVisible: (panel) => panel.actions.show_billing,
  },
];
