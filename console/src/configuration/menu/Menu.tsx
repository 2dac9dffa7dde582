// The whole menu as a tree: put in order by dragging or by keys, each item edited beside it, new ones as drafts. Nothing is
// sent before "Save": then drafts are made, changed items changed, and the order written; what the server refuses of an item
// stands at that item. The menu as it is read again comes under what was changed.
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
import { MENU, type MenuItem, readMenu, useMenu } from './calls';
import { itemFields } from './fields';
import { MenuTabs } from './MenuTabs';
import {
  bodyOf,
  depthOf,
  type Entry,
  followed,
  ITEM,
  indented,
  isChanged,
  isOtherOrder,
  moved,
  nameOf,
  orderOf,
  outdented,
  saved,
  type Tree,
  treeOf,
  valuesOf,
} from './tree';

export default function MenuPage() {
  const { t } = useTranslation();
  return (
    <RecordPage query={useMenu()} list={{ href: '/', text: t('menu.home') }}>
      {(items) => <Editor items={items} />}
    </RecordPage>
  );
}

function Editor({ items }: { items: readonly MenuItem[] }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [seen, setSeen] = useState(items);
  const [was, setWas] = useState(() => treeOf(items));
  const [tree, setTree] = useState<Tree>(was);
  const [isOrderNewer, setOrderNewer] = useState(false);
  const follow = (items: readonly MenuItem[], isAsked: boolean) => {
    const now = treeOf(items);
    const own = tree.filter(({ was }) => was);
    setOrderNewer(isOtherOrder(own, was) && isOtherOrder(now, was) && isOtherOrder(own, now));
    setTree((tree) => followed(tree, was, items, isAsked));
    setWas(now);
  };
  if (seen !== items) {
    setSeen(items);
    follow(items, false);
  }
  const [chosen, setChosen] = useState<number | null>(null);
  const isMoved = isOtherOrder(tree, was);
  const isDirty = isMoved || tree.some(isChanged);
  const saving = useSubmit({
    send: async () => {
      const done = await saveAll(tree, isMoved || tree.some(({ was }) => !was), setTree);
      if (!done.problem) return;
      const wrong = done.tree.find(({ errors }) => Object.keys(errors).length > 0);
      if (wrong) setChosen(wrong.id);
      throw done.problem;
    },
    success: t('ui.saved'),
    invalidates: [[MENU]],
    onDone: () => {
      setOrderNewer(false);
      setChosen(null);
    },
  });
  useUnsaved(isDirty);
  const entry = tree.find(({ id }) => id === chosen);
  const put = (id: number, change: Partial<Entry>) =>
    setTree((tree) => tree.map((one) => (one.id === id ? { ...one, ...change } : one)));
  const add = () => {
    const id = Math.min(0, ...tree.map(({ id }) => id)) - 1;
    setTree([...tree, { id, parent: null, was: null, values: valuesOf(null), errors: {}, key: crypto.randomUUID() }]);
    setChosen(id);
  };
  const reading = useSubmit({
    send: () => readMenu(),
    onDone: (items) => {
      follow(items, true);
      queries.setQueryData([MENU, 'tree'], items);
      saving.clearProblem();
    },
  });
  const problem = reading.problem ?? saving.problem;
  const isPending = saving.isPending || reading.isPending;
  const rows = tree.map((one) => ({ id: one.id, name: nameOf(one) || t('menuPages.unnamed'), entry: one }));
  return (
    <div className="editor">
      <h1 tabIndex={-1}>{t('menuPages.title')}</h1>
      <MenuTabs now="" />
      <p className="hint">{t('menuPages.hint')}</p>
      {problem && (
        <ProblemBar problem={problem}>
          {saving.problem?.status === 409 && (
            <Button icon="refresh" label={t('ui.newer.load')} busy={isPending} onClick={() => void reading.submit()} />
          )}
        </ProblemBar>
      )}
      <div className="menu-editor">
        <section className="card" aria-label={t('menuPages.order')}>
          <div className="card-head">
            <h2>{t('menuPages.order')}</h2>
            <Button icon="plus" label={t('menuPages.add')} onClick={add} />
          </div>
          {isOrderNewer && <small className="field-newer">{t('ui.newer.row')}</small>}
          {rows.length === 0 && <p className="hint">{t('menuPages.none')}</p>}
          <SortableList
            label={t('menuPages.order')}
            items={rows}
            selectedId={chosen}
            onSelect={({ id }) => setChosen(id)}
            onMove={(from, to) => setTree(moved(tree, from, to))}
            renderExtra={({ entry }) => (
              <Row
                tree={tree}
                entry={entry}
                onTree={setTree}
                onDrop={() => setTree(tree.filter((one) => one !== entry))}
              />
            )}
          />
        </section>
        {entry && <Form key={entry.id} entry={entry} onChange={(change) => put(entry.id, change)} />}
      </div>
      <div className="editor-save">
        <Button
          label={t('services.discard')}
          disabled={!isDirty}
          onClick={() => {
            setTree(was);
            setOrderNewer(false);
            setChosen(null);
            saving.clearProblem();
            reading.clearProblem();
          }}
        />
        <Button
          variant="filled"
          label={t('ui.save')}
          busy={isPending}
          disabled={!isDirty}
          onClick={() => void saving.submit()}
        />
      </div>
    </div>
  );
}

