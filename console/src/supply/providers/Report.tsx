// The report of durations, failures, margins and open orders by provider, service or external panel.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useSearch } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { SupplyReportGrouping } from '@/api/enums';
import { asProblem } from '@/api/problem';
import { formatMinutes, formatMoney, formatNumber, formatPercent } from '@/i18n/format';
import { getLocale } from '@/i18n/locales';
import { Card } from '@/ui/Card';
import { DateTime } from '@/ui/DateTime';
import { ProblemBar } from '@/ui/Notice';
import { PeriodChart } from '@/ui/PeriodChart';
import { Select } from '@/ui/Select';
import { SimpleTable } from '@/ui/SimpleTable';
import { StatusTag } from '@/ui/StatusTag';
import { ProviderTabs } from './Tabs';

type ReportRow = Schemas['SupplyReportRow'];

const PERIODS_DAYS = [7, 30, 90] as const;
/** The user cannot read a chart with more bars. */
const MAX_BARS = 15;

/** Returns the grouping and the period of the report from the URL, and a function that changes them. */
function useReportQuery() {
  const [, navigate] = useLocation();
  const parameters = new URLSearchParams(useSearch());
  const grouping = SupplyReportGrouping.find((value) => value === parameters.get('by')) ?? 'provider';
  const days = PERIODS_DAYS.find((days) => String(days) === parameters.get('days')) ?? 30;
  const updateQuery = (change: { by?: string | null; days?: number | null }) => {
    const newQuery = { by: grouping, days, ...change };
    navigate(`/providers/report?by=${newQuery.by ?? 'provider'}&days=${newQuery.days ?? 30}`, { replace: true });
  };
  return { grouping, days, updateQuery };
}

export default function Report() {
  const { t } = useTranslation();
  const { grouping, days, updateQuery } = useReportQuery();
  const query = useQuery({
    queryKey: ['providers', 'report', grouping, days],
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/admin/providers/report', { params: { query: { by: grouping, days } } }))).data,
  });
  const rows = query.data ?? [];
  return (
    <div className="with-tabs">
      <ProviderTabs currentTab="report" />
      <div className="record">
        <h1 tabIndex={-1}>{t('providers.report.title')}</h1>
        <div className="record-actions">
          <Select
            label={t('providers.report.groupBy')}
            value={grouping}
            options={SupplyReportGrouping.map((value) => ({ value, label: t(`providers.report.groups.${value}`) }))}
            onChange={(by) => updateQuery({ by })}
          />
          <Select
            label={t('providers.report.period')}
            value={days}
            options={PERIODS_DAYS.map((value) => ({ value, label: t('providers.report.lastDays', { days: value }) }))}
            onChange={(days) => updateQuery({ days })}
          />
        </div>
        {query.error && <ProblemBar problem={asProblem(query.error)} onRetry={() => void query.refetch()} />}
        {query.data === undefined && !query.error && <p className="loading">{t('ui.loading')}</p>}
        {query.data && (
          <>
            <FailureChart rows={rows} />
            <Card title={t(`providers.report.groups.${grouping}`)}>
              <ReportTable rows={rows} hasExternalPanelColumns={grouping === 'panel'} />
              <p className="muted">{t('providers.report.hint')}</p>
            </Card>
          </>
        )}
      </div>
    </div>
  );
}

const countEndedAttempts = (row: ReportRow) => row.completed + row.partial + row.failed;

/** Shows a bar chart with the percentage of failed attempts, for the rows with the most attempts. */
function FailureChart({ rows }: { rows: readonly ReportRow[] }) {
  const { t } = useTranslation();
  const busiestRows = rows
    .filter((row) => countEndedAttempts(row) > 0)
    .toSorted((a, b) => countEndedAttempts(b) - countEndedAttempts(a))
    .slice(0, MAX_BARS);
  if (busiestRows.length === 0) return null;
  const label = t('providers.report.failedPercent');
  return (
    <Card title={t('providers.report.failureChart')}>
      <PeriodChart
        label={t('providers.report.failureChart')}
        xLabels={busiestRows.map((row) => row.name)}
        barSeries={{ label, values: busiestRows.map((row) => Number(row.error_share_percent ?? 0)) }}
      />
    </Card>
  );
}

function ReportTable({
  rows,
  hasExternalPanelColumns,
}: {
  rows: readonly ReportRow[];
  hasExternalPanelColumns: boolean;
}) {
  const { t, i18n } = useTranslation();
  const { tag } = getLocale(i18n.language);
  const formatOptionalPercent = (value: string | null | undefined) => (value ? formatPercent(value) : '–');
  return (
    <SimpleTable
      label={t('providers.report.title')}
      rows={rows}
      getRowKey={(row) => row.id}
      emptyText={t('providers.report.noAttempts')}
      columns={[
        { title: t('providers.columns.name'), renderCell: (row) => row.name },
        { title: t('providers.columns.status'), renderCell: (row) => row.status && <StatusTag status={row.status} /> },
        { title: t('providers.report.openOrders'), align: 'end', renderCell: (row) => formatNumber(row.open) },
        { title: t('providers.report.oldestOpen'), renderCell: (row) => <OldestOpenOrder row={row} /> },
        { title: t('providers.report.completed'), align: 'end', renderCell: (row) => formatNumber(row.completed) },
        { title: t('providers.report.partial'), align: 'end', renderCell: (row) => formatNumber(row.partial) },
        {
          title: t('providers.report.failedPercent'),
          align: 'end',
          renderCell: (row) => formatOptionalPercent(row.error_share_percent),
        },
        {
          title: t('providers.report.averageDuration'),
          align: 'end',
          renderCell: (row) => (typeof row.mean_minutes === 'number' ? formatMinutes(row.mean_minutes, tag) : '–'),
        },
        { title: t('providers.report.revenue'), align: 'end', renderCell: (row) => formatMoney(row.revenue) },
        { title: t('providers.report.cost'), align: 'end', renderCell: (row) => formatMoney(row.cost) },
        {
          title: t('providers.report.margin'),
          align: 'end',
          renderCell: (row) => formatOptionalPercent(row.margin_percent),
        },
        ...(hasExternalPanelColumns
          ? createExternalPanelColumns(t('providers.report.balance'), t('providers.report.lastResponse'))
          : []),
      ]}
    />
  );
}

const createExternalPanelColumns = (balanceTitle: string, lastResponseTitle: string) => [
  {
    title: balanceTitle,
    align: 'end' as const,
    renderCell: (row: ReportRow) => (row.balance ? `${row.balance} ${row.currency ?? ''}` : '–'),
  },
  {
    title: lastResponseTitle,
    renderCell: (row: ReportRow) => (
      <span title={row.last_error ?? undefined}>{<DateTime time={row.last_ok_at} />}</span>
    ),
  },
];

function OldestOpenOrder({ row }: { row: ReportRow }) {
  if (!row.oldest_open_order_id) return <>–</>;
  return (
    <>
      <Link href={`/orders/${row.oldest_open_order_id}`} className="in-text">
        {row.oldest_open_order_id}
      </Link>{' '}
      <small>
        <DateTime time={row.oldest_open_at} />
      </small>
    </>
  );
}
