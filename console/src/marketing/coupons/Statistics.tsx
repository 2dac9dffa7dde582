// What coupons came to: as a chart, and by coupon or by date as a table. Everything that is asked for stands in the address.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearch } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { isWithinFields, problemForBar } from '@/form/problems';
import { formatMoney, formatNumber } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { RecordChips } from '@/table/Chips';
import { FilterControl } from '@/table/FilterControl';
import { DEFAULT_SIZE, PAGE_SIZES } from '@/table/listDefinition';
import { parseIds, RECORDS } from '@/table/records';
import { nextSort } from '@/table/state';
import { TimeFilter } from '@/table/TimeFilter';
import { Button } from '@/ui/Button';
import { Card, SmallTable } from '@/ui/Card';
import { Field } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';
import { PeriodChart } from '@/ui/PeriodChart';
import { SegmentedControl } from '@/ui/SegmentedControl';
import { Tabs } from '@/ui/Tabs';
import { type Asked, body as bodyOf, changed, GROUPS, idsIn, read } from './asked';
import { TABS } from './tabs';

type Row = Schemas['CouponStatisticsRow'];
/** The fields of the period, as the server names them. */
const DATES = ['start_date', 'end_date'];
const NUMBERS = ['received', 'spent', 'usages'] as const;

const number = (value: number | string) => (typeof value === 'number' ? formatNumber(value) : formatMoney(value));

type Ask = (change: Readonly<Record<string, string>>) => void;

function useAsked(): { asked: Asked; ask: Ask } {
  const [path, navigate] = useLocation();
  const address = useSearch();
  const ask = (change: Readonly<Record<string, string>>) => {
    const next = changed(address, change);
    navigate(next ? `${path}?${next}` : path);
  };
  return { asked: read(address), ask };
}

