// The screen with the settings of this panel, in groups, with a search over all groups. The page is one form: "Save" sends the changes of
// all groups with one request, and the server validates each setting separately.
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, Fragment, type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { SettingGroup } from '@/api/enums';
import { type FieldErrors, getBarProblem } from '@/form/problems';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { ProblemBar } from '@/ui/Notice';
import { RecordPage } from '@/ui/RecordPage';
import { useUnsavedChanges } from '@/ui/unsavedChanges';
import { addDependentChanges } from './presets';
import { type SettingConflict, SettingControl } from './SettingControl';
import { SettingsTabs } from './SettingsTabs';
import {
  applyChange,
  fetchSettings,
  findConflicts,
  type GroupName,
  getSettingValue,
  matchesSearch,
  removeEqualValues,
  SETTINGS_QUERY_KEY,
  type SettingChanges,
  type SettingField,
  type Settings,
  saveSettings,
  useSettings,
} from './settingChanges';
import { ThemePreview } from './ThemePreview';
import { useSettingTexts } from './texts';

/** The group `instance` has no tab, because its settings are read-only. */
const EDITABLE_GROUPS: readonly GroupName[] = SettingGroup.filter((group) => group !== 'instance');

export default function SettingsPage() {
  const query = useSettings();
  const { t } = useTranslation();
  return (
    <RecordPage query={query} backLink={{ href: '/', text: t('menu.home') }}>
      {(settings) => <SettingsEditor settings={settings} />}
    </RecordPage>
  );
}

