// The screen with the settings of staff notifications: the enabled types, and the recipients. The server never sends a staff member a
// notification about a record that the staff member may not view.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { getBarProblem } from '@/form/problems';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { Checkbox } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';
import { RecordPage } from '@/ui/RecordPage';
import { UserPicker } from '@/ui/UserPicker';
import { useUnsavedChanges } from '@/ui/unsavedChanges';
import { SettingsTabs } from './SettingsTabs';

type PanelNotification = Schemas['PanelNotification'];
type Recipient = Schemas['Recipient'];
type Audience = Schemas['NotificationAudience'];

const NOTIFICATIONS_QUERY_KEY = ['notifications'];

async function fetchNotifications() {
  const [notifications, admin, support] = await Promise.all([
    unwrap(api.GET('/api/v1/admin/notifications')),
    unwrap(api.GET('/api/v1/admin/admin-notifications')),
    unwrap(api.GET('/api/v1/admin/support-notifications')),
  ]);
  return {
    notifications: notifications.data.panel_notifications,
    admin: admin.data.users,
    support: support.data.users,
  };
}

export default function NotificationsPage() {
  const { t } = useTranslation();
  const query = useQuery({
    queryKey: NOTIFICATIONS_QUERY_KEY,
    queryFn: fetchNotifications,
    refetchOnWindowFocus: false,
  });
  return (
    <RecordPage query={query} backLink={{ href: '/panel-settings', text: t('settings.title') }}>
      {({ notifications, admin, support }) => (
        <div className="editor settings">
          <h1 tabIndex={-1}>{t('settings.title')}</h1>
          <SettingsTabs currentTab="notifications" />
          <p className="hint">{t('notifications.hint')}</p>
          {/* The key changes after a save, so that React remounts the card with the saved data. */}
          <NotificationTypes key={JSON.stringify(notifications)} notifications={notifications} />
          <div className="record-grid">
            <RecipientList key={`admin ${JSON.stringify(admin)}`} audience="admin" recipients={admin} />
            <RecipientList key={`support ${JSON.stringify(support)}`} audience="support" recipients={support} />
          </div>
        </div>
      )}
    </RecordPage>
  );
}

interface SaveFooterOptions {
  isDirty: boolean;
  send: () => Promise<unknown>;
  /** Whether the card itself shows the errors of a field. The footer shows all other errors. */
  isShownAtField?: (field: string) => boolean;
}

/** Saves one card of the page. Returns the footer of the card with its "Save" button, and the problem of the last save. */
function useSaveFooter({ isDirty, send, isShownAtField = () => false }: SaveFooterOptions) {
  const { t } = useTranslation();
  const { submit, isPending, problem } = useSubmit({
    send,
    successMessage: t('ui.saved'),
    invalidatedQueries: [NOTIFICATIONS_QUERY_KEY],
  });
  useUnsavedChanges(isDirty);
  const barProblem = getBarProblem(problem, isShownAtField);
  const footer = (
    <>
      {barProblem && <ProblemBar problem={barProblem} />}
      <div className="editor-save">
        <Button
          variant="filled"
          label={t('ui.save')}
          busy={isPending}
          disabled={!isDirty}
          onClick={() => void submit()}
        />
      </div>
    </>
  );
  return { footer, problem };
}

function NotificationTypes({ notifications }: { notifications: readonly PanelNotification[] }) {
  const { t } = useTranslation();
  const [editedNotifications, setEditedNotifications] = useState(notifications);
  const changedNotifications = editedNotifications.filter(
    ({ is_enabled }, index) => is_enabled !== notifications[index]?.is_enabled,
  );
  const { footer } = useSaveFooter({
    isDirty: changedNotifications.length > 0,
    send: () => {
      const panel_notifications = changedNotifications.map(({ notification, is_enabled }) => ({
        notification,
        is_enabled,
      }));
      return unwrap(api.PUT('/api/v1/admin/notifications', { body: { panel_notifications } }));
    },
  });
  return (
    <section className="card" aria-label={t('notifications.types')}>
      <h2>{t('notifications.types')}</h2>
      {editedNotifications.map((item) => (
        <Checkbox
          key={item.notification}
          label={t(`notifications.type.${item.notification}`)}
          note={t(`notifications.audience.${item.audience}`)}
          checked={item.is_enabled}
          onChange={(is_enabled) =>
            setEditedNotifications(
              editedNotifications.map((otherItem) => (otherItem === item ? { ...item, is_enabled } : otherItem)),
            )
          }
        />
      ))}
      {footer}
    </section>
  );
}

const RECIPIENT_PATHS = {
  admin: '/api/v1/admin/admin-notifications',
  support: '/api/v1/admin/support-notifications',
} as const;

interface RecipientListProps {
  audience: Audience;
  recipients: readonly Recipient[];
}

function RecipientList({ audience, recipients }: RecipientListProps) {
  const { t } = useTranslation();
  const [editedRecipients, setEditedRecipients] = useState(recipients);
  // The recipients of the last request. The server reports errors by the index in this list; the indexes of `editedRecipients` may differ.
  const [sentRecipients, setSentRecipients] = useState(recipients);
  const joinIds = (recipients: readonly Recipient[]) => recipients.map(({ id }) => id).join();
  const { footer, problem } = useSaveFooter({
    isDirty: joinIds(editedRecipients) !== joinIds(recipients),
    send: () => {
      setSentRecipients(editedRecipients);
      return unwrap(api.PUT(RECIPIENT_PATHS[audience], { body: { users: editedRecipients.map(({ id }) => id) } }));
    },
    isShownAtField: (field) => /^users\.\d+$/.test(field),
  });
  const getRecipientErrors = (id: number) =>
    problem?.fields[`users.${sentRecipients.findIndex((recipient) => recipient.id === id)}`];
  const title = t(`notifications.audience.${audience}`);
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      {editedRecipients.length === 0 && <p className="hint">{t('notifications.noRecipients')}</p>}
      <ul className="people">
        {editedRecipients.map((recipient) => (
          <li key={recipient.id}>
            <span>
              {recipient.name} <small>{recipient.email}</small>
              {recipient.withheld.length > 0 && (
                <small className="field-hint">
                  {t('notifications.withheld', {
                    types: recipient.withheld.map((type) => t(`notifications.type.${type}`)).join(' '),
                  })}
                </small>
              )}
              {getRecipientErrors(recipient.id) && (
                <small className="field-error">{getRecipientErrors(recipient.id)?.join(' ')}</small>
              )}
            </span>
            <Button
              variant="plain"
              iconOnly
              icon="times"
              label={t('notifications.remove', { name: recipient.name })}
              onClick={() => setEditedRecipients(editedRecipients.filter(({ id }) => id !== recipient.id))}
            />
          </li>
        ))}
      </ul>
      <UserPicker
        label={t('notifications.add')}
        value={null}
        onChange={(user) => {
          if (user && !editedRecipients.some(({ id }) => id === user.id))
            setEditedRecipients([...editedRecipients, { ...user, withheld: [] }]);
        }}
      />
      {footer}
    </section>
  );
}
