// Saves a panel that was found, or changes one: what is sent is what was changed, and a token only when one was typed.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { PanelType, StatisticType } from '@/api/words';
import { withIdempotencyKey } from '@/api/writeOptions';
import { checkbox, choice, money, percent, text, url } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { NotLoaded } from '@/form/NotLoaded';
import { defineForm, type FormValues } from '@/form/spec';
import type { Found } from './ConnectDialog';
import { type ExternalPanel, OWN_SYNC, PATH, SYNC } from './declaration';
import { messages, RejectionLines } from './RejectionLines';

const PANEL = defineForm<Schemas['ExternalPanelInput']>()({
  name: text,
  type: choice(PanelType),
  endpoint: url,
  api_token: text,
  currency: text,
  statistic_type: choice(StatisticType),
  low_balance: money,
  resale_margin_percent: percent,
  price_jump_percent: percent,
  rejection_messages: messages,
  auto_recreate_orders_is_allowed: checkbox,
  sync_services: checkbox,
  sync_packages: checkbox,
  sync_short_description: checkbox,
  sync_labels: checkbox,
  sync_meta: checkbox,
  sync_reviews: checkbox,
  sync_prices: checkbox,
  sync_name: checkbox,
  sync_service_details: checkbox,
  sync_description: checkbox,
  sync_params: checkbox,
});

function fresh({ endpoint, api_token, type, currency }: Found): FormValues {
  return {
    endpoint,
    api_token,
    type,
    currency,
    name: URL.canParse(endpoint) ? new URL(endpoint).hostname : '',
    statistic_type: 'remains',
    price_jump_percent: '20',
    sync_prices: 'yes',
    rejection_messages: '[]',
  };
}

interface Props {
  panel: ExternalPanel | null;
  found?: Found;
  note?: string;
  onClose: () => void;
  onSaved: (panel: ExternalPanel) => void;
}

export function PanelForm({ panel, found, note, onClose, onSaved }: Props) {
  const { t } = useTranslation();
  const collections = useQuery({
    queryKey: ['external-panels', 'collections'],
    queryFn: async () => (await unwrap(api.GET(`${PATH}/collections`))).data,
  });
  const fields = useFields(panel, found, collections.data);
  const title = panel ? t('externalPanels.edit') : t('externalPanels.connect');
  if (!fields) return <NotLoaded title={title} queries={[collections]} onClose={onClose} />;
  const params = { path: { id: panel?.id ?? 0 } };
  return (
    <FormDialog
      title={title}
      confirm={panel ? t('ui.save') : t('externalPanels.connect')}
      fields={fields}
      note={note && <p className="form-row">{note}</p>}
      wide
      spec={PANEL}
      initial={found ? fresh(found) : PANEL.toValues(panel ?? {})}
      reload={panel ? async () => PANEL.toValues((await unwrap(api.GET(`${PATH}/{id}`, { params }))).data) : undefined}
      send={({ values, base }, key) =>
        unwrap(
          panel
            ? api.PATCH(`${PATH}/{id}`, { params, body: PANEL.toPatch(values, base) })
            : api.POST(PATH, { body: PANEL.toCreateBody(values), ...withIdempotencyKey(key) }),
        )
      }
      success={t('ui.saved')}
      onDone={({ data }) => onSaved(data)}
      onClose={onClose}
    />
  );
}

/** The fields, once the choices are known. */
function useFields(
  panel: ExternalPanel | null,
  found: Found | undefined,
  data: Schemas['ExternalPanelCollections'] | undefined,
): FormField[] | null {
  const { t } = useTranslation();
  if (!data) return null;
  const isOurs = (panel?.type ?? found?.type) === 'socpanel';
  const ticks = (isOurs ? [...OWN_SYNC, ...SYNC] : SYNC).map(
    (name, at): FormField => ({
      name,
      label: t(`externalPanels.sync.${name}`),
      ...(at === 0 ? { section: t('externalPanels.parts.sync') } : {}),
    }),
  );
  const token: FormField = {
    name: 'api_token',
    label: t('externalPanels.token'),
    mode: 'secret',
    maxLength: 500,
    ...(panel ? { hint: t('externalPanels.tokenAgain') } : {}),
  };
  return [
    {
      name: 'name',
      label: t('externalPanels.columns.name'),
      maxLength: 255,
      section: t('externalPanels.parts.connection'),
    },
    { name: 'endpoint', label: t('externalPanels.columns.endpoint'), maxLength: 2_000 },
    ...(panel || !found?.api_token ? [token] : []),
    {
      name: 'type',
      label: t('externalPanels.columns.type'),
      options: data.types.map(({ type, label }) => ({ value: type, label })),
    },
    {
      name: 'currency',
      label: t('externalPanels.columns.currency'),
      hint: t('externalPanels.currencyHint'),
      options: data.currencies.map(({ type, label }) => ({ value: type, label })),
      section: t('externalPanels.parts.money'),
    },
    {
      name: 'low_balance',
      label: t('externalPanels.lowBalance'),
      hint: t('externalPanels.lowBalanceHint'),
    },
    {
      name: 'resale_margin_percent',
      label: t('externalPanels.margin'),
      hint: t('externalPanels.marginHint'),
    },
    {
      name: 'price_jump_percent',
      label: t('externalPanels.jump'),
      hint: t('externalPanels.jumpHint'),
    },
    {
      name: 'statistic_type',
      label: t('externalPanels.statistic.label'),
      options: data.statisticTypes.map(({ type }) => ({
        value: type,
        label: t(`externalPanels.statistic.${type as 'remains'}`),
      })),
      section: t('externalPanels.parts.orders'),
    },
    { name: 'auto_recreate_orders_is_allowed', label: t('externalPanels.recreate') },
    {
      name: 'rejection_messages',
      label: t('externalPanels.rejections.title'),
      fullWidth: true,
      showsErrors: true,
      render: ({ value, onChange, within }) => <RejectionLines value={value} within={within} onChange={onChange} />,
    },
    ...ticks,
  ];
}
