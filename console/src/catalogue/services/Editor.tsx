// One service, with everything that staff decide about it, or a new one.
import { useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { api, unwrap } from '@/api/client';
import { keyed } from '@/api/how';
import { FormProblem } from '@/form/FormProblem';
import { aliased, ENGLISH_NAME } from '@/form/problems';
import { TranslatedField } from '@/form/TranslatedField';
import { type FormState, useForm } from '@/form/useForm';
import { useMay } from '@/session/hooks';
import { RecordActions } from '@/table/RecordActions';
import { Button } from '@/ui/Button';
import { CopyButton } from '@/ui/Copy';
import { RecordPage } from '@/ui/Record';
import { StatusTag } from '@/ui/StatusTag';
import { When } from '@/ui/When';
import { SERVICE_ACTIONS } from './actions';
import { oneService, readService, type Service, useService } from './calls';
import { bodyOf, type FieldName, NEW, PARTS, SERVICE, TEXTS, valuesOf } from './fields';
import { Countries, Labels, TypeField } from './Links';
import { PartFields, type PartProps } from './PartFields';
import { Preview } from './Preview';
import { Providers } from './Providers';
import { CheckerGroup, Targets } from './Targets';

export default function ServicePage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const query = useService(Number(params.id));
  return (
    <RecordPage query={query} list={{ href: '/services', text: t('services.title') }}>
      {(service) => <Editor key={service.id} service={service} />}
    </RecordPage>
  );
}

/** `/services/create`. */
export function NewService() {
  return (
    <div className="record">
      <Editor service={null} />
    </div>
  );
}

const TABS = ['texts', ...PARTS.map((part) => part.name), 'targets'] as const;
type Tab = (typeof TABS)[number];

const LONG: readonly string[] = ['description', 'short_description', 'requirements', 'reviews', 'meta_description'];

const isIn = (fields: readonly FieldName[], field: string) => fields.some((name) => name === field);

/** Where a field stands, so that its error is found. */
function tabOf(field: string): Tab {
  if (field === 'name' || field.startsWith('translations')) return 'texts';
  if (field === 'service_type_id' || /^(labels|countries)/.test(field)) return 'general';
  if (field.startsWith('providers')) return 'delivery';
  if (field.startsWith('target') || field === 'promotable_checker_group_id') return 'targets';
  return PARTS.find(({ fields }) => isIn(fields, field))?.name ?? 'general';
}

const DRAWN = /^(name$|translations|service_type_id|labels|countries|providers|target|promotable_checker_group_id)/;

/** Whether what is wrong with a field stands at it. */
const isDrawn = (field: string) => DRAWN.test(field) || PARTS.some(({ fields }) => isIn(fields, field));

/** Saves what differs: of a new one everything that is set, and every tick. */
async function save(service: Service | null, { values, base }: FormState, key: string): Promise<Service> {
  if (!service) {
    return (await unwrap(api.POST('/api/v1/admin/services', { body: bodyOf(null, values), ...keyed(key) }))).data;
  }
  const params = { path: { id: service.id } };
  return (await unwrap(api.PUT('/api/v1/admin/services/{id}', { params, body: bodyOf(base, values) }))).data;
}

