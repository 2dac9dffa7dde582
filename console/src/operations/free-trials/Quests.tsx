// Quests: what customers do for a free trial, and what they get for it.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { count } from '@/i18n/format';
import type { Action } from '@/table/action';
import { type Column, filterOnly, type List } from '@/table/declare';
import { eachOf } from '@/table/each';
import { columnsOf } from '@/table/kinds';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { QuestForm } from './QuestForm';

export type Quest = Schemas['FreeTrialQuest'];

const HIDDEN = { hidden: true } as const;

const c = columnsOf<Quest>('quests');

function columns(edit: (quest: Quest) => void): readonly Column<Quest>[] {
  return [
    c.id(76),
    {
      name: 'name',
      label: 'quests.columns.name',
      width: 260,
      filter: { kind: 'text' },
      cell: (row) => (
        <span className="with-icon">
          {row.icon && <img src={row.icon} alt="" />}
          <Button look="plain" label={row.name} onClick={() => edit(row)} />
        </span>
      ),
    },
    c.record('service', 'service', 'service', 220),
    c.number('quantity', 'quantity', 92, { cell: (row) => row.quantity }),
    c.time('deadline', 'deadline'),
    c.flag('is_enabled', 'enabled', 84),
    c.flag('is_repeatable', 'repeatable', 110),
    c.number('repeats_count', 'repeats', 84),
    c.flag('allow_proof_url', 'proof', 84),
    c.flag('auto_approve_is_allowed', 'autoApprove', 140, HIDDEN),
    {
      name: 'translations',
      label: 'quests.columns.languages',
      width: 110,
      align: 'end',
      sortable: false,
      cell: (row) => count(Object.keys(row.translations).length),
    },
    c.flag('is_archived', 'archived', 100),
    c.time('created_at', 'createdAt', HIDDEN),
    filterOnly('min_amount_for_auto_approve', 'quests.autoApproveFrom', { kind: 'money' }),
    filterOnly('is_allowed_with_spend_above', 'quests.onlySpenders', { kind: 'flag' }),
    filterOnly('min_user_spend_amount', 'quests.spentFrom', { kind: 'money' }),
  ];
}

const PATH = '/api/v1/admin/free-trial-quests/{id}';

const away = (name: 'archiveQuest' | 'unarchiveQuest'): Action<Quest> => ({
  name,
  icon: name === 'archiveQuest' ? 'inbox' : 'replay',
  allows: (row) => (name === 'archiveQuest' ? row.actions.archivable : row.actions.unarchivable),
  ...eachOf('POST', name === 'archiveQuest' ? `${PATH}/archive` : `${PATH}/unarchive`),
});

const ACTIONS: readonly Action<Quest>[] = [away('archiveQuest'), away('unarchiveQuest')];

export default function Quests() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  // The quest that is edited; `new` makes one.
  const [edited, setEdited] = useState<Quest | 'new' | null>(null);
  const list = useMemo<List<Quest>>(
    () => ({
      name: 'free-trial-quests',
      title: 'quests.title',
      path: '/api/v1/admin/free-trial-quests',
      columns: columns(setEdited),
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
          onClose={() => setEdited(null)}
          onSaved={() => void queries.invalidateQueries({ queryKey: ['free-trial-quests'] })}
        />
      )}
    </>
  );
}
