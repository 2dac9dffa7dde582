// A provider made or changed. What only a service of an external panel has is asked of those alone.
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { ProviderStatus, ProviderType } from '@/api/words';
import { withIdempotencyKey } from '@/api/writeOptions';
import { type Codec, orDefault } from '@/form/codec';
import { choice, confirmation, id, money, quantity, text, trimmedOrNull } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { defineForm, type FormValues } from '@/form/spec';
import { Select } from '@/ui/Select';
import { PATH, type Provider, readProvider, usePanels } from './calls';
import { PanelServiceField } from './PanelServiceField';
import { provided, ServicesOf } from './ServicesOf';

interface Props {
  provider: Provider | null;
  onClose: () => void;
  onSaved: (provider: Provider) => void;
}

const currency: Codec<string | undefined> = { ...text, parse: (text) => text.trim().toUpperCase() || undefined };

const PROVIDER = defineForm<Schemas['ProviderInput']>()({
  name: text,
  type: choice(ProviderType),
  external_panel_id: id,
  external_panel_service_id: trimmedOrNull,
  source_price: orDefault(money, '0'),
  source_currency: currency,
  source_pricing_per: orDefault(quantity, 0),
  status: choice(ProviderStatus),
  source_event: trimmedOrNull,
  target_event: trimmedOrNull,
  services: provided,
  confirm_below_margin: confirmation,
});
const OF_PANEL = ['external_panel_id', 'external_panel_service_id'] as const;

const NEW: FormValues = { type: 'external_panel', source_price: '', source_pricing_per: '1000', services: '[]' };

const valuesOf = ({ source_price, ...provider }: Provider) =>
  PROVIDER.toValues({ ...provider, source_price: source_price.amount, source_currency: source_price.currency });

/** What changed, as the wire has it; a provider of no panel has nothing that one of a panel has. */
function bodyOf(values: FormValues, base: FormValues): Schemas['ProviderInput'] {
  const unchanged = Object.fromEntries(OF_PANEL.map((name) => [name, base[name] ?? '']));
  const own = values.type === 'external_panel' ? values : { ...values, ...unchanged };
  return { name: values.name ?? '', ...PROVIDER.toPatch(own, base) };
}

/** The status that it has and those that it may be given; none where it may be given no other. */
export function statusesOf({ status, actions }: Pick<Provider, 'status' | 'actions'>): readonly Provider['status'][] {
  const settable = { active: actions.enable, disabled: actions.disable, error: false, archived: false };
  if (!Object.values(settable).some(Boolean)) return [];
  return ProviderStatus.filter((word) => word === status || settable[word]);
}

function useFields(provider: Provider | null, type: string, onType: (type: string) => void): readonly FormField[] {
  const { t } = useTranslation();
  const panels = usePanels();
  const label = (name: string) => t(`providers.fields.${name}` as 'providers.fields.name');
  const types = ProviderType.map((value) => ({ value, label: t(`providerType.${value}`) }));
  const own = provider?.external_panel;
  const known = own && !panels.some(({ id }) => id === own.id) ? [...panels, own] : panels;
  const typeField: FormField = {
    name: 'type',
    label: label('type'),
    render: ({ id, value, onChange }) => (
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
      render: ({ values, ...given }) => (
        <PanelServiceField
          {...given}
          label={label('external_panel_service_id')}
          panel={values.external_panel_id ?? ''}
        />
      ),
    },
  ];
  const statuses = provider ? statusesOf(provider) : [];
  return [
    { name: 'name', label: label('name'), maxLength: 255 },
    ...(provider ? [] : [typeField]),
    ...(type === 'external_panel' ? ofPanel : []),
    { name: 'source_price', label: label('source_price') },
    { name: 'source_currency', label: label('source_currency'), hint: t('providers.currencyHint'), maxLength: 3 },
    { name: 'source_pricing_per', label: label('source_pricing_per') },
    ...(statuses.length > 0
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
      fullWidth: true,
      render: ({ value, onChange }) => <ServicesOf value={value} onChange={onChange} />,
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
      spec={PROVIDER}
      reload={provider ? async () => valuesOf(await readProvider(provider.id)) : undefined}
      send={({ values, base }, key) => {
        const body = bodyOf(values, provider ? base : {});
        return unwrap(
          provider
            ? api.PUT(`${PATH}/{id}`, { params: { path: { id: provider.id } }, body })
            : api.POST(PATH, { body, ...withIdempotencyKey(key) }),
        );
      }}
      success={t('ui.saved')}
      onDone={({ data }) => onSaved(data)}
      onClose={onClose}
    />
  );
}
