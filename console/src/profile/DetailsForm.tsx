// The form with the user's own name, language and time zone, which apply in every browser.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { LocaleCode } from '@/api/enums';
import type { Codec } from '@/form/codec';
import { enumCodec, textCodec } from '@/form/codecs';
import { type FormField, FormFieldControl } from '@/form/FormFieldControl';
import { FormProblem } from '@/form/FormProblem';
import { isWithinFields } from '@/form/problems';
import { defineForm } from '@/form/spec';
import { useForm } from '@/form/useForm';
import { getAvailableLocales } from '@/i18n';
import { useSession } from '@/session/hooks';
import { saveProfile } from '@/session/requests';
import type { Profile } from '@/session/store';
import { Button } from '@/ui/Button';

/** The value of the option "use the setting of the browser". */
const BROWSER_DEFAULT = 'browser';

/** Adds the option "use the setting of the browser" to a codec. Its value in the profile is null. */
const withBrowserDefault = <Value extends string>(codec: Codec<Value, string>): Codec<Value | null, string> => ({
  ...codec,
  format: (value) => codec.format(value) || BROWSER_DEFAULT,
  parse: (text) => (text && text !== BROWSER_DEFAULT ? codec.parse(text) : null),
});

const DETAILS_FORM = defineForm<Schemas['OwnProfileInput']>()({
  name: textCodec,
  locale: withBrowserDefault(enumCodec(LocaleCode)),
  time_zone: withBrowserDefault(textCodec),
});

/** Returns the time zones that the browser supports, and the time zone of the profile, which the browser may not support. */
function listTimeZones(profileTimeZone: string | null | undefined): string[] {
  const supportedZones = Intl.supportedValuesOf('timeZone');
  return [...new Set([...(profileTimeZone ? [profileTimeZone] : []), 'UTC', ...supportedZones])].sort();
}

export function DetailsForm() {
  const { profile } = useSession();
  return profile && <LoadedDetailsForm key={profile.id} profile={profile} />;
}

function LoadedDetailsForm({ profile }: { profile: Profile }) {
  const { t } = useTranslation();
  const form = useForm({
    spec: DETAILS_FORM,
    initialValues: DETAILS_FORM.toValues(profile),
    reload: async () => DETAILS_FORM.toValues((await unwrap(api.GET('/api/v1/profile'))).data),
    send: ({ values, base }) => saveProfile(DETAILS_FORM.toPatch(values, base)),
    successMessage: t('profile.saved'),
    onDone: (savedProfile, { rebase }) => rebase(DETAILS_FORM.toValues(savedProfile)),
  });
  const { values, conflicts, errors, isPending } = form;
  const browserOption = { value: BROWSER_DEFAULT, label: t('profile.useBrowserSetting') };
  const timeZones = useMemo(() => listTimeZones(profile.time_zone), [profile.time_zone]);
  const fields: FormField[] = [
    { name: 'name', label: t('users.columns.name'), maxLength: 100 },
    {
      name: 'locale',
      label: t('shell.language'),
      hint: t('profile.languageHint'),
      options: [
        browserOption,
        ...getAvailableLocales().map(({ code, name }) => ({ value: code as string, label: name })),
      ],
    },
    {
      name: 'time_zone',
      label: t('profile.timeZone'),
      hint: t('profile.timeZoneHint'),
      options: [browserOption, ...timeZones.map((name) => ({ value: name, label: name.replaceAll('_', ' ') }))],
    },
  ];
  return (
    <form className="form password-form" onSubmit={form.submit}>
      {fields.map((field) => (
        <FormFieldControl
          key={field.name}
          field={field}
          autoFocus={false}
          values={values}
          errors={errors}
          conflicts={conflicts}
          onChange={(value) => form.setValue(field.name, value)}
        />
      ))}
      <FormProblem form={form} isShownAtField={isWithinFields(Object.keys(DETAILS_FORM.codecs))} />
      <Button variant="filled" type="submit" label={t('ui.save')} busy={isPending} />
    </form>
  );
}
