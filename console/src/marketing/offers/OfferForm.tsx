// Makes a special offer, or changes one: where it stands, and which services and service types of one network are in it.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { FormDialog, type FormField } from '@/ui/FormDialog';
import { Picker } from '@/ui/Picker';
import { Select } from '@/ui/Select';
import { toast } from '@/ui/toasts';
import type { Values } from '@/ui/useForm';
import { asJson, asTick, asWhole, changed, type Sent, tick } from '../calls';
import { InOrder, type Named, namedOf, sentIds } from './InOrder';
import { PLACES, positionsAt } from './words';

type Offer = Schemas['SpecialOffer'];

const PATH = '/api/v1/admin/special-offers/{id}';
const SENT: Sent = {
  translations: asJson,
  network_id: asWhole,
  is_enabled: asTick,
  services: sentIds,
  service_types: sentIds,
};

function before(offer: Offer | null): Values {
  if (!offer) return { translations: '', services: '[]', service_types: '[]' };
  return {
    updated_at: offer.updated_at,
    translations: JSON.stringify(offer.translations),
    network_id: String(offer.network.id),
    place: offer.place,
    position: offer.position,
    services: JSON.stringify(offer.services),
    service_types: JSON.stringify(offer.service_types),
    is_enabled: tick(offer.is_enabled),
  };
}

interface Props {
  id: number | null;
  onClose: () => void;
  onSaved: () => void;
}

const read = async (id: number) => (await told(api.GET(PATH, { params: { path: { id } } }))).data;

export function OfferForm(props: Props) {
  const { id } = props;
  const { data } = useQuery({
    queryKey: ['special-offers', 'one', id],
    enabled: id !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: () => read(id ?? 0),
  });
  if (id !== null && !data) return null;
  return <Form {...props} offer={data ?? null} />;
}

function useNetworks() {
  const { data } = useQuery({
    queryKey: ['special-offers', 'networks'],
    queryFn: async () => (await told(api.GET('/api/v1/admin/special-offers/networks'))).data,
  });
  return (data ?? []).map(({ id, name }) => ({ value: String(id), label: name }));
}

function Form({ offer, onClose, onSaved }: Props & { offer: Offer | null }) {
  const { t } = useTranslation();
  const [key] = useState(() => crypto.randomUUID());
  const place = (word: string) => t(`offerPlace.${word}` as 'offerPlace.orders');
  const position = (word: string) => t(`offerPosition.${word}` as 'offerPosition.top');
  const fields: FormField[] = [
    {
      name: 'translations',
      label: t('offers.texts'),
      mode: 'texts',
      texts: [{ name: 'name', label: t('offers.columns.name'), maxLength: 100 }],
    },
    {
      name: 'place',
      label: t('offers.columns.place'),
      options: PLACES.map((value) => ({ value, label: place(value) })),
    },
    {
      name: 'position',
      label: t('offers.columns.position'),
      draw: ({ id, value, values, invalid, onChange }) => (
        <Select
          id={id}
          label={t('offers.columns.position')}
          value={value || null}
          options={positionsAt(values.place).map((value) => ({ value: value as string, label: position(value) }))}
          invalid={invalid}
          onChange={(value) => onChange(value ?? '')}
        />
      ),
    },
    { name: 'network_id', label: t('offers.columns.network'), options: useNetworks(), hint: t('offers.networkHint') },
    { name: 'is_enabled', label: t('offers.enabled'), mode: 'tick' },
    {
      name: 'services',
      label: t('offers.columns.services'),
      row: true,
      draw: ({ value, values, onChange }) => (
        <InOrder label={t('offers.columns.services')} value={value} onChange={onChange}>
          {(add) => <AddService network={values.network_id} onAdd={add} />}
        </InOrder>
      ),
    },
    {
      name: 'service_types',
      label: t('offers.columns.types'),
      row: true,
      draw: ({ value, values, onChange }) => (
        <InOrder label={t('offers.columns.types')} value={value} onChange={onChange}>
          {(add) => <AddType network={values.network_id} chosen={namedOf(value)} onAdd={add} />}
        </InOrder>
      ),
    },
  ];
  return (
    <FormDialog
      title={offer ? t('offers.edit') : t('offers.create')}
      confirm={offer ? t('ui.save') : t('offers.create')}
      fields={fields}
      initial={before(offer)}
      reload={offer ? async () => before(await read(offer.id)) : undefined}
      onClose={onClose}
      onSave={async (values, was) => {
        const body = changed(was, values, SENT) as Schemas['SpecialOfferInput'];
        await told(
          offer
            ? api.PUT(PATH, { params: { path: { id: offer.id } }, body })
            : api.POST('/api/v1/admin/special-offers', { body, headers: { 'Idempotency-Key': key } }),
        );
        toast({ tone: 'success', text: t('ui.saved') });
        onSaved();
      }}
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
    return (await told(api.GET('/api/v1/admin/special-offers/services', { params: { query } }))).items;
  };
  return (
    <Picker
      label={t('offers.addService')}
      value={null as Named | null}
      onChange={(hit) => hit && onAdd(hit)}
      find={find}
      shown={({ id, name }) => `${name} · ${id}`}
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
        await told(
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
