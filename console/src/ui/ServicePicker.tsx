// A service found by part of its name, or by id.
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
/** Without a price when only the name is known. */
const labelOf = ({ id, name, default_price: price }: ServiceOption) =>
  `${name} · ${id}${price && ` · ${formatMoney(price)}`}`;

/** Digits are an id, any other text a part of the name. */
async function find(query: string): Promise<readonly ServiceHit[]> {
  const filters: Record<string, string> = /^\d+$/.test(query) ? { id: query } : { name: query };
  const tableQuery = { search: '', filters, parameters: {}, sort: [] };
  return (await fetchPage<ServiceHit>('/api/v1/admin/services', tableQuery, 0, MAX_HITS, new AbortController().signal))
    .data;
}

/** Searches all services; requires the permission to view services. */
export function ServicePicker(props: Props<ServiceHit>) {
  return <ServicePickerOf {...props} find={find} />;
}

/** Searches with a custom function, such as in the services that a package may contain. */
export function ServicePickerOf<Hit extends ServiceOption>(
  props: Props<Hit> & { find: (search: string) => Promise<readonly Hit[]> },
) {
  const { t } = useTranslation();
  return <Picker {...props} labelOf={labelOf} placeholder={t('services.find')} empty={t('services.noHit')} />;
}
