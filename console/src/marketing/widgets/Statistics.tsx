// The screen with the order statistics of the widgets: a chart by day and a table by widget. The URL contains the selected dates.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearch } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { getBarProblem, isWithinFields } from '@/form/problems';
import { formatMoney, formatNumber } from '@/i18n/format';
import { formatDayRange, parseDayRange, TimeFilter } from '@/table/TimeFilter';
import { Card } from '@/ui/Card';
import { UserLink } from '@/ui/cells';
import { Field } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';
import { PeriodChart } from '@/ui/PeriodChart';
import { SimpleTable } from '@/ui/SimpleTable';
import { Tabs } from '@/ui/Tabs';
import { WIDGET_TABS } from './tabs';

type StatisticsRow = Schemas['OrderWidgetStatisticsRow'];
/** The date fields of the request, and the keys of their errors. */
const DATE_FIELDS = ['start_date', 'end_date'];
const VALUE_COLUMNS = ['orders', 'spent', 'reward'] as const;

const formatValue = (value: number | string) => (typeof value === 'number' ? formatNumber(value) : formatMoney(value));

export default function Statistics() {
  const { t } = useTranslation();
  const [path, navigate] = useLocation();
  const dates = new URLSearchParams(useSearch()).get('dates') ?? '';
  const [from = '', to = ''] = parseDayRange(dates);
  const query = { ...(from ? { start_date: from } : {}), ...(to ? { end_date: to } : {}) };
  const { data, error, refetch } = useQuery({
    queryKey: ['order-widgets', 'statistics', query],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/order-widget-statistics', { params: { query } }))).data,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const problem = error && asProblem(error);
  const dateErrors = DATE_FIELDS.flatMap((field) => problem?.fields[field] ?? []);
  const barProblem = getBarProblem(problem, isWithinFields(DATE_FIELDS));
  return (
    <div className="with-tabs">
      <Tabs baseUrl="/order-widgets" tabs={WIDGET_TABS} currentTab="statistics" />
      <div className="resource">
        <div className="toolbar">
          <h1 tabIndex={-1}>{t('widgets.statistics')}</h1>
        </div>
        <div className="filters">
          <Field label={t('widgets.dates')} errors={dateErrors}>
            {() => (
              <TimeFilter
                label={t('widgets.dates')}
                value={formatDayRange(from, to)}
                onChange={(value) => navigate(value ? `${path}?${new URLSearchParams({ dates: value })}` : path)}
              />
            )}
          </Field>
        </div>
        {barProblem && <ProblemBar problem={barProblem} onRetry={() => void refetch()} />}
        {data && <StatisticsCards statistics={data} />}
      </div>
    </div>
  );
}

function StatisticsCards({ statistics }: { statistics: Schemas['OrderWidgetStatistics'] }) {
  const { t } = useTranslation();
  return (
    <>
      <dl className="totals" aria-label={t('referrals.totals')}>
        {VALUE_COLUMNS.map((name) => (
          <div key={name} className="card">
            <dt>{t(`widgets.columns.${name}`)}</dt>
            <dd>{formatValue(statistics.totals[name])}</dd>
          </div>
        ))}
      </dl>
      <Card title={t('widgets.chart')}>
        <PeriodChart
          label={t('widgets.chart')}
          xLabels={statistics.days.map(({ date }) => date)}
          lineSeries={{ label: t('widgets.columns.spent'), values: statistics.days.map(({ spent }) => Number(spent)) }}
          barSeries={{ label: t('widgets.columns.orders'), values: statistics.days.map(({ orders }) => orders) }}
        />
      </Card>
      <Card title={t('widgets.byWidget')}>
        <SimpleTable
          label={t('widgets.byWidget')}
          rows={statistics.rows}
          getRowKey={(row) => row.order_widget.id}
          emptyText={t('table.noData')}
          columns={[
            { title: t('widgets.columns.name'), renderCell: (row: StatisticsRow) => row.order_widget.name },
            { title: t('widgets.columns.owner'), renderCell: (row: StatisticsRow) => <UserLink user={row.user} /> },
            ...VALUE_COLUMNS.map((name) => ({
              title: t(`widgets.columns.${name}`),
              align: 'end' as const,
              renderCell: (row: StatisticsRow) => formatValue(row[name]),
            })),
          ]}
        />
      </Card>
    </>
  );
}
