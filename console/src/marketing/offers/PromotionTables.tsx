// The tables of service types and services of the auto-promotion, with margin, switch and removal in each row.
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import type { Problem } from '@/api/problem';
import { fractionToPercent } from '@/form/decimal';
import { useSubmit } from '@/form/useSubmit';
import { formatNumber, formatPercent } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { SmallTable } from '@/ui/Card';
import { KEY, type Kind, levelOf, type Open, PATH, patch, put, type Service } from './autoPromotionCalls';

interface InstantActionProps {
  call: () => Promise<unknown>;
  /** Gets the problem of a failed call, and null after a call succeeded. */
  onProblem: (problem: Problem | null) => void;
  children: (press: () => void) => ReactNode;
}

/** A control that sends when it is pressed. Each one sends by itself, so that the next can be pressed meanwhile. */
export function InstantAction({ call, onProblem, children }: InstantActionProps) {
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

interface MarginColumns<Row> {
  nameOf: (row: Row) => string;
  onEdit: (row: Row) => void;
  offer: (row: Row) => Promise<unknown>;
  onProblem: (problem: Problem | null) => void;
}

/** The columns for margin and switch, which service types and services share. */
function useMarginColumns<Row extends { resale_margin_percent?: string | null; is_enabled: boolean }>(
  options: MarginColumns<Row>,
) {
  const { t } = useTranslation();
  const { nameOf, onEdit, offer, onProblem } = options;
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
        <InstantAction call={() => offer(row)} onProblem={onProblem}>
          {(press) => (
            <input
              type="checkbox"
              aria-label={t('promotion.offer', { name: nameOf(row) })}
              checked={row.is_enabled}
              onChange={press}
            />
          )}
        </InstantAction>
      ),
    },
  ];
}

interface PromotedTypesProps {
  types: readonly Kind[];
  onEdit: (open: Open) => void;
  onProblem: (problem: Problem | null) => void;
}

export function PromotedTypes({ types, onEdit, onProblem }: PromotedTypesProps) {
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
        ...useMarginColumns<Kind>({
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

interface PromotedServicesProps {
  services: readonly Service[];
  onEdit: (service: Service) => void;
  onProblem: (problem: Problem | null) => void;
}

export function PromotedServices({ services, onEdit, onProblem }: PromotedServicesProps) {
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
        ...useMarginColumns<Service>({
          nameOf: (row) => row.service.name,
          onEdit,
          offer: (row) => put({ services: [row.service.id], is_enabled: !row.is_enabled }),
          onProblem,
        }),
        {
          title: '',
          align: 'end',
          cell: (row) => (
            <InstantAction
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
            </InstantAction>
          ),
        },
      ]}
    />
  );
}