function Editor({ service }: { service: Service | null }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const manages = useMay()('manage services and providers');
  const initial = useMemo(() => (service ? valuesOf(service) : NEW), [service]);
  const [tab, setTab] = useState<Tab>(service ? 'general' : 'texts');
  const form = useForm({
    spec: SERVICE,
    initial,
    follows: true,
    reload: service ? async () => valuesOf(await readService(service.id)) : undefined,
    send: (state, key) => save(service, state, key),
    success: t('ui.saved'),
    onProblem: ({ fields }) => {
      const [first] = Object.keys(fields);
      if (first) setTab(tabOf(first));
    },
    onDone: (data, { saved }) => {
      // First, as the record that is read next comes under what is typed.
      saved(valuesOf(data));
      queries.setQueryData(oneService(data.id), data);
      void queries.invalidateQueries({ queryKey: ['services'], refetchType: 'none' });
      if (!service) navigate(`/services/${data.id}`);
    },
  });
  const { values, conflicts, errors, isPending, isDirty } = form;
  const part: PartProps = { values, errors, conflicts, onChange: form.change };
  return (
    <div className="editor">
      <div className="record-head">
        <h1 tabIndex={-1}>{service?.name ?? t('services.create')}</h1>
        {service && <CopyButton text={String(service.id)} />}
        {service && (
          <StatusTag status={service.is_archived ? 'archived' : service.is_enabled ? 'active' : 'disabled'} />
        )}
      </div>
      {service && <Unavailable service={service} />}
      {service && <Actions service={service} manages={manages} />}
      {/* Not around the actions: what their dialogs send would be sent by this form too. */}
      <form className="editor" onSubmit={form.submit}>
        <FormProblem form={form} isDrawn={isDrawn} />
        <TabList
          now={tab}
          onChange={setTab}
          wrong={Object.keys(errors).map(tabOf)}
          newer={Object.keys(conflicts).map(tabOf)}
        />
        <div role="tabpanel" id="part" aria-labelledby={`part-${tab}`}>
          <fieldset className="editor-part" disabled={!manages}>
            {tab === 'texts' && (
              <TranslatedField
                name="translations"
                label={t('services.parts.texts')}
                texts={TEXTS.map((name) => ({
                  name,
                  label: t(`services.texts.${name}`),
                  ...(LONG.includes(name) ? { long: true as const } : {}),
                }))}
                value={values.translations ?? ''}
                errors={aliased(errors, ENGLISH_NAME)}
                conflicts={conflicts}
                first={!service}
                onChange={(texts) => part.onChange('translations', texts)}
              />
            )}
            {tab === 'general' && (
              <>
                <TypeField {...part} />
                <Countries {...part} />
              </>
            )}
            {PARTS.filter(({ name }) => name === tab).map(({ name, fields }) => (
              <PartFields key={name} {...part} names={fields} />
            ))}
            {tab === 'general' && <Labels {...part} />}
            {tab === 'delivery' && <Providers {...part} service={service} />}
            {tab === 'targets' && (
              <>
                <CheckerGroup {...part} />
                <Targets {...part} />
              </>
            )}
            {tab === 'prices' && <Preview values={values} service={service?.id ?? null} />}
          </fieldset>
        </div>
        {manages && (
          <div className="editor-save">
            <Button label={t('services.discard')} disabled={!isDirty} onClick={form.discard} />
            <Button
              look="filled"
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
  now: Tab;
  onChange: (tab: Tab) => void;
  wrong: readonly Tab[];
  /** Where another person changed something that was changed here too. */
  newer: readonly Tab[];
}

function TabList({ now, onChange, wrong, newer }: TabListProps) {
  const { t } = useTranslation();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = by && TABS[(TABS.indexOf(now) + by + TABS.length) % TABS.length];
    if (!next) return;
    event.preventDefault();
    onChange(next);
    list.current?.querySelector<HTMLElement>(`#part-${next}`)?.focus();
  };
  return (
    <div ref={list} className="tabs" role="tablist" aria-label={t('services.parts.label')} onKeyDown={move}>
      {TABS.map((tab) => (
        <button
          key={tab}
          type="button"
          role="tab"
          id={`part-${tab}`}
          aria-selected={tab === now}
          aria-controls="part"
          tabIndex={tab === now ? 0 : -1}
          onClick={() => onChange(tab)}
        >
          {t(`services.parts.${tab}`)}
          {wrong.includes(tab) && (
            <>
              <i className="pi pi-exclamation-circle" aria-hidden />
              <span className="sr">{t('services.parts.wrong')}</span>
            </>
          )}
          {newer.includes(tab) && (
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

function Actions({ service, manages }: { service: Service; manages: boolean }) {
  const { t } = useTranslation();
  const may = useMay();
  const queries = useQueryClient();
  return (
    <div className="record-actions">
      {manages && (
        <RecordActions
          row={service}
          actions={SERVICE_ACTIONS}
          plain
          onDone={() => void queries.invalidateQueries({ queryKey: ['services'] })}
        />
      )}
      {may('view orders') && <Link href={`/orders?service=${service.id}`}>{t('orders.title')}</Link>}
    </div>
  );
}

/** Since when no provider delivers it, where that is so. */
function Unavailable({ service }: { service: Service }) {
  const { t } = useTranslation();
  const { last_time_providers_are_available_at: last, providers_are_unavailable_for_a_long_time: isLong } = service;
  if (!last || !service.has_no_active_providers) return null;
  return (
    <p className="record-notice">
      {t(isLong ? 'services.unavailableLong' : 'services.unavailable')} <When at={last} />
    </p>
  );
}
