// Custom menu items: links that staff add to the menu next to its built-in items.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey, writeInitWithPath } from '@/api/writeOptions';
import { checkbox, text, texts, trimmedOrNull } from '@/form/codecs';
import { DeleteDialog } from '@/form/DeleteDialog';
import { FormDialog } from '@/form/FormDialog';
import { latestRow } from '@/form/merge';
import { defineForm, type FormValues } from '@/form/spec';
import { Button } from '@/ui/Button';
import { Notice } from '@/ui/Notice';
import { RecordPage } from '@/ui/RecordPage';
import { StatusTag } from '@/ui/StatusTag';
import { CUSTOM_ITEMS_KEY, type CustomMenuItem, fetchCustomItems, useCustomItems } from './calls';
import { createItemFields } from './fields';
import { MenuTabs } from './MenuTabs';

const CUSTOM_ITEM_FORM = defineForm<Schemas['CustomMenuItemInput']>()({
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
const NEW_ITEM_VALUES: FormValues = CUSTOM_ITEM_FORM.toValues({
  is_enabled: true,
  is_allowed_for_authorized: true,
  is_allowed_for_guest: true,
  show_in_internal: true,
});

type OpenDialog = { kind: 'edit'; item: CustomMenuItem | null } | { kind: 'delete'; item: CustomMenuItem };

export default function CustomPage() {
  const { t } = useTranslation();
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  return (
    <RecordPage query={useCustomItems()} backLink={{ href: '/menu-and-pages', text: t('menuPages.title') }}>
      {(items) => (
        <div className="editor">
          <h1 tabIndex={-1}>{t('menuPages.custom')}</h1>
          <MenuTabs currentTab="custom" />
          <div className="record-actions">
            <Button icon="plus" label={t('menuPages.add')} onClick={() => setDialog({ kind: 'edit', item: null })} />
          </div>
          {items.length === 0 && <Notice icon="link" title={t('menuPages.noCustomItems')} />}
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
                  onClick={() => setDialog({ kind: 'edit', item })}
                />
                <Button
                  variant="plain"
                  icon="trash"
                  label={t('menuPages.delete')}
                  aria-label={`${t('menuPages.delete')}: ${item.name}`}
                  onClick={() => setDialog({ kind: 'delete', item })}
                />
              </li>
            ))}
          </ul>
          {dialog?.kind === 'edit' && <CustomItemForm item={dialog.item} onClose={() => setDialog(null)} />}
          {dialog?.kind === 'delete' && <DeleteItemDialog item={dialog.item} onClose={() => setDialog(null)} />}
        </div>
      )}
    </RecordPage>
  );
}

function CustomItemForm({ item, onClose }: { item: CustomMenuItem | null; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <FormDialog
      wide
      title={t(item ? 'menuPages.edit' : 'menuPages.add')}
      confirmLabel={t('ui.save')}
      fields={[
        ...createItemFields(t),
        { name: 'show_in_internal', label: t('menuPages.showInCustomerArea') },
        { name: 'show_in_public', label: t('menuPages.showOnPublicSite') },
      ]}
      spec={CUSTOM_ITEM_FORM}
      initial={item ? CUSTOM_ITEM_FORM.toValues(item) : NEW_ITEM_VALUES}
      reload={item ? async () => CUSTOM_ITEM_FORM.toValues(latestRow(item, await fetchCustomItems())) : undefined}
      send={({ values, base }, key) => {
        const body = CUSTOM_ITEM_FORM.toBody(values, base);
        return unwrap(
          item
            ? api.PUT('/api/v1/admin/custom-menu-items/{id}', { params: { path: { id: item.id } }, body })
            : api.POST('/api/v1/admin/custom-menu-items', { body, ...withIdempotencyKey(key) }),
        );
      }}
      success={t('ui.saved')}
      invalidates={[CUSTOM_ITEMS_KEY]}
      onClose={onClose}
    />
  );
}

function DeleteItemDialog({ item, onClose }: { item: CustomMenuItem; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <DeleteDialog
      name={item.name}
      texts={{
        title: t('menuPages.deleteNamed', { name: item.name }),
        cancel: t('labels.keep'),
        confirm: t('menuPages.delete'),
        description: t('labels.noWayBack'),
      }}
      remove={(options) =>
        unwrap(api.POST('/api/v1/admin/custom-menu-items/{id}/delete', writeInitWithPath({ id: item.id }, options)))
      }
      onClose={onClose}
      onDone={() => void queries.invalidateQueries({ queryKey: CUSTOM_ITEMS_KEY })}
    />
  );
}