function SettingsEditor({ settings }: { settings: Settings }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const getTexts = useSettingTexts();
  const [group, setGroup] = useState<GroupName>('brand');
  const [search, setSearch] = useState('');
  const [changes, setChanges] = useState<SettingChanges>({});
  // The settings on which the changes are based. Refetched settings become the new base, unless they conflict with the changes.
  const [base, setBase] = useState(settings);
  const [conflicts, setConflicts] = useState<SettingChanges>({});
  const [lastSettings, setLastSettings] = useState(settings);
  // Part of the React key of a control. A new count remounts the control, so that an uncontrolled input shows the value of the
  // server.
  const [mountCounts, setMountCounts] = useState<Readonly<Record<string, number>>>({});
  const isDirty = Object.keys(changes).length > 0;
  const getEditedValue = (key: string) => (key in changes ? changes[key] : getSettingValue(base.data, key));
  const remountControls = (needsRemount: (key: string) => boolean) =>
    setMountCounts((counts) => {
      const keys = base.fields.map(({ key }) => key).filter(needsRemount);
      return { ...counts, ...Object.fromEntries(keys.map((key) => [key, (counts[key] ?? 0) + 1])) };
    });
  const rebase = (newBase: Settings, newChanges: SettingChanges) => {
    setBase(newBase);
    setChanges(newChanges);
    remountControls(
      (key) =>
        !(key in newChanges) &&
        JSON.stringify(getEditedValue(key)) !== JSON.stringify(getSettingValue(newBase.data, key)),
    );
  };
  if (lastSettings !== settings) {
    setLastSettings(settings);
    const newConflicts = findConflicts(changes, base.data, settings.data);
    setConflicts({ ...conflicts, ...newConflicts });
    // With a conflict the form keeps its old base, so that the server rejects a save as stale.
    if (Object.keys(newConflicts).length === 0) {
      rebase(
        settings,
        removeEqualValues(changes, (key) => getSettingValue(settings.data, key)),
      );
    }
  }
  const getGroupOfSetting = (path: string) =>
    base.fields.find(({ key }) => path === key || path.startsWith(`${key}.`))?.group;
  const matchesCurrentSearch = (field: SettingField) => {
    const { label, hint = '' } = getTexts(field.key);
    return matchesSearch(search.trim(), field.key, label, hint, t(`settings.groups.${field.group}`));
  };
  // Hides read-only settings, except `custom_menu_items`, which links to the page on which staff edit the custom menu items.
  const fields = base.fields.filter(({ kind, key }) => kind !== 'read_only' || key === 'custom_menu_items');
  const visibleFields = fields.filter((field) => (search.trim() ? matchesCurrentSearch(field) : field.group === group));
  const latestChanges = useRef(changes);
  latestChanges.current = changes;
  const saveChanges = useSubmit({
    send: (changes: SettingChanges) => saveSettings(changes, getSettingValue(base.data, 'updated_at')),
    successMessage: t('ui.saved'),
    invalidatedQueries: [['settings']],
    onProblem: ({ fields }) => {
      const firstInvalidGroup = Object.keys(fields).map(getGroupOfSetting).find(Boolean);
      if (firstInvalidGroup && !search) setGroup(firstInvalidGroup);
    },
    onDone: (savedSettings, sentChanges) => {
      setConflicts({});
      // Keeps the changes that the user has made during the request.
      rebase(
        savedSettings,
        removeEqualValues(latestChanges.current, (key) =>
          key in sentChanges ? sentChanges[key] : getSettingValue(savedSettings.data, key),
        ),
      );
      queryClient.setQueryData(SETTINGS_QUERY_KEY, savedSettings);
    },
  });
  // Runs after the server has rejected a save as stale: loads the latest settings and keeps the changes, so that the next save overwrites
  // the latest values.
  const loadLatest = useSubmit({
    send: fetchSettings,
    onDone: (latestSettings) => {
      setConflicts({ ...conflicts, ...findConflicts(latestChanges.current, base.data, latestSettings.data) });
      rebase(
        latestSettings,
        removeEqualValues(latestChanges.current, (key) => getSettingValue(latestSettings.data, key)),
      );
      queryClient.setQueryData(SETTINGS_QUERY_KEY, latestSettings);
      saveChanges.clearProblem();
    },
  });
  const { errors } = saveChanges;
  const problem = loadLatest.problem ?? saveChanges.problem;
  const isPending = saveChanges.isPending || loadLatest.isPending;
  useUnsavedChanges(isDirty);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void saveChanges.submit(changes);
  };
  const barProblem = getBarProblem(problem, (path) => Boolean(getGroupOfSetting(path)));
  return (
    <form className="editor settings" onSubmit={submit}>
      <h1 tabIndex={-1}>{t('settings.title')}</h1>
      <SettingsTabs currentTab="" />
      <div className="settings-find">
        <i className="pi pi-search" aria-hidden />
        <input
          className="input"
          type="search"
          aria-label={t('settings.search')}
          placeholder={t('settings.search')}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
      </div>
      {barProblem && (
        <ProblemBar problem={barProblem}>
          {saveChanges.isStale && (
            <Button
              icon="refresh"
              label={t('ui.conflict.loadLatest')}
              busy={isPending}
              onClick={() => void loadLatest.submit()}
            />
          )}
        </ProblemBar>
      )}
      {!search.trim() && (
        <GroupTabs
          selectedGroup={group}
          onChange={setGroup}
          invalidGroups={Object.keys(errors).map(getGroupOfSetting)}
          changedGroups={Object.keys(changes).map(getGroupOfSetting)}
        />
      )}
      <SettingControls
        {...{ search, errors, mountCounts }}
        fields={visibleFields}
        getEditedValue={getEditedValue}
        findConflict={(key) => (key in changes && key in conflicts ? { currentValue: conflicts[key] } : undefined)}
        onChange={(key, value) =>
          setChanges((changes) =>
            addDependentChanges(key, value).reduce(
              (changes, [key, value]) => applyChange(changes, base.data, key, value),
              changes,
            ),
          )
        }
      />
      {group === 'colors' && !search.trim() && <ThemePreview getColor={(key) => String(getEditedValue(key) ?? '')} />}
      <div className="editor-save">
        <span className="settings-count" role="status">
          {isDirty && t('settings.unsavedChanges', { count: Object.keys(changes).length })}
        </span>
        <Button
          label={t('ui.discardChanges')}
          disabled={!isDirty}
          onClick={() => {
            rebase(settings, {});
            setConflicts({});
            saveChanges.clearProblem();
            loadLatest.clearProblem();
          }}
        />
        <Button variant="filled" type="submit" label={t('ui.save')} busy={isPending} disabled={!isDirty} />
      </div>
    </form>
  );
}

