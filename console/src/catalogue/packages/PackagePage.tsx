// The page that creates or edits a package, with its contents and its cost.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { api, unwrap } from '@/api/client';
import { PackageType } from '@/api/enums';
import { withIdempotencyKey } from '@/api/writeOptions';
import { ConflictNote } from '@/form/Conflict';
import { type FormField, FormFieldControl } from '@/form/FormFieldControl';
import { FormProblem } from '@/form/FormProblem';
import { copyErrorsToAliases, ENGLISH_NAME_ALIAS, isWithinFields } from '@/form/problems';
import type { FormValues } from '@/form/spec';
import { useForm } from '@/form/useForm';
import { RecordActions } from '@/table/RecordActions';
import { Button } from '@/ui/Button';
import { CopyButton } from '@/ui/Copy';
import { RecordPage } from '@/ui/RecordPage';
import { StatusTag } from '@/ui/StatusTag';
import { PACKAGE_ACTIONS } from './actions';
import { BuyForm } from './BuyForm';
import { ContentsField, CostSummary } from './Contents';
import { getPackageQueryKey, type Package, usePackage, useServiceTypes } from './requests';
import { buildPackageBody, NEW_PACKAGE_VALUES, PACKAGE_SPEC, toPackageFormValues } from './values';

export default function PackagePage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const query = usePackage(Number(params.id));
  return (
    <RecordPage query={query} backLink={{ href: '/packages', text: t('packages.title') }}>
      {(pkg) => <Editor key={pkg.id} pkg={pkg} />}
    </RecordPage>
  );
}

export function NewPackage() {
  return (
    <div className="record">
      <Editor pkg={null} />
    </div>
  );
}

const TEXT_NAMES = ['name', 'short_description', 'description', 'meta_title', 'meta_description'] as const;
const MULTILINE_TEXTS: readonly string[] = ['short_description', 'description', 'meta_description'];

/** The fields of a package, without the services, which `ContentsField` edits. */
function usePackageFields(values: FormValues, pkg: Package | null): readonly FormField[] {
  const { t } = useTranslation();
  const serviceTypes = useServiceTypes();
  const networkNames = new Map(serviceTypes.map(({ network }) => [network.id, network.name]));
  if (pkg) networkNames.set(pkg.network.id, pkg.network.name);
  const createCheckboxField = (name: 'is_enabled' | 'restricted_access'): FormField => ({
    name,
    label: t(`services.fields.${name}`),
  });
  return [
    {
      name: 'network_id',
      label: t('packages.columns.network'),
      options: [...networkNames].map(([id, label]) => ({ value: String(id), label })),
    },
    {
      name: 'service_type_id',
      label: t('packages.columns.serviceType'),
      options: serviceTypes
        .filter(({ network }) => String(network.id) === values.network_id)
        .map(({ id, name }) => ({ value: String(id), label: name })),
    },
    {
      name: 'type',
      label: t('packages.columns.type'),
      options: PackageType.map((type) => ({ value: type, label: t(`packages.kinds.${type}`) })),
    },
    { name: 'slug', label: t('services.fields.slug'), hint: t('services.hints.slug'), maxLength: 100 },
    { name: 'buy_page_url', label: t('services.fields.buy_page_url'), mode: 'url' },
    createCheckboxField('is_enabled'),
    createCheckboxField('restricted_access'),
    ...(pkg?.provider ? [{ name: 'sync', label: t('packages.columns.sync') }] : []),
    { name: 'discount_fraction', label: t('packages.fields.discount_fraction') },
    {
      name: 'fixed_cost',
      label: t('packages.fields.fixed_cost'),
      hint: t('packages.fixedCostHint'),
    },
  ];
}

