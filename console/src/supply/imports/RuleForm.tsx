// The rule by which a panel's new services are imported by themselves, and which of them the last sync could not import.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { fetchPage } from '@/api/table';
import { useNetworks, useServiceTypesOf } from '@/catalogue/networks/calls';
import { useCheckerGroups } from '@/catalogue/targets/calls';
import { isChecked, parseWords, words } from '@/form/codecs';
import { DeclaredField, type FormField } from '@/form/DeclaredField';
import { FormProblem } from '@/form/FormProblem';
import { isWithinFields } from '@/form/problems';
import { useForm } from '@/form/useForm';
import { formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { DateTime } from '@/ui/DateTime';
import { Checkbox } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';
import { FLAGS, panelFlag } from './lines';
import { type ImportRule, NONE, RULE, TYPES } from './rule';

const PATH = '/api/v1/admin/external-panels/{id}/import-rule';

const read = async (id: number) => (await unwrap(api.GET(PATH, { params: { path: { id } } }))).data;

/** A tab of a panel's page. */
export function PanelImportRule({ id }: { id: number }) {
  const { data, error } = useQuery({
    queryKey: ['external-panels', 'import-rule', id],
    queryFn: () => read(id),
    gcTime: 0,
  });
  return (
    <div className="record-grid">
      {error && <ProblemBar problem={error as never} />}
      {data && <RuleForm id={id} rule={data} />}
      <LastRun id={id} />
    </div>
  );
}

function RuleForm({ id, rule }: { id: number; rule: ImportRule }) {
  const { t } = useTranslation();
  const form = useForm({
    spec: RULE,
    initial: RULE.toValues(rule),
    reload: async () => RULE.toValues(await read(id)),
    send: ({ values, base }) => unwrap(api.PUT(PATH, { params: { path: { id } }, body: RULE.toBody(values, base) })),
    success: t('ui.saved'),
    invalidates: [['external-panels']],
    onDone: ({ data }, { rebase }) => rebase(RULE.toValues(data)),
  });
  const { values, errors, conflicts, isPending, isDirty } = form;
  const fields = useFields(Number(values.network_id) || null, isChecked(values.keep_categories));
  const names = fields.filter(({ name }) => RULE.codecs[name]?.mode !== 'checkbox').map(({ name }) => name);
  return (
    <Card title={t('importRule.title')}>
      <form className="form form-wide import-rule" onSubmit={form.submit}>
        <p className="form-row">{t('importRule.about')}</p>
        {rule.enabled_since && rule.is_enabled && (
          <p className="form-row">
            {t('importRule.since')} <DateTime at={rule.enabled_since} />
          </p>
        )}
        {fields.map((field) => (
          <div key={field.name} className={field.fullWidth ? 'form-row' : undefined}>
            {field.section && <h3 className="form-part">{field.section}</h3>}
            <DeclaredField
              field={field}
              first={false}
              values={values}
              errors={errors}
              conflicts={conflicts}
              spec={RULE}
              onChange={(value) => {
                form.change(field.name, value);
                // A type of another network is none of this one.
                if (field.name === 'network_id') form.change('service_type_id', NONE);
              }}
            />
          </div>
        ))}
        <FormProblem form={form} isShownAtField={isWithinFields(names)} />
        <div className="form-row import-tools">
          <Button variant="filled" type="submit" label={t('ui.save')} busy={isPending} disabled={!isDirty} />
          {isDirty && <Button label={t('services.discard')} onClick={form.discard} />}
        </div>
      </form>
    </Card>
  );
}

const optionsOf = (none: string, all: readonly { id: number; name: string }[] = []) => [
  { value: NONE, label: none },
  ...all.map(({ id, name }) => ({ value: String(id), label: name })),
];

function useFields(network: number | null, keepsCategories: boolean): readonly FormField[] {
  const { t } = useTranslation();
  const networks = useNetworks().data;
  const types = useServiceTypesOf(network).data;
  const groups = useCheckerGroups().data;
  return [
    { name: 'is_enabled', label: t('importRule.enabled'), fullWidth: true },
    {
      name: 'keep_categories',
      label: t('imports.keepCategories'),
      fullWidth: true,
      section: t('importRule.place'),
    },
    {
      name: 'network_id',
      label: t('panelServices.network'),
      options: optionsOf(t('panelServices.chooseNetwork'), networks),
    },
    {
      name: 'service_type_id',
      label: t('panelServices.serviceType'),
      options: optionsOf(keepsCategories ? t('imports.byCategory') : t('panelServices.chooseType'), types),
    },
    {
      name: 'margin_percent',
      label: t('panelServices.margin'),
      hint: t('panelServices.marginHint'),
      unsigned: true,
    },
    {
      name: 'promotable_checker_group_id',
      label: t('services.fields.promotable_checker_group_id'),
      options: optionsOf('–', groups),
    },
    {
      name: 'categories',
      label: t('importRule.categories'),
      hint: t('importRule.categoriesHint'),
      section: t('importRule.which'),
      fullWidth: true,
    },
    {
      name: 'types',
      label: t('importRule.types'),
      fullWidth: true,
      render: ({ value, onChange }) => <TypeTicks value={value} onChange={onChange} />,
    },
    { name: 'name_contains', label: t('importRule.contains'), maxLength: 255 },
    { name: 'name_excludes', label: t('importRule.excludes'), maxLength: 255 },
    { name: 'price_from', label: t('importRule.priceFrom'), unsigned: true },
    { name: 'price_to', label: t('importRule.priceTo'), unsigned: true },
    ...FLAGS.map(
      (name, at): FormField => ({
        name,
        label: t(`externalPanels.sync.${panelFlag(name)}`),
        options: [
          { value: NONE, label: t('importRule.asThePanel') },
          { value: 'on', label: t('services.on') },
          { value: 'off', label: t('services.off') },
        ],
        ...(at === 0 ? { section: t('externalPanels.parts.sync'), fullWidth: true as const } : {}),
      }),
    ),
  ];
}

function TypeTicks({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const chosen = parseWords(value);
  return (
    <fieldset className="import-flags">
      <legend>{t('importRule.types')}</legend>
      {TYPES.map((type) => (
        <Checkbox
          key={type}
          label={type}
          checked={chosen.includes(type)}
          onChange={(on) => onChange(words.format(TYPES.filter((one) => (one === type ? on : chosen.includes(one)))))}
        />
      ))}
    </fieldset>
  );
}

/** What the newest sync of the panel imported by the rule, and what not. */
function LastRun({ id }: { id: number }) {
  const { t } = useTranslation();
  const { data: run } = useQuery({
    queryKey: ['sync-runs', 'last', id],
    queryFn: async ({ signal }) => {
      const filters = { 'external_panel.id': String(id) };
      const asked = { search: '', filters, parameters: {}, sort: [{ column: 'id', descending: true }] };
      const path = '/api/v1/admin/external-panels/sync-runs';
      return (await fetchPage<Schemas['SyncRunRow']>(path, asked, 0, 1, signal)).data[0] ?? null;
    },
  });
  if (!run) return null;
  return (
    <Card title={t('importRule.lastRun')} aside={<DateTime at={run.started_at} />}>
      <p>
        {t('importRule.imported', {
          shown: formatNumber(run.imported_count ?? 0),
          not: formatNumber(run.not_imported_count ?? 0),
        })}
      </p>
      {(run.not_imported ?? []).length > 0 && (
        <ul className="import-rest">
          {(run.not_imported ?? []).map((one) => (
            <li key={one.id}>
              <strong>{one.name}</strong> {one.reason}
            </li>
          ))}
        </ul>
      )}
      {(run.not_imported_count ?? 0) > (run.not_imported ?? []).length && (
        <p>
          {t('panelServices.more', {
            shown: formatNumber((run.not_imported_count ?? 0) - (run.not_imported ?? []).length),
          })}
        </p>
      )}
    </Card>
  );
}
