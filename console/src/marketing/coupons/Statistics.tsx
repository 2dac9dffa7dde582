// Coupon statistics as a chart and as a table by coupon, by date or by both. The query string of the page holds the filters, the
// sort and the page number.
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
import { DEFAULT_PAGE_SIZE, PAGE_SIZES } from '@/table/listDefinition';
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
import {
  buildStatisticsRequest,
  GROUPINGS,
  keepOnlyIds,
  parseStatisticsQuery,
  type StatisticsQuery,
  updateSearch,
} from './statisticsQuery';
import { COUPON_TABS } from './tabs';

type StatisticsRow = Schemas['CouponStatisticsRow'];
/** The date fields of the request, and the keys of their errors. */
const DATE_FIELDS = ['start_date', 'end_date'];
const FIGURE_COLUMNS = ['received', 'spent', 'usages'] as const;

const formatFigure = (value: number | string) => (typeof value === 'number' ? formatNumber(value) : formatMoney(value));

type SetParams = (changes: Readonly<Record<string, string>>) => void;

/** The query in the URL, and a function that changes parameters of the URL. */
function useStatisticsQuery(): { query: StatisticsQuery; setParams: SetParams } {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const setParams: SetParams = (changes) => {
    const newSearch = updateSearch(search, changes);
    navigate(newSearch ? `${path}?${newSearch}` : path);
  };
  return { query: parseStatisticsQuery(search), setParams };
}

