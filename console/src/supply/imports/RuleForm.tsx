// The rule by which a panel's new services are imported by themselves, and which of them the last sync could not import.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { page } from '@/api/table';
import { useNetworks, useTypesOf } from '@/catalogue/networks/calls';
import { useGroups } from '@/catalogue/targets/calls';
import { isOn, words, wordsIn } from '@/form/codecs';
import { DeclaredField, type FormField } from '@/form/DeclaredField';
import { FormProblem } from '@/form/FormProblem';
import { isAt } from '@/form/problems';
import { useForm } from '@/form/useForm';
import { count } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { Panel } from '@/ui/Facts';
import { Tick } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';
import { When } from '@/ui/When';
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
    initial: RULE.valuesOf(rule),
    reload: async () => RULE.valuesOf(await read(id)),
    send: ({ values, base }) => unwrap(api.PUT(PATH, { params: { path: { id } }, body: RULE.wholeOf(values, base) })),
    success: t('ui.saved'),
    invalidates: [['external-panels']],
    onDone: ({ data }, { saved }) => saved(RULE.valuesOf(data)),
  });
  const { values, errors, conflicts, isPending, isDirty } = form;
  const fields = useFields(Number(values.network_id) || null, isOn(values.keep_categories));
  const names = fields.filter(({ name }) => RULE.codecs[name]?.mode !== 'tick').map(({ name }) => name);
  return (
    <Panel title={t('importRule.title')}>
      <form className="form form-wide import-rule" onSubmit={form.submit}>
        <p className="form-row">{t('importRule.about')}</p>
        {rule.enabled_since && rule.is_enabled && (
          <p className="form-row">
            {t('importRule.since')} <When at={rule.enabled_since} />
          </p>
        )}
        {fields.map((field) => (
          <div key={field.name} className={field.row ? 'form-row' : undefined}>
            {field.part && <h3 className="form-part">{field.part}</h3>}
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
        <FormProblem form={form} isDrawn={isAt(names)} />
        <div className="form-row import-tools">
          <Button look="filled" type="submit" label={t('ui.save')} busy={isPending} disabled={!isDirty} />
          {isDirty && <Button label={t('services.discard')} onClick={form.discard} />}
        </div>
      </form>
    </Panel>
  );
}

const optionsOf = (none: string, all: readonly { id: number; name: string }[] = []) => [
  { value: NONE, label: none },
  ...all.map(({ id, name }) => ({ value: String(id), label: name })),
];

function useFields(network: number | null, keepsCategories: boolean): readonly FormField[] {
  const { t } = useTranslation();
  const networks = useNetworks().data;
  const types = useTypesOf(network).data;
  const groups = useGroups().data;
  return [
    { name: 'is_enabled', label: t('importRule.enabled'), row: true },
    {
      name: 'keep_categories',
      label: t('imports.keepCategories'),
      row: true,
      part: t('importRule.place'),
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
      part: t('importRule.which'),
      row: true,
    },
    {
      name: 'types',
      label: t('importRule.types'),
      row: true,
      draw: ({ value, onChange }) => <TypeTicks value={value} onChange={onChange} />,
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
        ...(at === 0 ? { part: t('externalPanels.parts.sync'), row: true as const } : {}),
      }),
    ),
  ];
}

function TypeTicks({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const chosen = wordsIn(value);
  return (
    <fieldset className="import-flags">
      <legend>{t('importRule.types')}</legend>
      {TYPES.map((type) => (
        <Tick
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
      const asked = { search: '', filters, plain: {}, sort: [{ column: 'id', descending: true }] };
      const path = '/api/v1/admin/external-panels/sync-runs';
      return (await page<Schemas['SyncRunRow']>(path, asked, 0, 1, signal)).data[0] ?? null;
    },
  });
  if (!run) return null;
  return (
    <Panel title={t('importRule.lastRun')} aside={<When at={run.started_at} />}>
      <p>
        {t('importRule.imported', { shown: count(run.imported_count ?? 0), not: count(run.not_imported_count ?? 0) })}
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
          {t('panelServices.more', { shown: count((run.not_imported_count ?? 0) - (run.not_imported ?? []).length) })}
        </p>
      )}
    </Panel>
  );
}
