// The menu editor: a sortable tree with a form for the selected item. "Save" sends the drafts and the changed items one by one,
// then the order of all items. Errors are shown at their item. A refetched menu is merged with the unsaved edits.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { asProblem, type Problem } from '@/api/problem';
import { withIdempotencyKey } from '@/api/writeOptions';
import { DeclaredField } from '@/form/DeclaredField';
import { ENGLISH_NAME, NO_ERRORS, withAliases } from '@/form/problems';
import type { FormValues } from '@/form/spec';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { ProblemBar } from '@/ui/Notice';
import { RecordPage } from '@/ui/RecordPage';
import { SortableList } from '@/ui/SortableList';
import { useUnsaved } from '@/ui/unsaved';
import { fetchMenu, MENU_ITEMS_KEY, type MenuItem, useMenu } from './calls';
import { createItemFields } from './fields';
import { MenuTabs } from './MenuTabs';
import {
  applySavedItem,
  buildEntryBody,
  buildTree,
  computeDepth,
  findEnglishName,
  hasDifferentOrder,
  ITEM_FORM,
  indentEntry,
  isChanged,
  type MenuEntry,
  type MenuTree,
  mergeServerMenu,
  moveEntry,
  outdentEntry,
  toItemFormValues,
  toMenuOrder,
} from './tree';

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
  const queries = useQueryClient();
  // The items of the last merge; new items from a refetch are merged with the edits.
  const [mergedItems, setMergedItems] = useState(items);
  // The tree of the server's menu that the edits are based on.
  const [base, setBase] = useState(() => buildTree(items));
  const [tree, setTree] = useState<MenuTree>(base);
  const [hasOrderConflict, setHasOrderConflict] = useState(false);
  const mergeItems = (items: readonly MenuItem[], overwritesConflicts: boolean) => {
    const serverTree = buildTree(items);
    const withoutDrafts = tree.filter(({ item }) => item);
    setHasOrderConflict(
      hasDifferentOrder(withoutDrafts, base) &&
        hasDifferentOrder(serverTree, base) &&
        hasDifferentOrder(withoutDrafts, serverTree),
    );
    setTree((tree) => mergeServerMenu(tree, base, items, overwritesConflicts));
    setBase(serverTree);
  };
  if (mergedItems !== items) {
    setMergedItems(items);
    mergeItems(items, false);
  }
  const [selectedId, setSelectedId] = useState<number | null>(null);
  const isReordered = hasDifferentOrder(tree, base);
  const isDirty = isReordered || tree.some(isChanged);
  const saveMenu = useSubmit({
    send: async () => {
      const hasDrafts = tree.some(({ item }) => !item);
      const result = await saveAll(tree, isReordered || hasDrafts, setTree);
      if (!result.problem) return;
      const invalidEntry = result.tree.find(({ errors }) => Object.keys(errors).length > 0);
      if (invalidEntry) setSelectedId(invalidEntry.id);
      throw result.problem;
    },
    success: t('ui.saved'),
    invalidates: [[MENU_ITEMS_KEY]],
    onDone: () => {
      setHasOrderConflict(false);
      setSelectedId(null);
    },
  });
  useUnsaved(isDirty);
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
      queries.setQueryData([MENU_ITEMS_KEY, 'tree'], items);
      saveMenu.clearProblem();
    },
  });
  const problem = loadLatest.problem ?? saveMenu.problem;
  const isPending = saveMenu.isPending || loadLatest.isPending;
  const rows = tree.map((entry) => ({ id: entry.id, name: findEnglishName(entry) || t('menuPages.unnamed'), entry }));
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
              label={t('ui.newer.load')}
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
          {hasOrderConflict && <small className="field-newer">{t('ui.newer.row')}</small>}
          {rows.length === 0 && <p className="hint">{t('menuPages.noItems')}</p>}
          <SortableList
            label={t('menuPages.order')}
            items={rows}
            selectedId={selectedId}
            onSelect={({ id }) => setSelectedId(id)}
            onMove={(fromIndex, toIndex) => setTree(moveEntry(tree, fromIndex, toIndex))}
            renderExtra={({ entry }) => (
              <EntryTools
                tree={tree}
                entry={entry}
                onTreeChange={setTree}
                onRemoveDraft={() => setTree(tree.filter((other) => other !== entry))}
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
          label={t('services.discard')}
          disabled={!isDirty}
          onClick={() => {
            setTree(base);
            setHasOrderConflict(false);
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
 * Saves the changed entries one by one, then the order. After an error the other entries are still saved, but not the order. A
 * repeated call sends only entries that are not saved yet. Edits made while the requests run are kept.
 */
async function saveAll(
  editedTree: MenuTree,
  savesOrder: boolean,
  setTree: (update: (tree: MenuTree) => MenuTree) => void,
): Promise<{ tree: MenuTree; problem: Problem | null }> {
  let tree = editedTree;
  let problem: Problem | null = null;
  const updateEntries = (update: (entry: MenuEntry) => MenuEntry) => {
    tree = tree.map(update);
    setTree((tree) => tree.map(update));
  };
  for (const entry of editedTree.filter(isChanged)) {
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
      updateEntries((other) => {
        if (other.id === entry.id) return applySavedItem(other, entry.values, data);
        // A saved draft gets a new id, so the parent id of its children changes too.
        return other.parentId === entry.id ? { ...other, parentId: data.id } : other;
      });
    } catch (error) {
      problem = asProblem(error);
      const errors = problem.fields;
      updateEntries((other) => (other.id === entry.id ? { ...other, errors } : other));
    }
  }
  if (problem || !savesOrder) return { tree, problem };
  try {
    await unwrap(api.POST('/api/v1/admin/panel-menu-items/sort', { body: { menu_items: toMenuOrder(tree) } }));
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

/** The state of an entry in the list, and the buttons that indent, outdent or remove it. */
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
          <span className="sr">{t('services.parts.wrong')}</span>
        </>
      )}
      {!isInvalid && isChanged(entry) && <small>{t(entry.item ? 'menuPages.changed' : 'menuPages.draft')}</small>}
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

const NO_CONFLICTS: FormValues = {};

function EntryForm({ entry, onChange }: { entry: MenuEntry; onChange: (changes: Partial<MenuEntry>) => void }) {
  const { t } = useTranslation();
  const { errors } = entry;
  return (
    <section className="card form" aria-label={findEnglishName(entry) || t('menuPages.unnamed')}>
      {createItemFields(t).map((field, index) => (
        <DeclaredField
          key={field.name}
          field={field}
          autoFocus={index === 0 && !entry.item}
          values={entry.values}
          errors={withAliases(errors, ENGLISH_NAME)}
          conflicts={entry.conflicts ?? NO_CONFLICTS}
          spec={ITEM_FORM}
          onChange={(value) => onChange({ values: { ...entry.values, [field.name]: value }, errors: NO_ERRORS })}
        />
      ))}
    </section>
  );
}
