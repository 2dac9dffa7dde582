// The menu editor: a sortable tree with a form for the selected item. "Save" sends the drafts and the changed items one by one, and
// then the sorting of all items. The editor shows errors next to their item, and merges a refetched menu with the unsaved edits.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { asProblem, type Problem } from '@/api/problem';
import { withIdempotencyKey } from '@/api/writeOptions';
import { FormFieldControl } from '@/form/FormFieldControl';
import { copyErrorsToAliases, ENGLISH_NAME_ALIAS, NO_ERRORS } from '@/form/problems';
import type { FormValues } from '@/form/spec';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { ProblemBar } from '@/ui/Notice';
import { RecordPage } from '@/ui/RecordPage';
import { SortableList } from '@/ui/SortableList';
import { useUnsavedChanges } from '@/ui/unsavedChanges';
import { createItemFields } from './fields';
import { MenuTabs } from './MenuTabs';
import {
  applySavedItem,
  buildEntryBody,
  buildMenuTree,
  computeDepth,
  findEnglishName,
  hasDifferentSorting,
  indentEntry,
  isEntryChanged,
  MENU_ITEM_FORM,
  type MenuEntry,
  type MenuTree,
  mergeServerMenu,
  moveEntry,
  outdentEntry,
  toItemFormValues,
  toMenuSorting,
} from './menuTree';
import { fetchMenu, MENU_ITEMS_KEY, type MenuItem, useMenu } from './requests';

export default function MenuPage() {
  const { t } = useTranslation();
  return (
    <RecordPage query={useMenu()} backLink={{ href: '/', text: t('menu.home') }}>
      {(items) => <MenuEditor items={items} />}
    </RecordPage>
  );
}

