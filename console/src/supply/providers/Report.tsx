// How well providers, services and panels do: speed, failures, margin, and what is open now.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useSearch } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { ReportBy } from '@/api/words';
import { formatMinutes, formatMoney, formatNumber, formatPercent } from '@/i18n/format';
import { localeOf } from '@/i18n/locales';
import { Card, SmallTable } from '@/ui/Card';
import { DateTime } from '@/ui/DateTime';
import { ProblemBar } from '@/ui/Notice';
import { PeriodChart } from '@/ui/PeriodChart';
import { Select } from '@/ui/Select';
import { StatusTag } from '@/ui/StatusTag';
import { ProviderTabs } from './Tabs';

type Row = Schemas['ReportRow'];

const DAYS = [7, 30, 90] as const;
/** Bars that can be told apart. */
const MOST_BARS = 15;

/** What is looked at stands in the address. */
function useChosen() {
  const [, navigate] = useLocation();
  const asked = new URLSearchParams(useSearch());
  const by = ReportBy.find((word) => word === asked.get('by')) ?? 'provider';
  const days = DAYS.find((days) => String(days) === asked.get('days')) ?? 30;
  const choose = (change: { by?: string | null; days?: number | null }) => {
    const next = { by, days, ...change };
    navigate(`/providers/report?by=${next.by ?? 'provider'}&days=${next.days ?? 30}`, { replace: true });
  };
  return { by, days, choose };
}

export default function Report() {
  const { t } = useTranslation();
  const { by, days, choose } = useChosen();
  const query = useQuery({
    queryKey: ['providers', 'report', by, days],
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/admin/providers/report', { params: { query: { by, days } } }))).data,
  });
  const rows = query.data ?? [];
  return (
    <div className="with-tabs">
      <ProviderTabs now="report" />
      <div className="record">
        <h1 tabIndex={-1}>{t('providers.report.title')}</h1>
        <div className="record-actions">
          <Select
            label={t('providers.report.by')}
            value={by}
            options={ReportBy.map((value) => ({ value, label: t(`providers.report.of.${value}`) }))}
            onChange={(by) => choose({ by })}
          />
          <Select
            label={t('providers.report.days')}
            value={days}
            options={DAYS.map((value) => ({ value, label: t('providers.report.lastDays', { days: value }) }))}
            onChange={(days) => choose({ days })}
          />
        </div>
        {query.error && <ProblemBar problem={asProblem(query.error)} onRetry={() => void query.refetch()} />}
        {query.data === undefined && !query.error && <p className="loading">{t('ui.loading')}</p>}
        {query.data && (
          <>
            <Failures rows={rows} />
            <Card title={t(`providers.report.of.${by}`)}>
              <Table rows={rows} isOfPanels={by === 'panel'} />
              <p className="muted">{t('providers.report.hint')}</p>
            </Card>
          </>
        )}
      </div>
    </div>
  );
}

const attempts = (row: Row) => row.completed + row.partial + row.failed;

/** The share of failures of those that were asked most. */
function Failures({ rows }: { rows: readonly Row[] }) {
  const { t } = useTranslation();
  const most = rows
    .filter((row) => attempts(row) > 0)
    .toSorted((one, other) => attempts(other) - attempts(one))
    .slice(0, MOST_BARS);
  if (most.length === 0) return null;
  const label = t('providers.report.failed');
  return (
    <Card title={t('providers.report.chart')}>
      <PeriodChart
        label={t('providers.report.chart')}
        dates={most.map((row) => row.name)}
        bars={{ label, values: most.map((row) => Number(row.error_share_percent ?? 0)) }}
      />
    </Card>
  );
}

function Table({ rows, isOfPanels }: { rows: readonly Row[]; isOfPanels: boolean }) {
  const { t, i18n } = useTranslation();
  const { tag } = localeOf(i18n.language);
  const share = (value: string | null | undefined) => (value ? formatPercent(value) : '–');
  return (
    <SmallTable
      label={t('providers.report.title')}
      rows={rows}
      rowKey={(row) => row.id}
      empty={t('providers.report.none')}
      columns={[
        { title: t('providers.columns.name'), cell: (row) => row.name },
        { title: t('providers.columns.status'), cell: (row) => row.status && <StatusTag status={row.status} /> },
        { title: t('providers.report.open'), align: 'end', cell: (row) => formatNumber(row.open) },
        { title: t('providers.report.oldest'), cell: (row) => <Oldest row={row} /> },
        { title: t('providers.report.done'), align: 'end', cell: (row) => formatNumber(row.completed) },
        { title: t('providers.report.partial'), align: 'end', cell: (row) => formatNumber(row.partial) },
        { title: t('providers.report.failed'), align: 'end', cell: (row) => share(row.error_share_percent) },
        {
          title: t('providers.report.takes'),
          align: 'end',
          cell: (row) => (typeof row.mean_minutes === 'number' ? formatMinutes(row.mean_minutes, tag) : '–'),
        },
        { title: t('providers.report.revenue'), align: 'end', cell: (row) => formatMoney(row.revenue) },
        { title: t('providers.report.cost'), align: 'end', cell: (row) => formatMoney(row.cost) },
        { title: t('providers.report.margin'), align: 'end', cell: (row) => share(row.margin_percent) },
        ...(isOfPanels ? PANEL_COLUMNS(t('providers.report.balance'), t('providers.report.lastAnswer')) : []),
      ]}
    />
  );
}

const PANEL_COLUMNS = (balance: string, answered: string) => [
  {
    title: balance,
    align: 'end' as const,
    cell: (row: Row) => (row.balance ? `${row.balance} ${row.currency ?? ''}` : '–'),
  },
  {
    title: answered,
    cell: (row: Row) => <span title={row.last_error ?? undefined}>{<DateTime at={row.last_ok_at} />}</span>,
  },
];

function Oldest({ row }: { row: Row }) {
  if (!row.oldest_open_order_id) return <>–</>;
  return (
    <>
      <Link href={`/orders/${row.oldest_open_order_id}`} className="in-text">
        {row.oldest_open_order_id}
      </Link>{' '}
      <small>
        <DateTime at={row.oldest_open_at} />
      </small>
    </>
  );
}
