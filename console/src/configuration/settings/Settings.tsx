// Everything that rules the whole panel, in groups, with a box that finds a setting wherever it stands. One form: what was
// changed in any group is saved together, each setting judged alone.
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, Fragment, type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { SettingGroup } from '@/api/words';
import { type FieldErrors, problemForBar } from '@/form/problems';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { ProblemBar } from '@/ui/Notice';
import { RecordPage } from '@/ui/RecordPage';
import { useUnsaved } from '@/ui/unsaved';
import { type Clash, Control } from './Control';
import {
  at,
  type Changes,
  clashesOf,
  type Group,
  KEY,
  matches,
  read,
  type SettingField,
  type Settings,
  save,
  useSettings,
  withChange,
  without,
} from './calls';
import { Preview } from './Preview';
import { withFollowers } from './presets';
import { SettingsTabs } from './SettingsTabs';
import { useWords } from './words';

/** What belongs to the instance is shown beside another group, not as one of its own. */
const GROUPS: readonly Group[] = SettingGroup.filter((group) => group !== 'instance');

export default function SettingsPage() {
  const query = useSettings();
  const { t } = useTranslation();
  return (
    <RecordPage query={query} list={{ href: '/', text: t('menu.home') }}>
      {(settings) => <Editor settings={settings} />}
    </RecordPage>
  );
}

function Editor({ settings }: { settings: Settings }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const words = useWords();
  const [group, setGroup] = useState<Group>('brand');
  const [search, setSearch] = useState('');
  const [changes, setChanges] = useState<Changes>({});
  // What the changes are of: what is read again meanwhile comes under them, unless it is of the same fields.
  const [base, setBase] = useState(settings);
  const [clashes, setClashes] = useState<Changes>({});
  const [seen, setSeen] = useState(settings);
  // What is not controlled starts anew where its value changed under it.
  const [rounds, setRounds] = useState<Readonly<Record<string, number>>>({});
  const isDirty = Object.keys(changes).length > 0;
  const value = (key: string) => (key in changes ? changes[key] : at(base.data, key));
  const renew = (isAnew: (key: string) => boolean) =>
    setRounds((rounds) => {
      const keys = base.fields.map(({ key }) => key).filter(isAnew);
      return { ...rounds, ...Object.fromEntries(keys.map((key) => [key, (rounds[key] ?? 0) + 1])) };
    });
  const take = (next: Settings, left: Changes) => {
    setBase(next);
    setChanges(left);
    renew((key) => !(key in left) && JSON.stringify(value(key)) !== JSON.stringify(at(next.data, key)));
  };
  if (seen !== settings) {
    setSeen(settings);
    const found = clashesOf(changes, base.data, settings.data);
    setClashes({ ...clashes, ...found });
    // Where both changed the same, the form stays with what it began with, and the save is refused.
    if (Object.keys(found).length === 0)
      take(
        settings,
        without(changes, (key) => at(settings.data, key)),
      );
  }
  const groupOf = (place: string) => base.fields.find(({ key }) => place === key || place.startsWith(`${key}.`))?.group;
  const found = (field: SettingField) => {
    const { label, hint = '' } = words(field.key);
    return matches(search.trim(), field.key, label, hint, t(`settings.groups.${field.group}`));
  };
  // What can only be looked at has no place in a form, but for the way to where it is changed.
  const fields = base.fields.filter(({ kind, key }) => kind !== 'shown' || key === 'custom_menu_items');
  const shown = fields.filter((field) => (search.trim() ? found(field) : field.group === group));
  const latest = useRef(changes);
  latest.current = changes;
  const saving = useSubmit({
    send: (changes: Changes) => save(changes, at(base.data, 'updated_at')),
    success: t('ui.saved'),
    invalidates: [['settings']],
    onProblem: ({ fields }) => {
      const first = Object.keys(fields).map(groupOf).find(Boolean);
      if (first && !search) setGroup(first);
    },
    onDone: (next, sent) => {
      setClashes({});
      // What was typed since it was sent stays.
      take(
        next,
        without(latest.current, (key) => (key in sent ? sent[key] : at(next.data, key))),
      );
      queries.setQueryData(KEY, next);
    },
  });
  // What was typed stays on top of what another person saved.
  const reading = useSubmit({
    send: read,
    onDone: (newer) => {
      setClashes({ ...clashes, ...clashesOf(latest.current, base.data, newer.data) });
      take(
        newer,
        without(latest.current, (key) => at(newer.data, key)),
      );
      queries.setQueryData(KEY, newer);
      saving.clearProblem();
    },
  });
  const { errors } = saving;
  const problem = reading.problem ?? saving.problem;
  const isPending = saving.isPending || reading.isPending;
  useUnsaved(isDirty);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void saving.submit(changes);
  };
  const rest = problemForBar(problem, (place) => Boolean(groupOf(place)));
  return (
    <form className="editor settings" onSubmit={submit}>
      <h1 tabIndex={-1}>{t('settings.title')}</h1>
      <SettingsTabs now="" />
      <div className="settings-find">
        <i className="pi pi-search" aria-hidden />
        <input
          className="input"
          type="search"
          aria-label={t('settings.find')}
          placeholder={t('settings.find')}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </div>
      {rest && (
        <ProblemBar problem={rest}>
          {saving.isStale && (
            <Button icon="refresh" label={t('ui.newer.load')} busy={isPending} onClick={() => void reading.submit()} />
          )}
        </ProblemBar>
      )}
      {!search.trim() && (
        <GroupList
          now={group}
          onChange={setGroup}
          wrong={Object.keys(errors).map(groupOf)}
          changed={Object.keys(changes).map(groupOf)}
        />
      )}
      <Found
        {...{ search, shown, errors, value, rounds }}
        clashOf={(key) => (key in changes && key in clashes ? { now: clashes[key] } : undefined)}
        onChange={(key, to) =>
          setChanges((changes) =>
            withFollowers(key, to).reduce((all, [key, to]) => withChange(all, base.data, key, to), changes),
          )
        }
      />
      {group === 'colors' && !search.trim() && <Preview color={(key) => String(value(key) ?? '')} />}
      <div className="editor-save">
        <span className="settings-count" role="status">
          {isDirty && t('settings.changed', { count: Object.keys(changes).length })}
        </span>
        <Button
          label={t('services.discard')}
          disabled={!isDirty}
          onClick={() => {
            take(settings, {});
            setClashes({});
            saving.clearProblem();
            reading.clearProblem();
          }}
        />
        <Button variant="filled" type="submit" label={t('ui.save')} busy={isPending} disabled={!isDirty} />
      </div>
    </form>
  );
}

