// The screen with the coupon statistics: a chart, and a table by coupon, by date or by both. The URL contains the filters, the sort order
// and the page number.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearch } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { getBarProblem, isWithinFields } from '@/form/problems';
import { formatMoney, formatNumber } from '@/i18n/format';
import { useHasPermission } from '@/session/hooks';
import { RecordChips } from '@/table/FilterChips';
import { FilterControl } from '@/table/FilterControl';
import { DEFAULT_PAGE_SIZE, PAGE_SIZES } from '@/table/listDefinition';
import { getNextSort } from '@/table/listState';
import { parseIds, RECORD_LOOKUPS } from '@/table/recordLookups';
import { TimeFilter } from '@/table/TimeFilter';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { Field } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';
import { PeriodChart } from '@/ui/PeriodChart';
import { SegmentedControl } from '@/ui/SegmentedControl';
import { SimpleTable } from '@/ui/SimpleTable';
import { Tabs } from '@/ui/Tabs';
import {
  buildStatisticsRequest,
  GROUPINGS,
  keepOnlyIds,
  parseStatisticsQuery,
  type StatisticsQuery,
  updateUrlQuery,
} from './statisticsQuery';
import { COUPON_TABS } from './tabs';

type StatisticsRow = Schemas['CouponStatisticsRow'];
/** The date fields of the request, and the keys of their errors. */
const DATE_FIELDS = ['start_date', 'end_date'];
const VALUE_COLUMNS = ['received', 'spent', 'usages'] as const;

const formatValue = (value: number | string) => (typeof value === 'number' ? formatNumber(value) : formatMoney(value));

type SetUrlParameters = (changes: Readonly<Record<string, string>>) => void;

/** Returns the query in the URL, and a function that changes parameters of the URL. */
function useStatisticsQuery(): { query: StatisticsQuery; setUrlParameters: SetUrlParameters } {
  const [path, navigate] = useLocation();
  const urlQuery = useSearch();
  const setUrlParameters: SetUrlParameters = (changes) => {
    const newUrlQuery = updateUrlQuery(urlQuery, changes);
    navigate(newUrlQuery ? `${path}?${newUrlQuery}` : path);
  };
  return { query: parseStatisticsQuery(urlQuery), setUrlParameters };
}

export default function Statistics() {
  const { t } = useTranslation();
  const { query, setUrlParameters } = useStatisticsQuery();
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
  const barProblem = getBarProblem(problem, isWithinFields(DATE_FIELDS));
  return (
    <div className="with-tabs">
      <Tabs baseUrl="/coupons" tabs={COUPON_TABS} currentTab="statistics" />
      <div className="resource">
        <div className="toolbar">
          <h1 tabIndex={-1}>{t('coupons.statistics')}</h1>
          <span className="grow" />
          <SegmentedControl
            label={t('home.groupBy')}
            value={grouping}
            options={GROUPINGS.map((value) => ({ value, label: t(`coupons.groups.${value}`) }))}
            onChange={(value) => setUrlParameters({ by: value === 'coupon' ? '' : value, sort: '' })}
          />
        </div>
        <StatisticsFilters query={query} setUrlParameters={setUrlParameters} dateErrors={dateErrors} />
        {barProblem && <ProblemBar problem={barProblem} onRetry={() => void refetch()} />}
        {data && (
          <>
            <dl className="totals" aria-label={t('referrals.totals')}>
              {VALUE_COLUMNS.map((name) => (
                <div key={name} className="card">
                  <dt>{t(`coupons.columns.${name}`)}</dt>
                  <dd>{formatValue(data.totals[name])}</dd>
                </div>
              ))}
            </dl>
            <Card title={t('coupons.chart')}>
              <PeriodChart
                label={t('coupons.chart')}
                xLabels={data.days.map(({ date }) => date)}
                lineSeries={{ label: t('coupons.columns.spent'), values: data.days.map(({ spent }) => Number(spent)) }}
                barSeries={{ label: t('coupons.columns.usages'), values: data.days.map(({ usages }) => usages) }}
              />
            </Card>
            <Card
              title={t(`coupons.groups.${grouping}`)}
              headerActions={
                <Pagination query={query} rowCount={data.recordsFiltered} setUrlParameters={setUrlParameters} />
              }
            >
              <StatisticsTable rows={data.data} query={query} setUrlParameters={setUrlParameters} />
            </Card>
          </>
        )}
      </div>
    </div>
  );
}

