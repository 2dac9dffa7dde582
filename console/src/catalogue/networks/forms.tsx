// The dialogs that create and edit networks and service types.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { ServiceTypeKind } from '@/api/enums';
import { withIdempotencyKey } from '@/api/writeOptions';
import { orDefault } from '@/form/codec';
import {
  enumCodec,
  idCodec,
  imageCodec,
  linesCodec,
  quantityCodec,
  ratioCodec,
  textOrNullCodec,
  translationsCodec,
} from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { LoadErrorDialog } from '@/form/LoadErrorDialog';
import { findLatestRow } from '@/form/merge';
import { rethrowWithoutPrefix } from '@/form/problems';
import { defineForm } from '@/form/spec';
import { CATALOGUE_KEY, fetchNetworks, fetchServiceType, type Network, useNetworks } from './requests';

/** The request contains the image only if the user has selected a new image. */
const ICON_FORM = defineForm<Schemas['NetworkInput']>()({ icon: imageCodec });
const NETWORK_FORM = defineForm<Schemas['NetworkInput']>()({
  translations: translationsCodec,
  color: textOrNullCodec,
  url_examples: linesCodec,
});
const NETWORK_SPEC = { codecs: { ...NETWORK_FORM.codecs, ...ICON_FORM.codecs } };

const toNetworkFormValues = (network: Network | null) => ({
  ...NETWORK_FORM.toValues(network ?? {}),
  ...ICON_FORM.toValues({ icon: network?.icon ?? null }),
});

export function NetworkForm({ network, onClose }: { network: Network | null; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <FormDialog
      title={t(network ? 'networks.edit' : 'networks.create')}
      confirmLabel={t('ui.save')}
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
      initialValues={toNetworkFormValues(network)}
      reload={network ? async () => toNetworkFormValues(findLatestRow(network, await fetchNetworks())) : undefined}
      send={({ values, base }, idempotencyKey) => {
        const body = { ...NETWORK_FORM.toBody(values, base), ...ICON_FORM.toPatch(values, base) };
        return unwrap(
          network
            ? api.PUT('/api/v1/admin/networks/{id}', { params: { path: { id: network.id } }, body })
            : api.POST('/api/v1/admin/networks', { body, ...withIdempotencyKey(idempotencyKey) }),
        );
      }}
      invalidatedQueries={[[CATALOGUE_KEY]]}
      onClose={onClose}
    />
  );
}

/** The texts that a service type has in every language. */
const SERVICE_TYPE_TEXTS = [
  { name: 'name', multiline: false },
  { name: 'title', multiline: false },
  { name: 'short_description', multiline: true },
  { name: 'faq', multiline: true },
  { name: 'reviews', multiline: true },
  { name: 'meta_title', multiline: false },
  { name: 'meta_description', multiline: true },
] as const;

const SERVICE_TYPE_FORM = defineForm<Schemas['ServiceTypeInput']>()({
  translations: translationsCodec,
  network: idCodec,
  type: enumCodec(ServiceTypeKind),
  slug: textOrNullCodec,
  title: textOrNullCodec,
  color: textOrNullCodec,
  reviews_count: orDefault(quantityCodec, 0),
  reviews_rating: orDefault(ratioCodec, '0'),
  description: textOrNullCodec,
  full_description: textOrNullCodec,
});
const NEW_SERVICE_TYPE = { type: 'Youtube', reviews_count: 0, reviews_rating: '0' } as const;
const SERVICE_TYPE_SPEC = { codecs: { ...SERVICE_TYPE_FORM.codecs, ...ICON_FORM.codecs } };

const toServiceTypeFormValues = (type: Schemas['ServiceType']) => ({
  ...SERVICE_TYPE_FORM.toValues({ ...type, network: type.network.id }),
  ...ICON_FORM.toValues({ icon: type.icon }),
});

