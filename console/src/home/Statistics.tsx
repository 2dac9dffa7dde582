// A card with the orders and the revenue per day, week or month, as a chart and as a table.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { addAmounts } from '@/form/decimal';
import { getBarProblem, isWithinFields } from '@/form/problems';
import { formatMoney, formatNumber } from '@/i18n/format';
import { parseDayRange, TimeFilter } from '@/table/TimeFilter';
import { Card } from '@/ui/Card';
import { ProblemBar } from '@/ui/Notice';
import { PeriodChart } from '@/ui/PeriodChart';
import { SegmentedControl } from '@/ui/SegmentedControl';
import { SimpleTable } from '@/ui/SimpleTable';

const GROUPINGS = ['day', 'week', 'month'] as const;
/** The default length of the period in days, for each grouping. */
const DEFAULT_DAYS = { day: 30, week: 182, month: 365 } as const;
const DAY_MS = 86_400_000;

type StatisticsRow = Schemas['StatisticsRow'];

const TOTAL_FORMATTERS = [
  ['orders', (rows: readonly StatisticsRow[]) => formatNumber(rows.reduce((sum, row) => sum + row.orders, 0))],
  ['quantity', (rows: readonly StatisticsRow[]) => formatNumber(rows.reduce((sum, row) => sum + row.quantity, 0))],
  [
    'providerCost',
    (rows: readonly StatisticsRow[]) => formatMoney(rows.map((row) => row.provider_cost).reduce(addAmounts, '0')),
  ],
  ['revenue', (rows: readonly StatisticsRow[]) => formatMoney(rows.map((row) => row.revenue).reduce(addAmounts, '0'))],
] as const;

interface Props {
  /** Title of the card; "Orders and revenue" by default. */
  title?: string;
  /** Restricts the statistics to these orders. */
  orders?: readonly number[];
  initialGrouping?: (typeof GROUPINGS)[number];
}

export default function Statistics({ title, orders, initialGrouping = 'day' }: Props) {
  const { t } = useTranslation();
  const [groupBy, setGroupBy] = useState(initialGrouping);
  // A range of days as `from..to`, or an empty string for the default period.
  const [period, setPeriod] = useState('');
  const [startDay = '', endDay = ''] = parseDayRange(period);
  const query = useQuery({
    queryKey: ['orders', 'statistics', groupBy, period, orders],
    queryFn: async () => {
      const endTimeMs = endDay ? Date.parse(endDay) : Date.now();
      const startDate = startDay || new Date(endTimeMs - DEFAULT_DAYS[groupBy] * DAY_MS).toISOString().slice(0, 10);
      const parameters = {
        groupBy,
        startDate,
        ...(endDay ? { endDate: endDay } : {}),
        ...(orders ? { orders: orders.join(',') } : {}),
      };
      return (await unwrap(api.GET('/api/v1/admin/orders/statistics', { params: { query: parameters } }))).data;
    },
    // Shows the numbers of the previous period while the new ones are loading, but never the numbers of other orders.
    placeholderData: (previous, query) => (String(query?.queryKey[4]) === String(orders) ? previous : undefined),
  });
  const problem = query.error && asProblem(query.error);
  const dateErrors = ['startDate', 'endDate'].flatMap((field) => problem?.fields[field] ?? []);
  const barProblem = getBarProblem(problem, isWithinFields(['startDate', 'endDate']));
  const cardTitle = title ?? t('home.statistics');
  const rows = query.data ?? [];
  return (
    <Card
      title={cardTitle}
      headerActions={
        <>
          <TimeFilter label={t('home.period')} value={period} onChange={setPeriod} errors={dateErrors} />
          <SegmentedControl
            label={t('home.groupBy')}
            value={groupBy}
            options={GROUPINGS.map((grouping) => ({ value: grouping, label: t(`home.${grouping}`) }))}
            onChange={setGroupBy}
          />
        </>
      }
    >
      {barProblem && <ProblemBar problem={barProblem} onRetry={() => void query.refetch()} />}
      <PeriodChart
        label={cardTitle}
        xLabels={rows.map((row) => row.date)}
        lineSeries={{ label: t('home.revenue'), values: rows.map((row) => Number(row.revenue)) }}
        barSeries={{ label: t('home.orders'), values: rows.map((row) => row.orders) }}
      />
      <dl className="totals" aria-busy={query.isFetching || undefined} aria-label={t('referrals.totals')}>
        {TOTAL_FORMATTERS.map(([name, formatTotal]) => (
          <div key={name} className="card">
            <dt>{t(`home.${name}`)}</dt>
            <dd>{query.data ? formatTotal(rows) : '–'}</dd>
          </div>
        ))}
      </dl>
      <details hidden={!query.data}>
        <summary>{t('home.showAsTable')}</summary>
        <SimpleTable
          label={cardTitle}
          rows={[...rows].reverse()}
          getRowKey={(row) => row.date}
          emptyText={t('table.noData')}
          columns={[
            { title: t('home.date'), renderCell: (row) => row.date },
            { title: t('home.orders'), align: 'end', renderCell: (row) => formatNumber(row.orders) },
            { title: t('home.quantity'), align: 'end', renderCell: (row) => formatNumber(row.quantity) },
            { title: t('status.completed'), align: 'end', renderCell: (row) => formatNumber(row.completed) },
            { title: t('status.canceled'), align: 'end', renderCell: (row) => formatNumber(row.canceled) },
            { title: t('home.cost'), align: 'end', renderCell: (row) => formatMoney(row.cost) },
            { title: t('home.refunded'), align: 'end', renderCell: (row) => formatMoney(row.refunded) },
            { title: t('home.providerCost'), align: 'end', renderCell: (row) => formatMoney(row.provider_cost) },
            { title: t('home.revenue'), align: 'end', renderCell: (row) => formatMoney(row.revenue) },
          ]}
        />
      </details>
    </Card>
  );
}
