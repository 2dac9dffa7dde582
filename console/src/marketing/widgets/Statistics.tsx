// Order statistics of the widgets: a chart by day and a table by widget. The URL holds the selected dates.
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
import { WIDGET_TABS } from './tabs';

type StatisticsRow = Schemas['OrderWidgetStatisticsRow'];
/** The date fields of the request, and the keys of their errors. */
const DATE_FIELDS = ['start_date', 'end_date'];
const FIGURE_COLUMNS = ['orders', 'spent', 'reward'] as const;

const formatFigure = (value: number | string) => (typeof value === 'number' ? formatNumber(value) : formatMoney(value));

export default function Statistics() {
  const { t } = useTranslation();
  const [path, navigate] = useLocation();
  const dates = new URLSearchParams(useSearch()).get('dates') ?? '';
  const [from = '', to = ''] = parseRange(dates);
  const query = { ...(from ? { start_date: from } : {}), ...(to ? { end_date: to } : {}) };
  const { data, error, refetch } = useQuery({
    queryKey: ['order-widgets', 'statistics', query],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/order-widget-statistics', { params: { query } }))).data,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const problem = error && asProblem(error);
  const dateErrors = DATE_FIELDS.flatMap((field) => problem?.fields[field] ?? []);
  const barProblem = problemForBar(problem, isWithinFields(DATE_FIELDS));
  return (
    <div className="with-tabs">
      <Tabs baseUrl="/order-widgets" tabs={WIDGET_TABS} current="statistics" />
      <div className="resource">
        <div className="toolbar">
          <h1 tabIndex={-1}>{t('widgets.statistics')}</h1>
        </div>
        <div className="filters">
          <Field label={t('widgets.dates')} errors={dateErrors}>
            {() => (
              <TimeFilter
                label={t('widgets.dates')}
                value={formatRange(from, to)}
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
        {FIGURE_COLUMNS.map((name) => (
          <div key={name} className="card">
            <dt>{t(`widgets.columns.${name}`)}</dt>
            <dd>{formatFigure(statistics.totals[name])}</dd>
          </div>
        ))}
      </dl>
      <Card title={t('widgets.chart')}>
        <PeriodChart
          label={t('widgets.chart')}
          dates={statistics.days.map(({ date }) => date)}
          line={{ label: t('widgets.columns.spent'), values: statistics.days.map(({ spent }) => Number(spent)) }}
          bars={{ label: t('widgets.columns.orders'), values: statistics.days.map(({ orders }) => orders) }}
        />
      </Card>
      <Card title={t('widgets.byWidget')}>
        <SmallTable
          label={t('widgets.byWidget')}
          rows={statistics.rows}
          rowKey={(row) => row.order_widget.id}
          empty={t('table.nothingYet')}
          columns={[
            { title: t('widgets.columns.name'), cell: (row: StatisticsRow) => row.order_widget.name },
            { title: t('widgets.columns.owner'), cell: (row: StatisticsRow) => <UserLink user={row.user} /> },
            ...FIGURE_COLUMNS.map((name) => ({
              title: t(`widgets.columns.${name}`),
              align: 'end' as const,
              cell: (row: StatisticsRow) => formatFigure(row[name]),
            })),
          ]}
        />
      </Card>
    </>
  );
}