/** Edits the service type with the given id. If `id` is null, creates a service type in the network `networkId`. */
export function ServiceTypeForm(props: { id: number | null; networkId: number | null; onClose: () => void }) {
  const { t } = useTranslation();
  const { id, onClose } = props;
  const typeQuery = useQuery({
    queryKey: [CATALOGUE_KEY, 'type', id],
    enabled: id !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: () => fetchServiceType(id ?? 0),
  });
  const networksQuery = useNetworks();
  const kindsQuery = useServiceTypeKinds();
  if ((id !== null && !typeQuery.data) || !networksQuery.data || !kindsQuery.data) {
    const title = t(id === null ? 'serviceTypes.create' : 'serviceTypes.edit');
    return <LoadErrorDialog title={title} queries={[typeQuery, networksQuery, kindsQuery]} onClose={onClose} />;
  }
  return (
    <ServiceTypeDialog {...props} type={typeQuery.data ?? null} networks={networksQuery.data} kinds={kindsQuery.data} />
  );
}

export function useServiceTypeKinds() {
  return useQuery({
    queryKey: [CATALOGUE_KEY, 'collections'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/service-types/collections'))).data.types,
  });
}

interface ServiceTypeDialogProps {
  type: Schemas['ServiceType'] | null;
  networkId: number | null;
  networks: readonly Network[];
  kinds: readonly Schemas['Choice'][];
  onClose: () => void;
}

function ServiceTypeDialog({ type, networkId, networks, kinds, onClose }: ServiceTypeDialogProps) {
  const { t } = useTranslation();
  const fields: FormField[] = [
    {
      name: 'translations',
      label: t('serviceTypes.texts.label'),
      texts: SERVICE_TYPE_TEXTS.map(({ name, multiline }) => ({
        name,
        label: t(`serviceTypes.texts.${name}`),
        ...(multiline ? { multiline: true as const } : {}),
      })),
    },
    { name: 'icon', label: t('networks.icon') },
    {
      name: 'network',
      label: t('serviceTypes.columns.network'),
      options: networks.map(({ id, name }) => ({ value: String(id), label: name })),
    },
    {
      name: 'type',
      label: t('serviceTypes.columns.type'),
      options: kinds.map(({ type, label }) => ({ value: type, label })),
    },
    { name: 'slug', label: t('serviceTypes.columns.slug'), hint: t('serviceTypes.slugHint'), maxLength: 100 },
    { name: 'title', label: t('serviceTypes.columns.title'), maxLength: 255 },
    { name: 'color', label: t('networks.color'), hint: t('networks.colorHint'), maxLength: 7 },
    { name: 'reviews_count', label: t('serviceTypes.columns.reviewsCount') },
    { name: 'reviews_rating', label: t('serviceTypes.columns.reviewsRating') },
    { name: 'description', label: t('serviceTypes.description'), mode: 'multiline', maxLength: 2000 },
    { name: 'full_description', label: t('serviceTypes.fullDescription'), mode: 'multiline', maxLength: 50000 },
  ];
  return (
    <FormDialog
      title={t(type ? 'serviceTypes.edit' : 'serviceTypes.create')}
      confirmLabel={t('ui.save')}
      fields={fields}
      spec={SERVICE_TYPE_SPEC}
      initialValues={
        type
          ? toServiceTypeFormValues(type)
          : {
              ...SERVICE_TYPE_FORM.toValues({ ...NEW_SERVICE_TYPE, network: networkId }),
              ...ICON_FORM.toValues({ icon: null }),
            }
      }
      reload={type ? async () => toServiceTypeFormValues(await fetchServiceType(type.id)) : undefined}
      send={({ values, base }, idempotencyKey) => {
        const body = { ...SERVICE_TYPE_FORM.toBody(values, base), ...ICON_FORM.toPatch(values, base) };
        const request = type
          ? api.PUT('/api/v1/admin/service-types/{id}', {
              params: { path: { id: type.id } },
              body: { panel_service_type: body },
            })
          : api.POST('/api/v1/admin/service-types', { body, ...withIdempotencyKey(idempotencyKey) });
        return unwrap<unknown>(request).catch(rethrowWithoutPrefix('panel_service_type'));
      }}
      invalidatedQueries={[[CATALOGUE_KEY], ['service-types']]}
      onClose={onClose}
    />
  );
}
