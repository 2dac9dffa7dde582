// The page that creates or edits a service. The form has a tab for each section of fields.
import { useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { api, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import { FormProblem } from '@/form/FormProblem';
import { ENGLISH_NAME, withAliases } from '@/form/problems';
import { TranslatedField } from '@/form/TranslatedField';
import { type FormState, useForm } from '@/form/useForm';
import { useHasPermission } from '@/session/hooks';
import { RecordActions } from '@/table/RecordActions';
import { Button } from '@/ui/Button';
import { CopyButton } from '@/ui/Copy';
import { DateTime } from '@/ui/DateTime';
import { RecordPage } from '@/ui/RecordPage';
import { StatusTag } from '@/ui/StatusTag';
import { SERVICE_ACTIONS } from './actions';
import { fetchService, type Service, serviceKey, useService } from './calls';
import { bodyOf, type FieldName, NEW_SERVICE, SECTIONS, SERVICE_FORM, TEXTS, valuesOf } from './fields';
import { PricePreview } from './PricePreview';
import { Providers } from './Providers';
import { CountriesField, LabelsField, ServiceTypeField } from './RelationFields';
import { SectionFields, type SectionProps } from './SectionFields';
import { CheckerGroupField, TargetsField } from './TargetFields';

export default function ServicePage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const query = useService(Number(params.id));
  return (
    <RecordPage query={query} backLink={{ href: '/services', text: t('services.title') }}>
      {(service) => <Editor key={service.id} service={service} />}
    </RecordPage>
  );
}

export function NewService() {
  return (
    <div className="record">
      <Editor service={null} />
    </div>
  );
}

const TABS = ['texts', ...SECTIONS.map((section) => section.name), 'targets'] as const;
type Tab = (typeof TABS)[number];

const MULTILINE_TEXTS: readonly string[] = [
  'description',
  'short_description',
  'requirements',
  'reviews',
  'meta_description',
];

const includesField = (fields: readonly FieldName[], field: string) => fields.some((name) => name === field);

/** The tab that shows the field. The form opens the tab of the first error. */
function tabOf(field: string): Tab {
  if (field === 'name' || field.startsWith('translations')) return 'texts';
  if (field === 'service_type_id' || /^(labels|countries)/.test(field)) return 'general';
  if (field.startsWith('providers')) return 'delivery';
  if (field.startsWith('target') || field === 'promotable_checker_group_id') return 'targets';
  return SECTIONS.find(({ fields }) => includesField(fields, field))?.name ?? 'general';
}

/** The fields with a control of their own, which are not in `SECTIONS`. */
const OTHER_FIELDS =
  /^(name$|translations|service_type_id|labels|countries|providers|target|promotable_checker_group_id)/;

/** Whether the form shows the errors of the field at the field. */
const isShownAtField = (field: string) =>
  OTHER_FIELDS.test(field) || SECTIONS.some(({ fields }) => includesField(fields, field));

/** Saves the changed fields of a service. For a new service, sends all fields that are not empty, and every checkbox. */
async function saveService(service: Service | null, { values, base }: FormState, key: string): Promise<Service> {
  if (!service) {
    return (
      await unwrap(api.POST('/api/v1/admin/services', { body: bodyOf(null, values), ...withIdempotencyKey(key) }))
    ).data;
  }
  const params = { path: { id: service.id } };
  return (await unwrap(api.PUT('/api/v1/admin/services/{id}', { params, body: bodyOf(base, values) }))).data;
}

function Editor({ service }: { service: Service | null }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const queryClient = useQueryClient();
  const canManage = useHasPermission()('manage services and providers');
  const initial = useMemo(() => (service ? valuesOf(service) : NEW_SERVICE), [service]);
  const [tab, setTab] = useState<Tab>(service ? 'general' : 'texts');
  const form = useForm({
    spec: SERVICE_FORM,
    initial,
    followsRecord: true,
    reload: service ? async () => valuesOf(await fetchService(service.id)) : undefined,
    send: (state, key) => saveService(service, state, key),
    success: t('ui.saved'),
    onProblem: ({ fields }) => {
      const [firstField] = Object.keys(fields);
      if (firstField) setTab(tabOf(firstField));
    },
    onDone: (savedService, { rebase }) => {
      // Call `rebase` before `setQueryData`, so that what the user has typed in the meantime stays in the form.
      rebase(valuesOf(savedService));
      queryClient.setQueryData(serviceKey(savedService.id), savedService);
      void queryClient.invalidateQueries({ queryKey: ['services'], refetchType: 'none' });
      if (!service) navigate(`/services/${savedService.id}`);
    },
  });
  const { values, conflicts, errors, isPending, isDirty } = form;
  const sectionProps: SectionProps = { values, errors, conflicts, onChange: form.change };
  return (
    <div className="editor">
      <div className="record-head">
        <h1 tabIndex={-1}>{service?.name ?? t('services.create')}</h1>
        {service && <CopyButton text={String(service.id)} />}
        {service && (
          <StatusTag status={service.is_archived ? 'archived' : service.is_enabled ? 'active' : 'disabled'} />
        )}
      </div>
      {service && <UnavailableNotice service={service} />}
      {service && <Actions service={service} canManage={canManage} />}
      {/* The actions are outside of the form: a submit event in one of their dialogs would bubble up and submit this form too. */}
      <form className="editor" onSubmit={form.submit}>
        <FormProblem form={form} isShownAtField={isShownAtField} />
        <TabList
          current={tab}
          onChange={setTab}
          tabsWithErrors={Object.keys(errors).map(tabOf)}
          tabsWithConflicts={Object.keys(conflicts).map(tabOf)}
        />
        <div role="tabpanel" id="part" aria-labelledby={`part-${tab}`}>
          <fieldset className="editor-part" disabled={!canManage}>
            {tab === 'texts' && (
              <TranslatedField
                name="translations"
                label={t('services.parts.texts')}
                texts={TEXTS.map((name) => ({
                  name,
                  label: t(`services.texts.${name}`),
                  ...(MULTILINE_TEXTS.includes(name) ? { multiline: true as const } : {}),
                }))}
                value={values.translations ?? ''}
                errors={withAliases(errors, ENGLISH_NAME)}
                conflicts={conflicts}
                autoFocus={!service}
                onChange={(texts) => sectionProps.onChange('translations', texts)}
              />
            )}
            {tab === 'general' && (
              <>
                <ServiceTypeField {...sectionProps} />
                <CountriesField {...sectionProps} />
              </>
            )}
            {SECTIONS.filter(({ name }) => name === tab).map(({ name, fields }) => (
              <SectionFields key={name} {...sectionProps} names={fields} />
            ))}
            {tab === 'general' && <LabelsField {...sectionProps} />}
            {tab === 'delivery' && <Providers {...sectionProps} service={service} />}
            {tab === 'targets' && (
              <>
                <CheckerGroupField {...sectionProps} />
                <TargetsField {...sectionProps} />
              </>
            )}
            {tab === 'prices' && <PricePreview values={values} serviceId={service?.id ?? null} />}
          </fieldset>
        </div>
        {canManage && (
          <div className="editor-save">
            <Button label={t('services.discard')} disabled={!isDirty} onClick={form.discard} />
            <Button
              variant="filled"
              type="submit"
              label={t(service ? 'ui.save' : 'services.make')}
              busy={isPending}
              disabled={!isDirty}
            />
          </div>
        )}
      </form>
    </div>
  );
}

interface TabListProps {
  current: Tab;
  onChange: (tab: Tab) => void;
  tabsWithErrors: readonly Tab[];
  /** The tabs with a field that both the user and another staff member have changed. */
  tabsWithConflicts: readonly Tab[];
}

function TabList({ current, onChange, tabsWithErrors, tabsWithConflicts }: TabListProps) {
  const { t } = useTranslation();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const offset = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = offset && TABS[(TABS.indexOf(current) + offset + TABS.length) % TABS.length];
    if (!next) return;
    event.preventDefault();
    onChange(next);
    list.current?.querySelector<HTMLElement>(`#part-${next}`)?.focus();
  };
  return (
    <div ref={list} className="tabs" role="tablist" aria-label={t('services.parts.label')} onKeyDown={onKeyDown}>
      {TABS.map((tab) => (
        <button
          key={tab}
          type="button"
          role="tab"
          id={`part-${tab}`}
          aria-selected={tab === current}
          aria-controls="part"
          tabIndex={tab === current ? 0 : -1}
          onClick={() => onChange(tab)}
        >
          {t(`services.parts.${tab}`)}
          {tabsWithErrors.includes(tab) && (
            <>
              <i className="pi pi-exclamation-circle" aria-hidden />
              <span className="sr">{t('services.parts.wrong')}</span>
            </>
          )}
          {tabsWithConflicts.includes(tab) && (
            <>
              <i className="pi pi-users field-newer" aria-hidden />
              <span className="sr">{t('ui.newer.row')}</span>
            </>
          )}
        </button>
      ))}
    </div>
  );
}

function Actions({ service, canManage }: { service: Service; canManage: boolean }) {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const queryClient = useQueryClient();
  return (
    <div className="record-actions">
      {canManage && (
        <RecordActions
          row={service}
          actions={SERVICE_ACTIONS}
          withoutForms
          onDone={() => void queryClient.invalidateQueries({ queryKey: ['services'] })}
        />
      )}
      {hasPermission('view orders') && <Link href={`/orders?service=${service.id}`}>{t('orders.title')}</Link>}
    </div>
  );
}

/** The notice that no provider delivers the service, with the time when one was last available. */
function UnavailableNotice({ service }: { service: Service }) {
  const { t } = useTranslation();
  const { last_time_providers_are_available_at: lastAvailableAt, providers_are_unavailable_for_a_long_time: isLong } =
    service;
  if (!lastAvailableAt || !service.has_no_active_providers) return null;
  return (
    <p className="record-notice">
      {t(isLong ? 'services.unavailableLong' : 'services.unavailable')} <DateTime time={lastAvailableAt} />
    </p>
  );
}
