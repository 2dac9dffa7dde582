// Orders and money per day, week or month, as bars and lines, and as the same numbers in a table.
import { useQuery } from '@tanstack/react-query';
import { Chart } from 'primereact/chart';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { asProblem } from '@/api/problem';
import { count, money } from '@/i18n/format';
import { useShade } from '@/theme/theme';
import { Panel, SmallTable } from '@/ui/Facts';
import { ProblemBar } from '@/ui/Notice';

type Row = Schemas['StatisticsRow'];

const WIDTHS = ['day', 'week', 'month'] as const;
/** How many days each width looks back. */
const DAYS = { day: 30, week: 182, month: 365 } as const;
const DAY_MS = 86_400_000;

export default function Statistics() {
  const { t } = useTranslation();
  const [groupBy, setGroupBy] = useState<(typeof WIDTHS)[number]>('day');
  const query = useQuery({
    queryKey: ['orders', 'statistics', groupBy],
    queryFn: async () => {
      const startDate = new Date(Date.now() - DAYS[groupBy] * DAY_MS).toISOString().slice(0, 10);
      return (await told(api.GET('/api/v1/admin/orders/statistics', { params: { query: { groupBy, startDate } } })))
        .data;
    },
  });
  const rows = query.data ?? [];
  const shade = useShade();
  return (
    <Panel
      title={t('home.statistics')}
      aside={
        <div className="switch" role="group" aria-label={t('home.groupBy')}>
          {WIDTHS.map((width) => (
            <button key={width} type="button" aria-pressed={width === groupBy} onClick={() => setGroupBy(width)}>
              {t(`home.${width}`)}
            </button>
          ))}
        </div>
      }
    >
      {query.error && <ProblemBar problem={asProblem(query.error)} onRetry={() => void query.refetch()} />}
      {/* The chart does not like to be given other numbers while it still loads. */}
      <div className="chart">{rows.length > 0 && <Bars key={`${groupBy} ${shade}`} rows={rows} />}</div>
      <details>
        <summary>{t('home.numbers')}</summary>
        <SmallTable
          label={t('home.statistics')}
          rows={[...rows].reverse()}
          rowKey={(row) => row.date}
          empty={t('table.nothingYet')}
          columns={[
            { title: t('home.date'), cell: (row) => row.date },
            { title: t('home.orders'), align: 'end', cell: (row) => count(row.orders) },
            { title: t('status.completed'), align: 'end', cell: (row) => count(row.completed) },
            { title: t('status.canceled'), align: 'end', cell: (row) => count(row.canceled) },
            { title: t('home.cost'), align: 'end', cell: (row) => money(row.cost) },
            { title: t('home.refunded'), align: 'end', cell: (row) => money(row.refunded) },
            { title: t('home.revenue'), align: 'end', cell: (row) => money(row.revenue) },
          ]}
        />
      </details>
    </Panel>
  );
}

function Bars({ rows }: { rows: readonly Row[] }) {
  const { t } = useTranslation();
  const shade = useShade();
  const data = useMemo(
    () => ({
      labels: rows.map((row) => row.date),
      datasets: [
        {
          type: 'line',
          label: t('home.revenue'),
          data: rows.map((row) => Number(row.revenue)),
          yAxisID: 'money',
          borderColor: shade === 'dark' ? '#86efac' : '#16a34a',
          pointRadius: 0,
          tension: 0.3,
        },
        {
          type: 'bar',
          label: t('home.orders'),
          data: rows.map((row) => row.orders),
          yAxisID: 'orders',
          backgroundColor: shade === 'dark' ? '#7c6bd6' : '#c4b5fd',
          borderRadius: 3,
        },
      ],
    }),
    [rows, shade, t],
  );
  const options = useMemo(() => {
    const ink = shade === 'dark' ? '#cbd5e1' : '#475569';
    const line = shade === 'dark' ? 'rgb(255 255 255 / .08)' : 'rgb(0 0 0 / .06)';
    return {
      maintainAspectRatio: false,
      animation: false,
      interaction: { mode: 'index', intersect: false },
      plugins: { legend: { labels: { color: ink, boxWidth: 12 } } },
      scales: {
        x: { ticks: { color: ink, maxRotation: 0, autoSkipPadding: 16 }, grid: { display: false } },
        orders: { position: 'left', beginAtZero: true, ticks: { color: ink }, grid: { color: line } },
        money: { position: 'right', beginAtZero: true, ticks: { color: ink }, grid: { display: false } },
      },
    };
  }, [shade]);
  return (
    <Chart
      type="bar"
      className="chart"
      data={data}
      options={options}
      pt={{ canvas: { role: 'img', 'aria-label': t('home.statistics') } }}
    />
  );
}
