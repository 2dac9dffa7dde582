// The page that creates or edits a service. The form has one tab per section of fields.
import { useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { api, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import { FormProblem } from '@/form/FormProblem';
import { copyErrorsToAliases, ENGLISH_NAME_ALIAS } from '@/form/problems';
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
import {
  buildServiceBody,
  type FieldName,
  NEW_SERVICE_VALUES,
  SECTIONS,
  SERVICE_FORM,
  TEXT_NAMES,
  toServiceFormValues,
} from './fields';
import { PricePreview } from './PricePreview';
import { Providers } from './Providers';
import { CountriesField, LabelsField, ServiceTypeField } from './RelationFields';
import { fetchService, getServiceQueryKey, type Service, useService } from './requests';
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

const EDITOR_TABS = ['texts', ...SECTIONS.map((section) => section.name), 'targets'] as const;
type EditorTab = (typeof EDITOR_TABS)[number];

const MULTILINE_TEXTS: readonly string[] = [
  'description',
  'short_description',
  'requirements',
  'reviews',
  'meta_description',
];

const includesField = (fields: readonly FieldName[], field: string) => fields.some((name) => name === field);

/** Returns the tab that contains the field. The form opens the tab of the first error. */
function getTabOfField(field: string): EditorTab {
  if (field === 'name' || field.startsWith('translations')) return 'texts';
  if (field === 'service_type_id' || /^(labels|countries)/.test(field)) return 'general';
  if (field.startsWith('providers')) return 'delivery';
  if (field.startsWith('target') || field === 'promotable_checker_group_id') return 'targets';
  return SECTIONS.find(({ fields }) => includesField(fields, field))?.name ?? 'general';
}

/** Matches the fields that are not in `SECTIONS`, because they have their own component. */
const CUSTOM_FIELD_PATTERN =
  /^(name$|translations|service_type_id|labels|countries|providers|target|promotable_checker_group_id)/;

/** Whether the form shows the errors of a field next to the field. */
const isShownAtField = (field: string) =>
  CUSTOM_FIELD_PATTERN.test(field) || SECTIONS.some(({ fields }) => includesField(fields, field));

/** Saves a service. Sends only the changed fields of an existing service, and all checkboxes and non-empty fields of a new service. */
async function saveService(
  service: Service | null,
  { values, base }: FormState,
  idempotencyKey: string,
): Promise<Service> {
  if (!service) {
    return (
      await unwrap(
        api.POST('/api/v1/admin/services', {
          body: buildServiceBody(null, values),
          ...withIdempotencyKey(idempotencyKey),
        }),
      )
    ).data;
  }
  const params = { path: { id: service.id } };
  return (await unwrap(api.PUT('/api/v1/admin/services/{id}', { params, body: buildServiceBody(base, values) }))).data;
}

function Editor({ service }: { service: Service | null }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const queryClient = useQueryClient();
  const canManage = useHasPermission()('manage services and providers');
  const initialValues = useMemo(() => (service ? toServiceFormValues(service) : NEW_SERVICE_VALUES), [service]);
  const [tab, setTab] = useState<EditorTab>(service ? 'general' : 'texts');
  const form = useForm({
    spec: SERVICE_FORM,
    initialValues,
    mergesNewInitialValues: true,
    reload: service ? async () => toServiceFormValues(await fetchService(service.id)) : undefined,
    send: (state, idempotencyKey) => saveService(service, state, idempotencyKey),
    successMessage: t('ui.saved'),
    onProblem: ({ fields }) => {
      const [firstField] = Object.keys(fields);
      if (firstField) setTab(getTabOfField(firstField));
    },
    onDone: (savedService, { rebase }) => {
      // Call `rebase` before `setQueryData`, so that the form keeps the edits that the user made during the request.
      rebase(toServiceFormValues(savedService));
      queryClient.setQueryData(getServiceQueryKey(savedService.id), savedService);
      void queryClient.invalidateQueries({ queryKey: ['services'], refetchType: 'none' });
      if (!service) navigate(`/services/${savedService.id}`);
    },
  });
  const { values, conflicts, errors, isPending, isDirty } = form;
  const sectionProps: SectionProps = { values, errors, conflicts, onChange: form.setValue };
  return (
    <div className="editor">
      <div className="record-head">
        <h1 tabIndex={-1}>{service?.name ?? t('services.create')}</h1>
        {service && <CopyButton text={String(service.id)} />}
        {service && (
          <StatusTag status={service.is_archived ? 'archived' : service.is_enabled ? 'active' : 'disabled'} />
        )}
      </div>
      {service && <NoProviderNotice service={service} />}
      {service && <ServiceActions service={service} canManage={canManage} />}
      {/* The actions are outside of the form, because a submit event in one of their dialogs would bubble up and submit this form. */}
      <form className="editor" onSubmit={form.submit}>
        <FormProblem form={form} isShownAtField={isShownAtField} />
        <TabList
          current={tab}
          onChange={setTab}
          tabsWithErrors={Object.keys(errors).map(getTabOfField)}
          tabsWithConflicts={Object.keys(conflicts).map(getTabOfField)}
        />
        <div role="tabpanel" id="part" aria-labelledby={`part-${tab}`}>
          <fieldset className="editor-part" disabled={!canManage}>
            {tab === 'texts' && (
              <TranslatedField
                name="translations"
                label={t('services.sections.texts')}
                texts={TEXT_NAMES.map((name) => ({
                  name,
                  label: t(`services.texts.${name}`),
                  ...(MULTILINE_TEXTS.includes(name) ? { multiline: true as const } : {}),
                }))}
                value={values.translations ?? ''}
                errors={copyErrorsToAliases(errors, ENGLISH_NAME_ALIAS)}
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
            <Button label={t('ui.discardChanges')} disabled={!isDirty} onClick={form.discardEdits} />
            <Button
              variant="filled"
              type="submit"
              label={t(service ? 'ui.save' : 'services.confirmCreate')}
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
  current: EditorTab;
  onChange: (tab: EditorTab) => void;
  tabsWithErrors: readonly EditorTab[];
  /** The tabs that contain a field that both the user and another staff member have changed. */
  tabsWithConflicts: readonly EditorTab[];
}

function TabList({ current, onChange, tabsWithErrors, tabsWithConflicts }: TabListProps) {
  const { t } = useTranslation();
  const tabListRef = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const offset = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const nextTab =
      offset && EDITOR_TABS[(EDITOR_TABS.indexOf(current) + offset + EDITOR_TABS.length) % EDITOR_TABS.length];
    if (!nextTab) return;
    event.preventDefault();
    onChange(nextTab);
    tabListRef.current?.querySelector<HTMLElement>(`#part-${nextTab}`)?.focus();
  };
  return (
    <div
      ref={tabListRef}
      className="tabs"
      role="tablist"
      aria-label={t('services.sections.label')}
      onKeyDown={onKeyDown}
    >
      {EDITOR_TABS.map((tab) => (
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
          {t(`services.sections.${tab}`)}
          {tabsWithErrors.includes(tab) && (
            <>
              <i className="pi pi-exclamation-circle" aria-hidden />
              <span className="sr">{t('services.sections.hasErrors')}</span>
            </>
          )}
          {tabsWithConflicts.includes(tab) && (
            <>
              <i className="pi pi-users field-newer" aria-hidden />
              <span className="sr">{t('ui.conflict.row')}</span>
            </>
          )}
        </button>
      ))}
    </div>
  );
}

function ServiceActions({ service, canManage }: { service: Service; canManage: boolean }) {
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

/** Shows that no provider delivers the service, and when a provider was last available. */
function NoProviderNotice({ service }: { service: Service }) {
  const { t } = useTranslation();
  const { last_time_providers_are_available_at: lastAvailableAt, providers_are_unavailable_for_a_long_time: isLong } =
    service;
  if (!lastAvailableAt || !service.has_no_active_providers) return null;
  return (
    <p className="record-notice">
      {t(isLong ? 'services.noProviderAvailableForLong' : 'services.noProviderAvailable')}{' '}
      <DateTime time={lastAvailableAt} />
    </p>
  );
}
