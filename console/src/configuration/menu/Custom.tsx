// Items that staff add to the menu, beside its own.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey, writeInitAt } from '@/api/writeOptions';
import { checkbox, text, texts, trimmedOrNull } from '@/form/codecs';
import { DeleteDialog } from '@/form/DeleteDialog';
import { FormDialog } from '@/form/FormDialog';
import { latestRow } from '@/form/merge';
import { defineForm, type FormValues } from '@/form/spec';
import { Button } from '@/ui/Button';
import { Notice } from '@/ui/Notice';
import { RecordPage } from '@/ui/RecordPage';
import { StatusTag } from '@/ui/StatusTag';
import { CUSTOM, type Custom, readCustom, useCustom } from './calls';
import { itemFields } from './fields';
import { MenuTabs } from './MenuTabs';

const ITEM = defineForm<Schemas['CustomMenuItemInput']>()({
  translations: texts,
  url: text,
  icon: trimmedOrNull,
  is_enabled: checkbox,
  is_allowed_for_authorized: checkbox,
  is_allowed_for_guest: checkbox,
  is_blank: checkbox,
  show_in_internal: checkbox,
  show_in_public: checkbox,
});
const NEW: FormValues = ITEM.toValues({
  is_enabled: true,
  is_allowed_for_authorized: true,
  is_allowed_for_guest: true,
  show_in_internal: true,
});

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
                  variant="plain"
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
  return (
    <FormDialog
      wide
      title={t(item ? 'menuPages.edit' : 'menuPages.add')}
      confirm={t('ui.save')}
      fields={[
        ...itemFields(t),
        { name: 'show_in_internal', label: t('menuPages.internal') },
        { name: 'show_in_public', label: t('menuPages.public') },
      ]}
      spec={ITEM}
      initial={item ? ITEM.toValues(item) : NEW}
      reload={item ? async () => ITEM.toValues(latestRow(item, await readCustom())) : undefined}
      send={({ values, base }, key) => {
        const body = ITEM.toBody(values, base);
        return unwrap(
          item
            ? api.PUT('/api/v1/admin/custom-menu-items/{id}', { params: { path: { id: item.id } }, body })
            : api.POST('/api/v1/admin/custom-menu-items', { body, ...withIdempotencyKey(key) }),
        );
      }}
      success={t('ui.saved')}
      invalidates={[CUSTOM]}
      onClose={onClose}
    />
  );
}

function Delete({ item, onClose }: { item: Custom; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <DeleteDialog
      name={item.name}
      texts={{
        title: t('menuPages.deleteOne', { name: item.name }),
        cancel: t('labels.keep'),
        confirm: t('menuPages.delete'),
        description: t('labels.noWayBack'),
      }}
      remove={(how) =>
        unwrap(api.POST('/api/v1/admin/custom-menu-items/{id}/delete', writeInitAt({ id: item.id }, how)))
      }
      onClose={onClose}
      onDone={() => void queries.invalidateQueries({ queryKey: CUSTOM })}
    />
  );
}
