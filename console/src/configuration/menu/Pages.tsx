// Pages of the customers' site: what each is called, for people and for search engines.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { FormDialog } from '@/ui/FormDialog';
import { toast } from '@/ui/toasts';
import { PAGES, type PanelPage } from './calls';
import { pages } from './lists';
import { MenuTabs } from './MenuTabs';

export default function Pages() {
  const { t } = useTranslation();
  const [open, setOpen] = useState<{ page: PanelPage | null } | null>(null);
  const [list] = useState(() => pages((page) => setOpen({ page })));
  return (
    <div className="with-tabs">
      <MenuTabs now="pages" />
      <ServerTable
        list={list}
        tools={<Button icon="plus" label={t('menuPages.addPage')} onClick={() => setOpen({ page: null })} />}
      />
      {open && <PageForm page={open.page} onClose={() => setOpen(null)} />}
    </div>
  );
}

function PageForm({ page, onClose }: { page: PanelPage | null; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <FormDialog
      wide
      title={t(page ? 'menuPages.editPage' : 'menuPages.addPage')}
      confirm={t('ui.save')}
      fields={[
        {
          name: 'translations',
          label: t('menuPages.texts'),
          mode: 'texts',
          texts: [
            { name: 'name', label: t('menuPages.columns.name'), maxLength: 100 },
            { name: 'meta_title', label: t('menuPages.metaTitle'), maxLength: 255 },
            { name: 'meta_description', label: t('menuPages.metaDescription'), maxLength: 1000, long: true },
          ],
        },
        { name: 'route_name', label: t('menuPages.columns.route'), hint: t('menuPages.routeHint'), maxLength: 100 },
      ]}
      initial={{
        translations: JSON.stringify(page?.translations ?? {}),
        route_name: page?.route_name ?? '',
      }}
      onClose={onClose}
      onSave={async ({ translations = '', route_name = '' }) => {
        const body = {
          translations: JSON.parse(translations || '{}'),
          route_name,
          ...(page ? { page_id: page.id, updated_at: page.updated_at } : {}),
        } as Schemas['PanelPageInput'];
        await told(
          page
            ? api.PUT('/api/v1/admin/panel-pages/{id}', { params: { path: { id: page.id } }, body })
            : api.POST('/api/v1/admin/panel-pages', { body }),
        );
        toast({ tone: 'success', text: t('ui.saved') });
        await queries.invalidateQueries({ queryKey: [PAGES] });
      }}
    />
  );
}