function MenuEditor({ items }: { items: readonly MenuItem[] }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  // The items of the last merge. If a refetch returns other items, the editor merges them with the edits.
  const [mergedItems, setMergedItems] = useState(items);
  // The tree of the server's menu on which the edits are based.
  const [base, setBase] = useState(() => buildMenuTree(items));
  const [tree, setTree] = useState<MenuTree>(base);
  const [hasSortingConflict, setHasSortingConflict] = useState(false);
  const mergeItems = (items: readonly MenuItem[], overwritesConflicts: boolean) => {
    const serverTree = buildMenuTree(items);
    const withoutDrafts = tree.filter(({ item }) => item);
    setHasSortingConflict(
      hasDifferentSorting(withoutDrafts, base) &&
        hasDifferentSorting(serverTree, base) &&
        hasDifferentSorting(withoutDrafts, serverTree),
    );
    setTree((tree) => mergeServerMenu(tree, base, items, overwritesConflicts));
    setBase(serverTree);
  };
  if (mergedItems !== items) {
    setMergedItems(items);
    mergeItems(items, false);
  }
  const [selectedId, setSelectedId] = useState<number | null>(null);
  const isSortingChanged = hasDifferentSorting(tree, base);
  const isDirty = isSortingChanged || tree.some(isEntryChanged);
  const saveMenu = useSubmit({
    send: async () => {
      const hasDrafts = tree.some(({ item }) => !item);
      const result = await saveEntriesAndSorting(tree, isSortingChanged || hasDrafts, setTree);
      if (!result.problem) return;
      const invalidEntry = result.tree.find(({ errors }) => Object.keys(errors).length > 0);
      if (invalidEntry) setSelectedId(invalidEntry.id);
      throw result.problem;
    },
    successMessage: t('ui.saved'),
    invalidatedQueries: [[MENU_ITEMS_KEY]],
    onDone: () => {
      setHasSortingConflict(false);
      setSelectedId(null);
    },
  });
  useUnsavedChanges(isDirty);
  const selectedEntry = tree.find(({ id }) => id === selectedId);
  const changeEntry = (id: number, changes: Partial<MenuEntry>) =>
    setTree((tree) => tree.map((entry) => (entry.id === id ? { ...entry, ...changes } : entry)));
  const addDraft = () => {
    const id = Math.min(0, ...tree.map(({ id }) => id)) - 1;
    const idempotencyKey = crypto.randomUUID();
    setTree([...tree, { id, parentId: null, item: null, values: toItemFormValues(null), errors: {}, idempotencyKey }]);
    setSelectedId(id);
  };
  const loadLatest = useSubmit({
    send: () => fetchMenu(),
    onDone: (items) => {
      mergeItems(items, true);
      queryClient.setQueryData([MENU_ITEMS_KEY, 'tree'], items);
      saveMenu.clearProblem();
    },
  });
  const problem = loadLatest.problem ?? saveMenu.problem;
  const isPending = saveMenu.isPending || loadLatest.isPending;
  const listItems = tree.map((entry) => ({
    id: entry.id,
    name: findEnglishName(entry) || t('menuPages.unnamed'),
    entry,
  }));
  return (
    <div className="editor">
      <h1 tabIndex={-1}>{t('menuPages.title')}</h1>
      <MenuTabs currentTab="" />
      <p className="hint">{t('menuPages.hint')}</p>
      {problem && (
        <ProblemBar problem={problem}>
          {saveMenu.problem?.status === 409 && (
            <Button
              icon="refresh"
              label={t('ui.conflict.loadLatest')}
              busy={isPending}
              onClick={() => void loadLatest.submit()}
            />
          )}
        </ProblemBar>
      )}
      <div className="menu-editor">
        <section className="card" aria-label={t('menuPages.order')}>
          <div className="card-head">
            <h2>{t('menuPages.order')}</h2>
            <Button icon="plus" label={t('menuPages.add')} onClick={addDraft} />
          </div>
          {hasSortingConflict && <small className="field-newer">{t('ui.conflict.row')}</small>}
          {listItems.length === 0 && <p className="hint">{t('menuPages.noItems')}</p>}
          <SortableList
            label={t('menuPages.order')}
            items={listItems}
            selectedId={selectedId}
            onSelect={({ id }) => setSelectedId(id)}
            onMove={(fromIndex, toIndex) => setTree(moveEntry(tree, fromIndex, toIndex))}
            renderAfterName={({ entry }) => (
              <EntryTools
                tree={tree}
                entry={entry}
                onTreeChange={setTree}
                onRemoveDraft={() => setTree(tree.filter((otherEntry) => otherEntry !== entry))}
              />
            )}
          />
        </section>
        {selectedEntry && (
          <EntryForm
            key={selectedEntry.id}
            entry={selectedEntry}
            onChange={(changes) => changeEntry(selectedEntry.id, changes)}
          />
        )}
      </div>
      <div className="editor-save">
        <Button
          label={t('ui.discardChanges')}
          disabled={!isDirty}
          onClick={() => {
            setTree(base);
            setHasSortingConflict(false);
            setSelectedId(null);
            saveMenu.clearProblem();
            loadLatest.clearProblem();
          }}
        />
        <Button
          variant="filled"
          label={t('ui.save')}
          busy={isPending}
          disabled={!isDirty}
          onClick={() => void saveMenu.submit()}
        />
      </div>
    </div>
  );
}

/**
 * Saves the changed entries one by one, and then the sorting. After an error, saves the other entries, but not the sorting. A repeated
 * call sends only the entries that are not saved yet. Keeps the edits that the user makes during the requests.
 */
