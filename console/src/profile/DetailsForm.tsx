// The form with the user's own name, language and time zone, which apply in every browser.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { LocaleCode } from '@/api/enums';
import type { Codec } from '@/form/codec';
import { choice, text } from '@/form/codecs';
import { DeclaredField, type FormField } from '@/form/DeclaredField';
import { FormProblem } from '@/form/FormProblem';
import { isWithinFields } from '@/form/problems';
import { defineForm } from '@/form/spec';
import { useForm } from '@/form/useForm';
import { availableLocales } from '@/i18n';
import { saveProfile } from '@/session/calls';
import { useSession } from '@/session/hooks';
import type { Profile } from '@/session/store';
import { Button } from '@/ui/Button';

/** The value of the option "use the setting of the browser". */
const BROWSER_DEFAULT = 'browser';

/** Adds the option "use the setting of the browser" to a codec. Its value in the profile is null. */
const orBrowserDefault = <Value extends string>(codec: Codec<Value, string>): Codec<Value | null, string> => ({
  ...codec,
  format: (value) => codec.format(value) || BROWSER_DEFAULT,
  parse: (text) => (text && text !== BROWSER_DEFAULT ? codec.parse(text) : null),
});

const DETAILS_FORM = defineForm<Schemas['OwnProfileInput']>()({
  name: text,
  locale: orBrowserDefault(choice(LocaleCode)),
  time_zone: orBrowserDefault(text),
});

/** The time zones that the browser supports, and the time zone of the profile. */
function offeredTimeZones(profileTimeZone: string | null | undefined): string[] {
  const supportedZones = Intl.supportedValuesOf('timeZone');
  return [...new Set([...(profileTimeZone ? [profileTimeZone] : []), 'UTC', ...supportedZones])].sort();
}

export function DetailsForm() {
  const { profile } = useSession();
  return profile && <Details key={profile.id} profile={profile} />;
}

function Details({ profile }: { profile: Profile }) {
  const { t } = useTranslation();
  const form = useForm({
    spec: DETAILS_FORM,
    initial: DETAILS_FORM.toValues(profile),
    reload: async () => DETAILS_FORM.toValues((await unwrap(api.GET('/api/v1/profile'))).data),
    send: ({ values, base }) => saveProfile(DETAILS_FORM.toPatch(values, base)),
    success: t('profile.saved'),
    onDone: (savedProfile, { rebase }) => rebase(DETAILS_FORM.toValues(savedProfile)),
  });
  const { values, conflicts, errors, isPending } = form;
  const browserOption = { value: BROWSER_DEFAULT, label: t('profile.ofBrowser') };
  const zones = useMemo(() => offeredTimeZones(profile.time_zone), [profile.time_zone]);
  const fields: FormField[] = [
    { name: 'name', label: t('users.columns.name'), maxLength: 100 },
    {
      name: 'locale',
      label: t('shell.language'),
      hint: t('profile.languageHint'),
      options: [browserOption, ...availableLocales().map(({ code, name }) => ({ value: code as string, label: name }))],
    },
    {
      name: 'time_zone',
      label: t('profile.timeZone'),
      hint: t('profile.timeZoneHint'),
      options: [browserOption, ...zones.map((name) => ({ value: name, label: name.replaceAll('_', ' ') }))],
    },
  ];
  return (
    <form className="form password-form" onSubmit={form.submit}>
      {fields.map((field) => (
        <DeclaredField
          key={field.name}
          field={field}
          autoFocus={false}
          values={values}
          errors={errors}
          conflicts={conflicts}
          onChange={(value) => form.change(field.name, value)}
        />
      ))}
      <FormProblem form={form} isShownAtField={isWithinFields(Object.keys(DETAILS_FORM.codecs))} />
      <Button variant="filled" type="submit" label={t('ui.save')} busy={isPending} />
    </form>
  );
}
