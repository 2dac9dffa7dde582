// The tab with the import rule of an external panel and the result of the last sync. Each sync imports the new services that match
// the rule.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { fetchPage } from '@/api/table';
import { useNetworks, useServiceTypesOfNetwork } from '@/catalogue/networks/requests';
import { useCheckerGroups } from '@/catalogue/targets/requests';
import { commaListCodec, isChecked, parseCommaList } from '@/form/codecs';
import { type FormField, FormFieldControl } from '@/form/FormFieldControl';
import { FormProblem } from '@/form/FormProblem';
import { isWithinFields } from '@/form/problems';
import { useForm } from '@/form/useForm';
import { formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { DateTime } from '@/ui/DateTime';
import { Checkbox } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';
import { IMPORT_RULE_FORM, IMPORTABLE_TYPES, type ImportRule, UNSET } from './importRuleForm';
import { SERVICE_SYNC_FLAGS, toExternalPanelSyncFlag } from './lines';

const RULE_PATH = '/api/v1/admin/external-panels/{id}/import-rule';

const fetchRule = async (externalPanelId: number) =>
  (await unwrap(api.GET(RULE_PATH, { params: { path: { id: externalPanelId } } }))).data;

export function PanelImportRule({ id }: { id: number }) {
  const { data, error } = useQuery({
    queryKey: ['external-panels', 'import-rule', id],
    queryFn: () => fetchRule(id),
    gcTime: 0,
  });
  return (
    <div className="record-grid">
      {error && <ProblemBar problem={error as never} />}
      {data && <RuleForm externalPanelId={id} rule={data} />}
      <LastSync externalPanelId={id} />
    </div>
  );
}

function RuleForm({ externalPanelId, rule }: { externalPanelId: number; rule: ImportRule }) {
  const { t } = useTranslation();
  const form = useForm({
    spec: IMPORT_RULE_FORM,
    initialValues: IMPORT_RULE_FORM.toValues(rule),
    reload: async () => IMPORT_RULE_FORM.toValues(await fetchRule(externalPanelId)),
    send: ({ values, base }) => {
      const body = IMPORT_RULE_FORM.toBody(values, base);
      return unwrap(api.PUT(RULE_PATH, { params: { path: { id: externalPanelId } }, body }));
    },
    successMessage: t('ui.saved'),
    invalidatedQueries: [['external-panels']],
    onDone: ({ data }, { rebase }) => rebase(IMPORT_RULE_FORM.toValues(data)),
  });
  const { values, errors, conflicts, isPending, isDirty } = form;
  const fields = useRuleFields(Number(values.network_id) || null, isChecked(values.keep_categories));
  const fieldsWithInput = fields
    .filter(({ name }) => IMPORT_RULE_FORM.codecs[name]?.mode !== 'checkbox')
    .map(({ name }) => name);
  return (
    <Card title={t('importRule.title')}>
      <form className="form form-wide import-rule" onSubmit={form.submit}>
        <p className="form-row">{t('importRule.description')}</p>
        {rule.enabled_since && rule.is_enabled && (
          <p className="form-row">
            {t('importRule.enabledSince')} <DateTime time={rule.enabled_since} />
          </p>
        )}
        {fields.map((field) => (
          <div key={field.name} className={field.fullWidth ? 'form-row' : undefined}>
            {field.section && <h3 className="form-part">{field.section}</h3>}
            <FormFieldControl
              field={field}
              autoFocus={false}
              values={values}
              errors={errors}
              conflicts={conflicts}
              spec={IMPORT_RULE_FORM}
              onChange={(value) => {
                form.setValue(field.name, value);
                // A service type belongs to one network.
                if (field.name === 'network_id') form.setValue('service_type_id', UNSET);
              }}
            />
          </div>
        ))}
        <FormProblem form={form} isShownAtField={isWithinFields(fieldsWithInput)} />
        <div className="form-row import-tools">
          <Button variant="filled" type="submit" label={t('ui.save')} busy={isPending} disabled={!isDirty} />
          {isDirty && <Button label={t('ui.discardChanges')} onClick={form.discardEdits} />}
        </div>
      </form>
    </Card>
  );
}

const toOptions = (unsetLabel: string, records: readonly { id: number; name: string }[] = []) => [
  { value: UNSET, label: unsetLabel },
  ...records.map(({ id, name }) => ({ value: String(id), label: name })),
];

function useRuleFields(networkId: number | null, keepCategories: boolean): readonly FormField[] {
  const { t } = useTranslation();
  const networks = useNetworks().data;
  const serviceTypes = useServiceTypesOfNetwork(networkId).data;
  const checkerGroups = useCheckerGroups().data;
  return [
    { name: 'is_enabled', label: t('importRule.isEnabled'), fullWidth: true },
    {
      name: 'keep_categories',
      label: t('imports.keepCategories'),
      fullWidth: true,
      section: t('importRule.destination'),
    },
    {
      name: 'network_id',
      label: t('panelServices.network'),
      options: toOptions(t('panelServices.chooseNetwork'), networks),
    },
    {
      name: 'service_type_id',
      label: t('panelServices.serviceType'),
      options: toOptions(keepCategories ? t('imports.byCategory') : t('panelServices.chooseType'), serviceTypes),
    },
    {
      name: 'margin_fraction',
      label: t('panelServices.margin'),
      hint: t('panelServices.marginHint'),
      unsigned: true,
    },
    {
      name: 'promotable_checker_group_id',
      label: t('services.fields.promotable_checker_group_id'),
      options: toOptions('–', checkerGroups),
    },
    {
      name: 'categories',
      label: t('importRule.categories'),
      hint: t('importRule.categoriesHint'),
      section: t('importRule.filters'),
      fullWidth: true,
    },
    {
      name: 'types',
      label: t('importRule.types'),
      fullWidth: true,
      render: ({ value, onChange }) => <TypeCheckboxes value={value} onChange={onChange} />,
    },
    { name: 'name_contains', label: t('importRule.nameContains'), maxLength: 255 },
    { name: 'name_excludes', label: t('importRule.nameExcludes'), maxLength: 255 },
    { name: 'price_from', label: t('importRule.priceFrom'), unsigned: true },
    { name: 'price_to', label: t('importRule.priceTo'), unsigned: true },
    ...SERVICE_SYNC_FLAGS.map(
      (name, index): FormField => ({
        name,
        label: t(`externalPanels.sync.${toExternalPanelSyncFlag(name)}`),
        options: [
          { value: UNSET, label: t('importRule.usePanelSetting') },
          { value: 'on', label: t('ui.on') },
          { value: 'off', label: t('ui.off') },
        ],
        ...(index === 0 ? { section: t('externalPanels.sections.sync'), fullWidth: true as const } : {}),
      }),
    ),
  ];
}

function TypeCheckboxes({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const selectedTypes = parseCommaList(value);
  const toggleType = (changedType: string, isSelected: boolean) =>
    onChange(
      commaListCodec.format(
        IMPORTABLE_TYPES.filter((type) => (type === changedType ? isSelected : selectedTypes.includes(type))),
      ),
    );
  return (
    <fieldset className="import-flags">
      <legend>{t('importRule.types')}</legend>
      {IMPORTABLE_TYPES.map((type) => (
        <Checkbox
          key={type}
          label={type}
          checked={selectedTypes.includes(type)}
          onChange={(isSelected) => toggleType(type, isSelected)}
        />
      ))}
    </fieldset>
  );
}

/** Shows how many new services the last sync imported, and the services that it did not import, with the reasons. */
function LastSync({ externalPanelId }: { externalPanelId: number }) {
  const { t } = useTranslation();
  const { data: lastSync } = useQuery({
    queryKey: ['sync-runs', 'last', externalPanelId],
    queryFn: async ({ signal }) => {
      const filters = { 'external_panel.id': String(externalPanelId) };
      const query = { search: '', filters, parameters: {}, sort: [{ column: 'id', descending: true }] };
      const path = '/api/v1/admin/external-panels/sync-runs';
      return (await fetchPage<Schemas['SyncRunRow']>(path, query, 0, 1, signal)).data[0] ?? null;
    },
  });
  if (!lastSync) return null;
  const { imported_count = 0, not_imported_count = 0, not_imported = [] } = lastSync;
  const hiddenCount = not_imported_count - not_imported.length;
  return (
    <Card title={t('importRule.lastSync')} headerActions={<DateTime time={lastSync.started_at} />}>
      <p>
        {t('importRule.imported', {
          formattedCount: formatNumber(imported_count),
          notImported: formatNumber(not_imported_count),
        })}
      </p>
      {not_imported.length > 0 && (
        <ul className="import-rest">
          {not_imported.map((service) => (
            <li key={service.id}>
              <strong>{service.name}</strong> {service.reason}
            </li>
          ))}
        </ul>
      )}
      {hiddenCount > 0 && <p>{t('panelServices.andMore', { formattedCount: formatNumber(hiddenCount) })}</p>}
    </Card>
  );
}
