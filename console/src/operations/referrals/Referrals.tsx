// The statistics of the referral program: the orders of referred customers and the commission of affiliates, by period or by user.
// The query string of the URL holds all filters.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearch } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { formatMoney, formatNumber } from '@/i18n/format';
import { toCommaList } from '@/table/FilterControl';
import { formatDayRange, parseDayRange, TimeFilter } from '@/table/TimeFilter';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { UserLink } from '@/ui/cells';
import { formatCsv } from '@/ui/csv';
import { download } from '@/ui/download';
import { Field } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';
import { PeriodChart } from '@/ui/PeriodChart';
import { SegmentedControl } from '@/ui/SegmentedControl';
import { SimpleTable } from '@/ui/SimpleTable';

type ReferralRow = Schemas['ReferralRow'];
const GROUPINGS = ['day', 'week', 'month', 'affiliate', 'referral'] as const;
const NUMBER_FIELDS = ['referrals', 'orders', 'cost', 'refunded', 'commission'] as const;

/** Returns the filters in the query string, and a function that changes one of them. */
function useUrlFilters() {
  const [path, navigate] = useLocation();
  const params = new URLSearchParams(useSearch());
  const filters = Object.fromEntries(
    ['group_by', 'affiliates', 'referrals', 'dates'].map((name) => [name, params.get(name) ?? '']),
  );
  const setFilter = (name: string, value: string) => {
    if (value) params.set(name, value);
    else params.delete(name);
    navigate(params.size ? `${path}?${params}` : path);
  };
  return { filters, setFilter };
}