function Editor({ pkg }: { pkg: Package | null }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const queryClient = useQueryClient();
  const initialValues = useMemo(() => (pkg ? toPackageFormValues(pkg) : NEW_PACKAGE_VALUES), [pkg]);
  const form = useForm({
    spec: PACKAGE_SPEC,
    initialValues,
    mergesNewInitialValues: true,
    reload: pkg
      ? async () =>
          toPackageFormValues(
            (await unwrap(api.GET('/api/v1/admin/packages/{id}', { params: { path: { id: pkg.id } } }))).data,
          )
      : undefined,
    send: ({ values, base }, idempotencyKey) => {
      const body = buildPackageBody(values, base);
      return unwrap(
        pkg
          ? api.PUT('/api/v1/admin/packages/{id}', { params: { path: { id: pkg.id } }, body })
          : api.POST('/api/v1/admin/packages', { body, ...withIdempotencyKey(idempotencyKey) }),
      );
    },
    successMessage: t('ui.saved'),
    onDone: ({ data }, { rebase }) => {
      // Call `rebase` before `setQueryData`, so that the form keeps the edits that the user made during the request.
      rebase(toPackageFormValues(data));
      queryClient.setQueryData(getPackageQueryKey(data.id), data);
      void queryClient.invalidateQueries({ queryKey: ['packages'], refetchType: 'none' });
      if (!pkg) navigate(`/packages/${data.id}`);
    },
  });
  const { values, conflicts, isPending, isDirty, submit, setValue } = form;
  const errors = copyErrorsToAliases(form.errors, ENGLISH_NAME_ALIAS);
  const fields = usePackageFields(values, pkg);
  const translationsField: FormField = {
    name: 'translations',
    label: t('serviceTypes.texts.label'),
    texts: TEXT_NAMES.map((name) => ({
      name,
      label: t(`services.texts.${name}`),
      ...(MULTILINE_TEXTS.includes(name) ? { multiline: true as const } : {}),
    })),
  };
  const fieldNames = fields.map(({ name }) => name);
  const isShownAtField = isWithinFields([...fieldNames, 'name', 'translations', 'package_contents']);
  const fieldProps = { spec: PACKAGE_SPEC, values, conflicts, errors };
  return (
    <div className="editor">
      <div className="record-head">
        <h1 tabIndex={-1}>{pkg?.name ?? t('packages.create')}</h1>
        {pkg && <CopyButton text={String(pkg.id)} />}
        {pkg && <StatusTag status={pkg.is_archived ? 'archived' : pkg.is_enabled ? 'active' : 'disabled'} />}
      </div>
      {pkg && <PackageActions pkg={pkg} />}
      <form className="editor" onSubmit={submit}>
        <FormProblem form={form} isShownAtField={isShownAtField} />
        <div className="editor-part">
          <FormFieldControl
            {...fieldProps}
            field={translationsField}
            autoFocus={!pkg}
            onChange={(value) => setValue('translations', value)}
          />
          <div className="form form-wide">
            {fields.map((field) => (
              <FormFieldControl
                key={field.name}
                {...fieldProps}
                field={field}
                autoFocus={false}
                onChange={(value) => setValue(field.name, value)}
              />
            ))}
          </div>
          <ContentsField values={values} errors={errors} onChange={(value) => setValue('package_contents', value)} />
          <ConflictNote conflicts={conflicts} name="package_contents" />
          <CostSummary values={values} />
        </div>
        <div className="editor-save">
          <Button variant="filled" type="submit" label={t('ui.save')} busy={isPending} disabled={!isDirty} />
        </div>
      </form>
    </div>
  );
}

function PackageActions({ pkg }: { pkg: Package }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [isBuying, setIsBuying] = useState(false);
  return (
    <div className="record-actions">
      {pkg.actions.buyable && (
        <Button icon="cart-plus" label={t('packages.buy.open')} onClick={() => setIsBuying(true)} />
      )}
      <RecordActions
        row={pkg}
        actions={PACKAGE_ACTIONS}
        withoutForms
        onDone={() => void queryClient.invalidateQueries({ queryKey: ['packages'] })}
      />
      {isBuying && (
        <BuyForm
          pkg={pkg}
          onClose={() => setIsBuying(false)}
          onDone={() => void queryClient.invalidateQueries({ queryKey: ['combo-orders'] })}
        />
      )}
    </div>
  );
}
