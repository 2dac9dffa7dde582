// The auto-promotion: its networks in order, each switched on or off, and the services of the one that is chosen.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem, type Problem } from '@/api/problem';
import { confirmation, percent as share } from '@/form/codecs';
import { fractionToPercent } from '@/form/decimal';
import { FormDialog } from '@/form/FormDialog';
import { SortDialog } from '@/form/SortDialog';
import { defineForm } from '@/form/spec';
import { useSubmit } from '@/form/useSubmit';
import { formatNumber, formatPercent } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { Card, SmallTable } from '@/ui/Card';
import { Notice, ProblemBar } from '@/ui/Notice';
import { SortableList } from '@/ui/SortableList';
import { AddServices } from './AddServices';
import { OfferTabs } from './tabs';

type Service = Schemas['PromotedService'];

type Kind = Schemas['PromotedType'];
/** A level whose margin is edited. */
type Level = { level: 'networks' | 'service-types'; id: number; name: string; margin: string | null };
type Open = 'add' | 'sort' | 'sortTypes' | { sortOf: Kind } | Level | Service;

const KEY = 'auto-promotion';
const PATH = '/api/v1/admin/auto-promotions';

/** Changes services that are in it; only what is said. */
const put = (body: Schemas['PromotedServicesInput']) => unwrap(api.POST(`${PATH}/services`, { body }));

/** Changes the terms of a network or a service type. */
const patch = (level: Level['level'], id: number, body: Schemas['PromotedLevelInput']) =>
  unwrap(api.PATCH(`${PATH}/${level}/{id}`, { params: { path: { id } }, body }));

/** The margin of a level or of a service. */
const MARGIN = defineForm<Schemas['PromotedLevelInput']>()({
  resale_margin_percent: share,
  confirm_below_margin: confirmation,
});

const levelOf = (
  level: Level['level'],
  { id, name, resale_margin_percent }: { id: number; name: string; resale_margin_percent?: string | null },
): Level => ({ level, id, name, margin: resale_margin_percent ?? null });

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
                  <Act
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
                  </Act>
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
              <Types types={types.data ?? []} onEdit={setOpen} onProblem={setProblem} />
            </Card>
            <Card title={network.name}>
              <Services services={services.data ?? []} onEdit={setOpen} onProblem={setProblem} />
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

interface ActProps {
  call: () => Promise<unknown>;
  /** Gets a refusal, and null once a call is done. */
  onProblem: (problem: Problem | null) => void;
  children: (press: () => void) => ReactNode;
}

/** A control that sends at a press; each sends for itself, so that the next one can be pressed meanwhile. */
function Act({ call, onProblem, children }: ActProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const reload = () => queries.invalidateQueries({ queryKey: [KEY] });
  const { submit } = useSubmit({
    send: call,
    success: t('ui.saved'),
    onDone: () => {
      onProblem(null);
      void reload();
    },
    onProblem: (problem) => {
      onProblem(problem);
      void reload();
    },
  });
  return children(() => void submit());
}

interface Terms<Row> {
  nameOf: (row: Row) => string;
  onEdit: (row: Row) => void;
  offer: (row: Row) => Promise<unknown>;
  onProblem: (problem: Problem | null) => void;
}

/** The margin and the switch that types and services alike have. */
function useTermColumns<Row extends { resale_margin_percent?: string | null; is_enabled: boolean }>(terms: Terms<Row>) {
  const { t } = useTranslation();
  const { nameOf, onEdit, offer, onProblem } = terms;
  return [
    {
      title: t('promotion.margin'),
      align: 'end' as const,
      cell: (row: Row) => (
        <Button
          variant="plain"
          label={
            row.resale_margin_percent
              ? formatPercent(fractionToPercent(row.resale_margin_percent))
              : t('promotion.usual')
          }
          aria-label={t('promotion.marginOf', { name: nameOf(row) })}
          onClick={() => onEdit(row)}
        />
      ),
    },
    {
      title: t('promotion.offered'),
      cell: (row: Row) => (
        <Act call={() => offer(row)} onProblem={onProblem}>
          {(press) => (
            <input
              type="checkbox"
              aria-label={t('promotion.offer', { name: nameOf(row) })}
              checked={row.is_enabled}
              onChange={press}
            />
          )}
        </Act>
      ),
    },
  ];
}

interface TypesProps {
  types: readonly Kind[];
  onEdit: (open: Open) => void;
  onProblem: (problem: Problem | null) => void;
}

function Types({ types, onEdit, onProblem }: TypesProps) {
  const { t } = useTranslation();
  return (
    <SmallTable
      label={t('promotion.types')}
      rows={types}
      rowKey={(row) => row.id}
      empty={t('table.nothingYet')}
      columns={[
        { title: t('promotion.type'), cell: (row) => row.name },
        {
          title: t('promotion.services'),
          align: 'end',
          cell: (row) => `${formatNumber(row.enabled_services_count)} / ${formatNumber(row.services_count)}`,
        },
        ...useTermColumns<Kind>({
          nameOf: (row) => row.name,
          onEdit: (row) => onEdit(levelOf('service-types', row)),
          offer: (row) => patch('service-types', row.id, { is_enabled: !row.is_enabled }),
          onProblem,
        }),
        {
          title: '',
          align: 'end',
          cell: (row) =>
            row.services_count > 1 && (
              <Button
                variant="plain"
                iconOnly
                icon="sort-alt"
                label={t('promotion.sortServices', { name: row.name })}
                onClick={() => onEdit({ sortOf: row })}
              />
            ),
        },
      ]}
    />
  );
}

interface ServicesProps {
  services: readonly Service[];
  onEdit: (service: Service) => void;
  onProblem: (problem: Problem | null) => void;
}

function Services({ services, onEdit, onProblem }: ServicesProps) {
  const { t } = useTranslation();
  return (
    <SmallTable
      label={t('promotion.services')}
      rows={services}
      rowKey={(row) => row.id}
      empty={t('table.nothingYet')}
      columns={[
        { title: t('promotion.service'), cell: (row) => row.service.name },
        { title: t('promotion.type'), cell: (row) => row.service_type.name },
        ...useTermColumns<Service>({
          nameOf: (row) => row.service.name,
          onEdit,
          offer: (row) => put({ services: [row.service.id], is_enabled: !row.is_enabled }),
          onProblem,
        }),
        {
          title: '',
          align: 'end',
          cell: (row) => (
            <Act
              call={() => unwrap(api.DELETE(`${PATH}/{id}`, { params: { path: { id: row.id } } }))}
              onProblem={onProblem}
            >
              {(press) => (
                <Button
                  variant="plain"
                  iconOnly
                  icon="times"
                  label={t('promotion.remove', { name: row.service.name })}
                  onClick={press}
                />
              )}
            </Act>
          ),
        },
      ]}
    />
  );
}
