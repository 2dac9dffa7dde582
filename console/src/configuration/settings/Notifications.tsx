// Of what the panel tells its staff, and whom. Who may not see a record is not told of it, whatever list they are on.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { problemForBar } from '@/form/problems';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { Checkbox } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';
import { RecordPage } from '@/ui/RecordPage';
import { UserPicker } from '@/ui/UserPicker';
import { useUnsaved } from '@/ui/unsaved';
import { SettingsTabs } from './SettingsTabs';

type Kind = Schemas['PanelNotification'];
type Person = Schemas['Recipient'];
type List = Schemas['NotificationAudience'];

const KEY = ['notifications'];

async function read() {
  const [kinds, admin, support] = await Promise.all([
    unwrap(api.GET('/api/v1/admin/notifications')),
    unwrap(api.GET('/api/v1/admin/admin-notifications')),
    unwrap(api.GET('/api/v1/admin/support-notifications')),
  ]);
  return { kinds: kinds.data.panel_notifications, admin: admin.data.users, support: support.data.users };
}

export default function NotificationsPage() {
  const { t } = useTranslation();
  const query = useQuery({ queryKey: KEY, queryFn: read, refetchOnWindowFocus: false });
  return (
    <RecordPage query={query} list={{ href: '/panel-settings', text: t('settings.title') }}>
      {({ kinds, admin, support }) => (
        <div className="editor settings">
          <h1 tabIndex={-1}>{t('settings.title')}</h1>
          <SettingsTabs now="notifications" />
          <p className="hint">{t('notifications.hint')}</p>
          <Kinds key={JSON.stringify(kinds)} kinds={kinds} />
          <div className="record-grid">
            <People key={`admin ${JSON.stringify(admin)}`} list="admin" people={admin} />
            <People key={`support ${JSON.stringify(support)}`} list="support" people={support} />
          </div>
        </div>
      )}
    </RecordPage>
  );
}

/** A card whose changes are saved together; what is wrong with fields that are `isShown` stands at them. */
function useCard(isDirty: boolean, send: () => Promise<unknown>, isShown: (field: string) => boolean = () => false) {
  const { t } = useTranslation();
  const { submit, isPending, problem } = useSubmit({ send, success: t('ui.saved'), invalidates: [KEY] });
  useUnsaved(isDirty);
  const rest = problemForBar(problem, (field) => isShown(field));
  const foot = (
    <>
      {rest && <ProblemBar problem={rest} />}
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
  return { foot, problem };
}

function Kinds({ kinds }: { kinds: readonly Kind[] }) {
  const { t } = useTranslation();
  const [now, setNow] = useState(kinds);
  const changed = now.filter((kind, at) => kind.is_enabled !== kinds[at]?.is_enabled);
  const { foot } = useCard(changed.length > 0, () =>
    unwrap(
      api.PUT('/api/v1/admin/notifications', {
        body: {
          panel_notifications: changed.map(({ notification, is_enabled }) => ({ notification, is_enabled })),
        },
      }),
    ),
  );
  return (
    <section className="card" aria-label={t('notifications.kinds')}>
      <h2>{t('notifications.kinds')}</h2>
      {now.map((kind) => (
        <Checkbox
          key={kind.notification}
          label={t(`notifications.kind.${kind.notification}`)}
          note={t(`notifications.list.${kind.audience}`)}
          checked={kind.is_enabled}
          onChange={(is_enabled) =>
            setNow(now.map((one) => (one.notification === kind.notification ? { ...one, is_enabled } : one)))
          }
        />
      ))}
      {foot}
    </section>
  );
}

const PATHS = { admin: '/api/v1/admin/admin-notifications', support: '/api/v1/admin/support-notifications' } as const;

function People({ list, people }: { list: List; people: readonly Person[] }) {
  const { t } = useTranslation();
  const [now, setNow] = useState(people);
  // As it was sent: people who are taken away meanwhile move the others to other places.
  const [sent, setSent] = useState(people);
  const ids = (all: readonly Person[]) => all.map(({ id }) => id).join();
  const send = () => {
    setSent(now);
    return unwrap(api.PUT(PATHS[list], { body: { users: now.map(({ id }) => id) } }));
  };
  const { foot, problem } = useCard(ids(now) !== ids(people), send, (field) => /^users\.\d+$/.test(field));
  const wrongOf = (id: number) => problem?.fields[`users.${sent.findIndex((person) => person.id === id)}`];
  const title = t(`notifications.list.${list}`);
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      {now.length === 0 && <p className="hint">{t('notifications.nobody')}</p>}
      <ul className="people">
        {now.map((person) => (
          <li key={person.id}>
            <span>
              {person.name} <small>{person.email}</small>
              {person.withheld.length > 0 && (
                <small className="field-hint">
                  {t('notifications.withheld', {
                    kinds: person.withheld.map((kind) => t(`notifications.kind.${kind}`)).join(' '),
                  })}
                </small>
              )}
              {wrongOf(person.id) && <small className="field-error">{wrongOf(person.id)?.join(' ')}</small>}
            </span>
            <Button
              variant="plain"
              iconOnly
              icon="times"
              label={t('notifications.remove', { name: person.name })}
              onClick={() => setNow(now.filter(({ id }) => id !== person.id))}
            />
          </li>
        ))}
      </ul>
      <UserPicker
        label={t('notifications.add')}
        value={null}
        onChange={(user) => {
          if (user && !now.some(({ id }) => id === user.id)) setNow([...now, { ...user, withheld: [] }]);
        }}
      />
      {foot}
    </section>
  );
}
