// The screen with the list of the customer site's pages, and the form for the name of a page and its texts for search engines.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { panelPages } from '@/api/lists/panel-pages';
import { fetchRows } from '@/api/table';
import { withIdempotencyKey } from '@/api/writeOptions';
import { textCodec, translationsCodec } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { findLatestRow } from '@/form/merge';
import { defineForm } from '@/form/spec';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { definePageList } from './lists';
import { MenuTabs } from './MenuTabs';
import { PAGES_KEY, type PanelPage } from './requests';

export default function Pages() {
  const { t } = useTranslation();
  // The page in the form. 'new' for a new page, null if the form is closed.
  const [editedPage, setEditedPage] = useState<PanelPage | 'new' | null>(null);
  const [list] = useState(() => definePageList(setEditedPage));
  return (
    <div className="with-tabs">
      <MenuTabs currentTab="pages" />
      <ServerTable
        list={list}
        tools={<Button icon="plus" label={t('menuPages.addPage')} onClick={() => setEditedPage('new')} />}
      />
      {editedPage && <PageForm page={editedPage === 'new' ? null : editedPage} onClose={() => setEditedPage(null)} />}
    </div>
  );
}

const PAGE_FORM = defineForm<Schemas['PanelPageInput']>()({ translations: translationsCodec, route_name: textCodec });

const fetchLatestPage = async (page: PanelPage) =>
  findLatestRow(page, await fetchRows(panelPages, 1, undefined, { filters: { id: String(page.id) } }));

function PageForm({ page, onClose }: { page: PanelPage | null; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <FormDialog
      isWide
      title={t(page ? 'menuPages.editPage' : 'menuPages.addPage')}
      confirmLabel={t('ui.save')}
      fields={[
        {
          name: 'translations',
          label: t('menuPages.texts'),
          texts: [
            { name: 'name', label: t('menuPages.columns.name'), maxLength: 100 },
            { name: 'meta_title', label: t('menuPages.metaTitle'), maxLength: 255 },
            { name: 'meta_description', label: t('menuPages.metaDescription'), maxLength: 1000, multiline: true },
          ],
        },
        { name: 'route_name', label: t('menuPages.columns.route'), hint: t('menuPages.routeHint'), maxLength: 100 },
      ]}
      spec={PAGE_FORM}
      initialValues={PAGE_FORM.toValues(page ?? {})}
      reload={page ? async () => PAGE_FORM.toValues(await fetchLatestPage(page)) : undefined}
      send={({ values, base }, idempotencyKey) => {
        const body = { ...PAGE_FORM.toBody(values, base), ...(page ? { page_id: page.id } : {}) };
        return unwrap(
          page
            ? api.PUT('/api/v1/admin/panel-pages/{id}', { params: { path: { id: page.id } }, body })
            : api.POST('/api/v1/admin/panel-pages', { body, ...withIdempotencyKey(idempotencyKey) }),
        );
      }}
      successMessage={t('ui.saved')}
      invalidatedQueries={[[PAGES_KEY]]}
      onClose={onClose}
    />
  );
}
