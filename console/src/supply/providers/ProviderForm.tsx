// The form that creates or edits a provider. Only providers of external panels have the fields of a panel.
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { ProviderStatus, ProviderType } from '@/api/enums';
import { withIdempotencyKey } from '@/api/writeOptions';
import { type Codec, orDefault } from '@/form/codec';
import { choice, confirmation, id, money, quantity, text, trimmedOrNull } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { defineForm, type FormValues } from '@/form/spec';
import { Select } from '@/ui/Select';
import { fetchProvider, PROVIDERS_PATH, type Provider, useSelectablePanels } from './calls';
import { PanelServiceField } from './PanelServiceField';
import { providerServicesCodec, ServicesField } from './ServicesField';

interface Props {
  provider: Provider | null;
  onClose: () => void;
  onSaved: (provider: Provider) => void;
}

const currencyCodec: Codec<string | undefined> = { ...text, parse: (text) => text.trim().toUpperCase() || undefined };

const PROVIDER_FORM = defineForm<Schemas['ProviderInput']>()({
  name: text,
  type: choice(ProviderType),
  external_panel_id: id,
  external_panel_service_id: trimmedOrNull,
  source_price: orDefault(money, '0'),
  source_currency: currencyCodec,
  source_pricing_per: orDefault(quantity, 0),
  status: choice(ProviderStatus),
  source_event: trimmedOrNull,
  target_event: trimmedOrNull,
  services: providerServicesCodec,
  confirm_below_margin: confirmation,
});
const PANEL_FIELDS = ['external_panel_id', 'external_panel_service_id'] as const;

const NEW_PROVIDER_VALUES: FormValues = {
  type: 'external_panel',
  source_price: '',
  source_pricing_per: '1000',
  services: '[]',
};

const toFormValues = ({ source_price, ...provider }: Provider) =>
  PROVIDER_FORM.toValues({ ...provider, source_price: source_price.amount, source_currency: source_price.currency });

/**
 * Returns the changed fields. The fields of a panel are omitted for other provider types: the user may have filled them before
 * changing the type.
 */
function buildBody(values: FormValues, base: FormValues): Schemas['ProviderInput'] {
  const unchangedPanelFields = Object.fromEntries(PANEL_FIELDS.map((name) => [name, base[name] ?? '']));
  const sentValues = values.type === 'external_panel' ? values : { ...values, ...unchangedPanelFields };
  return { name: values.name ?? '', ...PROVIDER_FORM.toPatch(sentValues, base) };
}

/**
 * Returns the current status and the statuses that the server allows. Empty if it allows no change: then the form has no status
 * field.
 */
export function selectableStatuses({
  status,
  actions,
}: Pick<Provider, 'status' | 'actions'>): readonly Provider['status'][] {
  const isAllowed = { active: actions.enable, disabled: actions.disable, error: false, archived: false };
  if (!Object.values(isAllowed).some(Boolean)) return [];
  return ProviderStatus.filter((option) => option === status || isAllowed[option]);
}

function useProviderFields(
  provider: Provider | null,
  type: string,
  onTypeChange: (type: string) => void,
): readonly FormField[] {
  const { t } = useTranslation();
  const panels = useSelectablePanels();
  const getLabel = (name: string) => t(`providers.fields.${name}` as 'providers.fields.name');
  const types = ProviderType.map((value) => ({ value, label: t(`providerType.${value}`) }));
  const currentPanel = provider?.external_panel;
  // `panels` has no archived panels, but an archived panel stays the panel of its providers.
  const panelOptions =
    currentPanel && !panels.some(({ id }) => id === currentPanel.id) ? [...panels, currentPanel] : panels;
  const typeField: FormField = {
    name: 'type',
    label: getLabel('type'),
    render: ({ id, value, onChange }) => (
      <Select
        id={id}
        label={getLabel('type')}
        value={value}
        options={types}
        onChange={(selected) => {
          onChange(selected ?? '');
          onTypeChange(selected ?? '');
        }}
      />
    ),
  };
  const panelFields: readonly FormField[] = [
    {
      name: 'external_panel_id',
      label: getLabel('external_panel_id'),
      options: panelOptions.map(({ id, name }) => ({ value: String(id), label: name })),
    },
    {
      name: 'external_panel_service_id',
      label: getLabel('external_panel_service_id'),
      render: ({ values, ...controlProps }) => (
        <PanelServiceField
          {...controlProps}
          label={getLabel('external_panel_service_id')}
          panelId={values.external_panel_id ?? ''}
        />
      ),
    },
  ];
  const statuses = provider ? selectableStatuses(provider) : [];
  return [
    { name: 'name', label: getLabel('name'), maxLength: 255 },
    ...(provider ? [] : [typeField]),
    ...(type === 'external_panel' ? panelFields : []),
    { name: 'source_price', label: getLabel('source_price') },
    { name: 'source_currency', label: getLabel('source_currency'), hint: t('providers.currencyHint'), maxLength: 3 },
    { name: 'source_pricing_per', label: getLabel('source_pricing_per') },
    ...(statuses.length > 0
      ? [
          {
            name: 'status',
            label: getLabel('status'),
            options: statuses.map((value) => ({ value, label: t(`status.${value}`) })),
          },
        ]
      : []),
    { name: 'source_event', label: getLabel('source_event'), maxLength: 255 },
    { name: 'target_event', label: getLabel('target_event'), maxLength: 255 },
    {
      name: 'services',
      label: getLabel('services'),
      fullWidth: true,
      render: ({ value, onChange }) => <ServicesField value={value} onChange={onChange} />,
    },
  ];
}

export function ProviderForm({ provider, onClose, onSaved }: Props) {
  const { t } = useTranslation();
  const initial = useMemo(() => (provider ? toFormValues(provider) : NEW_PROVIDER_VALUES), [provider]);
  const [type, setType] = useState(initial.type ?? 'external_panel');
  const fields = useProviderFields(provider, type, setType);
  return (
    <FormDialog
      title={t(provider ? 'providers.edit' : 'providers.create')}
      confirmLabel={t('ui.save')}
      fields={fields}
      initial={initial}
      spec={PROVIDER_FORM}
      reload={provider ? async () => toFormValues(await fetchProvider(provider.id)) : undefined}
      send={({ values, base }, key) => {
        const body = buildBody(values, provider ? base : {});
        return unwrap(
          provider
            ? api.PUT(`${PROVIDERS_PATH}/{id}`, { params: { path: { id: provider.id } }, body })
            : api.POST(PROVIDERS_PATH, { body, ...withIdempotencyKey(key) }),
        );
      }}
      success={t('ui.saved')}
      onDone={({ data }) => onSaved(data)}
      onClose={onClose}
    />
  );
}
