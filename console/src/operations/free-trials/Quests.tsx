// Quests: what customers do for a free trial, and what they get for it.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { freeTrialQuests } from '@/api/lists/free-trial-quests';
import { count } from '@/i18n/format';
import type { Action } from '@/table/action';
import type { List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { listOf } from '@/table/listOf';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { QuestForm } from './QuestForm';

export type Quest = Schemas['FreeTrialQuest'];

const PATH = '/api/v1/admin/free-trial-quests/{id}';

const away = (name: 'archiveQuest' | 'unarchiveQuest'): Action<Quest> => ({
  name,
  icon: name === 'archiveQuest' ? 'inbox' : 'replay',
  allows: (row) => (name === 'archiveQuest' ? row.actions.archivable : row.actions.unarchivable),
  ...eachOf('POST', name === 'archiveQuest' ? `${PATH}/archive` : `${PATH}/unarchive`),
});

const RESTORE = away('unarchiveQuest');
const ACTIONS: readonly Action<Quest>[] = [away('archiveQuest'), RESTORE];

export default function Quests() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  // The quest that is edited; `new` makes one.
  const [edited, setEdited] = useState<Quest | 'new' | null>(null);
  const list = useMemo<List<Quest>>(
    () =>
      listOf(freeTrialQuests, {
        title: 'quests.title',
        columns: {
          id: 76,
          name: {
            width: 260,
            cell: (row) => (
              <span className="with-icon">
                {row.icon && <img src={row.icon} alt="" />}
                <Button look="plain" label={row.name} onClick={() => setEdited(row)} />
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
          translations: { width: 110, cell: (row) => count(Object.keys(row.translations).length), align: 'end' },
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
        tools={<Button look="filled" icon="plus" label={t('quests.create')} onClick={() => setEdited('new')} />}
      />
      {edited && (
        <QuestForm
          quest={edited === 'new' ? null : edited}
          restore={RESTORE}
          onClose={() => setEdited(null)}
          onSaved={() => void queries.invalidateQueries({ queryKey: ['free-trial-quests'] })}
        />
      )}
    </>
  );
}
