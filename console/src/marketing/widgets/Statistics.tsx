// What came in through order widgets: by day as a chart, by widget as a table. The dates stand in the address.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearch } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { isWithinFields, problemForBar } from '@/form/problems';
import { formatMoney, formatNumber } from '@/i18n/format';
import { formatRange, parseRange, TimeFilter } from '@/table/TimeFilter';
import { Card, SmallTable } from '@/ui/Card';
import { UserLink } from '@/ui/cells';
import { Field } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';
import { PeriodChart } from '@/ui/PeriodChart';
import { Tabs } from '@/ui/Tabs';
import { TABS } from './tabs';

type Row = Schemas['OrderWidgetStatisticsRow'];
/** The fields of the period, as the server names them. */
const DATES = ['start_date', 'end_date'];
const NUMBERS = ['orders', 'spent', 'reward'] as const;

const number = (value: number | string) => (typeof value === 'number' ? formatNumber(value) : formatMoney(value));

export default function Statistics() {
  const { t } = useTranslation();
  const [path, navigate] = useLocation();
  const dates = new URLSearchParams(useSearch()).get('dates') ?? '';
  const [from = '', to = ''] = parseRange(dates);
  const asked = { ...(from ? { start_date: from } : {}), ...(to ? { end_date: to } : {}) };
  const { data, error, refetch } = useQuery({
    queryKey: ['order-widgets', 'statistics', asked],
    queryFn: async () =>
      (await unwrap(api.GET('/api/v1/admin/order-widget-statistics', { params: { query: asked } }))).data,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const problem = error && asProblem(error);
  const wrongDates = DATES.flatMap((field) => problem?.fields[field] ?? []);
  const rest = problemForBar(problem, isWithinFields(DATES));
  return (
    <div className="with-tabs">
      <Tabs base="/order-widgets" tabs={TABS} current="statistics" />
      <div className="resource">
        <div className="toolbar">
          <h1 tabIndex={-1}>{t('widgets.statistics')}</h1>
        </div>
        <div className="filters">
          <Field label={t('widgets.dates')} errors={wrongDates}>
            {() => (
              <TimeFilter
                label={t('widgets.dates')}
                value={formatRange(from, to)}
                onChange={(value) => navigate(value ? `${path}?${new URLSearchParams({ dates: value })}` : path)}
              />
            )}
          </Field>
        </div>
        {rest && <ProblemBar problem={rest} onRetry={() => void refetch()} />}
        {data && <Shown data={data} />}
      </div>
    </div>
  );
}

function Shown({ data }: { data: Schemas['OrderWidgetStatistics'] }) {
  const { t } = useTranslation();
  return (
    <>
      <dl className="totals" aria-label={t('referrals.totals')}>
        {NUMBERS.map((name) => (
          <div key={name} className="card">
            <dt>{t(`widgets.columns.${name}`)}</dt>
            <dd>{number(data.totals[name])}</dd>
          </div>
        ))}
      </dl>
      <Card title={t('widgets.chart')}>
        <PeriodChart
          label={t('widgets.chart')}
          dates={data.days.map(({ date }) => date)}
          line={{ label: t('widgets.columns.spent'), values: data.days.map(({ spent }) => Number(spent)) }}
          bars={{ label: t('widgets.columns.orders'), values: data.days.map(({ orders }) => orders) }}
        />
      </Card>
      <Card title={t('widgets.byWidget')}>
        <SmallTable
          label={t('widgets.byWidget')}
          rows={data.rows}
          rowKey={(row) => row.order_widget.id}
          empty={t('table.nothingYet')}
          columns={[
            { title: t('widgets.columns.name'), cell: (row: Row) => row.order_widget.name },
            { title: t('widgets.columns.owner'), cell: (row: Row) => <UserLink user={row.user} /> },
            ...NUMBERS.map((name) => ({
              title: t(`widgets.columns.${name}`),
              align: 'end' as const,
              cell: (row: Row) => number(row[name]),
            })),
          ]}
        />
      </Card>
    </>
  );
}
