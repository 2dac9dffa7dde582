// A form field for a customer, found by name, email or id. Its value is the id.
import { useState } from 'react';
import { type UserHit, UserPicker } from './UserPicker';

interface Props {
  id: string;
  label: string;
  invalid: boolean;
  onChange: (id: string) => void;
}

export function UserField({ onChange, ...rest }: Props) {
  const [user, setUser] = useState<UserHit | null>(null);
  return (
    <UserPicker
      {...rest}
      value={user}
      onChange={(user) => {
        setUser(user);
        onChange(user ? String(user.id) : '');
      }}
    />
  );
}
