// A form field with which the user finds a customer by name, email or id. The value of the field is the id of the customer.
import { useState } from 'react';
import { UserPicker, type UserSearchResult } from './UserPicker';

interface Props {
  id: string;
  label: string;
  invalid: boolean;
  onChange: (id: string) => void;
}

export function UserField({ onChange, ...pickerProps }: Props) {
  const [user, setUser] = useState<UserSearchResult | null>(null);
  return (
    <UserPicker
      {...pickerProps}
      value={user}
      onChange={(user) => {
        setUser(user);
        onChange(user ? String(user.id) : '');
      }}
    />
  );
}
