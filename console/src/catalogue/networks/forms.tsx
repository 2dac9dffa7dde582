// The dialogs that make and change networks and service types.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { inPart } from '@/api/problem';
import { FormDialog, type FormField } from '@/ui/FormDialog';
import { textsOf } from '@/ui/texts';
import { wholeOf } from '@/ui/whole';
import { KEY, type Network, useNetworks } from './calls';

export function NetworkForm({ network, onClose }: { network: Network | null; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <FormDialog
      title={t(network ? 'networks.edit' : 'networks.create')}
      confirm={t('ui.save')}
      fields={[
        {
          name: 'translations',
          label: t('serviceTypes.texts.label'),
          mode: 'texts',
          texts: [{ name: 'name', label: t('networks.name'), maxLength: 100 }],
        },
        { name: 'icon', label: t('networks.icon'), mode: 'image', hint: t('ui.image.hint') },
        { name: 'color', label: t('networks.color'), hint: t('networks.colorHint'), maxLength: 7 },
        { name: 'url_examples', label: t('networks.examples'), hint: t('networks.examplesHint'), mode: 'long' },
      ]}
      initial={{
        translations: JSON.stringify(network?.translations ?? {}),
        icon: network?.icon ?? '',
        color: network?.color ?? '',
        url_examples: network?.url_examples.join('\n') ?? '',
      }}
      onClose={onClose}
      onSave={async ({ translations = '', icon = '', color = '', url_examples = '' }) => {
        const body = {
          translations: textsOf(translations),
          ...(icon !== (network?.icon ?? '') ? { icon: icon || null } : {}),
          color: color || null,
          url_examples: url_examples.split('\n').filter((line) => line.trim()),
          ...(network ? { updated_at: network.updated_at } : {}),
        } as Schemas['NetworkInput'];
        await told(
          network
            ? api.PUT('/api/v1/admin/networks/{id}', { params: { path: { id: network.id } }, body })
            : api.POST('/api/v1/admin/networks', { body }),
        );
        await queries.invalidateQueries({ queryKey: [KEY] });
      }}
    />
  );
}

/** What a service type has in every language. */
const TYPE_TEXTS = [
  { name: 'name', long: false },
  { name: 'title', long: false },
  { name: 'short_description', long: true },
  { name: 'faq', long: true },
  { name: 'reviews', long: true },
  { name: 'meta_title', long: false },
  { name: 'meta_description', long: true },
] as const;

const TEXTS = ['title', 'description', 'full_description', 'slug', 'color'] as const;

/** A service type by its id, or a new one in a network. */
export function TypeForm(props: { id: number | null; network: number | null; onClose: () => void }) {
  const { id } = props;
  const { data } = useQuery({
    queryKey: [KEY, 'type', id],
    enabled: id !== null,
    staleTime: 0,
    gcTime: 0,
    queryFn: async () =>
      (await told(api.GET('/api/v1/admin/service-types/{id}', { params: { path: { id: id ?? 0 } } }))).data,
  });
  const networks = useNetworks().data;
  const types = useTypes();
  if ((id !== null && !data) || !networks || !types) return null;
  return <TypeDialog {...props} type={data ?? null} networks={networks} types={types} />;
}

export function useTypes() {
  return useQuery({
    queryKey: [KEY, 'collections'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await told(api.GET('/api/v1/admin/service-types/collections'))).data.types,
  }).data;
}

interface DialogProps {
  type: Schemas['ServiceType'] | null;
  network: number | null;
  networks: readonly Network[];
  types: readonly Schemas['Choice'][];
  onClose: () => void;
}

function TypeDialog({ type, network, networks, types, onClose }: DialogProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const fields: FormField[] = [
    {
      name: 'translations',
      label: t('serviceTypes.texts.label'),
      mode: 'texts',
      texts: TYPE_TEXTS.map(({ name, long }) => ({
        name,
        label: t(`serviceTypes.texts.${name}`),
        ...(long ? { long: true as const } : {}),
      })),
    },
    { name: 'icon', label: t('networks.icon'), mode: 'image', hint: t('ui.image.hint') },
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
    { name: 'reviews_count', label: t('serviceTypes.columns.reviewsCount'), mode: 'numeric' },
    { name: 'reviews_rating', label: t('serviceTypes.columns.reviewsRating'), mode: 'decimal' },
    { name: 'description', label: t('serviceTypes.description'), mode: 'long', maxLength: 2000 },
    { name: 'full_description', label: t('serviceTypes.fullDescription'), mode: 'long', maxLength: 50000 },
  ];
  return (
    <FormDialog
      title={t(type ? 'serviceTypes.edit' : 'serviceTypes.create')}
      confirm={t('ui.save')}
      fields={fields}
      initial={{
        translations: JSON.stringify(type?.translations ?? {}),
        icon: type?.icon ?? '',
        network: String(type?.network.id ?? network ?? ''),
        type: type?.type ?? 'Youtube',
        reviews_count: String(type?.reviews_count ?? 0),
        reviews_rating: type?.reviews_rating ?? '0',
        ...Object.fromEntries(TEXTS.map((name) => [name, type?.[name] ?? ''])),
      }}
      onClose={onClose}
      onSave={async (values) => {
        const body = {
          ...Object.fromEntries(TEXTS.map((name) => [name, values[name] || null])),
          translations: textsOf(values.translations ?? ''),
          ...(values.icon !== (type?.icon ?? '') ? { icon: values.icon || null } : {}),
          network: Number(values.network),
          type: values.type,
          reviews_count: wholeOf(values.reviews_count ?? '') ?? 0,
          reviews_rating: values.reviews_rating || '0',
          ...(type ? { updated_at: type.updated_at } : {}),
        } as Schemas['ServiceTypeInput'];
        await told(
          type
            ? api.PUT('/api/v1/admin/service-types/{id}', {
                params: { path: { id: type.id } },
                body: { panel_service_type: body },
              })
            : api.POST('/api/v1/admin/service-types', { body }),
        ).catch(inPart('panel_service_type'));
        await queries.invalidateQueries({ queryKey: [KEY] });
        await queries.invalidateQueries({ queryKey: ['service-types'] });
      }}
    />
  );
}
