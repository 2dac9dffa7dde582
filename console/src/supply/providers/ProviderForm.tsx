// A provider made or changed. What only a service of an external panel has is asked of those alone.
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { FormDialog, type FormField } from '@/ui/FormDialog';
import { Select } from '@/ui/Select';
import { toast } from '@/ui/toasts';
import { confirmation } from '@/ui/useForm';
import { wholeOf } from '@/ui/whole';
import { PATH, type Provider, readProvider, usePanels } from './calls';
import { PanelServiceField } from './PanelServiceField';
import { ServicesOf, servicesIn, servicesOut } from './ServicesOf';

type Values = Record<string, string>;

interface Props {
  provider: Provider | null;
  onClose: () => void;
  onSaved: (provider: Provider) => void;
}

const NEW: Values = { type: 'external_panel', source_price: '', source_pricing_per: '1000', services: '[]' };

function valuesOf(provider: Provider): Values {
  return {
    name: provider.name,
    type: provider.type,
    external_panel_id: String(provider.external_panel_id ?? ''),
    external_panel_service_id: provider.external_panel_service_id ?? '',
    source_price: provider.source_price.amount,
    source_currency: provider.source_price.currency,
    source_pricing_per: String(provider.source_pricing_per),
    status: provider.status,
    source_event: provider.source_event ?? '',
    target_event: provider.target_event ?? '',
    services: servicesOut(provider.services),
    updated_at: String(provider.updated_at),
  };
}

/** What changed, as the wire has it. */
function bodyOf(values: Values, was: Values): Schemas['ProviderInput'] {
  const changed = (name: string) => (values[name] ?? '') !== (was[name] ?? '');
  const isOfPanel = values.type === 'external_panel';
  const text = (name: string) => (changed(name) ? { [name]: values[name]?.trim() || null } : {});
  return {
    name: values.name ?? '',
    ...(was.name === undefined ? { type: values.type as Provider['type'] } : {}),
    ...(isOfPanel && changed('external_panel_id') ? { external_panel_id: Number(values.external_panel_id) } : {}),
    ...(isOfPanel ? text('external_panel_service_id') : {}),
    ...(changed('source_price') ? { source_price: (values.source_price || '0').trim().replace(',', '.') } : {}),
    ...(changed('source_currency') && values.source_currency
      ? { source_currency: values.source_currency.trim().toUpperCase() }
      : {}),
    ...(changed('source_pricing_per') ? { source_pricing_per: wholeOf(values.source_pricing_per ?? '') ?? 0 } : {}),
    ...(changed('status') ? { status: values.status as Provider['status'] } : {}),
    ...text('source_event'),
    ...text('target_event'),
    ...(changed('services') ? { services: servicesIn(values.services).map(({ id }) => id) } : {}),
    ...(was.updated_at ? { updated_at: was.updated_at } : {}),
    ...confirmation(values),
  } as Schemas['ProviderInput'];
}

function useFields(provider: Provider | null, type: string, onType: (type: string) => void): readonly FormField[] {
  const { t } = useTranslation();
  const panels = usePanels();
  const label = (name: string) => t(`providers.fields.${name}` as 'providers.fields.name');
  const types = (['external_panel', 'manual'] as const).map((value) => ({ value, label: t(`providerType.${value}`) }));
  const own = provider?.external_panel;
  const known = own && !panels.some(({ id }) => id === own.id) ? [...panels, own] : panels;
  const typeField: FormField = {
    name: 'type',
    label: label('type'),
    draw: ({ id, value, onChange }) => (
      <Select
        id={id}
        label={label('type')}
        value={value}
        options={types}
        onChange={(chosen) => {
          onChange(chosen ?? '');
          onType(chosen ?? '');
        }}
      />
    ),
  };
  const ofPanel: readonly FormField[] = [
    {
      name: 'external_panel_id',
      label: label('external_panel_id'),
      options: known.map(({ id, name }) => ({ value: String(id), label: name })),
    },
    {
      name: 'external_panel_service_id',
      label: label('external_panel_service_id'),
      draw: ({ values, ...given }) => (
        <PanelServiceField
          {...given}
          label={label('external_panel_service_id')}
          panel={values.external_panel_id ?? ''}
        />
      ),
    },
  ];
  const statuses =
    provider?.status === 'error' ? (['error', 'active', 'disabled'] as const) : (['active', 'disabled'] as const);
  return [
    { name: 'name', label: label('name'), maxLength: 255 },
    ...(provider ? [] : [typeField]),
    ...(type === 'external_panel' ? ofPanel : []),
    { name: 'source_price', label: label('source_price'), mode: 'decimal' },
    { name: 'source_currency', label: label('source_currency'), hint: t('providers.currencyHint'), maxLength: 3 },
    { name: 'source_pricing_per', label: label('source_pricing_per'), mode: 'numeric' },
    ...(provider && provider.status !== 'archived'
      ? [
          {
            name: 'status',
            label: label('status'),
            options: statuses.map((value) => ({ value, label: t(`status.${value}`) })),
          },
        ]
      : []),
    { name: 'source_event', label: label('source_event'), maxLength: 255 },
    { name: 'target_event', label: label('target_event'), maxLength: 255 },
    {
      name: 'services',
      label: label('services'),
      row: true,
      draw: ({ value, onChange }) => <ServicesOf value={value} onChange={onChange} />,
    },
  ];
}

export function ProviderForm({ provider, onClose, onSaved }: Props) {
  const { t } = useTranslation();
  const initial = useMemo(() => (provider ? valuesOf(provider) : NEW), [provider]);
  const [type, setType] = useState(initial.type ?? 'external_panel');
  const fields = useFields(provider, type, setType);
  return (
    <FormDialog
      title={t(provider ? 'providers.edit' : 'providers.create')}
      confirm={t('ui.save')}
      fields={fields}
      initial={initial}
      onClose={onClose}
      reload={provider ? async () => valuesOf(await readProvider(provider.id)) : undefined}
      onSave={async (values, was) => {
        const body = bodyOf(values, provider ? was : {});
        const { data } = provider
          ? await told(api.PUT(`${PATH}/{id}`, { params: { path: { id: provider.id } }, body }))
          : await told(api.POST(PATH, { body }));
        toast({ tone: 'success', text: t('ui.saved') });
        onSaved(data);
      }}
    />
  );
}
