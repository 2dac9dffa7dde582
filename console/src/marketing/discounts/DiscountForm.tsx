// The form that creates or edits a discount. While the user types, the form shows other discounts on the same services in the same
// period.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { withIdempotencyKey } from '@/api/writeOptions';
import { useCountries } from '@/catalogue/services/requests';
import { commaListCodec, parseCommaList } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { LoadErrorDialog } from '@/form/LoadErrorDialog';
import type { Action } from '@/table/action';
import { LockedNotice } from '@/table/LockedNotice';
import { MultiChoice } from '@/ui/MultiChoice';
import { DiscountServicesField } from './DiscountServicesField';
import { DISCOUNT_FORM } from './discount';
import { OverlappingDiscounts } from './OverlappingDiscounts';

type Discount = Schemas['Discount'];

const DISCOUNT_PATH = '/api/v1/admin/discounts/{id}';

interface Props {
  id: number | null;
  /** The action that restores an archived discount. */
  restoreAction?: Action<Schemas['DiscountRow']>;
  onClose: () => void;
  onSaved: () => void;
}

const fetchDiscount = async (id: number) => (await unwrap(api.GET(DISCOUNT_PATH, { params: { path: { id } } }))).data;

export function DiscountForm(props: Props) {
  const { t } = useTranslation();
  const { id, onClose } = props;
  const query = useQuery({
    queryKey: ['discounts', 'detail', id],
    enabled: id !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: () => fetchDiscount(id ?? 0),
  });
  const { data } = query;
  if (id !== null && !data) return <LoadErrorDialog title={t('discounts.edit')} queries={[query]} onClose={onClose} />;
  // A restored discount becomes editable and has a new `updated_at`. The key remounts the form with the current version.
  return <LoadedDiscountForm key={String(data?.actions.editable)} {...props} discount={data ?? null} />;
}

function LoadedDiscountForm({ id, discount, restoreAction, onClose, onSaved }: Props & { discount: Discount | null }) {
  const { t } = useTranslation();
  const fields: FormField[] = [
    { name: 'name', label: t('discounts.columns.name'), maxLength: 255 },
    { name: 'valid_from', label: t('discounts.columns.start'), hint: t('marketing.utc') },
    { name: 'valid_to', label: t('discounts.columns.end'), hint: t('discounts.endHint') },
    {
      name: 'countries',
      label: t('discounts.columns.countries'),
      hint: t('discounts.countriesHint'),
      render: ({ id, value, onChange }) => <CountryChoice id={id} value={value} onChange={onChange} />,
    },
    { name: 'is_countdown_enabled', label: t('discounts.countdown') },
    {
      name: 'overlaps',
      label: t('discounts.overlaps.title'),
      fullWidth: true,
      render: ({ values }) => <OverlappingDiscounts id={id} values={values} />,
    },
    {
      name: 'services',
      label: t('discounts.columns.services'),
      fullWidth: true,
      showsInnerErrors: true,
      render: ({ value, onChange, innerErrors }) => (
        <DiscountServicesField value={value} innerErrors={innerErrors} onChange={onChange} />
      ),
    },
  ];
  const isEditable = !discount || discount.actions.editable;
  return (
    <FormDialog
      title={discount ? t('discounts.edit') : t('discounts.create')}
      confirmLabel={discount ? t('ui.save') : t('discounts.create')}
      fields={isEditable ? fields : fields.filter(({ name }) => name !== 'overlaps')}
      lockedReason={
        discount &&
        !isEditable && (
          <LockedNotice
            row={discount}
            isArchived={discount.status === 'archived'}
            actions={restoreAction ? [restoreAction] : []}
            onDone={onSaved}
          />
        )
      }
      spec={DISCOUNT_FORM}
      initialValues={discount ? DISCOUNT_FORM.toValues(discount) : { services: '[]' }}
      reload={discount ? async () => DISCOUNT_FORM.toValues(await fetchDiscount(discount.id)) : undefined}
      send={({ values, base }, idempotencyKey) => {
        const body = discount ? DISCOUNT_FORM.toPatch(values, base) : DISCOUNT_FORM.toCreateBody(values);
        return unwrap(
          discount
            ? api.PUT(DISCOUNT_PATH, { params: { path: { id: discount.id } }, body })
            : api.POST('/api/v1/admin/discounts', { body, ...withIdempotencyKey(idempotencyKey) }),
        );
      }}
      successMessage={t('ui.saved')}
      onDone={onSaved}
      onClose={onClose}
    />
  );
}

interface CountryChoiceProps {
  id: string;
  /** ISO codes of the countries, separated by commas. */
  value: string;
  onChange: (value: string) => void;
}

function CountryChoice({ id, value, onChange }: CountryChoiceProps) {
  const { t } = useTranslation();
  const countries = useCountries();
  return (
    <MultiChoice
      id={id}
      label={t('discounts.columns.countries')}
      value={parseCommaList(value)}
      options={countries.map((country) => ({ value: country.iso_code_2, label: country.name }))}
      onChange={(codes) => onChange(commaListCodec.format(codes.toSorted()))}
      placeholder={t('services.allCountries')}
      hasSearchField
    />
  );
}
