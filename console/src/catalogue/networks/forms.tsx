// The dialogs that create and edit networks and service types.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { ServiceTypeKind } from '@/api/words';
import { withIdempotencyKey } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import { choice, factor, id, image, lines, quantity, textOrNull, texts } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { latestRow } from '@/form/merge';
import { NotLoaded } from '@/form/NotLoaded';
import { rethrowWithoutPrefix } from '@/form/problems';
import { defineForm } from '@/form/spec';
import { CATALOGUE_KEY, type Network, readNetworks, readServiceType, useNetworks } from './calls';

/** The image is sent only when the person chose another one. */
const ICON = defineForm<Schemas['NetworkInput']>()({ icon: image });
const NETWORK = defineForm<Schemas['NetworkInput']>()({ translations: texts, color: textOrNull, url_examples: lines });
const NETWORK_SPEC = { codecs: { ...NETWORK.codecs, ...ICON.codecs } };

const networkValuesOf = (network: Network | null) => ({
  ...NETWORK.toValues(network ?? {}),
  ...ICON.toValues({ icon: network?.icon ?? null }),
});

export function NetworkForm({ network, onClose }: { network: Network | null; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t(network ? 'networks.edit' : 'networks.create')}
      confirm={t('ui.save')}
      fields={[
        {
          name: 'translations',
          label: t('serviceTypes.texts.label'),
          texts: [{ name: 'name', label: t('networks.name'), maxLength: 100 }],
        },
        { name: 'icon', label: t('networks.icon') },
        { name: 'color', label: t('networks.color'), hint: t('networks.colorHint'), maxLength: 7 },
        { name: 'url_examples', label: t('networks.examples'), hint: t('networks.examplesHint') },
      ]}
      spec={NETWORK_SPEC}
      initial={networkValuesOf(network)}
      reload={network ? async () => networkValuesOf(latestRow(network, await readNetworks())) : undefined}
      send={({ values, base }, key) => {
        const body = { ...NETWORK.toBody(values, base), ...ICON.toPatch(values, base) };
        return unwrap(
          network
            ? api.PUT('/api/v1/admin/networks/{id}', { params: { path: { id: network.id } }, body })
            : api.POST('/api/v1/admin/networks', { body, ...withIdempotencyKey(key) }),
        );
      }}
      invalidates={[[CATALOGUE_KEY]]}
      onClose={onClose}
    />
  );
}

/** The translated texts of a service type. */
const TYPE_TEXTS = [
  { name: 'name', long: false },
  { name: 'title', long: false },
  { name: 'short_description', long: true },
  { name: 'faq', long: true },
  { name: 'reviews', long: true },
  { name: 'meta_title', long: false },
  { name: 'meta_description', long: true },
] as const;

const TYPE = defineForm<Schemas['ServiceTypeInput']>()({
  translations: texts,
  network: id,
  type: choice(ServiceTypeKind),
  slug: textOrNull,
  title: textOrNull,
  color: textOrNull,
  reviews_count: orDefault(quantity, 0),
  reviews_rating: orDefault(factor, '0'),
  description: textOrNull,
  full_description: textOrNull,
});
const NEW_TYPE = { type: 'Youtube', reviews_count: 0, reviews_rating: '0' } as const;
const TYPE_SPEC = { codecs: { ...TYPE.codecs, ...ICON.codecs } };

const typeValuesOf = (type: Schemas['ServiceType']) => ({
  ...TYPE.toValues({ ...type, network: type.network.id }),
  ...ICON.toValues({ icon: type.icon }),
});

/** Edits the service type with this id, or creates one in `network`. */
export function ServiceTypeForm(props: { id: number | null; network: number | null; onClose: () => void }) {
  const { t } = useTranslation();
  const { id, onClose } = props;
  const type = useQuery({
    queryKey: [CATALOGUE_KEY, 'type', id],
    enabled: id !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: () => readServiceType(id ?? 0),
  });
  const networks = useNetworks();
  const types = useServiceTypeKinds();
  if ((id !== null && !type.data) || !networks.data || !types.data) {
    const title = t(id === null ? 'serviceTypes.create' : 'serviceTypes.edit');
    return <NotLoaded title={title} queries={[type, networks, types]} onClose={onClose} />;
  }
  return <ServiceTypeDialog {...props} type={type.data ?? null} networks={networks.data} types={types.data} />;
}

export function useServiceTypeKinds() {
  return useQuery({
    queryKey: [CATALOGUE_KEY, 'collections'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/service-types/collections'))).data.types,
  });
}

interface DialogProps {
  type: Schemas['ServiceType'] | null;
  network: number | null;
  networks: readonly Network[];
  types: readonly Schemas['Choice'][];
  onClose: () => void;
}

function ServiceTypeDialog({ type, network, networks, types, onClose }: DialogProps) {
  const { t } = useTranslation();
  const fields: FormField[] = [
    {
      name: 'translations',
      label: t('serviceTypes.texts.label'),
      texts: TYPE_TEXTS.map(({ name, long }) => ({
        name,
        label: t(`serviceTypes.texts.${name}`),
        ...(long ? { long: true as const } : {}),
      })),
    },
    { name: 'icon', label: t('networks.icon') },
    {
      name: 'network',
      label: t('serviceTypes.columns.network'),
      options: networks.map((one) => ({ value: String(one.id), label: one.name })),
    },
    {
      name: 'type',
      label: t('serviceTypes.columns.type'),
      options: types.map(({ type, label }) => ({ value: type, label })),
    },
    { name: 'slug', label: t('serviceTypes.columns.slug'), hint: t('serviceTypes.slugHint'), maxLength: 100 },
    { name: 'title', label: t('serviceTypes.columns.title'), maxLength: 255 },
    { name: 'color', label: t('networks.color'), hint: t('networks.colorHint'), maxLength: 7 },
    { name: 'reviews_count', label: t('serviceTypes.columns.reviewsCount') },
    { name: 'reviews_rating', label: t('serviceTypes.columns.reviewsRating') },
    { name: 'description', label: t('serviceTypes.description'), mode: 'long', maxLength: 2000 },
    { name: 'full_description', label: t('serviceTypes.fullDescription'), mode: 'long', maxLength: 50000 },
  ];
  return (
    <FormDialog
      title={t(type ? 'serviceTypes.edit' : 'serviceTypes.create')}
      confirm={t('ui.save')}
      fields={fields}
      spec={TYPE_SPEC}
      initial={
        type ? typeValuesOf(type) : { ...TYPE.toValues({ ...NEW_TYPE, network }), ...ICON.toValues({ icon: null }) }
      }
      reload={type ? async () => typeValuesOf(await readServiceType(type.id)) : undefined}
      send={({ values, base }, key) => {
        const body = { ...TYPE.toBody(values, base), ...ICON.toPatch(values, base) };
        const call = type
          ? api.PUT('/api/v1/admin/service-types/{id}', {
              params: { path: { id: type.id } },
              body: { panel_service_type: body },
            })
          : api.POST('/api/v1/admin/service-types', { body, ...withIdempotencyKey(key) });
        return unwrap<unknown>(call).catch(rethrowWithoutPrefix('panel_service_type'));
      }}
      invalidates={[[CATALOGUE_KEY], ['service-types']]}
      onClose={onClose}
    />
  );
}
