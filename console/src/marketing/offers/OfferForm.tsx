// Makes a special offer, or changes one: where it stands, and which services and service types of one network are in it.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { OfferPlace, OfferPosition } from '@/api/words';
import { withIdempotencyKey } from '@/api/writeOptions';
import { checkbox, choice, id, parseRows, texts } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { NotLoaded } from '@/form/NotLoaded';
import { defineForm, type FormValues } from '@/form/spec';
import type { Action } from '@/table/action';
import { LockedNotice } from '@/table/LockedNotice';
import { Picker } from '@/ui/Picker';
import { Select } from '@/ui/Select';
import { InOrder, type Named, named } from './InOrder';

type Offer = Schemas['SpecialOffer'];

const PATH = '/api/v1/admin/special-offers/{id}';
const OFFER = defineForm<Schemas['SpecialOfferInput']>()({
  translations: texts,
  place: choice(OfferPlace),
  position: choice(OfferPosition),
  network_id: id,
  is_enabled: checkbox,
  services: named,
  service_types: named,
});
const NEW: FormValues = { translations: '', services: '[]', service_types: '[]' };

const valuesOf = (offer: Offer) => OFFER.toValues({ ...offer, network_id: offer.network.id });

interface Props {
  id: number | null;
  /** What brings an archived one back. */
  restore?: Action<Schemas['SpecialOfferRow']>;
  onClose: () => void;
  onSaved: () => void;
}

const read = async (id: number) => (await unwrap(api.GET(PATH, { params: { path: { id } } }))).data;

export function OfferForm(props: Props) {
  const { t } = useTranslation();
  const { id, onClose } = props;
  const query = useQuery({
    queryKey: ['special-offers', 'one', id],
    enabled: id !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: () => read(id ?? 0),
  });
  const { data } = query;
  if (id !== null && !data) return <NotLoaded title={t('offers.edit')} queries={[query]} onClose={onClose} />;
  // One that can be edited from now on begins anew, as its stamp is another.
  return <Form key={String(data?.actions.editable)} {...props} offer={data ?? null} />;
}

function useNetworks() {
  const { data } = useQuery({
    queryKey: ['special-offers', 'networks'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/special-offers/networks'))).data,
  });
  return (data ?? []).map(({ id, name }) => ({ value: String(id), label: name }));
}

/** The positions of the home page, and those of every other place. */
function usePositions() {
  const { data } = useQuery({
    queryKey: ['special-offers', 'collection'],
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/special-offers/collection'))).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (place: string | undefined) => (place === 'home_page' ? data?.homePagePositions : data?.positions) ?? [];
}

function Form({ offer, restore, onClose, onSaved }: Props & { offer: Offer | null }) {
  const { t } = useTranslation();
  const positionsAt = usePositions();
  const place = (word: string) => t(`offerPlace.${word}` as 'offerPlace.orders');
  const position = (word: string) => t(`offerPosition.${word}` as 'offerPosition.top');
  const fields: FormField[] = [
    {
      name: 'translations',
      label: t('offers.texts'),
      texts: [{ name: 'name', label: t('offers.columns.name'), maxLength: 100 }],
    },
    {
      name: 'place',
      label: t('offers.columns.place'),
      options: OfferPlace.map((value) => ({ value, label: place(value) })),
    },
    {
      name: 'position',
      label: t('offers.columns.position'),
      render: ({ id, value, values, invalid, onChange }) => (
        <Select
          id={id}
          label={t('offers.columns.position')}
          value={value || null}
          options={positionsAt(values.place).map(({ type }) => ({ value: type, label: position(type) }))}
          invalid={invalid}
          onChange={(value) => onChange(value ?? '')}
        />
      ),
    },
    { name: 'network_id', label: t('offers.columns.network'), options: useNetworks(), hint: t('offers.networkHint') },
    { name: 'is_enabled', label: t('offers.enabled') },
    {
      name: 'services',
      label: t('offers.columns.services'),
      fullWidth: true,
      render: ({ value, values, onChange }) => (
        <InOrder label={t('offers.columns.services')} value={value} onChange={onChange}>
          {(add) => <AddService network={values.network_id} onAdd={add} />}
        </InOrder>
      ),
    },
    {
      name: 'service_types',
      label: t('offers.columns.types'),
      fullWidth: true,
      render: ({ value, values, onChange }) => (
        <InOrder label={t('offers.columns.types')} value={value} onChange={onChange}>
          {(add) => <AddType network={values.network_id} chosen={parseRows(value)} onAdd={add} />}
        </InOrder>
      ),
    },
  ];
  return (
    <FormDialog
      title={offer ? t('offers.edit') : t('offers.create')}
      confirm={offer ? t('ui.save') : t('offers.create')}
      fields={fields}
      locked={
        offer &&
        !offer.actions.editable && (
          <LockedNotice
            row={offer}
            isArchived={offer.status === 'archived'}
            actions={restore ? [restore] : []}
            onDone={onSaved}
          />
        )
      }
      spec={OFFER}
      initial={offer ? valuesOf(offer) : NEW}
      reload={offer ? async () => valuesOf(await read(offer.id)) : undefined}
      send={({ values, base }, key) => {
        const body = offer ? OFFER.toPatch(values, base) : OFFER.toCreateBody(values);
        return unwrap(
          offer
            ? api.PUT(PATH, { params: { path: { id: offer.id } }, body })
            : api.POST('/api/v1/admin/special-offers', { body, ...withIdempotencyKey(key) }),
        );
      }}
      success={t('ui.saved')}
      onDone={onSaved}
      onClose={onClose}
    />
  );
}

interface AddProps {
  network: string | undefined;
  onAdd: (one: Named) => void;
}

function AddService({ network, onAdd }: AddProps) {
  const { t } = useTranslation();
  const find = async (search: string) => {
    const query = { search, ...(network ? { networkId: network } : {}) };
    return (await unwrap(api.GET('/api/v1/admin/special-offers/services', { params: { query } }))).items;
  };
  return (
    <Picker
      label={t('offers.addService')}
      value={null as Named | null}
      onChange={(hit) => hit && onAdd(hit)}
      find={find}
      labelOf={({ id, name }) => `${name} · ${id}`}
      placeholder={t('offers.addService')}
      empty={t('services.noHit')}
    />
  );
}

function AddType({ network, chosen, onAdd }: AddProps & { chosen: readonly Named[] }) {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ['special-offers', 'types', network],
    enabled: Boolean(network),
    queryFn: async () =>
      (
        await unwrap(
          api.GET('/api/v1/admin/special-offers/service-types', { params: { query: { networkId: network ?? '' } } }),
        )
      ).data,
  });
  const open = (data ?? []).filter(({ id }) => !chosen.some((one) => one.id === id));
  return (
    <Select
      label={t('offers.addType')}
      value={null}
      placeholder={t('offers.addType')}
      options={open.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(id) => {
        const found = open.find((one) => one.id === id);
        if (found) onAdd(found);
      }}
    />
  );
}