interface FoundProps {
  search: string;
  shown: readonly SettingField[];
  errors: FieldErrors;
  value: (key: string) => unknown;
  rounds: Readonly<Record<string, number>>;
  /** What another person made of a setting that was changed here too. */
  clashOf: (key: string) => Clash | undefined;
  onChange: (key: string, value: unknown) => void;
}

/** A heading stands where a theme begins, and, in what was found, where a group begins. */
function Found({ search, shown, errors, value, rounds, clashOf, onChange }: FoundProps) {
  const { t } = useTranslation();
  const headingOf = (field: SettingField | undefined) => {
    if (!field) return '';
    if (field.key.startsWith('colors.')) return t(`settings.themes.${field.key.split('.')[1] as 'light'}`);
    return search.trim() || field.group === 'instance' ? t(`settings.groups.${field.group}`) : '';
  };
  if (shown.length === 0) return <p className="hint">{t('settings.none')}</p>;
  return (
    <div id="settings-group" role={search.trim() ? undefined : 'tabpanel'} className="form form-wide editor-part">
      {shown.map((field, place) => {
        const heading = headingOf(field);
        const begins = heading !== '' && heading !== headingOf(shown[place - 1]);
        const isWide = ['html', 'rates', 'meta_tags'].includes(field.kind);
        return (
          <Fragment key={field.key}>
            {begins && <h2 className="form-part">{heading}</h2>}
            <div className={isWide ? 'setting form-row' : 'setting'} data-key={field.key}>
              <Control
                key={rounds[field.key] ?? 0}
                field={field}
                value={value(field.key)}
                errors={errors}
                clash={clashOf(field.key)}
                onChange={(to) => onChange(field.key, to)}
              />
              {field.key === 'custom_menu_items' && (
                <Link href="/menu-and-pages/custom">{t('settings.customMenu')}</Link>
              )}
            </div>
          </Fragment>
        );
      })}
    </div>
  );
}

interface GroupListProps {
  now: Group;
  onChange: (group: Group) => void;
  wrong: readonly (Group | undefined)[];
  changed: readonly (Group | undefined)[];
}

function GroupList({ now, onChange, wrong, changed }: GroupListProps) {
  const { t } = useTranslation();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = by && GROUPS[(GROUPS.indexOf(now) + by + GROUPS.length) % GROUPS.length];
    if (!next) return;
    event.preventDefault();
    onChange(next);
    list.current?.querySelector<HTMLElement>(`#group-${next}`)?.focus();
  };
  return (
    <div ref={list} className="tabs" role="tablist" aria-label={t('settings.groups.label')} onKeyDown={move}>
      {GROUPS.map((group) => (
        <button
          key={group}
          type="button"
          role="tab"
          id={`group-${group}`}
          aria-selected={group === now}
          aria-controls="settings-group"
          tabIndex={group === now ? 0 : -1}
          onClick={() => onChange(group)}
        >
          {t(`settings.groups.${group}`)}
          {wrong.includes(group) && (
            <>
              <i className="pi pi-exclamation-circle" aria-hidden />
              <span className="sr">{t('services.parts.wrong')}</span>
            </>
          )}
          {changed.includes(group) && !wrong.includes(group) && <i className="pi pi-circle-fill dot" aria-hidden />}
        </button>
      ))}
    </div>
  );
}
