// Orders and money per day, week or month, as bars and lines, and as the same numbers in a table.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { add } from '@/form/decimal';
import { beside, isAt } from '@/form/problems';
import { count, money } from '@/i18n/format';
import { ends, TimeFilter } from '@/table/TimeFilter';
import { Panel, SmallTable } from '@/ui/Facts';
import { ProblemBar } from '@/ui/Notice';
import { PeriodChart } from '@/ui/PeriodChart';
import { Switch } from '@/ui/Switch';

const WIDTHS = ['day', 'week', 'month'] as const;
/** How many days each width looks back. */
const DAYS = { day: 30, week: 182, month: 365 } as const;
const DAY_MS = 86_400_000;

type Row = Schemas['StatisticsRow'];

/** What the period came to, beside the chart. */
const TOTALS = [
  ['orders', (rows: readonly Row[]) => count(rows.reduce((all, row) => all + row.orders, 0))],
  ['quantity', (rows: readonly Row[]) => count(rows.reduce((all, row) => all + row.quantity, 0))],
  ['providerCost', (rows: readonly Row[]) => money(rows.map((row) => row.provider_cost).reduce(add, '0'))],
  ['revenue', (rows: readonly Row[]) => money(rows.map((row) => row.revenue).reduce(add, '0'))],
] as const;

interface Props {
  /** What they are numbers of; all orders when absent. */
  title?: string;
  /** Only these orders. */
  orders?: readonly number[];
  start?: (typeof WIDTHS)[number];
}

export default function Statistics({ title, orders, start = 'day' }: Props) {
  const { t } = useTranslation();
  const [groupBy, setGroupBy] = useState(start);
  // Days as `from..to`; empty for what the width looks back.
  const [period, setPeriod] = useState('');
  const [from = '', to = ''] = ends(period);
  const query = useQuery({
    queryKey: ['orders', 'statistics', groupBy, period, orders],
    queryFn: async () => {
      const last = to ? Date.parse(to) : Date.now();
      const startDate = from || new Date(last - DAYS[groupBy] * DAY_MS).toISOString().slice(0, 10);
      const asked = {
        groupBy,
        startDate,
        ...(to ? { endDate: to } : {}),
        ...(orders ? { orders: orders.join(',') } : {}),
      };
      return (await unwrap(api.GET('/api/v1/admin/orders/statistics', { params: { query: asked } }))).data;
    },
    // Numbers of the period before stay until the next ones are there; those of other orders do not.
    placeholderData: (before, query) => (String(query?.queryKey[4]) === String(orders) ? before : undefined),
  });
  const problem = query.error && asProblem(query.error);
  const wrongDates = ['startDate', 'endDate'].flatMap((field) => problem?.fields[field] ?? []);
  const rest = beside(problem, isAt(['startDate', 'endDate']));
  const name = title ?? t('home.statistics');
  const rows = query.data ?? [];
  return (
    <Panel
      title={name}
      aside={
        <>
          <TimeFilter label={t('home.period')} value={period} onChange={setPeriod} errors={wrongDates} />
          <Switch
            label={t('home.groupBy')}
            value={groupBy}
            options={WIDTHS.map((width) => ({ value: width, label: t(`home.${width}`) }))}
            onChange={setGroupBy}
          />
        </>
      }
    >
      {rest && <ProblemBar problem={rest} onRetry={() => void query.refetch()} />}
      <PeriodChart
        label={name}
        dates={rows.map((row) => row.date)}
        line={{ label: t('home.revenue'), values: rows.map((row) => Number(row.revenue)) }}
        bars={{ label: t('home.orders'), values: rows.map((row) => row.orders) }}
      />
      <dl className="totals" aria-busy={query.isFetching || undefined} aria-label={t('referrals.totals')}>
        {TOTALS.map(([label, sum]) => (
          <div key={label} className="card">
            <dt>{t(`home.${label}`)}</dt>
            <dd>{query.data ? sum(rows) : '–'}</dd>
          </div>
        ))}
      </dl>
      <details hidden={!query.data}>
        <summary>{t('home.numbers')}</summary>
        <SmallTable
          label={name}
          rows={[...rows].reverse()}
          rowKey={(row) => row.date}
          empty={t('table.nothingYet')}
          columns={[
            { title: t('home.date'), cell: (row) => row.date },
            { title: t('home.orders'), align: 'end', cell: (row) => count(row.orders) },
            { title: t('home.quantity'), align: 'end', cell: (row) => count(row.quantity) },
            { title: t('status.completed'), align: 'end', cell: (row) => count(row.completed) },
            { title: t('status.canceled'), align: 'end', cell: (row) => count(row.canceled) },
            { title: t('home.cost'), align: 'end', cell: (row) => money(row.cost) },
            { title: t('home.refunded'), align: 'end', cell: (row) => money(row.refunded) },
            { title: t('home.providerCost'), align: 'end', cell: (row) => money(row.provider_cost) },
            { title: t('home.revenue'), align: 'end', cell: (row) => money(row.revenue) },
          ]}
        />
      </details>
    </Panel>
  );
}
