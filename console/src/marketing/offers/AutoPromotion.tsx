// The auto-promotion: its networks in order, each with a switch, and the service types and services of the selected network.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem, type Problem } from '@/api/problem';
import { confirmation, percent as share } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { SortDialog } from '@/form/SortDialog';
import { defineForm } from '@/form/spec';
import { formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { Notice, ProblemBar } from '@/ui/Notice';
import { SortableList } from '@/ui/SortableList';
import { AddServices } from './AddServices';
import { KEY, type Kind, type Level, levelOf, type Open, PATH, patch, put, type Service } from './autoPromotionCalls';
import { InstantAction, PromotedServices, PromotedTypes } from './PromotionTables';
import { OfferTabs } from './tabs';

/** The margin of a level or of a service. */
const MARGIN = defineForm<Schemas['PromotedLevelInput']>()({
  resale_margin_percent: share,
  confirm_below_margin: confirmation,
});

const isLevel = (open: Open | null): open is Level => typeof open === 'object' && open !== null && 'level' in open;
const isSort = (open: Open | null): open is { sortOf: Kind } =>
  typeof open === 'object' && open !== null && 'sortOf' in open;
const isService = (open: Open | null): open is Service =>
  typeof open === 'object' && open !== null && 'service' in open;

export default function AutoPromotion() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [wanted, setWanted] = useState<number | null>(null);
  const [open, setOpen] = useState<Open | null>(null);
  const networks = useQuery({
    queryKey: [KEY, 'networks'],
    queryFn: async () => (await unwrap(api.GET(`${PATH}/networks`))).data,
  });
  const network = networks.data?.find(({ id }) => id === wanted) ?? networks.data?.[0];
  const services = useQuery({
    queryKey: [KEY, 'services', network?.id],
    enabled: network !== undefined,
    queryFn: async () =>
      (await unwrap(api.GET(`${PATH}/services`, { params: { query: { network_id: String(network?.id) } } }))).data,
  });
  const types = useQuery({
    queryKey: [KEY, 'types', network?.id],
    enabled: network !== undefined,
    queryFn: async () => {
      const asked = { params: { query: { network_id: String(network?.id) } } };
      return (await unwrap(api.GET(`${PATH}/service-types`, asked))).data.filter((type) => type.services_count > 0);
    },
  });
  const reload = () => queries.invalidateQueries({ queryKey: [KEY] });
  // What the server refuses of a switch is shown above the lists.
  const [problem, setProblem] = useState<Problem | null>(null);
  const failed = problem ?? (networks.error ? asProblem(networks.error) : null);
  return (
    <div className="record">
      <OfferTabs now="auto-promotion" />
      <div className="record-head">
        <h1 tabIndex={-1}>{t('promotion.title')}</h1>
        <span className="grow" />
        {networks.data && networks.data.length > 1 && (
          <Button icon="sort-alt" label={t('promotion.sort')} onClick={() => setOpen('sort')} />
        )}
        <Button variant="filled" icon="plus" label={t('promotion.add')} onClick={() => setOpen('add')} />
      </div>
      {failed && <ProblemBar problem={failed} onRetry={() => void reload()} />}
      {networks.data?.length === 0 && <Notice icon="bolt" title={t('promotion.none')} />}
      {network && (
        <div className="levels">
          <Card title={t('promotion.networks')}>
            <SortableList
              isReadOnly
              label={t('promotion.networks')}
              items={networks.data ?? []}
              onMove={() => undefined}
              selectedId={network.id}
              onSelect={({ id }) => setWanted(id)}
              renderExtra={(one) => (
                <>
                  <span className="sort-more">
                    {formatNumber(one.enabled_services_count)} / {formatNumber(one.services_count)}
                  </span>
                  <Button
                    variant="plain"
                    iconOnly
                    icon="percentage"
                    label={t('promotion.marginOf', { name: one.name })}
                    onClick={() => setOpen(levelOf('networks', one))}
                  />
                  <InstantAction
                    call={() => unwrap(api.POST(`${PATH}/networks/{id}/toggle`, { params: { path: { id: one.id } } }))}
                    onProblem={setProblem}
                  >
                    {(press) => (
                      <Button
                        variant="plain"
                        iconOnly
                        icon={one.is_enabled ? 'eye' : 'eye-slash'}
                        label={t(one.is_enabled ? 'promotion.switchOff' : 'promotion.switchOn', { name: one.name })}
                        onClick={press}
                      />
                    )}
                  </InstantAction>
                </>
              )}
            />
          </Card>
          <div className="promoted">
            <Card
              title={t('promotion.types')}
              aside={
                types.data &&
                types.data.length > 1 && (
                  <Button
                    variant="plain"
                    icon="sort-alt"
                    label={t('promotion.sortTypes')}
                    onClick={() => setOpen('sortTypes')}
                  />
                )
              }
            >
              <PromotedTypes types={types.data ?? []} onEdit={setOpen} onProblem={setProblem} />
            </Card>
            <Card title={network.name}>
              <PromotedServices services={services.data ?? []} onEdit={setOpen} onProblem={setProblem} />
            </Card>
          </div>
        </div>
      )}
      {open === 'add' && <AddServices onClose={() => setOpen(null)} onDone={() => void reload()} />}
      {open === 'sort' && (
        <SortDialog
          title={t('promotion.sort')}
          items={networks.data ?? []}
          onClose={() => setOpen(null)}
          onSave={async (ids) => {
            await unwrap(api.POST(`${PATH}/sort`, { body: { networks: ids } }));
            await reload();
          }}
        />
      )}
      {open === 'sortTypes' && network && (
        <SortDialog
          title={t('promotion.sortTypes')}
          items={types.data ?? []}
          onClose={() => setOpen(null)}
          onSave={async (ids) => {
            const sent = { params: { path: { id: network.id } }, body: { service_types: ids } };
            await unwrap(api.POST(`${PATH}/networks/{id}/sort-service-types`, sent));
            await reload();
          }}
        />
      )}
      {isSort(open) && (
        <SortDialog
          title={t('promotion.sortServices', { name: open.sortOf.name })}
          items={(services.data ?? [])
            .filter((row) => row.service_type.id === open.sortOf.id)
            .map((row) => row.service)}
          onClose={() => setOpen(null)}
          onSave={async (ids) => {
            const sent = { params: { path: { id: open.sortOf.id } }, body: { services: ids } };
            await unwrap(api.POST(`${PATH}/service-types/{id}/sort-services`, sent));
            await reload();
          }}
        />
      )}
      {isLevel(open) && (
        <FormDialog
          title={t('promotion.marginOf', { name: open.name })}
          confirm={t('ui.save')}
          fields={[
            {
              name: 'resale_margin_percent',
              label: t('promotion.margin'),
              hint: t('promotion.levelHint'),
            },
          ]}
          spec={MARGIN}
          initial={MARGIN.toValues({ resale_margin_percent: open.margin })}
          send={({ values }) => patch(open.level, open.id, MARGIN.toBody(values))}
          invalidates={[[KEY]]}
          onClose={() => setOpen(null)}
        />
      )}
      {isService(open) && (
        <FormDialog
          title={open.service.name}
          confirm={t('ui.save')}
          fields={[
            {
              name: 'resale_margin_percent',
              label: t('promotion.margin'),
              hint: t('promotion.marginHint'),
            },
          ]}
          spec={MARGIN}
          initial={MARGIN.toValues({ resale_margin_percent: open.resale_margin_percent })}
          send={({ values }) => put({ services: [open.service.id], ...MARGIN.toBody(values) })}
          invalidates={[[KEY]]}
          onClose={() => setOpen(null)}
        />
      )}
    </div>
  );
}
