// One external panel: how it does, what can be done with it, and its parts.
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
import { type ExternalPanel, PANEL_ACTIONS, PATH } from './declaration';
import { PanelForm } from './PanelForm';
import { PanelIcon } from './PanelIcon';
import { PARTS } from './tabs';

export default function PanelPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const id = Number(params.id);
  const query = useQuery({
    queryKey: ['external-panels', 'one', id],
    queryFn: async () => (await unwrap(api.GET(`${PATH}/{id}`, { params: { path: { id } } }))).data,
    enabled: Number.isSafeInteger(id),
    retry: false,
  });
  return (
    <RecordPage query={query} list={{ href: '/external-panels', text: t('externalPanels.title') }}>
      {(panel) => <Shown panel={panel} tab={params.tab ?? ''} />}
    </RecordPage>
  );
}

function Shown({ panel, tab }: { panel: ExternalPanel; tab: string }) {
  const parts = PARTS.filter((part) => part.has?.(panel) ?? true);
  const part = parts.find((part) => part.name === tab) ?? parts[0];
  return (
    <>
      <div className="record-head">
        <PanelIcon id={panel.id} />
        <h1 tabIndex={-1}>{panel.name}</h1>
        <CopyButton text={String(panel.id)} />
        <StatusTag status={panel.status} />
      </div>
      <Actions panel={panel} />
      <Tabs base={`/external-panels/${panel.id}`} tabs={parts} current={part?.name ?? ''} />
      {part && <part.Draw panel={panel} />}
    </>
  );
}

function Actions({ panel }: { panel: ExternalPanel }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [editing, setEditing] = useState(false);
  const changed = () => void queries.invalidateQueries({ queryKey: ['external-panels'] });
  return (
    <div className="record-actions">
      {panel.actions.editable && (
        <Button icon="pencil" label={t('externalPanels.edit')} onClick={() => setEditing(true)} />
      )}
      <RecordActions row={panel} actions={PANEL_ACTIONS} onDone={changed} />
      {editing && <PanelForm panel={panel} onClose={() => setEditing(false)} onSaved={changed} />}
    </div>
  );
}