interface StatisticsFiltersProps {
  query: StatisticsQuery;
  setUrlParameters: SetUrlParameters;
  dateErrors: readonly string[];
}

function StatisticsFilters({ query, setUrlParameters, dateErrors }: StatisticsFiltersProps) {
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
              onChange={(value) => setUrlParameters({ dates: value })}
            />
          )}
        </Field>
        {recordFilters.map(({ name, recordKind, label }) => (
          <Field key={name} label={label}>
            {() => (
              <FilterControl
                // Staff without the permission to look up these records enter ids.
                filter={
                  hasPermission(RECORD_LOOKUPS[recordKind].permission)
                    ? { kind: 'record', recordKind }
                    : { kind: 'ids' }
                }
                label={t('table.filterBy', { column: label })}
                value={query[name]}
                errors={undefined}
                onChange={(value) => setUrlParameters({ [name]: keepOnlyIds(value) })}
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
              onChange={(value) => setUrlParameters({ [name]: value })}
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
  rowCount: number;
  setUrlParameters: SetUrlParameters;
}

function Pagination({ query, rowCount, setUrlParameters }: PaginationProps) {
  const { t } = useTranslation();
  const pageSizeId = useId();
  const { page, size } = query;
  const pageCount = Math.max(1, Math.ceil(rowCount / size));
  const goToPage = (page: number) => setUrlParameters({ page: page > 1 ? String(page) : '' });
  return (
    <span className="turn">
      <label htmlFor={pageSizeId}>{t('table.rowsPerPage')}</label>
      <select
        id={pageSizeId}
        value={size}
        onChange={({ target }) =>
          setUrlParameters({ size: target.value === String(DEFAULT_PAGE_SIZE) ? '' : target.value })
        }
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
        onClick={() => goToPage(page - 1)}
      />
      {formatNumber(page)} / {formatNumber(pageCount)}
      <Button
        variant="plain"
        iconOnly
        icon="angle-right"
        label={t('table.nextPage')}
        disabled={page >= pageCount}
        onClick={() => goToPage(page + 1)}
      />
    </span>
  );
}

interface StatisticsTableProps {
  rows: readonly StatisticsRow[];
  query: StatisticsQuery;
  setUrlParameters: SetUrlParameters;
}

function StatisticsTable({ rows, query, setUrlParameters }: StatisticsTableProps) {
  const { t } = useTranslation();
  const { grouping } = query;
  const couponColumns = [
    { title: t('coupons.columns.name'), sortBy: 'name', renderCell: (row: StatisticsRow) => row.name },
    { title: t('coupons.columns.code'), renderCell: (row: StatisticsRow) => <code>{row.code}</code> },
  ];
  const toggleSort = (column: string) => {
    const [sort] = getNextSort(query.sort, column, false);
    setUrlParameters({ sort: sort ? (sort.descending ? '-' : '') + sort.column : '' });
  };
  return (
    <SimpleTable
      label={t('coupons.statistics')}
      rows={rows}
      getRowKey={(row) => `${row.date ?? ''} ${row.coupon_id ?? ''}`}
      emptyText={t('table.noData')}
      sort={query.sort[0]}
      onSort={toggleSort}
      columns={[
        ...(grouping === 'coupon'
          ? []
          : [{ title: t('home.date'), sortBy: 'date', renderCell: (row: StatisticsRow) => row.date }]),
        ...(grouping === 'date' ? [] : couponColumns),
        ...VALUE_COLUMNS.map((name) => ({
          title: t(`coupons.columns.${name}`),
          align: 'end' as const,
          sortBy: name,
          renderCell: (row: StatisticsRow) => formatValue(row[name]),
        })),
        ...(grouping === 'date'
          ? []
          : [
              {
                title: t('coupons.columns.manager'),
                renderCell: (row: StatisticsRow) => row.referral_manager?.email ?? '–',
              },
            ]),
      ]}
    />
  );
}
