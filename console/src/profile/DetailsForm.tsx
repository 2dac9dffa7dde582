// One's own name, and the language and time zone of the console in every browser. What was typed stays until it is saved.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { LocaleCode } from '@/api/words';
import type { Codec } from '@/form/codec';
import { choice, text } from '@/form/codecs';
import { DeclaredField, type FormField } from '@/form/DeclaredField';
import { FormProblem } from '@/form/FormProblem';
import { isAt } from '@/form/problems';
import { formOf } from '@/form/spec';
import { useForm } from '@/form/useForm';
import { offered } from '@/i18n';
import { saveProfile } from '@/session/calls';
import { useSession } from '@/session/hooks';
import type { Profile } from '@/session/store';
import { Button } from '@/ui/Button';

/** The value of a choice that leaves it to the browser. */
const OF_BROWSER = 'browser';

/** A choice that may be left to the browser: the profile then has nothing. */
const orOfBrowser = <Chosen extends string>(codec: Codec<Chosen, string>): Codec<Chosen | null, string> => ({
  ...codec,
  format: (chosen) => codec.format(chosen) || OF_BROWSER,
  parse: (text) => (text && text !== OF_BROWSER ? codec.parse(text) : null),
});

const DETAILS = formOf<Schemas['OwnProfileInput']>()({
  name: text,
  locale: orOfBrowser(choice(LocaleCode)),
  time_zone: orOfBrowser(text),
});

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
  const form = useForm({
    spec: DETAILS,
    initial: DETAILS.valuesOf(profile),
    reload: async () => DETAILS.valuesOf((await unwrap(api.GET('/api/v1/profile'))).data),
    send: ({ values, base }) => saveProfile(DETAILS.changesOf(values, base)),
    success: t('profile.saved'),
    onDone: (newer, { saved }) => saved(DETAILS.valuesOf(newer)),
  });
  const { values, conflicts, errors, isPending } = form;
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
  return (
    <form className="form password-form" onSubmit={form.submit}>
      {fields.map((field) => (
        <DeclaredField
          key={field.name}
          field={field}
          first={false}
          values={values}
          errors={errors}
          conflicts={conflicts}
          onChange={(value) => form.change(field.name, value)}
        />
      ))}
      <FormProblem form={form} isDrawn={isAt(Object.keys(DETAILS.codecs))} />
      <Button look="filled" type="submit" label={t('ui.save')} busy={isPending} />
    </form>
  );
}
