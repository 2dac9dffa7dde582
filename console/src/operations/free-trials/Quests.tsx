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
import { createPerRecordRequests } from '@/table/perRecordRequests';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { QuestForm } from './QuestForm';

export type Quest = Schemas['FreeTrialQuest'];

const QUEST_PATH = '/api/v1/admin/free-trial-quests/{id}';

const ARCHIVE_ACTION: Action<Quest> = {
  name: 'archiveQuest',
  icon: 'inbox',
  isAllowedFor: (row) => row.actions.archivable,
  ...createPerRecordRequests('POST', `${QUEST_PATH}/archive`),
};

const RESTORE_ACTION: Action<Quest> = {
  name: 'unarchiveQuest',
  icon: 'replay',
  isAllowedFor: (row) => row.actions.unarchivable,
  ...createPerRecordRequests('POST', `${QUEST_PATH}/unarchive`),
};

export default function Quests() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  // The quest in the dialog; 'new' for a new quest, null if the dialog is closed.
  const [dialogQuest, setDialogQuest] = useState<Quest | 'new' | null>(null);
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
                <Button variant="plain" label={row.name} onClick={() => setDialogQuest(row)} />
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
        defaultFilters: { is_archived: '0' },
        actions: [ARCHIVE_ACTION, RESTORE_ACTION],
      }),
    [],
  );
  return (
    <>
      <ServerTable
        list={list}
        tools={<Button variant="filled" icon="plus" label={t('quests.create')} onClick={() => setDialogQuest('new')} />}
      />
      {dialogQuest && (
        <QuestForm
          quest={dialogQuest === 'new' ? null : dialogQuest}
          restoreAction={RESTORE_ACTION}
          onClose={() => setDialogQuest(null)}
          onSaved={() => void queryClient.invalidateQueries({ queryKey: ['free-trial-quests'] })}
        />
      )}
    </>
  );
}
