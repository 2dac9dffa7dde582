// The screen with the custom menu items. Staff add these links to the menu of the customer site, next to its other items.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { createWriteOptionsWithPath, withIdempotencyKey } from '@/api/writeOptions';
import { checkboxCodec, textCodec, translationsCodec, trimmedTextOrNullCodec } from '@/form/codecs';
import { DeleteDialog } from '@/form/DeleteDialog';
import { FormDialog } from '@/form/FormDialog';
import { findLatestRow } from '@/form/merge';
import { defineForm, type FormValues } from '@/form/spec';
import { Button } from '@/ui/Button';
import { Notice } from '@/ui/Notice';
import { RecordPage } from '@/ui/RecordPage';
import { StatusTag } from '@/ui/StatusTag';
import { createItemFields } from './fields';
import { MenuTabs } from './MenuTabs';
import { CUSTOM_ITEMS_KEY, type CustomMenuItem, fetchCustomItems, useCustomItems } from './requests';

const CUSTOM_ITEM_FORM = defineForm<Schemas['CustomMenuItemInput']>()({
  translations: translationsCodec,
  url: textCodec,
  icon: trimmedTextOrNullCodec,
  is_enabled: checkboxCodec,
  is_allowed_for_authorized: checkboxCodec,
  is_allowed_for_guest: checkboxCodec,
  is_blank: checkboxCodec,
  show_in_internal: checkboxCodec,
  show_in_public: checkboxCodec,
});
const NEW_ITEM_VALUES: FormValues = CUSTOM_ITEM_FORM.toValues({
  is_enabled: true,
  is_allowed_for_authorized: true,
  is_allowed_for_guest: true,
  show_in_internal: true,
});

type OpenDialog = { kind: 'edit'; item: CustomMenuItem | null } | { kind: 'delete'; item: CustomMenuItem };

export default function CustomItemsPage() {
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
      isWide
      title={t(item ? 'menuPages.edit' : 'menuPages.add')}
      confirmLabel={t('ui.save')}
      fields={[
        ...createItemFields(t),
        { name: 'show_in_internal', label: t('menuPages.showInCustomerArea') },
        { name: 'show_in_public', label: t('menuPages.showOnPublicSite') },
      ]}
      spec={CUSTOM_ITEM_FORM}
      initialValues={item ? CUSTOM_ITEM_FORM.toValues(item) : NEW_ITEM_VALUES}
      reload={item ? async () => CUSTOM_ITEM_FORM.toValues(findLatestRow(item, await fetchCustomItems())) : undefined}
      send={({ values, base }, idempotencyKey) => {
        const body = CUSTOM_ITEM_FORM.toBody(values, base);
        return unwrap(
          item
            ? api.PUT('/api/v1/admin/custom-menu-items/{id}', { params: { path: { id: item.id } }, body })
            : api.POST('/api/v1/admin/custom-menu-items', { body, ...withIdempotencyKey(idempotencyKey) }),
        );
      }}
      successMessage={t('ui.saved')}
      invalidatedQueries={[CUSTOM_ITEMS_KEY]}
      onClose={onClose}
    />
  );
}

function DeleteItemDialog({ item, onClose }: { item: CustomMenuItem; onClose: () => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  return (
    <DeleteDialog
      name={item.name}
      texts={{
        title: t('menuPages.deleteNamed', { name: item.name }),
        cancel: t('ui.keepIt'),
        confirm: t('menuPages.delete'),
        description: t('ui.cannotBeUndone'),
      }}
      deleteRecord={(options) =>
        unwrap(
          api.POST('/api/v1/admin/custom-menu-items/{id}/delete', createWriteOptionsWithPath({ id: item.id }, options)),
        )
      }
      onClose={onClose}
      onDone={() => void queryClient.invalidateQueries({ queryKey: CUSTOM_ITEMS_KEY })}
    />
  );
}
