// Items that staff add to the menu, beside its own.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { initAt, keyed } from '@/api/how';
import { text, texts, tick, trimmedOrNull } from '@/form/codecs';
import { DeleteDialog } from '@/form/DeleteDialog';
import { FormDialog } from '@/form/FormDialog';
import { newestOf } from '@/form/merge';
import { type FormValues, formOf } from '@/form/spec';
import { Button } from '@/ui/Button';
import { Notice } from '@/ui/Notice';
import { RecordPage } from '@/ui/Record';
import { StatusTag } from '@/ui/StatusTag';
import { CUSTOM, type Custom, readCustom, useCustom } from './calls';
import { itemFields } from './fields';
import { MenuTabs } from './MenuTabs';

const ITEM = formOf<Schemas['CustomMenuItemInput']>()({
  translations: texts,
  url: text,
  icon: trimmedOrNull,
  is_enabled: tick,
  is_allowed_for_authorized: tick,
  is_allowed_for_guest: tick,
  is_blank: tick,
  show_in_internal: tick,
  show_in_public: tick,
});
const NEW: FormValues = ITEM.valuesOf({
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
      initial={item ? ITEM.valuesOf(item) : NEW}
      reload={item ? async () => ITEM.valuesOf(newestOf(item, await readCustom())) : undefined}
      send={({ values, base }, key) => {
        const body = ITEM.wholeOf(values, base);
        return unwrap(
          item
            ? api.PUT('/api/v1/admin/custom-menu-items/{id}', { params: { path: { id: item.id } }, body })
            : api.POST('/api/v1/admin/custom-menu-items', { body, ...keyed(key) }),
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
      own={{
        title: t('menuPages.deleteOne', { name: item.name }),
        keep: t('labels.keep'),
        confirm: t('menuPages.delete'),
        about: t('labels.noWayBack'),
      }}
      remove={(how) => unwrap(api.POST('/api/v1/admin/custom-menu-items/{id}/delete', initAt({ id: item.id }, how)))}
      onClose={onClose}
      onDone={() => void queries.invalidateQueries({ queryKey: CUSTOM })}
    />
  );
}
