// The page of the user's own account, with tabs. Without a tab in the URL it shows the sessions.
import { useTranslation } from 'react-i18next';
import { PasswordForm } from '@/session/PasswordForm';
import { SecondFactor } from '@/session/SecondFactor';
import { Tabs } from '@/ui/Tabs';
import { DetailsForm } from './DetailsForm';
import { Sessions } from './Sessions';
import { PROFILE_TABS } from './tabs';

export default function ProfilePage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const currentTab = PROFILE_TABS.find(({ name }) => name === params.tab)?.name ?? 'sessions';
  return (
    <div className="record">
      <div className="record-head">
        <h1 tabIndex={-1}>{t('profile.title')}</h1>
      </div>
      <Tabs baseUrl="/profile" tabs={PROFILE_TABS} currentTab={currentTab} />
      {currentTab === 'details' && <DetailsForm />}
      {currentTab === 'sessions' && <Sessions />}
      {currentTab === 'password' && <PasswordForm />}
      {currentTab === 'second-factor' && <SecondFactor />}
    </div>
  );
}
