// Items that staff add to the menu, beside its own.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { asProblem, type Problem } from '@/api/problem';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { FormDialog } from '@/ui/FormDialog';
import { Notice, ProblemBar } from '@/ui/Notice';
import { RecordPage } from '@/ui/Record';
import { StatusTag } from '@/ui/StatusTag';
import { toast } from '@/ui/toasts';
import { CUSTOM, type Custom, useCustom } from './calls';
import { itemFields } from './fields';
import { MenuTabs } from './MenuTabs';

const FLAGS = [
  'is_enabled',
  'is_allowed_for_authorized',
  'is_allowed_for_guest',
  'is_blank',
  'show_in_internal',
  'show_in_public',
] as const;
/** What a new one is not. */
const OFF: readonly string[] = ['is_blank', 'show_in_public'];

type Open = { kind: 'edit'; item: Custom | null } | { kind: 'delete'; item: Custom };

export default function CustomPage() {
  const { t } = useTranslation();
  const [open, setOpen] = useState<Open | null>(null);
  return (
    <RecordPage query={useCustom()} list={{ href: '/menu-and-pages', text: t('menuPages.title') }}>
      {(items) => (
        <div className="editor">
          <h1 tabIndex={-1}>{t('menuPages.custom')}</h1>
          <MenuTabs now="custom" />
          <div className="record-actions">
            <Button icon="plus" label={t('menuPages.add')} onClick={() => setOpen({ kind: 'edit', item: null })} />
          </div>
          {items.length === 0 && <Notice icon="link" title={t('menuPages.noneAdded')} />}
          <ul className="added-items">
            {items.map((item) => (
              <li key={item.id} className="card">
                <strong>{item.name}</strong>
                <span className="address">{item.url}</span>
                <StatusTag status={item.is_enabled ? 'active' : 'disabled'} />
                <Button
                  icon="pencil"
                  label={t('menuPages.edit')}
                  aria-label={`${t('menuPages.edit')}: ${item.name}`}
                  onClick={() => setOpen({ kind: 'edit', item })}
                />
                <Button
                  look="plain"
                  icon="trash"
                  label={t('menuPages.delete')}
                  aria-label={`${t('menuPages.delete')}: ${item.name}`}
                  onClick={() => setOpen({ kind: 'delete', item })}
                />
              </li>
            ))}
          </ul>
          {open?.kind === 'edit' && <Form item={open.item} onClose={() => setOpen(null)} />}
          {open?.kind === 'delete' && <Delete item={open.item} onClose={() => setOpen(null)} />}
        </div>
      )}
    </RecordPage>
  );
}

function Form({ item, onClose }: { item: Custom | null; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <FormDialog
      wide
      title={t(item ? 'menuPages.edit' : 'menuPages.add')}
      confirm={t('ui.save')}
      fields={[
        ...itemFields(t),
        { name: 'show_in_internal', label: t('menuPages.internal'), mode: 'tick' },
        { name: 'show_in_public', label: t('menuPages.public'), mode: 'tick' },
      ]}
      initial={{
        translations: JSON.stringify(item?.translations ?? {}),
        url: item?.url ?? '',
        icon: item?.icon ?? '',
        ...Object.fromEntries(FLAGS.map((flag) => [flag, (item ? item[flag] : !OFF.includes(flag)) ? 'yes' : ''])),
      }}
      onClose={onClose}
      onSave={async (values) => {
        const body = {
          translations: JSON.parse(values.translations || '{}'),
          url: values.url,
          icon: values.icon?.trim() || null,
          ...Object.fromEntries(FLAGS.map((flag) => [flag, values[flag] === 'yes'])),
          ...(item ? { updated_at: item.updated_at } : {}),
        } as Schemas['CustomMenuItemInput'];
        await told(
          item
            ? api.PUT('/api/v1/admin/custom-menu-items/{id}', { params: { path: { id: item.id } }, body })
            : api.POST('/api/v1/admin/custom-menu-items', { body }),
        );
        toast({ tone: 'success', text: t('ui.saved') });
        await queries.invalidateQueries({ queryKey: CUSTOM });
      }}
    />
  );
}

function Delete({ item, onClose }: { item: Custom; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const remove = async () => {
    setBusy(true);
    try {
      await told(api.POST('/api/v1/admin/custom-menu-items/{id}/delete', { params: { path: { id: item.id } } }));
      await queries.invalidateQueries({ queryKey: CUSTOM });
      onClose();
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      role="alertdialog"
      title={t('menuPages.deleteOne', { name: item.name })}
      onClose={onClose}
      held={busy}
      footer={
        <>
          <Button label={t('labels.keep')} onClick={onClose} data-autofocus />
          <Button look="filled" tone="danger" label={t('menuPages.delete')} busy={busy} onClick={() => void remove()} />
        </>
      }
    >
      <p className="preview-final">{t('labels.noWayBack')}</p>
      {problem && <ProblemBar problem={problem} />}
    </Dialog>
  );
}
