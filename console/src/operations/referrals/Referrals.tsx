// What referrals bought and what their affiliates earned: by period as a chart, by person as a table. Everything that
// is asked for stands in the address.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearch } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { count, money } from '@/i18n/format';
import { listed } from '@/table/FilterControl';
import { ends, range, TimeFilter } from '@/table/TimeFilter';
import { Button } from '@/ui/Button';
import { UserLink } from '@/ui/cells';
import { csv } from '@/ui/csv';
import { download } from '@/ui/download';
import { Panel, SmallTable } from '@/ui/Facts';
import { Field } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';
import { PeriodChart } from '@/ui/PeriodChart';
import { Switch } from '@/ui/Switch';

type Row = Schemas['ReferralRow'];
const GROUPS = ['day', 'week', 'month', 'affiliate', 'referral'] as const;
const NUMBERS = ['referrals', 'orders', 'cost', 'refunded', 'commission'] as const;

/** What the address asks for. */
function useAsked() {
  const [path, navigate] = useLocation();
  const said = new URLSearchParams(useSearch());
  const asked = Object.fromEntries(
    ['group_by', 'affiliates', 'referrals', 'dates'].map((name) => [name, said.get(name) ?? '']),
  );
  const ask = (name: string, value: string) => {
    if (value) said.set(name, value);
    else said.delete(name);
    navigate(said.size ? `${path}?${said}` : path);
  };
  return { asked, ask };
}

export default function Referrals() {
  const { t } = useTranslation();
  const { asked, ask } = useAsked();
  const group = GROUPS.find((group) => group === asked.group_by) ?? 'day';
  const [start_date = '', end_date = ''] = ends(asked.dates ?? '');
  const given = { affiliates: asked.affiliates ?? '', referrals: asked.referrals ?? '', start_date, end_date };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value));
  const query = useQuery({
    queryKey: ['referrals', group, set],
    queryFn: async () =>
      (
        await unwrap(
          api.GET('/api/v1/admin/referral-program-statistics', { params: { query: { group_by: group, ...set } } }),
        )
      ).data,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const rows = query.data?.rows ?? [];
  const problem = query.error ? asProblem(query.error) : null;
  const isPeriod = rows.some((row) => row.date);
  return (
    <div className="resource">
      <div className="toolbar">
        <h1 tabIndex={-1}>{t('referrals.title')}</h1>
        <span className="grow" />
        <Switch
          label={t('home.groupBy')}
          value={group}
          options={GROUPS.map((value) => ({ value, label: t(`referrals.groups.${value}`) }))}
          onChange={(value) => ask('group_by', value === 'day' ? '' : value)}
        />
        <Button
          look="plain"
          iconOnly
          icon="download"
          label={t('table.export.csv')}
          disabled={rows.length === 0}
          onClick={() => download(file(rows), `referrals-${group}.csv`)}
        />
      </div>
      <div className="filters">
        <Ids name="affiliates" value={given.affiliates} errors={problem?.fields.affiliates} onChange={ask} />
        <Ids name="referrals" value={given.referrals} errors={problem?.fields.referrals} onChange={ask} />
        <Field label={t('referrals.dates')} errors={problem?.fields.start_date}>
          {() => (
            <TimeFilter
              label={t('referrals.dates')}
              value={range(start_date, end_date)}
              onChange={(value) => ask('dates', value)}
            />
          )}
        </Field>
      </div>
      {problem && !['affiliates', 'referrals', 'start_date'].some((name) => name in problem.fields) && (
        <ProblemBar problem={problem} onRetry={() => void query.refetch()} />
      )}
      {query.data && <Totals totals={query.data.totals} />}
      {isPeriod && (
        <Panel title={t('referrals.chart')}>
          <PeriodChart
            label={t('referrals.chart')}
            dates={rows.map((row) => row.date ?? '')}
            line={{ label: t('referrals.commission'), values: rows.map((row) => Number(row.commission)) }}
            bars={{ label: t('referrals.orders'), values: rows.map((row) => row.orders) }}
          />
        </Panel>
      )}
      <Panel title={t(`referrals.groups.${group}`)}>
        {query.data?.is_cut && <p className="none">{t('referrals.cut', { count: rows.length })}</p>}
        <SmallTable
          label={t('referrals.title')}
          rows={isPeriod ? [...rows].reverse() : rows}
          rowKey={(row, at) => row.date ?? row.referral?.id ?? row.affiliate?.id ?? at}
          empty={t('table.nothingYet')}
          columns={[
            ...(isPeriod ? [{ title: t('home.date'), cell: (row: Row) => row.date }] : []),
            ...(group === 'referral'
              ? [{ title: t('referrals.referral'), cell: (row: Row) => <Person of={row.referral} /> }]
              : []),
            ...(isPeriod
              ? []
              : [{ title: t('referrals.affiliate'), cell: (row: Row) => <Person of={row.affiliate} /> }]),
            ...NUMBERS.map((name) => ({
              title: t(`referrals.${name}`),
              align: 'end' as const,
              cell: (row: Row) => number(row[name]),
            })),
          ]}
        />
      </Panel>
    </div>
  );
}

function number(value: number | string): string {
  return typeof value === 'number' ? count(value) : money(value);
}

function Person({ of }: { of: Row['affiliate'] }) {
  return of ? <UserLink user={of} /> : <span className="none">–</span>;
}

function Totals({ totals }: { totals: Schemas['ReferralSums'] }) {
  const { t } = useTranslation();
  return (
    <dl className="totals" aria-label={t('referrals.totals')}>
      {NUMBERS.map((name) => (
        <div key={name} className="card">
          <dt>{t(`referrals.${name}`)}</dt>
          <dd>{number(totals[name])}</dd>
        </div>
      ))}
    </dl>
  );
}

interface IdsProps {
  name: 'affiliates' | 'referrals';
  value: string;
  errors: readonly string[] | undefined;
  onChange: (name: string, value: string) => void;
}

function Ids({ name, value, errors, onChange }: IdsProps) {
  const { t } = useTranslation();
  const commit = (text: string) => listed(text) !== value && onChange(name, listed(text));
  return (
    <Field label={t(`referrals.${name}Ids`)} errors={errors}>
      {(given) => (
        <input
          {...given}
          key={value}
          className="input"
          defaultValue={value}
          placeholder={t('table.any')}
          onBlur={(event) => commit(event.target.value)}
          onKeyDown={(event) => event.key === 'Enter' && commit(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

function file(rows: readonly Row[]): Blob {
  const head = ['date', 'referral_id', 'referral', 'affiliate_id', 'affiliate', ...NUMBERS];
  const lines = rows.map((row) => [
    row.date ?? null,
    row.referral?.id ?? null,
    row.referral?.email ?? null,
    row.affiliate?.id ?? null,
    row.affiliate?.email ?? null,
    ...NUMBERS.map((name) => row[name]),
  ]);
  return csv(head, lines);
}
