// The dialogs of custom prices: one with its terms, and many at once, a line each.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { Problem } from '@/api/problem';
import { useMay } from '@/session/hooks';
import { FormDialog, type FormField } from '@/ui/FormDialog';
import { fractionOf, percentOf } from '@/ui/fraction';
import { serviceField } from '@/ui/ServiceField';
import { confirmation } from '@/ui/useForm';
import { linesOf, placed } from './priceLines';

type Price = Schemas['UserService'];
type Values = Record<string, string>;

interface Props {
  user: Schemas['User'];
  onClose: () => void;
  onChanged: () => void;
}

/** Shares, typed as percent. */
const SHARES = [
  'auto_refill_once_fill_percent',
  'auto_refill_min_drop_percent',
  'auto_refill_max_drop_percent',
  'auto_refill_max_total_refilled_percent',
] as const;

const shareOf = (text: string | undefined) => (text?.trim() ? fractionOf(text) : null);
const plainOf = (text: string | undefined) => text?.replace(/\s/g, '').replace(',', '.') || null;

function initial(old: Price | null): Values {
  return {
    ...(old ? { updated_at: old.updated_at } : {}),
    service_id: old ? String(old.service_id) : '',
    default_price: old?.default_price ?? '',
    min_price: old?.min_price ?? '',
    has_refill: old?.has_refill ? 'yes' : '',
    auto_refill_is_allowed: old?.auto_refill_is_allowed ? 'yes' : '',
    ...Object.fromEntries(SHARES.map((name) => [name, old?.[name] ? percentOf(old[name]) : ''])),
    max_order_quantity_for_use_throttle: String(old?.max_order_quantity_for_use_throttle ?? ''),
    order_quantity_ratio: old?.order_quantity_ratio ?? '',
  };
}

function bodyOf(values: Values) {
  const most = plainOf(values.max_order_quantity_for_use_throttle);
  return {
    service_id: Number(values.service_id) || 0,
    default_price: plainOf(values.default_price),
    min_price: plainOf(values.min_price),
    has_refill: values.has_refill === 'yes',
    auto_refill_is_allowed: values.auto_refill_is_allowed === 'yes',
    auto_refill_once_fill_percent: shareOf(values.auto_refill_once_fill_percent),
    auto_refill_min_drop_percent: shareOf(values.auto_refill_min_drop_percent),
    auto_refill_max_drop_percent: shareOf(values.auto_refill_max_drop_percent),
    auto_refill_max_total_refilled_percent: shareOf(values.auto_refill_max_total_refilled_percent),
    max_order_quantity_for_use_throttle: most ? Number(most) || 0 : null,
    order_quantity_ratio: plainOf(values.order_quantity_ratio),
    ...confirmation(values),
  };
}

async function newest(id: number, old: Price): Promise<Values> {
  const { data } = await told(api.GET('/api/v1/admin/users/{id}/user-services', { params: { path: { id } } }));
  // One that is gone says so when it is saved.
  return initial(data.find((price) => price.id === old.id) ?? old);
}

export function PriceForm({ user, old, onClose, onChanged }: Props & { old: Price | null }) {
  const { t } = useTranslation();
  const may = useMay();
  const service = serviceField('service_id', t('users.prices.service'), may('view services'));

  const number = (name: string, key: 'price' | 'lowest', hint: string): FormField => ({
    name,
    label: t(`users.prices.${key}`),
    mode: 'decimal',
    hint,
  });
  const fields: FormField[] = [
    ...(old ? [] : [service]),
    number('default_price', 'price', t('users.prices.priceHint')),
    number('min_price', 'lowest', t('users.prices.lowestHint')),
    ...SHARES.map((name): FormField => ({ name, label: t(`users.prices.${name}`), mode: 'decimal' })),
    {
      name: 'max_order_quantity_for_use_throttle',
      label: t('users.prices.throttle'),
      mode: 'numeric',
      hint: t('users.prices.throttleHint'),
    },
    {
      name: 'order_quantity_ratio',
      label: t('users.prices.ratio'),
      mode: 'decimal',
      hint: t('users.prices.ratioHint'),
    },
    { name: 'has_refill', label: t('users.prices.hasRefill'), mode: 'tick' },
    { name: 'auto_refill_is_allowed', label: t('users.prices.autoRefill'), mode: 'tick' },
  ];
  return (
    <FormDialog
      title={old ? t('users.prices.edit', { name: old.service.name }) : t('users.prices.add')}
      confirm={old ? t('ui.save') : t('users.prices.add')}
      fields={fields}
      initial={initial(old)}
      reload={old ? () => newest(user.id, old) : undefined}
      onClose={onClose}
      onSave={async (values) => {
        const terms = bodyOf(values);
        const path = { id: user.id };
        if (old) {
          const body = { confirm_below_margin: false, ...terms, updated_at: values.updated_at ?? null };
          const params = { path: { ...path, user_service_id: old.id } };
          await told(api.PATCH('/api/v1/admin/users/{id}/user-services/{user_service_id}', { params, body }));
        } else {
          await told(api.POST('/api/v1/admin/users/{id}/user-services', { params: { path }, body: terms }));
        }
        onChanged();
      }}
    />
  );
}

export function ManyPrices({ user, onClose, onChanged }: Props) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t('users.prices.many')}
      confirm={t('users.prices.set')}
      fields={[{ name: 'lines', label: t('users.prices.lines'), mode: 'long', hint: t('users.prices.linesHint') }]}
      initial={{ lines: '' }}
      onClose={onClose}
      onSave={async (values) => {
        const read = linesOf(values.lines ?? '');
        if (read.wrong) {
          const message = t('users.prices.badLine', { line: read.wrong });
          throw new Problem({ status: 422, code: 'invalid', message, fields: { lines: [message] } });
        }
        const sent = api.POST('/api/v1/admin/users/{id}/user-services/bulk', {
          params: { path: { id: user.id } },
          body: { user_services: read.prices.map(({ price }) => price), ...confirmation(values) },
        });
        await told(sent).catch((error) => {
          throw placed(
            error,
            read.prices.map(({ line }) => line),
            (line, what) => t('users.prices.lineSays', { line, what }),
          );
        });
        onChanged();
      }}
    />
  );
}
