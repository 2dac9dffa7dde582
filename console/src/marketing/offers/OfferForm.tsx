// The form that creates or edits a special offer: its place on the site, its network, and its services and service types.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { OfferPlace, OfferPosition } from '@/api/enums';
import { withIdempotencyKey } from '@/api/writeOptions';
import { checkboxCodec, enumCodec, idCodec, parseRows, translationsCodec } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { LoadErrorDialog } from '@/form/LoadErrorDialog';
import { defineForm, type FormValues } from '@/form/spec';
import type { Action } from '@/table/action';
import { LockedNotice } from '@/table/LockedNotice';
import { Picker } from '@/ui/Picker';
import { Select } from '@/ui/Select';
import { type NamedRecord, namedRecordsCodec, SortableRecordsField } from './SortableRecordsField';

type Offer = Schemas['SpecialOffer'];

const OFFER_PATH = '/api/v1/admin/special-offers/{id}';
const OFFER_FORM = defineForm<Schemas['SpecialOfferInput']>()({
  translations: translationsCodec,
  place: enumCodec(OfferPlace),
  position: enumCodec(OfferPosition),
  network_id: idCodec,
  is_enabled: checkboxCodec,
  services: namedRecordsCodec,
  service_types: namedRecordsCodec,
});
const NEW_OFFER_VALUES: FormValues = { translations: '', services: '[]', service_types: '[]' };

const toOfferFormValues = (offer: Offer) => OFFER_FORM.toValues({ ...offer, network_id: offer.network.id });

interface Props {
  id: number | null;
  /** The action that restores an archived offer. */
  restoreAction?: Action<Schemas['SpecialOfferRow']>;
  onClose: () => void;
  onSaved: () => void;
}

const fetchOffer = async (id: number) => (await unwrap(api.GET(OFFER_PATH, { params: { path: { id } } }))).data;

export function OfferForm(props: Props) {
  const { t } = useTranslation();
  const { id, onClose } = props;
  const query = useQuery({
    queryKey: ['special-offers', 'detail', id],
    enabled: id !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: () => fetchOffer(id ?? 0),
  });
  const { data } = query;
  if (id !== null && !data) return <LoadErrorDialog title={t('offers.edit')} queries={[query]} onClose={onClose} />;
  // A restored offer becomes editable and has a new `updated_at`. The key remounts the form with the current version.
  return <LoadedOfferForm key={String(data?.actions.editable)} {...props} offer={data ?? null} />;
}

