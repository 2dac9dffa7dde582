// One's own account, in parts with addresses of their own. The first part is shown where the address names none.
import { useTranslation } from 'react-i18next';
import { PasswordForm } from '@/session/PasswordForm';
import { SecondFactor } from '@/session/SecondFactor';
import { Tabs } from '@/ui/Tabs';
import { DetailsForm } from './DetailsForm';
import { Sessions } from './Sessions';
import { PROFILE_TABS } from './tabs';

export default function ProfilePage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const now = PROFILE_TABS.find(({ name }) => name === params.tab)?.name ?? 'sessions';
  return (
    <div className="record">
      <div className="record-head">
        <h1 tabIndex={-1}>{t('profile.title')}</h1>
      </div>
      <Tabs base="/profile" tabs={PROFILE_TABS} now={now} />
      {now === 'details' && <DetailsForm />}
      {now === 'sessions' && <Sessions />}
      {now === 'password' && <PasswordForm />}
      {now === 'second-factor' && <SecondFactor />}
    </div>
  );
}
