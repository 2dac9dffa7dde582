// One package, with what is in it and what it costs, or a new one.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { api, unwrap } from '@/api/client';
import { keyed } from '@/api/how';
import { PackageType } from '@/api/words';
import { DeclaredField, type FormField } from '@/form/DeclaredField';
import { FormProblem } from '@/form/FormProblem';
import { NewerMark } from '@/form/Newer';
import { aliased, ENGLISH_NAME, isAt } from '@/form/problems';
import type { FormValues } from '@/form/spec';
import { useForm } from '@/form/useForm';
import { RecordActions } from '@/table/RecordActions';
import { Button } from '@/ui/Button';
import { CopyButton } from '@/ui/Copy';
import { RecordPage } from '@/ui/Record';
import { StatusTag } from '@/ui/StatusTag';
import { PACKAGE_ACTIONS } from './actions';
import { BuyForm } from './BuyForm';
import { Contents, Cost } from './Contents';
import { onePackage, type Package, usePackage, useServiceTypes } from './calls';
import { bodyOf, NEW, PACKAGE, valuesOf } from './values';

export default function PackagePage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const query = usePackage(Number(params.id));
  return (
    <RecordPage query={query} list={{ href: '/packages', text: t('packages.title') }}>
      {(one) => <Editor key={one.id} one={one} />}
    </RecordPage>
  );
}

/** `/packages/create`. */
export function NewPackage() {
  return (
    <div className="record">
      <Editor one={null} />
    </div>
  );
}

const TEXTS = ['name', 'short_description', 'description', 'meta_title', 'meta_description'] as const;
const LONG: readonly string[] = ['short_description', 'description', 'meta_description'];

/** What is declared of a package; its contents have a form of their own. */
function useFields(values: FormValues, one: Package | null): readonly FormField[] {
  const { t } = useTranslation();
  const types = useServiceTypes();
  const networks = new Map(types.map(({ network }) => [network.id, network.name]));
  if (one) networks.set(one.network.id, one.network.name);
  const tick = (name: 'is_enabled' | 'restricted_access'): FormField => ({
    name,
    label: t(`services.fields.${name}`),
  });
  return [
    {
      name: 'network_id',
      label: t('packages.columns.network'),
      options: [...networks].map(([id, label]) => ({ value: String(id), label })),
    },
    {
      name: 'service_type_id',
      label: t('packages.columns.serviceType'),
      options: types
        .filter(({ network }) => String(network.id) === values.network_id)
        .map(({ id, name }) => ({ value: String(id), label: name })),
    },
    {
      name: 'type',
      label: t('packages.columns.type'),
      options: PackageType.map((kind) => ({ value: kind, label: t(`packages.kinds.${kind}`) })),
    },
    { name: 'slug', label: t('services.fields.slug'), hint: t('services.hints.slug'), maxLength: 100 },
    { name: 'buy_page_url', label: t('services.fields.buy_page_url'), mode: 'url' },
    tick('is_enabled'),
    tick('restricted_access'),
    ...(one?.provider ? [{ name: 'sync', label: t('packages.columns.sync') }] : []),
    { name: 'discount_percent', label: t('packages.fields.discount_percent') },
    {
      name: 'fixed_cost',
      label: t('packages.fields.fixed_cost'),
      hint: t('packages.fixedHint'),
    },
  ];
}

function Editor({ one }: { one: Package | null }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const initial = useMemo(() => (one ? valuesOf(one) : NEW), [one]);
  const form = useForm({
    spec: PACKAGE,
    initial,
    follows: true,
    reload: one
      ? async () =>
          valuesOf((await unwrap(api.GET('/api/v1/admin/packages/{id}', { params: { path: { id: one.id } } }))).data)
      : undefined,
    send: ({ values, base }, key) => {
      const body = bodyOf(values, base);
      return unwrap(
        one
          ? api.PUT('/api/v1/admin/packages/{id}', { params: { path: { id: one.id } }, body })
          : api.POST('/api/v1/admin/packages', { body, ...keyed(key) }),
      );
    },
    success: t('ui.saved'),
    onDone: ({ data }, { saved }) => {
      // First, as the record that is read next comes under what is typed.
      saved(valuesOf(data));
      queries.setQueryData(onePackage(data.id), data);
      void queries.invalidateQueries({ queryKey: ['packages'], refetchType: 'none' });
      if (!one) navigate(`/packages/${data.id}`);
    },
  });
  const { values, conflicts, isPending, isDirty, submit, change } = form;
  const errors = aliased(form.errors, ENGLISH_NAME);
  const fields = useFields(values, one);
  const texts: FormField = {
    name: 'translations',
    label: t('serviceTypes.texts.label'),
    texts: TEXTS.map((name) => ({
      name,
      label: t(`services.texts.${name}`),
      ...(LONG.includes(name) ? { long: true as const } : {}),
    })),
  };
  const drawn = fields.map(({ name }) => name);
  const isDrawn = isAt([...drawn, 'name', 'translations', 'package_contents']);
  const shared = { spec: PACKAGE, values, conflicts, errors };
  return (
    <div className="editor">
      <div className="record-head">
        <h1 tabIndex={-1}>{one?.name ?? t('packages.create')}</h1>
        {one && <CopyButton text={String(one.id)} />}
        {one && <StatusTag status={one.is_archived ? 'archived' : one.is_enabled ? 'active' : 'disabled'} />}
      </div>
      {one && <Actions one={one} />}
      <form className="editor" onSubmit={submit}>
        <FormProblem form={form} isDrawn={isDrawn} />
        <div className="editor-part">
          <DeclaredField {...shared} field={texts} first={!one} onChange={(to) => change('translations', to)} />
          <div className="form form-wide">
            {fields.map((field) => (
              <DeclaredField
                key={field.name}
                {...shared}
                field={field}
                first={false}
                onChange={(to) => change(field.name, to)}
              />
            ))}
          </div>
          <Contents values={values} errors={errors} onChange={(to) => change('package_contents', to)} />
          <NewerMark conflicts={conflicts} name="package_contents" />
          <Cost values={values} />
        </div>
        <div className="editor-save">
          <Button look="filled" type="submit" label={t('ui.save')} busy={isPending} disabled={!isDirty} />
        </div>
      </form>
    </div>
  );
}

function Actions({ one }: { one: Package }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [buying, setBuying] = useState(false);
  return (
    <div className="record-actions">
      {one.actions.buyable && (
        <Button icon="cart-plus" label={t('packages.buy.open')} onClick={() => setBuying(true)} />
      )}
      <RecordActions
        row={one}
        actions={PACKAGE_ACTIONS}
        plain
        onDone={() => void queries.invalidateQueries({ queryKey: ['packages'] })}
      />
      {buying && (
        <BuyForm
          one={one}
          onClose={() => setBuying(false)}
          onDone={() => void queries.invalidateQueries({ queryKey: ['combo-orders'] })}
        />
      )}
    </div>
  );
}