function useNetworkOptions() {
  const { data } = useQuery({
    queryKey: ['special-offers', 'networks'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/special-offers/networks'))).data,
  });
  return (data ?? []).map(({ id, name }) => ({ value: String(id), label: name }));
}

/**
 * Returns a function that returns the positions of a place. The home page has its own positions. All other places share one list of
 * positions.
 */
function useOfferPositions() {
  const { data } = useQuery({
    queryKey: ['special-offers', 'collection'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/special-offers/collection'))).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (place: string | undefined) => (place === 'home_page' ? data?.homePagePositions : data?.positions) ?? [];
}

function LoadedOfferForm({ offer, restoreAction, onClose, onSaved }: Props & { offer: Offer | null }) {
  const { t } = useTranslation();
  const getPositions = useOfferPositions();
  const getPlaceLabel = (place: string) => t(`offerPlace.${place}` as 'offerPlace.orders');
  const getPositionLabel = (position: string) => t(`offerPosition.${position}` as 'offerPosition.top');
  const fields: FormField[] = [
    {
      name: 'translations',
      label: t('offers.texts'),
      texts: [{ name: 'name', label: t('offers.columns.name'), maxLength: 100 }],
    },
    {
      name: 'place',
      label: t('offers.columns.place'),
      options: OfferPlace.map((value) => ({ value, label: getPlaceLabel(value) })),
    },
    {
      name: 'position',
      label: t('offers.columns.position'),
      render: ({ id, value, values, invalid, onChange }) => (
        <Select
          id={id}
          label={t('offers.columns.position')}
          value={value || null}
          options={getPositions(values.place).map(({ type }) => ({ value: type, label: getPositionLabel(type) }))}
          invalid={invalid}
          onChange={(value) => onChange(value ?? '')}
        />
      ),
    },
    {
      name: 'network_id',
      label: t('offers.columns.network'),
      options: useNetworkOptions(),
      hint: t('offers.networkHint'),
    },
    { name: 'is_enabled', label: t('offers.isEnabled') },
    {
      name: 'services',
      label: t('offers.columns.services'),
      fullWidth: true,
      render: ({ value, values, onChange }) => (
        <SortableRecordsField label={t('offers.columns.services')} value={value} onChange={onChange}>
          {(addRecord) => <AddServicePicker networkId={values.network_id} onAdd={addRecord} />}
        </SortableRecordsField>
      ),
    },
    {
      name: 'service_types',
      label: t('offers.columns.types'),
      fullWidth: true,
      render: ({ value, values, onChange }) => (
        <SortableRecordsField label={t('offers.columns.types')} value={value} onChange={onChange}>
          {(addRecord) => (
            <AddTypeSelect networkId={values.network_id} addedTypes={parseRows(value)} onAdd={addRecord} />
          )}
        </SortableRecordsField>
      ),
    },
  ];
  return (
    <FormDialog
      title={offer ? t('offers.edit') : t('offers.create')}
      confirmLabel={offer ? t('ui.save') : t('offers.create')}
      fields={fields}
      lockedReason={
        offer &&
        !offer.actions.editable && (
          <LockedNotice
            row={offer}
            isArchived={offer.status === 'archived'}
            actions={restoreAction ? [restoreAction] : []}
            onDone={onSaved}
          />
        )
      }
      spec={OFFER_FORM}
      initialValues={offer ? toOfferFormValues(offer) : NEW_OFFER_VALUES}
      reload={offer ? async () => toOfferFormValues(await fetchOffer(offer.id)) : undefined}
      send={({ values, base }, idempotencyKey) => {
        const body = offer ? OFFER_FORM.toPatch(values, base) : OFFER_FORM.toCreateBody(values);
        return unwrap(
          offer
            ? api.PUT(OFFER_PATH, { params: { path: { id: offer.id } }, body })
            : api.POST('/api/v1/admin/special-offers', { body, ...withIdempotencyKey(idempotencyKey) }),
        );
      }}
      successMessage={t('ui.saved')}
      onDone={onSaved}
      onClose={onClose}
    />
  );
}

interface AddRecordProps {
  networkId: string | undefined;
  onAdd: (record: NamedRecord) => void;
}

function AddServicePicker({ networkId, onAdd }: AddRecordProps) {
  const { t } = useTranslation();
  const searchServices = async (search: string) => {
    const query = { search, ...(networkId ? { networkId } : {}) };
    return (await unwrap(api.GET('/api/v1/admin/special-offers/services', { params: { query } }))).items;
  };
  return (
    <Picker
      label={t('offers.addService')}
      value={null as NamedRecord | null}
      onChange={(service) => service && onAdd(service)}
      search={searchServices}
      formatLabel={({ id, name }) => `${name} · ${id}`}
      placeholder={t('offers.addService')}
      emptyText={t('services.noMatches')}
    />
  );
}

function AddTypeSelect({ networkId, addedTypes, onAdd }: AddRecordProps & { addedTypes: readonly NamedRecord[] }) {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ['special-offers', 'types', networkId],
    enabled: Boolean(networkId),
    queryFn: async () => {
      const query = { networkId: networkId ?? '' };
      return (await unwrap(api.GET('/api/v1/admin/special-offers/service-types', { params: { query } }))).data;
    },
  });
  const addableTypes = (data ?? []).filter(({ id }) => !addedTypes.some((type) => type.id === id));
  return (
    <Select
      label={t('offers.addType')}
      value={null}
      placeholder={t('offers.addType')}
      options={addableTypes.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(id) => {
        const type = addableTypes.find((type) => type.id === id);
        if (type) onAdd(type);
      }}
    />
  );
}
