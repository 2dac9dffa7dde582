// Saves a panel that was found, or changes one: what is sent is what was changed, and a token only when one was typed.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { FormDialog, type FormField } from '@/ui/FormDialog';
import { fractionOf, percentOf } from '@/ui/fraction';
import { toast } from '@/ui/toasts';
import type { Values } from '@/ui/useForm';
import type { Found } from './ConnectDialog';
import { type ExternalPanel, OWN_SYNC, PATH, SYNC } from './declaration';
import { keptMessages, RejectionLines, sentMessages } from './RejectionLines';

type Input = Schemas['ExternalPanelInput'];

const SHARES = ['resale_margin_percent', 'price_jump_percent'];
const FLAGS: readonly string[] = [...OWN_SYNC, ...SYNC, 'auto_recreate_orders_is_allowed'];

function before(panel: ExternalPanel | null): Values {
  if (!panel) return {};
  const ticked = FLAGS.map((name) => [name, panel[name as 'sync_prices'] ? 'yes' : '']);
  return {
    name: panel.name,
    type: panel.type,
    endpoint: panel.endpoint,
    currency: panel.currency,
    statistic_type: panel.statistic_type,
    low_balance: panel.low_balance ?? '',
    resale_margin_percent: panel.resale_margin_percent ? percentOf(panel.resale_margin_percent) : '',
    price_jump_percent: percentOf(panel.price_jump_percent),
    rejection_messages: keptMessages(panel.rejection_messages),
    updated_at: panel.updated_at,
    ...Object.fromEntries(ticked),
  };
}

function fresh(found: Found): Values {
  const name = URL.canParse(found.endpoint) ? new URL(found.endpoint).hostname : '';
  return {
    ...found,
    balance: '',
    name,
    statistic_type: 'remains',
    price_jump_percent: '20',
    sync_prices: 'yes',
    rejection_messages: '[]',
  };
}

/** A field as the wire has it. */
function sent(name: string, value: string): unknown {
  if (FLAGS.includes(name)) return value === 'yes';
  if (SHARES.includes(name)) return fractionOf(value) || null;
  if (name === 'rejection_messages') return sentMessages(value);
  if (name === 'low_balance') return value.replace(/\s/g, '').replace(',', '.') || null;
  return value;
}

function changed(was: Values, now: Values): Input {
  const differs = Object.entries(now).filter(([name, value]) => name === 'updated_at' || value !== (was[name] ?? ''));
  return Object.fromEntries(differs.map(([name, value]) => [name, sent(name, value)])) as Input;
}

function whole(now: Values): Input {
  const given = Object.entries(now).filter(
    ([name, value]) => name !== 'balance' && (value !== '' || FLAGS.includes(name)),
  );
  return Object.fromEntries(given.map(([name, value]) => [name, sent(name, value)])) as Input;
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
  const [key] = useState(() => crypto.randomUUID());
  const fields = useFields(panel, found);
  if (!fields) return null;
  const params = { path: { id: panel?.id ?? 0 } };
  return (
    <FormDialog
      title={panel ? t('externalPanels.edit') : t('externalPanels.connect')}
      confirm={panel ? t('ui.save') : t('externalPanels.connect')}
      fields={fields}
      note={note && <p className="form-row">{note}</p>}
      wide
      initial={found ? fresh(found) : before(panel)}
      reload={panel ? async () => before((await told(api.GET(`${PATH}/{id}`, { params }))).data) : undefined}
      onClose={onClose}
      onSave={async (values, was) => {
        const { data } = await told(
          panel
            ? api.PATCH(`${PATH}/{id}`, { params, body: changed(was, values) })
            : api.POST(PATH, { body: whole(values), headers: { 'Idempotency-Key': key } }),
        );
        toast({ tone: 'success', text: t('ui.saved') });
        onSaved(data);
      }}
    />
  );
}

/** The fields, once the choices are known. */
function useFields(panel: ExternalPanel | null, found: Found | undefined): FormField[] | null {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ['external-panels', 'collections'],
    queryFn: async () => (await told(api.GET(`${PATH}/collections`))).data,
  });
  if (!data) return null;
  const isOurs = (panel?.type ?? found?.type) === 'socpanel';
  const ticks = (isOurs ? [...OWN_SYNC, ...SYNC] : SYNC).map(
    (name, at): FormField => ({
      name,
      label: t(`externalPanels.sync.${name}`),
      mode: 'tick',
      ...(at === 0 ? { part: t('externalPanels.parts.sync') } : {}),
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
      part: t('externalPanels.parts.connection'),
    },
    { name: 'endpoint', label: t('externalPanels.columns.endpoint'), mode: 'url', maxLength: 2_000 },
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
      part: t('externalPanels.parts.money'),
    },
    {
      name: 'low_balance',
      label: t('externalPanels.lowBalance'),
      mode: 'decimal',
      hint: t('externalPanels.lowBalanceHint'),
    },
    {
      name: 'resale_margin_percent',
      label: t('externalPanels.margin'),
      mode: 'decimal',
      hint: t('externalPanels.marginHint'),
    },
    {
      name: 'price_jump_percent',
      label: t('externalPanels.jump'),
      mode: 'decimal',
      hint: t('externalPanels.jumpHint'),
    },
    {
      name: 'statistic_type',
      label: t('externalPanels.statistic.label'),
      options: data.statisticTypes.map(({ type }) => ({
        value: type,
        label: t(`externalPanels.statistic.${type as 'remains'}`),
      })),
      part: t('externalPanels.parts.orders'),
    },
    { name: 'auto_recreate_orders_is_allowed', label: t('externalPanels.recreate'), mode: 'tick' },
    {
      name: 'rejection_messages',
      label: t('externalPanels.rejections.title'),
      row: true,
      tells: true,
      draw: ({ value, onChange, within }) => <RejectionLines value={value} within={within} onChange={onChange} />,
    },
    ...ticks,
  ];
}
