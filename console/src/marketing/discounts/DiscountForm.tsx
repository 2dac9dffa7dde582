// Makes a discount, or changes one. What else lowers the same services at the same time is shown while it is typed, by a
// dry run of the save.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import { useCountries } from '@/catalogue/services/calls';
import { parseWords, words } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { NotLoaded } from '@/form/NotLoaded';
import type { Action } from '@/table/action';
import { LockedNotice } from '@/table/LockedNotice';
import { MultiChoice } from '@/ui/MultiChoice';
import { DISCOUNT } from './discount';
import { Overlaps } from './Overlaps';
import { ServiceLines } from './ServiceLines';

type Discount = Schemas['Discount'];

const PATH = '/api/v1/admin/discounts/{id}';

interface Props {
  id: number | null;
  /** What brings an archived one back. */
  restore?: Action<Schemas['DiscountRow']>;
  onClose: () => void;
  onSaved: () => void;
}

const read = async (id: number) => (await unwrap(api.GET(PATH, { params: { path: { id } } }))).data;

export function DiscountForm(props: Props) {
  const { t } = useTranslation();
  const { id, onClose } = props;
  const query = useQuery({
    queryKey: ['discounts', 'one', id],
    enabled: id !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: () => read(id ?? 0),
  });
  const { data } = query;
  if (id !== null && !data) return <NotLoaded title={t('discounts.edit')} queries={[query]} onClose={onClose} />;
  // One that can be edited from now on begins anew, as its stamp is another.
  return <Form key={String(data?.actions.editable)} {...props} discount={data ?? null} />;
}

function Form({ id, discount, restore, onClose, onSaved }: Props & { discount: Discount | null }) {
  const { t } = useTranslation();
  const fields: FormField[] = [
    { name: 'name', label: t('discounts.columns.name'), maxLength: 255 },
    { name: 'valid_from', label: t('discounts.columns.from'), hint: t('marketing.utc') },
    { name: 'valid_to', label: t('discounts.columns.to'), hint: t('discounts.toHint') },
    {
      name: 'countries',
      label: t('discounts.columns.countries'),
      hint: t('discounts.countriesHint'),
      render: ({ id, value, onChange }) => <Countries id={id} value={value} onChange={onChange} />,
    },
    { name: 'is_countdown_enabled', label: t('discounts.countdown') },
    {
      name: 'overlaps',
      label: t('discounts.overlaps.title'),
      fullWidth: true,
      render: ({ values }) => <Overlaps id={id} values={values} />,
    },
    {
      name: 'services',
      label: t('discounts.columns.services'),
      fullWidth: true,
      showsErrors: true,
      render: ({ value, onChange, within }) => <ServiceLines value={value} within={within} onChange={onChange} />,
    },
  ];
  const editable = !discount || discount.actions.editable;
  return (
    <FormDialog
      title={discount ? t('discounts.edit') : t('discounts.create')}
      confirm={discount ? t('ui.save') : t('discounts.create')}
      fields={editable ? fields : fields.filter(({ name }) => name !== 'overlaps')}
      locked={
        discount &&
        !editable && (
          <LockedNotice
            row={discount}
            isArchived={discount.status === 'archived'}
            actions={restore ? [restore] : []}
            onDone={onSaved}
          />
        )
      }
      spec={DISCOUNT}
      initial={discount ? DISCOUNT.toValues(discount) : { services: '[]' }}
      reload={discount ? async () => DISCOUNT.toValues(await read(discount.id)) : undefined}
      send={({ values, base }, key) => {
        const body = discount ? DISCOUNT.toPatch(values, base) : DISCOUNT.toCreateBody(values);
        return unwrap(
          discount
            ? api.PUT(PATH, { params: { path: { id: discount.id } }, body })
            : api.POST('/api/v1/admin/discounts', { body, ...withIdempotencyKey(key) }),
        );
      }}
      success={t('ui.saved')}
      onDone={onSaved}
      onClose={onClose}
    />
  );
}

function Countries({ id, value, onChange }: { id: string; value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation();
  const countries = useCountries();
  return (
    <MultiChoice
      id={id}
      label={t('discounts.columns.countries')}
      value={parseWords(value)}
      options={countries.map((country) => ({ value: country.iso_code_2, label: country.name }))}
      onChange={(chosen) => onChange(words.format(chosen.toSorted()))}
      placeholder={t('services.everywhere')}
      searchable
    />
  );
}
