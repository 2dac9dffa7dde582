// A picker for a service, which the user finds by a part of its name or by its id.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { fetchPage } from '@/api/table';
import { formatMoney } from '@/i18n/format';
import { Picker } from './Picker';

export type ServiceHit = Pick<Schemas['ServiceRow'], 'id' | 'name' | 'default_price' | 'min_price'>;

type ServiceOption = Pick<ServiceHit, 'id' | 'name' | 'default_price'>;

interface Props<Hit> {
  id?: string | undefined;
  label: string;
  value: Hit | null;
  onChange: (service: Hit | null) => void;
  invalid?: boolean | undefined;
}

const MAX_HITS = 20;
/** `default_price` is empty if only the name of the service was loaded. */
const labelOf = ({ id, name, default_price: price }: ServiceOption) =>
  `${name} · ${id}${price && ` · ${formatMoney(price)}`}`;

/** Digits are an id; other texts are a part of the name. */
async function searchServices(query: string): Promise<readonly ServiceHit[]> {
  const filters: Record<string, string> = /^\d+$/.test(query) ? { id: query } : { name: query };
  const tableQuery = { search: '', filters, parameters: {}, sort: [] };
  return (await fetchPage<ServiceHit>('/api/v1/admin/services', tableQuery, 0, MAX_HITS, new AbortController().signal))
    .data;
}

/** Searches in all services. The user must have the permission to view services. */
export function ServicePicker(props: Props<ServiceHit>) {
  return <CustomServicePicker {...props} search={searchServices} />;
}

/** Searches with the given function, for example only in the services that a package may contain. */
export function CustomServicePicker<Hit extends ServiceOption>(
  props: Props<Hit> & { search: (query: string) => Promise<readonly Hit[]> },
) {
  const { t } = useTranslation();
  return (
    <Picker
      {...props}
      labelOf={labelOf}
      placeholder={t('services.searchPlaceholder')}
      empty={t('services.noMatches')}
    />
  );
}