export default function Statistics() {
  const { t } = useTranslation();
  const { asked, ask } = useAsked();
  const { group } = asked;
  const body = bodyOf(asked);
  const query = useQuery({
    queryKey: ['coupons', 'statistics', group, body],
    queryFn: () =>
      unwrap(
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
  const rest = problemForBar(problem, isWithinFields(DATES));
  return (
    <div className="with-tabs">
      <Tabs base="/coupons" tabs={TABS} current="statistics" />
      <div className="resource">
        <div className="toolbar">
          <h1 tabIndex={-1}>{t('coupons.statistics')}</h1>
          <span className="grow" />
          <SegmentedControl
            label={t('home.groupBy')}
            value={group}
            options={GROUPS.map((value) => ({ value, label: t(`coupons.groups.${value}`) }))}
            onChange={(value) => ask({ by: value === 'coupon' ? '' : value, sort: '' })}
          />
        </div>
        <Filters asked={asked} ask={ask} wrongDates={wrongDates} />
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
            <Card title={t('coupons.chart')}>
              <PeriodChart
                label={t('coupons.chart')}
                dates={data.days.map(({ date }) => date)}
                line={{ label: t('coupons.columns.spent'), values: data.days.map(({ spent }) => Number(spent)) }}
                bars={{ label: t('coupons.columns.usages'), values: data.days.map(({ usages }) => usages) }}
              />
            </Card>
            <Card
              title={t(`coupons.groups.${group}`)}
              aside={<Turn asked={asked} total={data.recordsFiltered} ask={ask} />}
            >
              <Rows rows={data.data} asked={asked} ask={ask} />
            </Card>
          </>
        )}
      </div>
    </div>
  );
}

interface FiltersProps {
  asked: Asked;
  ask: Ask;
  wrongDates: readonly string[];
}

/** Days, coupons and referral managers that are looked at. */
function Filters({ asked, ask, wrongDates }: FiltersProps) {
  const { t } = useTranslation();
  const may = useHasPermission();
  const records = [
    { name: 'coupons', of: 'coupon', label: t('coupons.title') },
    { name: 'affiliates', of: 'user', label: t('coupons.columns.manager') },
  ] as const;
  return (
    <>
      <div className="filters">
        <Field label={t('coupons.dates')} errors={wrongDates}>
          {() => (
            <TimeFilter label={t('coupons.dates')} value={asked.dates} onChange={(value) => ask({ dates: value })} />
          )}
        </Field>
        {records.map(({ name, of, label }) => (
          <Field key={name} label={label}>
            {() => (
              <FilterControl
                // Statistics know ids only, so staff who may not look records up type those.
                filter={may(RECORDS[of].permission) ? { kind: 'record', of } : { kind: 'ids' }}
                label={t('table.filterBy', { column: label })}
                value={asked[name]}
                errors={undefined}
                onChange={(value) => ask({ [name]: idsIn(value) })}
              />
            )}
          </Field>
        ))}
      </div>
      {(asked.coupons || asked.affiliates) && (
        <ul className="chips" aria-label={t('table.filters')}>
          {records.map(({ name, of, label }) => (
            <RecordChips
              key={name}
              of={of}
              label={label}
              ids={parseIds(asked[name])}
              onChange={(value) => ask({ [name]: value })}
            />
          ))}
        </ul>
      )}
    </>
  );
}

/** How many rows at once, and the way to the others. */
function Turn({ asked, total, ask }: { asked: Asked; total: number; ask: Ask }) {
  const { t } = useTranslation();
  const id = useId();
  const { page, size } = asked;
  const pages = Math.max(1, Math.ceil(total / size));
  const go = (to: number) => ask({ page: to > 1 ? String(to) : '' });
  return (
    <span className="turn">
      <label htmlFor={id}>{t('table.size')}</label>
      <select
        id={id}
        value={size}
        onChange={({ target }) => ask({ size: target.value === String(DEFAULT_SIZE) ? '' : target.value })}
      >
        {PAGE_SIZES.map((size) => (
          <option key={size}>{size}</option>
        ))}
      </select>
      <Button
        variant="plain"
        iconOnly
        icon="angle-left"
        label={t('table.previousPage')}
        disabled={page <= 1}
        onClick={() => go(page - 1)}
      />
      {formatNumber(page)} / {formatNumber(pages)}
      <Button
        variant="plain"
        iconOnly
        icon="angle-right"
        label={t('table.nextPage')}
        disabled={page >= pages}
        onClick={() => go(page + 1)}
      />
    </span>
  );
}

function Rows({ rows, asked, ask }: { rows: readonly Row[]; asked: Asked; ask: Ask }) {
  const { t } = useTranslation();
  const { group } = asked;
  const named = [
    { title: t('coupons.columns.name'), sortBy: 'name', cell: (row: Row) => row.name },
    { title: t('coupons.columns.code'), cell: (row: Row) => <code>{row.code}</code> },
  ];
  const order = (column: string) => {
    const [next] = nextSort(asked.sort, column, false);
    ask({ sort: next ? (next.descending ? '-' : '') + next.column : '' });
  };
  return (
    <SmallTable
      label={t('coupons.statistics')}
      rows={rows}
      rowKey={(row) => `${row.date ?? ''} ${row.coupon_id ?? ''}`}
      empty={t('table.nothingYet')}
      sort={asked.sort[0]}
      onSort={order}
      columns={[
        ...(group === 'coupon' ? [] : [{ title: t('home.date'), sortBy: 'date', cell: (row: Row) => row.date }]),
        ...(group === 'date' ? [] : named),
        ...NUMBERS.map((name) => ({
          title: t(`coupons.columns.${name}`),
          align: 'end' as const,
          sortBy: name,
          cell: (row: Row) => number(row[name]),
        })),
        ...(group === 'date'
          ? []
          : [{ title: t('coupons.columns.manager'), cell: (row: Row) => row.referral_manager?.email ?? '–' }]),
      ]}
    />
  );
}
