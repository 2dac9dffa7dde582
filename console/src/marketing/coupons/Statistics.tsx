// What coupons came to: as a chart, and by coupon or by date as a table. Everything that is asked for stands in the address.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearch } from 'wouter';
import { api, type Schemas, told } from '@/api/client';
import { asProblem } from '@/api/problem';
import { count, money } from '@/i18n/format';
import { DEFAULT_SIZE } from '@/table/declare';
import { ends, range, TimeFilter } from '@/table/TimeFilter';
import { Button } from '@/ui/Button';
import { beside, isAt } from '@/ui/beside';
import { Panel, SmallTable } from '@/ui/Facts';
import { Field } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';
import { PeriodChart } from '@/ui/PeriodChart';
import { Switch } from '@/ui/Switch';
import { Tabs } from '@/ui/Tabs';
import { TABS } from './tabs';

type Row = Schemas['CouponStatisticsRow'];
const GROUPS = ['coupon', 'date', 'both'] as const;
/** The fields of the period, as the server names them. */
const DATES = ['start_date', 'end_date'];
const NUMBERS = ['received', 'spent', 'usages'] as const;

const number = (value: number | string) => (typeof value === 'number' ? count(value) : money(value));

function useAsked() {
  const [path, navigate] = useLocation();
  const said = new URLSearchParams(useSearch());
  const ask = (change: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(change)) {
      if (value) said.set(name, value);
      else said.delete(name);
    }
    navigate(said.size ? `${path}?${said}` : path);
  };
  return { by: said.get('by') ?? '', dates: said.get('dates') ?? '', page: Number(said.get('page')) || 1, ask };
}

export default function Statistics() {
  const { t } = useTranslation();
  const { by, dates, page, ask } = useAsked();
  const group = GROUPS.find((group) => group === by) ?? 'coupon';
  const [from = '', to = ''] = ends(dates);
  const body = {
    ...(from ? { start_date: from } : {}),
    ...(to ? { end_date: to } : {}),
    ...(group === 'both' ? { grouping: 'coupon' as const } : {}),
    start: (page - 1) * DEFAULT_SIZE,
    length: DEFAULT_SIZE,
  } as Schemas['CouponStatisticsInput'];
  const query = useQuery({
    queryKey: ['coupons', 'statistics', group, body],
    queryFn: () =>
      told(
        group === 'coupon'
          ? api.POST('/api/v1/admin/coupons/statistics', { body })
          : api.POST('/api/v1/admin/coupons/statistic-by-date', { body }),
      ),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const { data } = query;
  const problem = query.error && asProblem(query.error);
  const wrongDates = DATES.flatMap((field) => problem?.fields[field] ?? []);
  const rest = beside(problem, isAt(DATES));
  const pages = Math.max(1, Math.ceil((data?.recordsFiltered ?? 0) / DEFAULT_SIZE));
  return (
    <div className="with-tabs">
      <Tabs base="/coupons" tabs={TABS} now="statistics" />
      <div className="resource">
        <div className="toolbar">
          <h1 tabIndex={-1}>{t('coupons.statistics')}</h1>
          <span className="grow" />
          <Switch
            label={t('home.groupBy')}
            value={group}
            options={GROUPS.map((value) => ({ value, label: t(`coupons.groups.${value}`) }))}
            onChange={(value) => ask({ by: value === 'coupon' ? '' : value, page: '' })}
          />
        </div>
        <div className="filters">
          <Field label={t('coupons.dates')} errors={wrongDates}>
            {() => (
              <TimeFilter
                label={t('coupons.dates')}
                value={range(from, to)}
                onChange={(value) => ask({ dates: value, page: '' })}
              />
            )}
          </Field>
        </div>
        {rest && <ProblemBar problem={rest} onRetry={() => void query.refetch()} />}
        {data && (
          <>
            <dl className="totals" aria-label={t('referrals.totals')}>
              {NUMBERS.map((name) => (
                <div key={name} className="card">
                  <dt>{t(`coupons.columns.${name}`)}</dt>
                  <dd>{number(data.totals[name])}</dd>
                </div>
              ))}
            </dl>
            <Panel title={t('coupons.chart')}>
              <PeriodChart
                label={t('coupons.chart')}
                dates={data.days.map(({ date }) => date)}
                line={{ label: t('coupons.columns.spent'), values: data.days.map(({ spent }) => Number(spent)) }}
                bars={{ label: t('coupons.columns.usages'), values: data.days.map(({ usages }) => usages) }}
              />
            </Panel>
            <Panel
              title={t(`coupons.groups.${group}`)}
              aside={
                pages > 1 && <Turn page={page} pages={pages} onTurn={(to) => ask({ page: to > 1 ? String(to) : '' })} />
              }
            >
              <Rows rows={data.data} group={group} />
            </Panel>
          </>
        )}
      </div>
    </div>
  );
}

function Turn({ page, pages, onTurn }: { page: number; pages: number; onTurn: (to: number) => void }) {
  const { t } = useTranslation();
  return (
    <span className="turn">
      <Button
        look="plain"
        iconOnly
        icon="angle-left"
        label={t('table.previousPage')}
        disabled={page <= 1}
        onClick={() => onTurn(page - 1)}
      />
      {count(page)} / {count(pages)}
      <Button
        look="plain"
        iconOnly
        icon="angle-right"
        label={t('table.nextPage')}
        disabled={page >= pages}
        onClick={() => onTurn(page + 1)}
      />
    </span>
  );
}

function Rows({ rows, group }: { rows: readonly Row[]; group: (typeof GROUPS)[number] }) {
  const { t } = useTranslation();
  const named = [
    { title: t('coupons.columns.name'), cell: (row: Row) => row.name },
    { title: t('coupons.columns.code'), cell: (row: Row) => <code>{row.code}</code> },
  ];
  return (
    <SmallTable
      label={t('coupons.statistics')}
      rows={rows}
      rowKey={(row) => `${row.date ?? ''} ${row.coupon_id ?? ''}`}
      empty={t('table.nothingYet')}
      columns={[
        ...(group === 'coupon' ? [] : [{ title: t('home.date'), cell: (row: Row) => row.date }]),
        ...(group === 'date' ? [] : named),
        ...NUMBERS.map((name) => ({
          title: t(`coupons.columns.${name}`),
          align: 'end' as const,
          cell: (row: Row) => number(row[name]),
        })),
        ...(group === 'date'
          ? []
          : [{ title: t('coupons.columns.manager'), cell: (row: Row) => row.referral_manager?.email ?? '–' }]),
      ]}
    />
  );
}
