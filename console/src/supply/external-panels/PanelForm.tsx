// The form that saves a newly connected external panel, or edits an external panel. It sends only changed fields, and the API token only
// if the user types a new token.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { PanelType, StatisticType } from '@/api/enums';
import { withIdempotencyKey } from '@/api/writeOptions';
import { checkboxCodec, enumCodec, fractionAsPercentCodec, moneyCodec, textCodec, urlCodec } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { LoadErrorDialog } from '@/form/LoadErrorDialog';
import { defineForm, type FormValues } from '@/form/spec';
import type { TestedConnection } from './ConnectDialog';
import { COMMON_SYNC_FLAGS, EXTERNAL_PANELS_PATH, type ExternalPanel, SOCPANEL_SYNC_FLAGS } from './externalPanelList';
import { RejectionMessagesField, rejectionMessagesCodec } from './RejectionMessagesField';

const PANEL_FORM = defineForm<Schemas['ExternalPanelInput']>()({
  name: textCodec,
  type: enumCodec(PanelType),
  endpoint: urlCodec,
  api_token: textCodec,
  currency: textCodec,
  statistic_type: enumCodec(StatisticType),
  low_balance: moneyCodec,
  resale_margin_fraction: fractionAsPercentCodec,
  price_jump_fraction: fractionAsPercentCodec,
  rejection_messages: rejectionMessagesCodec,
  auto_recreate_orders_is_allowed: checkboxCodec,
  sync_services: checkboxCodec,
  sync_packages: checkboxCodec,
  sync_short_description: checkboxCodec,
  sync_labels: checkboxCodec,
  sync_meta: checkboxCodec,
  sync_reviews: checkboxCodec,
  sync_prices: checkboxCodec,
  sync_name: checkboxCodec,
  sync_service_details: checkboxCodec,
  sync_description: checkboxCodec,
  sync_params: checkboxCodec,
});

/** Returns the initial form values of a new external panel. */
function toNewPanelValues({ endpoint, api_token, type, currency }: TestedConnection): FormValues {
  return {
    endpoint,
    api_token,
    type,
    currency,
    name: URL.canParse(endpoint) ? new URL(endpoint).hostname : '',
    statistic_type: 'remains',
    price_jump_fraction: '20',
    sync_prices: 'yes',
    rejection_messages: '[]',
  };
}

interface Props {
  panel: ExternalPanel | null;
  /** The tested connection of a new external panel. */
  connection?: TestedConnection;
  note?: string;
  onClose: () => void;
  onSaved: (panel: ExternalPanel) => void;
}

export function PanelForm({ panel, connection, note, onClose, onSaved }: Props) {
  const { t } = useTranslation();
  const collections = useQuery({
    queryKey: ['external-panels', 'collections'],
    queryFn: async () => (await unwrap(api.GET(`${EXTERNAL_PANELS_PATH}/collections`))).data,
  });
  const fields = usePanelFields(panel, connection, collections.data);
  const title = panel ? t('externalPanels.edit') : t('externalPanels.connect');
  if (!fields) return <LoadErrorDialog title={title} queries={[collections]} onClose={onClose} />;
  const params = { path: { id: panel?.id ?? 0 } };
  return (
    <FormDialog
      title={title}
      confirmLabel={panel ? t('ui.save') : t('externalPanels.connect')}
      fields={fields}
      note={note && <p className="form-row">{note}</p>}
      isWide
      spec={PANEL_FORM}
      initialValues={connection ? toNewPanelValues(connection) : PANEL_FORM.toValues(panel ?? {})}
      reload={
        panel
          ? async () => PANEL_FORM.toValues((await unwrap(api.GET(`${EXTERNAL_PANELS_PATH}/{id}`, { params }))).data)
          : undefined
      }
      send={({ values, base }, idempotencyKey) =>
        unwrap(
          panel
            ? api.PATCH(`${EXTERNAL_PANELS_PATH}/{id}`, { params, body: PANEL_FORM.toPatch(values, base) })
            : api.POST(EXTERNAL_PANELS_PATH, {
                body: PANEL_FORM.toCreateBody(values),
                ...withIdempotencyKey(idempotencyKey),
              }),
        )
      }
      successMessage={t('ui.saved')}
      onDone={({ data }) => onSaved(data)}
      onClose={onClose}
    />
  );
}

/** Returns the fields of the form, or null until the options of the selects are loaded. */
function usePanelFields(
  panel: ExternalPanel | null,
  connection: TestedConnection | undefined,
  collections: Schemas['ExternalPanelCollections'] | undefined,
): FormField[] | null {
  const { t } = useTranslation();
  if (!collections) return null;
  const isSameProduct = (panel?.type ?? connection?.type) === 'socpanel';
  const syncFields = (isSameProduct ? [...SOCPANEL_SYNC_FLAGS, ...COMMON_SYNC_FLAGS] : COMMON_SYNC_FLAGS).map(
    (name, index): FormField => ({
      name,
      label: t(`externalPanels.sync.${name}`),
      ...(index === 0 ? { section: t('externalPanels.sections.sync') } : {}),
    }),
  );
  const tokenField: FormField = {
    name: 'api_token',
    label: t('externalPanels.token'),
    mode: 'secret',
    maxLength: 500,
    ...(panel ? { hint: t('externalPanels.keepTokenHint') } : {}),
  };
  return [
    {
      name: 'name',
      label: t('externalPanels.columns.name'),
      maxLength: 255,
      section: t('externalPanels.sections.connection'),
    },
    { name: 'endpoint', label: t('externalPanels.columns.endpoint'), maxLength: 2_000 },
    ...(panel || !connection?.api_token ? [tokenField] : []),
    {
      name: 'type',
      label: t('externalPanels.columns.type'),
      options: collections.types.map(({ type, label }) => ({ value: type, label })),
    },
    {
      name: 'currency',
      label: t('externalPanels.columns.currency'),
      hint: t('externalPanels.currencyHint'),
      options: collections.currencies.map(({ type, label }) => ({ value: type, label })),
      section: t('externalPanels.sections.money'),
    },
    {
      name: 'low_balance',
      label: t('externalPanels.lowBalance'),
      hint: t('externalPanels.lowBalanceHint'),
    },
    {
      name: 'resale_margin_fraction',
      label: t('externalPanels.margin'),
      hint: t('externalPanels.marginHint'),
    },
    {
      name: 'price_jump_fraction',
      label: t('externalPanels.priceChangeLimit'),
      hint: t('externalPanels.priceChangeLimitHint'),
    },
    {
      name: 'statistic_type',
      label: t('externalPanels.statisticType.label'),
      options: collections.statisticTypes.map(({ type }) => ({
        value: type,
        label: t(`externalPanels.statisticType.${type as 'remains'}`),
      })),
      section: t('externalPanels.sections.orders'),
    },
    { name: 'auto_recreate_orders_is_allowed', label: t('externalPanels.failOver') },
    {
      name: 'rejection_messages',
      label: t('externalPanels.rejections.title'),
      fullWidth: true,
      showsInnerErrors: true,
      render: ({ value, onChange, innerErrors }) => (
        <RejectionMessagesField value={value} innerErrors={innerErrors} onChange={onChange} />
      ),
    },
    ...syncFields,
  ];
}
