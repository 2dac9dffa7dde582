// The page of an external panel: its status, its actions and its tabs.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { RecordActions } from '@/table/RecordActions';
import { Button } from '@/ui/Button';
import { CopyButton } from '@/ui/Copy';
import { RecordPage } from '@/ui/RecordPage';
import { StatusTag } from '@/ui/StatusTag';
import { Tabs } from '@/ui/Tabs';
import { EXTERNAL_PANELS_PATH, type ExternalPanel, PANEL_ACTIONS } from './externalPanelList';
import { PanelForm } from './PanelForm';
import { PanelIcon } from './PanelIcon';
import { PANEL_TABS } from './tabs';

export default function PanelPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const id = Number(params.id);
  const query = useQuery({
    queryKey: ['external-panels', 'detail', id],
    queryFn: async () => (await unwrap(api.GET(`${EXTERNAL_PANELS_PATH}/{id}`, { params: { path: { id } } }))).data,
    enabled: Number.isSafeInteger(id),
    retry: false,
  });
  return (
    <RecordPage query={query} backLink={{ href: '/external-panels', text: t('externalPanels.title') }}>
      {(panel) => <PanelTabs panel={panel} tabName={params.tab ?? ''} />}
    </RecordPage>
  );
}

function PanelTabs({ panel, tabName }: { panel: ExternalPanel; tabName: string }) {
  const tabs = PANEL_TABS.filter((tab) => tab.isVisible?.(panel) ?? true);
  const currentTab = tabs.find(({ name }) => name === tabName) ?? tabs[0];
  return (
    <>
      <div className="record-head">
        <PanelIcon id={panel.id} />
        <h1 tabIndex={-1}>{panel.name}</h1>
        <CopyButton text={String(panel.id)} />
        <StatusTag status={panel.status} />
      </div>
      <PanelActions panel={panel} />
      <Tabs baseUrl={`/external-panels/${panel.id}`} tabs={tabs} currentTab={currentTab?.name ?? ''} />
      {currentTab && <currentTab.Content panel={panel} />}
    </>
  );
}

function PanelActions({ panel }: { panel: ExternalPanel }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [isEditing, setIsEditing] = useState(false);
  const refetch = () => void queryClient.invalidateQueries({ queryKey: ['external-panels'] });
  return (
    <div className="record-actions">
      {panel.actions.editable && (
        <Button icon="pencil" label={t('externalPanels.edit')} onClick={() => setIsEditing(true)} />
      )}
      <RecordActions row={panel} actions={PANEL_ACTIONS} onDone={refetch} />
      {isEditing && <PanelForm panel={panel} onClose={() => setIsEditing(false)} onSaved={refetch} />}
    </div>
  );
}
