// The form that creates or edits a provider. Only providers of type `external_panel` have the fields of an external panel.
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { ProviderStatus, ProviderType } from '@/api/enums';
import { withIdempotencyKey } from '@/api/writeOptions';
import { type Codec, orDefault } from '@/form/codec';
import {
  confirmationCodec,
  enumCodec,
  idCodec,
  moneyCodec,
  quantityCodec,
  textCodec,
  trimmedTextOrNullCodec,
} from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { defineForm, type FormValues } from '@/form/spec';
import { Select } from '@/ui/Select';
import { PanelServiceField } from './PanelServiceField';
import { fetchProvider, PROVIDERS_PATH, type Provider, useSelectableExternalPanels } from './requests';
import { providerServicesCodec, ServicesField } from './ServicesField';

interface Props {
  provider: Provider | null;
  onClose: () => void;
  onSaved: (provider: Provider) => void;
}

const currencyCodec: Codec<string | undefined> = {
  ...textCodec,
  parse: (text) => text.trim().toUpperCase() || undefined,
};

const PROVIDER_FORM = defineForm<Schemas['ProviderInput']>()({
  name: textCodec,
  type: enumCodec(ProviderType),
  external_panel_id: idCodec,
  external_panel_service_id: trimmedTextOrNullCodec,
  source_price: orDefault(moneyCodec, '0'),
  source_currency: currencyCodec,
  source_pricing_per: orDefault(quantityCodec, 0),
  status: enumCodec(ProviderStatus),
  source_event: trimmedTextOrNullCodec,
  target_event: trimmedTextOrNullCodec,
  services: providerServicesCodec,
  confirm_below_margin: confirmationCodec,
});
const EXTERNAL_PANEL_FIELDS = ['external_panel_id', 'external_panel_service_id'] as const;

const NEW_PROVIDER_VALUES: FormValues = {
  type: 'external_panel',
  source_price: '',
  source_pricing_per: '1000',
  services: '[]',
};

const toFormValues = ({ source_price, ...provider }: Provider) =>
  PROVIDER_FORM.toValues({ ...provider, source_price: source_price.amount, source_currency: source_price.currency });

/**
 * Returns the changed fields. Omits the fields of an external panel for other provider types, because the user may have filled them
 * before changing the type.
 */
function buildBody(values: FormValues, base: FormValues): Schemas['ProviderInput'] {
  const unchangedExternalPanelFields = Object.fromEntries(
    EXTERNAL_PANEL_FIELDS.map((name) => [name, base[name] ?? '']),
  );
  const sentValues = values.type === 'external_panel' ? values : { ...values, ...unchangedExternalPanelFields };
  return { name: values.name ?? '', ...PROVIDER_FORM.toPatch(sentValues, base) };
}

/**
 * Returns the current status and the statuses that the server allows. Returns an empty list if the server allows no change; the form
 * then has no status field.
 */
export function getSelectableStatuses({
  status,
  actions,
}: Pick<Provider, 'status' | 'actions'>): readonly Provider['status'][] {
  const isStatusAllowed = { active: actions.enable, disabled: actions.disable, error: false, archived: false };
  if (!Object.values(isStatusAllowed).some(Boolean)) return [];
  return ProviderStatus.filter((otherStatus) => otherStatus === status || isStatusAllowed[otherStatus]);
}

function useProviderFields(
  provider: Provider | null,
  type: string,
  onTypeChange: (type: string) => void,
): readonly FormField[] {
  const { t } = useTranslation();
  const panels = useSelectableExternalPanels();
  const getLabel = (name: string) => t(`providers.fields.${name}` as 'providers.fields.name');
  const typeOptions = ProviderType.map((value) => ({ value, label: t(`providerType.${value}`) }));
  const currentPanel = provider?.external_panel;
  // The selectable external panels do not include archived ones, but the provider may belong to an archived external panel.
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
        options={typeOptions}
        onChange={(selectedType) => {
          onChange(selectedType ?? '');
          onTypeChange(selectedType ?? '');
        }}
      />
    ),
  };
  const externalPanelFields: readonly FormField[] = [
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
          externalPanelId={values.external_panel_id ?? ''}
        />
      ),
    },
  ];
  const statuses = provider ? getSelectableStatuses(provider) : [];
  return [
    { name: 'name', label: getLabel('name'), maxLength: 255 },
    ...(provider ? [] : [typeField]),
    ...(type === 'external_panel' ? externalPanelFields : []),
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
  const initialFormValues = useMemo(() => (provider ? toFormValues(provider) : NEW_PROVIDER_VALUES), [provider]);
  const [type, setType] = useState(initialFormValues.type ?? 'external_panel');
  const fields = useProviderFields(provider, type, setType);
  return (
    <FormDialog
      title={t(provider ? 'providers.edit' : 'providers.create')}
      confirmLabel={t('ui.save')}
      fields={fields}
      initialValues={initialFormValues}
      spec={PROVIDER_FORM}
      reload={provider ? async () => toFormValues(await fetchProvider(provider.id)) : undefined}
      send={({ values, base }, idempotencyKey) => {
        const body = buildBody(values, provider ? base : {});
        return unwrap(
          provider
            ? api.PUT(`${PROVIDERS_PATH}/{id}`, { params: { path: { id: provider.id } }, body })
            : api.POST(PROVIDERS_PATH, { body, ...withIdempotencyKey(idempotencyKey) }),
        );
      }}
      successMessage={t('ui.saved')}
      onDone={({ data }) => onSaved(data)}
      onClose={onClose}
    />
  );
}