interface SettingControlsProps {
  search: string;
  fields: readonly SettingField[];
  errors: FieldErrors;
  getEditedValue: (key: string) => unknown;
  mountCounts: Readonly<Record<string, number>>;
  findConflict: (key: string) => SettingConflict | undefined;
  onChange: (key: string, value: unknown) => void;
}

/**
 * Shows the controls of the selected group or of the search results. Each theme has a heading. In search results, each group has a
 * heading too.
 */
function SettingControls(props: SettingControlsProps) {
  const { search, fields, errors, getEditedValue, mountCounts, findConflict, onChange } = props;
  const { t } = useTranslation();
  const getHeading = (field: SettingField | undefined) => {
    if (!field) return '';
    if (field.key.startsWith('colors.')) return t(`settings.themes.${field.key.split('.')[1] as 'light'}`);
    return search.trim() || field.group === 'instance' ? t(`settings.groups.${field.group}`) : '';
  };
  if (fields.length === 0) return <p className="hint">{t('settings.noMatches')}</p>;
  return (
    <div id="settings-group" role={search.trim() ? undefined : 'tabpanel'} className="form form-wide editor-part">
      {fields.map((field, index) => {
        const heading = getHeading(field);
        const startsSection = heading !== '' && heading !== getHeading(fields[index - 1]);
        const isWide = ['html', 'exchange_rates', 'meta_tags'].includes(field.kind);
        return (
          <Fragment key={field.key}>
            {startsSection && <h2 className="form-part">{heading}</h2>}
            <div className={isWide ? 'setting form-row' : 'setting'} data-key={field.key}>
              <SettingControl
                key={mountCounts[field.key] ?? 0}
                field={field}
                value={getEditedValue(field.key)}
                errors={errors}
                conflict={findConflict(field.key)}
                onChange={(value) => onChange(field.key, value)}
              />
              {field.key === 'custom_menu_items' && (
                <Link href="/menu-and-pages/custom">{t('settings.customMenuItems')}</Link>
              )}
            </div>
          </Fragment>
        );
      })}
    </div>
  );
}

interface GroupTabsProps {
  selectedGroup: GroupName;
  onChange: (group: GroupName) => void;
  /** The groups with an invalid setting. An entry is undefined if a field with an error does not belong to a group. */
  invalidGroups: readonly (GroupName | undefined)[];
  changedGroups: readonly (GroupName | undefined)[];
}

function GroupTabs({ selectedGroup, onChange, invalidGroups, changedGroups }: GroupTabsProps) {
  const { t } = useTranslation();
  const tabListRef = useRef<HTMLDivElement>(null);
  const selectByArrowKey = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const groupCount = EDITABLE_GROUPS.length;
    const newGroup = step && EDITABLE_GROUPS[(EDITABLE_GROUPS.indexOf(selectedGroup) + step + groupCount) % groupCount];
    if (!newGroup) return;
    event.preventDefault();
    onChange(newGroup);
    tabListRef.current?.querySelector<HTMLElement>(`#group-${newGroup}`)?.focus();
  };
  return (
    <div
      ref={tabListRef}
      className="tabs"
      role="tablist"
      aria-label={t('settings.groups.label')}
      onKeyDown={selectByArrowKey}
    >
      {EDITABLE_GROUPS.map((group) => (
        <button
          key={group}
          type="button"
          role="tab"
          id={`group-${group}`}
          aria-selected={group === selectedGroup}
          aria-controls="settings-group"
          tabIndex={group === selectedGroup ? 0 : -1}
          onClick={() => onChange(group)}
        >
          {t(`settings.groups.${group}`)}
          {invalidGroups.includes(group) && (
            <>
              <i className="pi pi-exclamation-circle" aria-hidden />
              <span className="sr">{t('services.sections.hasErrors')}</span>
            </>
          )}
          {changedGroups.includes(group) && !invalidGroups.includes(group) && (
            <i className="pi pi-circle-fill dot" aria-hidden />
          )}
        </button>
      ))}
    </div>
  );
}
