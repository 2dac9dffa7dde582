// Makes a discount, or changes one. What else lowers the same services at the same time is shown while it is typed, by a
// dry run of the save.
import { useQuery } from '@tanstack/react-query';
import { MultiSelect } from 'primereact/multiselect';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { useCountries } from '@/catalogue/services/calls';
import { FormDialog, type FormField } from '@/ui/FormDialog';
import { percentOf } from '@/ui/fraction';
import { fieldOf } from '@/ui/times';
import { toast } from '@/ui/toasts';
import { confirmation, type Values } from '@/ui/useForm';
import { asList, asTick, asTime, changed, type Sent, tick } from '../calls';
import { Overlaps } from './Overlaps';
import { ServiceLines, sentLines } from './ServiceLines';

type Discount = Schemas['Discount'];
type Input = Schemas['DiscountInput'];

const PATH = '/api/v1/admin/discounts/{id}';
export const SENT: Sent = {
  valid_from: asTime,
  valid_to: asTime,
  is_countdown_enabled: asTick,
  countries: asList,
  services: sentLines,
};

function before(discount: Discount | null): Values {
  if (!discount) return { services: '[]' };
  return {
    updated_at: discount.updated_at,
    name: discount.name,
    valid_from: fieldOf(discount.valid_from),
    valid_to: fieldOf(discount.valid_to),
    is_countdown_enabled: tick(discount.is_countdown_enabled),
    countries: discount.countries.join(','),
    services: JSON.stringify(
      discount.services.map(({ id, name, discount_percent }) => ({ id, name, percent: percentOf(discount_percent) })),
    ),
  };
}

interface Props {
  id: number | null;
  onClose: () => void;
  onSaved: () => void;
}

const read = async (id: number) => (await told(api.GET(PATH, { params: { path: { id } } }))).data;

export function DiscountForm(props: Props) {
  const { id } = props;
  const { data } = useQuery({
    queryKey: ['discounts', 'one', id],
    enabled: id !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: () => read(id ?? 0),
  });
  if (id !== null && !data) return null;
  return <Form {...props} discount={data ?? null} />;
}

function Form({ id, discount, onClose, onSaved }: Props & { discount: Discount | null }) {
  const { t } = useTranslation();
  const [key] = useState(() => crypto.randomUUID());
  const fields: FormField[] = [
    { name: 'name', label: t('discounts.columns.name'), maxLength: 255 },
    { name: 'valid_from', label: t('discounts.columns.from'), mode: 'time', hint: t('marketing.utc') },
    { name: 'valid_to', label: t('discounts.columns.to'), mode: 'time', hint: t('discounts.toHint') },
    {
      name: 'countries',
      label: t('discounts.columns.countries'),
      hint: t('discounts.countriesHint'),
      draw: ({ id, value, onChange }) => <Countries id={id} value={value} onChange={onChange} />,
    },
    { name: 'is_countdown_enabled', label: t('discounts.countdown'), mode: 'tick' },
    {
      name: 'overlaps',
      label: t('discounts.overlaps.title'),
      row: true,
      draw: ({ values }) => <Overlaps id={id} values={values} />,
    },
    {
      name: 'services',
      label: t('discounts.columns.services'),
      row: true,
      tells: true,
      draw: ({ value, onChange, within }) => <ServiceLines value={value} within={within} onChange={onChange} />,
    },
  ];
  const editable = !discount || discount.actions.editable;
  return (
    <FormDialog
      title={discount ? t('discounts.edit') : t('discounts.create')}
      confirm={discount ? t('ui.save') : t('discounts.create')}
      fields={editable ? fields : fields.filter(({ name }) => name !== 'overlaps')}
      initial={before(discount)}
      reload={discount ? async () => before(await read(discount.id)) : undefined}
      onClose={onClose}
      onSave={async (values, was) => {
        const body = { ...changed(was, values, SENT), ...confirmation(values) } as Input;
        await told(
          discount
            ? api.PUT(PATH, { params: { path: { id: discount.id } }, body })
            : api.POST('/api/v1/admin/discounts', { body, headers: { 'Idempotency-Key': key } }),
        );
        toast({ tone: 'success', text: t('ui.saved') });
        onSaved();
      }}
    />
  );
}

function Countries({ id, value, onChange }: { id: string; value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const countries = useCountries();
  return (
    <MultiSelect
      inputId={id}
      aria-label={t('discounts.columns.countries')}
      value={asList(value)}
      options={countries.map((country) => ({ value: country.iso_code_2, label: country.name }))}
      onChange={({ value }) => onChange(((value as string[] | null) ?? []).toSorted().join(','))}
      placeholder={t('services.everywhere')}
      filter
      display="chip"
    />
  );
}
