// The list of quests. A customer who completes a quest gets a free trial.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { freeTrialQuests } from '@/api/lists/free-trial-quests';
import { formatNumber } from '@/i18n/format';
import type { Action } from '@/table/action';
import { defineList } from '@/table/defineList';
import type { List } from '@/table/listDefinition';
import { perRecordCalls } from '@/table/perRecordCalls';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { QuestForm } from './QuestForm';

export type Quest = Schemas['FreeTrialQuest'];

const PATH = '/api/v1/admin/free-trial-quests/{id}';

const archiveAction = (name: 'archiveQuest' | 'unarchiveQuest'): Action<Quest> => ({
  name,
  icon: name === 'archiveQuest' ? 'inbox' : 'replay',
  allows: (row) => (name === 'archiveQuest' ? row.actions.archivable : row.actions.unarchivable),
  ...perRecordCalls('POST', name === 'archiveQuest' ? `${PATH}/archive` : `${PATH}/unarchive`),
});

const RESTORE = archiveAction('unarchiveQuest');
const ACTIONS: readonly Action<Quest>[] = [archiveAction('archiveQuest'), RESTORE];

export default function Quests() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  // `new` opens the dialog for a new quest.
  const [editing, setEditing] = useState<Quest | 'new' | null>(null);
  const list = useMemo<List<Quest>>(
    () =>
      defineList(freeTrialQuests, {
        title: 'quests.title',
        columns: {
          id: 76,
          name: {
            width: 260,
            cell: (row) => (
              <span className="with-icon">
                {row.icon && <img src={row.icon} alt="" />}
                <Button variant="plain" label={row.name} onClick={() => setEditing(row)} />
              </span>
            ),
          },
          'service.name': 220,
          quantity: { width: 92, cell: (row) => row.quantity },
          is_enabled: 84,
          is_repeatable: 110,
          repeats_count: 84,
          allow_proof_url: 84,
          auto_approve_is_allowed: 140,
          translations: { width: 110, cell: (row) => formatNumber(Object.keys(row.translations).length), align: 'end' },
          is_archived: 100,
        },
        defaults: { is_archived: '0' },
        actions: ACTIONS,
      }),
    [],
  );
  return (
    <>
      <ServerTable
        list={list}
        tools={<Button variant="filled" icon="plus" label={t('quests.create')} onClick={() => setEditing('new')} />}
      />
      {editing && (
        <QuestForm
          quest={editing === 'new' ? null : editing}
          restore={RESTORE}
          onClose={() => setEditing(null)}
          onSaved={() => void queries.invalidateQueries({ queryKey: ['free-trial-quests'] })}
        />
      )}
    </>
  );
}