async function saveEntriesAndSorting(
  editedTree: MenuTree,
  mustSaveSorting: boolean,
  setTree: (update: (tree: MenuTree) => MenuTree) => void,
): Promise<{ tree: MenuTree; problem: Problem | null }> {
  let tree = editedTree;
  let problem: Problem | null = null;
  const updateEntries = (update: (entry: MenuEntry) => MenuEntry) => {
    tree = tree.map(update);
    setTree((tree) => tree.map(update));
  };
  for (const entry of editedTree.filter(isEntryChanged)) {
    try {
      const body = buildEntryBody(entry);
      const { data } = entry.item
        ? await unwrap(
            api.PUT('/api/v1/admin/panel-menu-items/{id}', {
              params: { path: { id: entry.id } },
              body,
            }),
          )
        : await unwrap(
            api.POST('/api/v1/admin/panel-menu-items', {
              body,
              ...(entry.idempotencyKey ? withIdempotencyKey(entry.idempotencyKey) : {}),
            }),
          );
      updateEntries((currentEntry) => {
        if (currentEntry.id === entry.id) return applySavedItem(currentEntry, entry.values, data);
        // A saved draft gets a new id, so the parent id of its children changes too.
        return currentEntry.parentId === entry.id ? { ...currentEntry, parentId: data.id } : currentEntry;
      });
    } catch (error) {
      problem = asProblem(error);
      const errors = problem.fields;
      updateEntries((currentEntry) => (currentEntry.id === entry.id ? { ...currentEntry, errors } : currentEntry));
    }
  }
  if (problem || !mustSaveSorting) return { tree, problem };
  try {
    await unwrap(api.POST('/api/v1/admin/panel-menu-items/sort', { body: { menu_items: toMenuSorting(tree) } }));
  } catch (error) {
    problem = asProblem(error);
  }
  return { tree, problem };
}

interface EntryToolsProps {
  tree: MenuTree;
  entry: MenuEntry;
  onTreeChange: (tree: MenuTree) => void;
  onRemoveDraft: () => void;
}

/** Shows the state of an entry in the list, and the buttons that indent, outdent or remove the entry. */
function EntryTools({ tree, entry, onTreeChange, onRemoveDraft }: EntryToolsProps) {
  const { t } = useTranslation();
  const name = findEnglishName(entry) || t('menuPages.unnamed');
  const [indentedTree, outdentedTree] = [indentEntry(tree, entry.id), outdentEntry(tree, entry.id)];
  const isInvalid = Object.keys(entry.errors).length > 0;
  return (
    <span className="menu-row" data-depth={computeDepth(tree, entry)}>
      {isInvalid && (
        <>
          <i className="pi pi-exclamation-circle field-error" aria-hidden />
          <span className="sr">{t('services.sections.hasErrors')}</span>
        </>
      )}
      {!isInvalid && isEntryChanged(entry) && <small>{t(entry.item ? 'menuPages.changed' : 'menuPages.draft')}</small>}
      {entry.values.is_enabled !== 'yes' && <small>{t('status.disabled')}</small>}
      <Button
        variant="plain"
        iconOnly
        icon="angle-left"
        label={t('menuPages.outdent', { name })}
        disabled={!outdentedTree}
        onClick={() => outdentedTree && onTreeChange(outdentedTree)}
      />
      <Button
        variant="plain"
        iconOnly
        icon="angle-right"
        label={t('menuPages.indent', { name })}
        disabled={!indentedTree}
        onClick={() => indentedTree && onTreeChange(indentedTree)}
      />
      {!entry.item && (
        <Button
          variant="plain"
          iconOnly
          icon="times"
          label={t('menuPages.discardDraft', { name })}
          onClick={onRemoveDraft}
        />
      )}
    </span>
  );
}

const NO_EDIT_CONFLICTS: FormValues = {};

function EntryForm({ entry, onChange }: { entry: MenuEntry; onChange: (changes: Partial<MenuEntry>) => void }) {
  const { t } = useTranslation();
  const { errors } = entry;
  return (
    <section className="card form" aria-label={findEnglishName(entry) || t('menuPages.unnamed')}>
      {createItemFields(t).map((field, index) => (
        <FormFieldControl
          key={field.name}
          field={field}
          autoFocus={index === 0 && !entry.item}
          values={entry.values}
          errors={copyErrorsToAliases(errors, ENGLISH_NAME_ALIAS)}
          conflicts={entry.conflicts ?? NO_EDIT_CONFLICTS}
          spec={MENU_ITEM_FORM}
          onChange={(value) => onChange({ values: { ...entry.values, [field.name]: value }, errors: NO_ERRORS })}
        />
      ))}
    </section>
  );
}