export default function Referrals() {
  const { t } = useTranslation();
  const { filters, setFilter } = useUrlFilters();
  const grouping = GROUPINGS.find((value) => value === filters.group_by) ?? 'day';
  const [start_date = '', end_date = ''] = parseDayRange(filters.dates ?? '');
  const parameters = { affiliates: filters.affiliates ?? '', referrals: filters.referrals ?? '', start_date, end_date };
  const nonEmptyParameters = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value));
  const query = useQuery({
    queryKey: ['referrals', grouping, nonEmptyParameters],
    queryFn: async () =>
      (
        await unwrap(
          api.GET('/api/v1/admin/referral-program-statistics', {
            params: { query: { group_by: grouping, ...nonEmptyParameters } },
          }),
        )
      ).data,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const rows = query.data?.rows ?? [];
  const problem = query.error ? asProblem(query.error) : null;
  const isByPeriod = rows.some((row) => row.date);
  return (
    <div className="resource">
      <div className="toolbar">
        <h1 tabIndex={-1}>{t('referrals.title')}</h1>
        <span className="grow" />
        <SegmentedControl
          label={t('home.groupBy')}
          value={grouping}
          options={GROUPINGS.map((value) => ({ value, label: t(`referrals.groups.${value}`) }))}
          onChange={(value) => setFilter('group_by', value === 'day' ? '' : value)}
        />
        <Button
          variant="plain"
          iconOnly
          icon="download"
          label={t('table.export.csv')}
          disabled={rows.length === 0}
          onClick={() => download(createCsv(rows), `referrals-${grouping}.csv`)}
        />
      </div>
      <div className="filters">
        <IdsFilter
          name="affiliates"
          value={parameters.affiliates}
          errors={problem?.fields.affiliates}
          onChange={setFilter}
        />
        <IdsFilter
          name="referrals"
          value={parameters.referrals}
          errors={problem?.fields.referrals}
          onChange={setFilter}
        />
        <Field label={t('referrals.dates')} errors={problem?.fields.start_date}>
          {() => (
            <TimeFilter
              label={t('referrals.dates')}
              value={formatDayRange(start_date, end_date)}
              onChange={(value) => setFilter('dates', value)}
            />
          )}
        </Field>
      </div>
      {problem && !['affiliates', 'referrals', 'start_date'].some((name) => name in problem.fields) && (
        <ProblemBar problem={problem} onRetry={() => void query.refetch()} />
      )}
      {query.data && <Totals totals={query.data.totals} />}
      {isByPeriod && (
        <Card title={t('referrals.chart')}>
          <PeriodChart
            label={t('referrals.chart')}
            xLabels={rows.map((row) => row.date ?? '')}
            lineSeries={{ label: t('referrals.commission'), values: rows.map((row) => Number(row.commission)) }}
            barSeries={{ label: t('referrals.orders'), values: rows.map((row) => row.orders) }}
          />
        </Card>
      )}
      <Card title={t(`referrals.groups.${grouping}`)}>
        {query.data?.is_truncated && <p className="none">{t('referrals.truncated', { count: rows.length })}</p>}
        <SimpleTable
          label={t('referrals.title')}
          rows={isByPeriod ? [...rows].reverse() : rows}
          getRowKey={(row, index) => row.date ?? row.referral?.id ?? row.affiliate?.id ?? index}
          emptyText={t('table.noData')}
          columns={[
            ...(isByPeriod ? [{ title: t('home.date'), renderCell: (row: ReferralRow) => row.date }] : []),
            ...(grouping === 'referral'
              ? [{ title: t('referrals.referral'), renderCell: (row: ReferralRow) => <UserCell user={row.referral} /> }]
              : []),
            ...(isByPeriod
              ? []
              : [
                  {
                    title: t('referrals.affiliate'),
                    renderCell: (row: ReferralRow) => <UserCell user={row.affiliate} />,
                  },
                ]),
            ...NUMBER_FIELDS.map((name) => ({
              title: t(`referrals.${name}`),
              align: 'end' as const,
              renderCell: (row: ReferralRow) => formatAmount(row[name]),
            })),
          ]}
        />
      </Card>
    </div>
  );
}

function formatAmount(value: number | string): string {
  return typeof value === 'number' ? formatNumber(value) : formatMoney(value);
}

function UserCell({ user }: { user: ReferralRow['affiliate'] }) {
  return user ? <UserLink user={user} /> : <span className="none">–</span>;
}

function Totals({ totals }: { totals: Schemas['ReferralSums'] }) {
  const { t } = useTranslation();
  return (
    <dl className="totals" aria-label={t('referrals.totals')}>
      {NUMBER_FIELDS.map((name) => (
        <div key={name} className="card">
          <dt>{t(`referrals.${name}`)}</dt>
          <dd>{formatAmount(totals[name])}</dd>
        </div>
      ))}
    </dl>
  );
}

interface IdsFilterProps {
  name: 'affiliates' | 'referrals';
  value: string;
  errors: readonly string[] | undefined;
  onChange: (name: string, value: string) => void;
}

function IdsFilter({ name, value, errors, onChange }: IdsFilterProps) {
  const { t } = useTranslation();
  const applyFilter = (text: string) => toCommaList(text) !== value && onChange(name, toCommaList(text));
  return (
    <Field label={t(`referrals.${name}Ids`)} errors={errors}>
      {(controlProps) => (
        <input
          {...controlProps}
          key={value}
          className="input"
          defaultValue={value}
          placeholder={t('table.anyValue')}
          onBlur={(event) => applyFilter(event.target.value)}
          onKeyDown={(event) => event.key === 'Enter' && applyFilter(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

function createCsv(rows: readonly ReferralRow[]): Blob {
  const columnNames = ['date', 'referral_id', 'referral', 'affiliate_id', 'affiliate', ...NUMBER_FIELDS];
  const lines = rows.map((row) => [
    row.date ?? null,
    row.referral?.id ?? null,
    row.referral?.email ?? null,
    row.affiliate?.id ?? null,
    row.affiliate?.email ?? null,
    ...NUMBER_FIELDS.map((name) => row[name]),
  ]);
  return formatCsv(columnNames, lines);
}
