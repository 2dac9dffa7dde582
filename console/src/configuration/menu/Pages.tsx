// The list of the customer site's pages, and the form for a page's name and its title and description for search engines.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { panelPages } from '@/api/lists/panel-pages';
import { fetchRows } from '@/api/table';
import { withIdempotencyKey } from '@/api/writeOptions';
import { text, texts } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { latestRow } from '@/form/merge';
import { defineForm } from '@/form/spec';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { PAGES_KEY, type PanelPage } from './calls';
import { definePageList } from './lists';
import { MenuTabs } from './MenuTabs';

export default function Pages() {
  const { t } = useTranslation();
  // The page in the dialog; 'new' for a new page, null if the dialog is closed.
  const [dialogPage, setDialogPage] = useState<PanelPage | 'new' | null>(null);
  const [list] = useState(() => definePageList(setDialogPage));
  return (
    <div className="with-tabs">
      <MenuTabs currentTab="pages" />
      <ServerTable
        list={list}
        tools={<Button icon="plus" label={t('menuPages.addPage')} onClick={() => setDialogPage('new')} />}
      />
      {dialogPage && <PageForm page={dialogPage === 'new' ? null : dialogPage} onClose={() => setDialogPage(null)} />}
    </div>
  );
}

const PAGE_FORM = defineForm<Schemas['PanelPageInput']>()({ translations: texts, route_name: text });

const fetchLatest = async (page: PanelPage) =>
  latestRow(page, await fetchRows(panelPages, 1, undefined, { filters: { id: String(page.id) } }));

function PageForm({ page, onClose }: { page: PanelPage | null; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <FormDialog
      wide
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
      initial={PAGE_FORM.toValues(page ?? {})}
      reload={page ? async () => PAGE_FORM.toValues(await fetchLatest(page)) : undefined}
      send={({ values, base }, key) => {
        const body = { ...PAGE_FORM.toBody(values, base), ...(page ? { page_id: page.id } : {}) };
        return unwrap(
          page
            ? api.PUT('/api/v1/admin/panel-pages/{id}', { params: { path: { id: page.id } }, body })
            : api.POST('/api/v1/admin/panel-pages', { body, ...withIdempotencyKey(key) }),
        );
      }}
      success={t('ui.saved')}
      invalidates={[[PAGES_KEY]]}
      onClose={onClose}
    />
  );
}