/** Sends item by item, then the order. What was sent is not sent again, and what was typed meanwhile stays. */
async function saveAll(
  before: Tree,
  sorts: boolean,
  onTree: (change: (tree: Tree) => Tree) => void,
): Promise<{ tree: Tree; problem: Problem | null }> {
  let tree = before;
  let problem: Problem | null = null;
  const put = (change: (entry: Entry) => Entry) => {
    tree = tree.map(change);
    onTree((tree) => tree.map(change));
  };
  for (const entry of before.filter(isChanged)) {
    try {
      const body = bodyOf(entry);
      const { data } = entry.was
        ? await unwrap(
            api.PUT('/api/v1/admin/panel-menu-items/{id}', {
              params: { path: { id: entry.id } },
              body,
            }),
          )
        : await unwrap(
            api.POST('/api/v1/admin/panel-menu-items', { body, ...(entry.key ? withIdempotencyKey(entry.key) : {}) }),
          );
      put((one) => {
        if (one.id === entry.id) return saved(one, entry.values, data);
        return one.parent === entry.id ? { ...one, parent: data.id } : one;
      });
    } catch (error) {
      problem = asProblem(error);
      const errors = problem.fields;
      put((one) => (one.id === entry.id ? { ...one, errors } : one));
    }
  }
  if (problem || !sorts) return { tree, problem };
  try {
    await unwrap(api.POST('/api/v1/admin/panel-menu-items/sort', { body: { menu_items: orderOf(tree) } }));
  } catch (error) {
    problem = asProblem(error);
  }
  return { tree, problem };
}

interface RowProps {
  tree: Tree;
  entry: Entry;
  onTree: (tree: Tree) => void;
  onDrop: () => void;
}

function Row({ tree, entry, onTree, onDrop }: RowProps) {
  const { t } = useTranslation();
  const name = nameOf(entry) || t('menuPages.unnamed');
  const [inside, outside] = [indented(tree, entry.id), outdented(tree, entry.id)];
  const isWrong = Object.keys(entry.errors).length > 0;
  return (
    <span className="menu-row" data-depth={depthOf(tree, entry)}>
      {isWrong && (
        <>
          <i className="pi pi-exclamation-circle field-error" aria-hidden />
          <span className="sr">{t('services.parts.wrong')}</span>
        </>
      )}
      {!isWrong && isChanged(entry) && <small>{t(entry.was ? 'menuPages.changed' : 'menuPages.draft')}</small>}
      {entry.values.is_enabled !== 'yes' && <small>{t('status.disabled')}</small>}
      <Button
        variant="plain"
        iconOnly
        icon="angle-left"
        label={t('menuPages.outdent', { name })}
        disabled={!outside}
        onClick={() => outside && onTree(outside)}
      />
      <Button
        variant="plain"
        iconOnly
        icon="angle-right"
        label={t('menuPages.indent', { name })}
        disabled={!inside}
        onClick={() => inside && onTree(inside)}
      />
      {!entry.was && (
        <Button variant="plain" iconOnly icon="times" label={t('menuPages.drop', { name })} onClick={onDrop} />
      )}
    </span>
  );
}

const NO_CONFLICTS: FormValues = {};

function Form({ entry, onChange }: { entry: Entry; onChange: (change: Partial<Entry>) => void }) {
  const { t } = useTranslation();
  const { errors } = entry;
  return (
    <section className="card form" aria-label={nameOf(entry) || t('menuPages.unnamed')}>
      {itemFields(t).map((field, at) => (
        <DeclaredField
          key={field.name}
          field={field}
          first={at === 0 && !entry.was}
          values={entry.values}
          errors={withAliases(errors, ENGLISH_NAME)}
          conflicts={entry.conflicts ?? NO_CONFLICTS}
          spec={ITEM}
          onChange={(value) => onChange({ values: { ...entry.values, [field.name]: value }, errors: NO_ERRORS })}
        />
      ))}
    </section>
  );
}