export default function Statistics() {
  const { t } = useTranslation();
  const { query, setParams } = useStatisticsQuery();
  const { grouping } = query;
  const body = buildStatisticsRequest(query);
  const { data, error, refetch } = useQuery({
    queryKey: ['coupons', 'statistics', grouping, body],
    queryFn: () =>
      unwrap(
        grouping === 'coupon'
          ? api.POST('/api/v1/admin/coupons/statistics', { body })
          : api.POST('/api/v1/admin/coupons/statistic-by-date', { body }),
      ),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const problem = error && asProblem(error);
  const dateErrors = DATE_FIELDS.flatMap((field) => problem?.fields[field] ?? []);
  const barProblem = problemForBar(problem, isWithinFields(DATE_FIELDS));
  return (
    <div className="with-tabs">
      <Tabs baseUrl="/coupons" tabs={COUPON_TABS} current="statistics" />
      <div className="resource">
        <div className="toolbar">
          <h1 tabIndex={-1}>{t('coupons.statistics')}</h1>
          <span className="grow" />
          <SegmentedControl
            label={t('home.groupBy')}
            value={grouping}
            options={GROUPINGS.map((value) => ({ value, label: t(`coupons.groups.${value}`) }))}
            onChange={(value) => setParams({ by: value === 'coupon' ? '' : value, sort: '' })}
          />
        </div>
        <Filters query={query} setParams={setParams} dateErrors={dateErrors} />
        {barProblem && <ProblemBar problem={barProblem} onRetry={() => void refetch()} />}
        {data && (
          <>
            <dl className="totals" aria-label={t('referrals.totals')}>
              {FIGURE_COLUMNS.map((name) => (
                <div key={name} className="card">
                  <dt>{t(`coupons.columns.${name}`)}</dt>
                  <dd>{formatFigure(data.totals[name])}</dd>
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
              title={t(`coupons.groups.${grouping}`)}
              aside={<Pagination query={query} total={data.recordsFiltered} setParams={setParams} />}
            >
              <StatisticsTable rows={data.data} query={query} setParams={setParams} />
            </Card>
          </>
        )}
      </div>
    </div>
  );
}

interface FiltersProps {
  query: StatisticsQuery;
  setParams: SetParams;
  dateErrors: readonly string[];
}

/** Filters by dates, coupons and referral managers. */
function Filters({ query, setParams, dateErrors }: FiltersProps) {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const recordFilters = [
    { name: 'coupons', recordKind: 'coupon', label: t('coupons.title') },
    { name: 'affiliates', recordKind: 'user', label: t('coupons.columns.manager') },
  ] as const;
  return (
    <>
      <div className="filters">
        <Field label={t('coupons.dates')} errors={dateErrors}>
          {() => (
            <TimeFilter
              label={t('coupons.dates')}
              value={query.dates}
              onChange={(value) => setParams({ dates: value })}
            />
          )}
        </Field>
        {recordFilters.map(({ name, recordKind, label }) => (
          <Field key={name} label={label}>
            {() => (
              <FilterControl
                // Staff members without permission to search these records enter ids.
                filter={
                  hasPermission(RECORDS[recordKind].permission) ? { kind: 'record', recordKind } : { kind: 'ids' }
                }
                label={t('table.filterBy', { column: label })}
                value={query[name]}
                errors={undefined}
                onChange={(value) => setParams({ [name]: keepOnlyIds(value) })}
              />
            )}
          </Field>
        ))}
      </div>
      {(query.coupons || query.affiliates) && (
        <ul className="chips" aria-label={t('table.filters')}>
          {recordFilters.map(({ name, recordKind, label }) => (
            <RecordChips
              key={name}
              kind={recordKind}
              label={label}
              ids={parseIds(query[name])}
              onChange={(value) => setParams({ [name]: value })}
            />
          ))}
        </ul>
      )}
    </>
  );
}

interface PaginationProps {
  query: StatisticsQuery;
  /** Number of rows on all pages. */
  total: number;
  setParams: SetParams;
}

function Pagination({ query, total, setParams }: PaginationProps) {
  const { t } = useTranslation();
  const sizeSelectId = useId();
  const { page, size } = query;
  const pageCount = Math.max(1, Math.ceil(total / size));
  const openPage = (page: number) => setParams({ page: page > 1 ? String(page) : '' });
  return (
    <span className="turn">
      <label htmlFor={sizeSelectId}>{t('table.size')}</label>
      <select
        id={sizeSelectId}
        value={size}
        onChange={({ target }) => setParams({ size: target.value === String(DEFAULT_PAGE_SIZE) ? '' : target.value })}
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
        onClick={() => openPage(page - 1)}
      />
      {formatNumber(page)} / {formatNumber(pageCount)}
      <Button
        variant="plain"
        iconOnly
        icon="angle-right"
        label={t('table.nextPage')}
        disabled={page >= pageCount}
        onClick={() => openPage(page + 1)}
      />
    </span>
  );
}

interface StatisticsTableProps {
  rows: readonly StatisticsRow[];
  query: StatisticsQuery;
  setParams: SetParams;
}

function StatisticsTable({ rows, query, setParams }: StatisticsTableProps) {
  const { t } = useTranslation();
  const { grouping } = query;
  const couponColumns = [
    { title: t('coupons.columns.name'), sortBy: 'name', cell: (row: StatisticsRow) => row.name },
    { title: t('coupons.columns.code'), cell: (row: StatisticsRow) => <code>{row.code}</code> },
  ];
  const toggleSort = (column: string) => {
    const [sort] = nextSort(query.sort, column, false);
    setParams({ sort: sort ? (sort.descending ? '-' : '') + sort.column : '' });
  };
  return (
    <SmallTable
      label={t('coupons.statistics')}
      rows={rows}
      rowKey={(row) => `${row.date ?? ''} ${row.coupon_id ?? ''}`}
      empty={t('table.nothingYet')}
      sort={query.sort[0]}
      onSort={toggleSort}
      columns={[
        ...(grouping === 'coupon'
          ? []
          : [{ title: t('home.date'), sortBy: 'date', cell: (row: StatisticsRow) => row.date }]),
        ...(grouping === 'date' ? [] : couponColumns),
        ...FIGURE_COLUMNS.map((name) => ({
          title: t(`coupons.columns.${name}`),
          align: 'end' as const,
          sortBy: name,
          cell: (row: StatisticsRow) => formatFigure(row[name]),
        })),
        ...(grouping === 'date'
          ? []
          : [
              { title: t('coupons.columns.manager'), cell: (row: StatisticsRow) => row.referral_manager?.email ?? '–' },
            ]),
      ]}
    />
  );
}
