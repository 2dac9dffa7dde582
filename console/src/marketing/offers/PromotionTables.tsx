// The tables with the service types and the services of the auto-promotion. In each row, staff can change the margin, and enable or
// disable the service type or service. Staff can also remove a service.
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import type { Problem } from '@/api/problem';
import { fractionToPercent } from '@/form/decimal';
import { useSubmit } from '@/form/useSubmit';
import { formatNumber, formatPercent } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { SimpleTable } from '@/ui/SimpleTable';
import {
  AUTO_PROMOTION_QUERY_KEY,
  AUTO_PROMOTIONS_PATH,
  type PromotedService,
  type PromotedType,
  type PromotionDialog,
  updateLevel,
  updatePromotedServices,
} from './autoPromotionRequests';

interface InstantActionProps {
  send: () => Promise<unknown>;
  /** Receives the problem after a failed request, and null after a successful request. */
  onProblem: (problem: Problem | null) => void;
  /** Renders the control. The control calls `submit` on a click. */
  children: (submit: () => void) => ReactNode;
}

/**
 * Sends a request when the user clicks a control, without a form. Each control has its own request state, so that the user can click
 * another control while a request is running.
 */
export function InstantAction({ send, onProblem, children }: InstantActionProps) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const refetch = () => queryClient.invalidateQueries({ queryKey: [AUTO_PROMOTION_QUERY_KEY] });
  const { submit } = useSubmit({
    send,
    successMessage: t('ui.saved'),
    onDone: () => {
      onProblem(null);
      void refetch();
    },
    onProblem: (problem) => {
      onProblem(problem);
      void refetch();
    },
  });
  return children(() => void submit());
}

interface MarginColumnsOptions<Row> {
  getName: (row: Row) => string;
  onEditMargin: (row: Row) => void;
  /** Enables a disabled row, or disables an enabled row. */
  toggleEnabled: (row: Row) => Promise<unknown>;
  onProblem: (problem: Problem | null) => void;
}

/** Returns the columns that both tables have: the margin and the enabled state. */
function useMarginColumns<Row extends { resale_margin_fraction?: string | null; is_enabled: boolean }>(
  options: MarginColumnsOptions<Row>,
) {
  const { t } = useTranslation();
  const { getName, onEditMargin, toggleEnabled, onProblem } = options;
  return [
    {
      title: t('promotion.margin'),
      align: 'end' as const,
      renderCell: (row: Row) => (
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
      renderCell: (row: Row) => (
        <InstantAction send={() => toggleEnabled(row)} onProblem={onProblem}>
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
    <SimpleTable
      label={t('promotion.types')}
      rows={types}
      getRowKey={(row) => row.id}
      emptyText={t('table.noData')}
      columns={[
        { title: t('promotion.type'), renderCell: (row) => row.name },
        {
          title: t('promotion.services'),
          align: 'end',
          renderCell: (row) => `${formatNumber(row.enabled_services_count)} / ${formatNumber(row.services_count)}`,
        },
        ...useMarginColumns<PromotedType>({
          getName: (row) => row.name,
          onEditMargin: (row) => onOpenDialog({ kind: 'levelMargin', margin: { level: 'service-types', ...row } }),
          toggleEnabled: (row) => updateLevel('service-types', row.id, { is_enabled: !row.is_enabled }),
          onProblem,
        }),
        {
          title: '',
          align: 'end',
          renderCell: (row) =>
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
    <SimpleTable
      label={t('promotion.services')}
      rows={services}
      getRowKey={(row) => row.id}
      emptyText={t('table.noData')}
      columns={[
        { title: t('promotion.service'), renderCell: (row) => row.service.name },
        { title: t('promotion.type'), renderCell: (row) => row.service_type.name },
        ...useMarginColumns<PromotedService>({
          getName: (row) => row.service.name,
          onEditMargin: (row) => onOpenDialog({ kind: 'serviceMargin', promotedService: row }),
          toggleEnabled: (row) => updatePromotedServices({ services: [row.service.id], is_enabled: !row.is_enabled }),
          onProblem,
        }),
        {
          title: '',
          align: 'end',
          renderCell: (row) => (
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
