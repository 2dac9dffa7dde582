// One's own name, and the language and time zone of the console in every browser. What was typed stays until it is saved.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { api, told } from '@/api/client';
import { offered } from '@/i18n';
import type { LocaleCode } from '@/i18n/locales';
import { saveProfile } from '@/session/calls';
import { useSession } from '@/session/hooks';
import type { Profile } from '@/session/store';
import { Button } from '@/ui/Button';
import { beside, isAt } from '@/ui/beside';
import { DeclaredField, type FormField } from '@/ui/DeclaredField';
import { ProblemBar } from '@/ui/Notice';
import { toast } from '@/ui/toasts';
import { useUnsaved } from '@/ui/unsaved';
import { useForm, type Values } from '@/ui/useForm';

/** The value of a choice that leaves it to the browser. */
const OF_BROWSER = 'browser';
const NAMES = ['name', 'locale', 'time_zone'];

const valuesOf = ({ name, locale, time_zone, updated_at }: Profile): Values => ({
  name,
  locale: locale ?? OF_BROWSER,
  time_zone: time_zone ?? OF_BROWSER,
  ...(updated_at ? { updated_at } : {}),
});

const chosen = (value: string | undefined) => (value && value !== OF_BROWSER ? value : null);

/** The time zones that this browser knows; the stored one is always among them. */
function zones(stored: string | null | undefined): string[] {
  const known = Intl.supportedValuesOf('timeZone');
  return [...new Set([...(stored ? [stored] : []), 'UTC', ...known])].sort();
}

export function DetailsForm() {
  const { profile } = useSession();
  return profile && <Details key={profile.id} profile={profile} />;
}

function Details({ profile }: { profile: Profile }) {
  const { t } = useTranslation();
  const { values, clashes, busy, problem, isDirty, saved, save, change, loadNewer } = useForm({
    initial: valuesOf(profile),
    reload: async () => valuesOf((await told(api.GET('/api/v1/profile'))).data),
    onClose: () => undefined,
    onSave: async ({ name = '', locale, time_zone }, was) => {
      const newer = await saveProfile({
        ...(name === was.name ? {} : { name }),
        ...(locale === was.locale ? {} : { locale: chosen(locale) as LocaleCode | null }),
        ...(time_zone === was.time_zone ? {} : { time_zone: chosen(time_zone) }),
        updated_at: was.updated_at ?? null,
      });
      saved(valuesOf(newer));
      toast({ tone: 'success', text: t('profile.saved') });
    },
  });
  useUnsaved(isDirty && !busy);
  const browser = { value: OF_BROWSER, label: t('profile.ofBrowser') };
  const known = useMemo(() => zones(profile.time_zone), [profile.time_zone]);
  const fields: FormField[] = [
    { name: 'name', label: t('users.columns.name'), maxLength: 100 },
    {
      name: 'locale',
      label: t('shell.language'),
      hint: t('profile.languageHint'),
      options: [browser, ...offered().map(({ code, name }) => ({ value: code as string, label: name }))],
    },
    {
      name: 'time_zone',
      label: t('profile.timeZone'),
      hint: t('profile.timeZoneHint'),
      options: [browser, ...known.map((name) => ({ value: name, label: name.replaceAll('_', ' ') }))],
    },
  ];
  const errors = problem?.fields ?? {};
  const rest = beside(problem, isAt(NAMES));
  return (
    <form className="form password-form" onSubmit={save}>
      {fields.map((field) => (
        <DeclaredField
          key={field.name}
          field={field}
          first={false}
          values={values}
          errors={errors}
          clashes={clashes}
          onChange={(value) => change(field.name, value)}
        />
      ))}
      {rest && (
        <ProblemBar problem={rest}>
          {loadNewer && (
            <Button label={t('ui.newer.load')} icon="refresh" busy={busy} onClick={() => void loadNewer()} />
          )}
        </ProblemBar>
      )}
      <Button look="filled" type="submit" label={t('ui.save')} busy={busy} />
    </form>
  );
}
