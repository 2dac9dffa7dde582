// A customer as a field of a form: found by name, e-mail or id; its value is the id.
import { useState } from 'react';
import { type UserHit, UserPicker } from './UserPicker';

interface Props {
  id: string;
  label: string;
  invalid: boolean;
  onChange: (id: string) => void;
}

export function UserField({ onChange, ...given }: Props) {
  const [user, setUser] = useState<UserHit | null>(null);
  return (
    <UserPicker
      {...given}
      value={user}
      onChange={(user) => {
        setUser(user);
        onChange(user ? String(user.id) : '');
      }}
    />
  );
}
