// A service found by part of its name, or by id.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { page } from '@/api/table';
import { money } from '@/i18n/format';
import { Picker } from './Picker';

export type ServiceHit = Pick<Schemas['ServiceRow'], 'id' | 'name' | 'default_price' | 'min_price'>;

type Priced = Pick<ServiceHit, 'id' | 'name' | 'default_price'>;

interface Props<Hit> {
  id?: string | undefined;
  label: string;
  value: Hit | null;
  onChange: (service: Hit | null) => void;
  invalid?: boolean | undefined;
}

const MOST = 20;
/** Without a price where only its name is known. */
const shown = ({ id, name, default_price: price }: Priced) => `${name} · ${id}${price && ` · ${money(price)}`}`;

/** Digits are an id, anything else part of a name. */
async function find(query: string): Promise<readonly ServiceHit[]> {
  const filters: Record<string, string> = /^\d+$/.test(query) ? { id: query } : { name: query };
  const asked = { search: '', filters, plain: {}, sort: [] };
  return (await page<ServiceHit>('/api/v1/admin/services', asked, 0, MOST, new AbortController().signal)).data;
}

/** From all services, for those who may see them. */
export function ServicePicker(props: Props<ServiceHit>) {
  return <ServicePickerOf {...props} find={find} />;
}

/** The same from a list of its own, such as the services that may stand in a package. */
export function ServicePickerOf<Hit extends Priced>(
  props: Props<Hit> & { find: (search: string) => Promise<readonly Hit[]> },
) {
  const { t } = useTranslation();
  return <Picker {...props} shown={shown} placeholder={t('services.find')} empty={t('services.noHit')} />;
}
