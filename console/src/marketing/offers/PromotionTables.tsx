// The tables of the auto-promotion's service types and services. In each row staff can change the margin and enable or disable
// the service type or service. A service can also be removed.
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
import {
  AUTO_PROMOTIONS_PATH,
  type PromotedService,
  type PromotedType,
  type PromotionDialog,
  QUERY_KEY,
  updateLevel,
  updatePromotedServices,
} from './autoPromotionCalls';

interface InstantActionProps {
  send: () => Promise<unknown>;
  /** Called with the problem after a failed request, and with null after a successful request. */
  onProblem: (problem: Problem | null) => void;
  /** Renders the control, which calls `submit` on a click. */
  children: (submit: () => void) => ReactNode;
}

/**
 * A control that sends its request on a click, without a form. Each control has its own request state, so that the user can click
 * another control while a request runs.
 */
export function InstantAction({ send, onProblem, children }: InstantActionProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const reload = () => queries.invalidateQueries({ queryKey: [QUERY_KEY] });
  const { submit } = useSubmit({
    send,
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

interface MarginColumnsOptions<Row> {
  getName: (row: Row) => string;
  onEditMargin: (row: Row) => void;
  /** Enables a disabled row, or disables an enabled row. */
  toggle: (row: Row) => Promise<unknown>;
  onProblem: (problem: Problem | null) => void;
}

/** The columns with the margin and the enabled state, which both tables have. */
function useMarginColumns<Row extends { resale_margin_fraction?: string | null; is_enabled: boolean }>(
  options: MarginColumnsOptions<Row>,
) {
  const { t } = useTranslation();
  const { getName, onEditMargin, toggle, onProblem } = options;
  return [
    {
      title: t('promotion.margin'),
      align: 'end' as const,
      cell: (row: Row) => (
        <Button
          variant="plain"
          label={
            row.resale_margin_fraction
              ? formatPercent(fractionToPercent(row.resale_margin_fraction))
              : t('promotion.defaultMargin')
          }
          aria-label={t('promotion.marginOf', { name: getName(row) })}
          onClick={() => onEditMargin(row)}
        />
      ),
    },
    {
      title: t('promotion.isOffered'),
      cell: (row: Row) => (
        <InstantAction send={() => toggle(row)} onProblem={onProblem}>
          {(submit) => (
            <input
              type="checkbox"
              aria-label={t('promotion.offerNamed', { name: getName(row) })}
              checked={row.is_enabled}
              onChange={submit}
            />
          )}
        </InstantAction>
      ),
    },
  ];
}

interface PromotedTypesTableProps {
  types: readonly PromotedType[];
  onOpenDialog: (dialog: PromotionDialog) => void;
  onProblem: (problem: Problem | null) => void;
}

export function PromotedTypesTable({ types, onOpenDialog, onProblem }: PromotedTypesTableProps) {
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
        ...useMarginColumns<PromotedType>({
          getName: (row) => row.name,
          onEditMargin: (row) => onOpenDialog({ kind: 'levelMargin', margin: { level: 'service-types', ...row } }),
          toggle: (row) => updateLevel('service-types', row.id, { is_enabled: !row.is_enabled }),
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
                onClick={() => onOpenDialog({ kind: 'sortServices', type: row })}
              />
            ),
        },
      ]}
    />
  );
}

interface PromotedServicesTableProps {
  services: readonly PromotedService[];
  onOpenDialog: (dialog: PromotionDialog) => void;
  onProblem: (problem: Problem | null) => void;
}

export function PromotedServicesTable({ services, onOpenDialog, onProblem }: PromotedServicesTableProps) {
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
        ...useMarginColumns<PromotedService>({
          getName: (row) => row.service.name,
          onEditMargin: (row) => onOpenDialog({ kind: 'serviceMargin', promotedService: row }),
          toggle: (row) => updatePromotedServices({ services: [row.service.id], is_enabled: !row.is_enabled }),
          onProblem,
        }),
        {
          title: '',
          align: 'end',
          cell: (row) => (
            <InstantAction
              send={() => unwrap(api.DELETE(`${AUTO_PROMOTIONS_PATH}/{id}`, { params: { path: { id: row.id } } }))}
              onProblem={onProblem}
            >
              {(submit) => (
                <Button
                  variant="plain"
                  iconOnly
                  icon="times"
                  label={t('promotion.remove', { name: row.service.name })}
                  onClick={submit}
                />
              )}
            </InstantAction>
          ),
        },
      ]}
    />
  );
}
