// A picker with which the user finds a customer or a staff member by a part of the name or email, or by the id.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { Picker } from './Picker';

export type UserSearchResult = Schemas['UserSearchResult'];

interface Props {
  id?: string | undefined;
  label: string;
  value: UserSearchResult | null;
  onChange: (user: UserSearchResult | null) => void;
  invalid?: boolean | undefined;
}

const formatLabel = (user: UserSearchResult) => `${user.name} · ${user.email} · ${user.id}`;
const searchUsers = async (query: string) =>
  (await unwrap(api.GET('/api/v1/admin/users/search', { params: { query: { query } } }))).data;

export function UserPicker(props: Props) {
  const { t } = useTranslation();
  return (
    <Picker
      {...props}
      search={searchUsers}
      formatLabel={formatLabel}
      placeholder={t('users.searchPlaceholder')}
      emptyText={t('users.noMatches')}
    />
  );
}
