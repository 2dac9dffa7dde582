// The page of one banner placement: the banner's type, its slides in order, and a preview of the selected slide.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { BannerType } from '@/api/enums';
import { asProblem } from '@/api/problem';
import { withIdempotencyKey, writeInitWithPath } from '@/api/writeOptions';
import { ConflictMark, useConflictTextOf } from '@/form/Conflict';
import { choice, parseRows, quantity, textOrNull } from '@/form/codecs';
import { DeleteDialog } from '@/form/DeleteDialog';
import { FormProblem } from '@/form/FormProblem';
import { errorsAt, errorsWithin, isWithinFields } from '@/form/problems';
import { defineForm, type FormValues } from '@/form/spec';
import { useForm } from '@/form/useForm';
import { useHasPermission } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { Field } from '@/ui/Field';
import { Notice, ProblemBar } from '@/ui/Notice';
import { Select } from '@/ui/Select';
import { SortableList } from '@/ui/SortableList';
import { moveItem } from '@/ui/sorting';
import {
  type Banner,
  type BannerSlot,
  fetchBanners,
  formatSlideLabel,
  type Slide,
  toBannerSlots,
  toSlideInputs,
  toSlides,
  useBanners,
} from './calls';
import { Preview } from './Preview';
import { SlideForm } from './SlideForm';

export default function BannerPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const query = useBanners();
  const slot = query.data && toBannerSlots(query.data).find(({ place }) => place === params.place);
  return (
    <div className="record">
      <nav>
        <Link href="/banners">{t('banners.title')}</Link>
      </nav>
      {query.error && <ProblemBar problem={asProblem(query.error)} onRetry={() => void query.refetch()} />}
      {query.data && !slot && <Notice icon="image" title={t('ui.missing')} />}
      {slot && <BannerEditor key={slot.place} slot={slot} />}
    </div>
  );
}

const BANNER_FORM = defineForm<Schemas['BannerInput']>()({
  type: choice(BannerType),
  scroll_delay: quantity,
  content: textOrNull,
});

/** Seconds for which a slide is shown, unless the banner has another value. */
const DEFAULT_SCROLL_DELAY_SECS = 3;

/** The form field with all slides as JSON. Keys of server errors start with the same name: `informations.0.image`. */
const SLIDES_FIELD = 'informations';

const toBannerFormValues = (banner: Banner | null): FormValues => ({
  ...BANNER_FORM.toValues({
    ...banner,
    type: banner?.type ?? 'none',
    scroll_delay: banner?.scroll_delay || DEFAULT_SCROLL_DELAY_SECS,
  }),
  [SLIDES_FIELD]: JSON.stringify(toSlides(banner)),
});

const parseSlides = (values: FormValues) => parseRows<Slide>(values[SLIDES_FIELD]);

function BannerEditor({ slot }: { slot: BannerSlot }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { banner, place, sizes } = slot;
  const canManage = useHasPermission()('manage panel settings');
  const initial = useMemo(() => toBannerFormValues(banner), [banner]);
  const [selectedId, setSelectedId] = useState<number | null>(parseSlides(initial)[0]?.id ?? null);
  const [isDeleting, setIsDeleting] = useState(false);
  const form = useForm({
    spec: BANNER_FORM,
    initial,
    followsRecord: true,
    reload: async () => {
      const currentSlot = toBannerSlots(await fetchBanners()).find((slot) => slot.place === place);
      return toBannerFormValues(currentSlot?.banner ?? null);
    },
    send: ({ values, base }, key) => {
      const informations = toSlideInputs(parseSlides(values), parseSlides(base));
      const body = { ...BANNER_FORM.toBody(values, base), informations, ...(banner ? {} : { place }) };
      return unwrap(
        banner
          ? api.POST('/api/v1/admin/banners/{id}', { params: { path: { id: banner.id } }, body })
          : api.POST('/api/v1/admin/banners', { body, ...withIdempotencyKey(key) }),
      );
    },
    success: t('ui.saved'),
    onProblem: ({ fields }) => {
      const invalidSlide = slides.find((_, index) => errorsAt(fields, `${SLIDES_FIELD}.${index}`));
      if (invalidSlide) setSelectedId(invalidSlide.id);
    },
    onDone: ({ data }, { rebase }) => {
      const savedValues = toBannerFormValues(data);
      // A new slide got an id when it was saved. The order did not change, so the slide still has the same index.
      setSelectedId(parseSlides(savedValues)[selectedIndex]?.id ?? null);
      rebase(savedValues);
      void queries.invalidateQueries({ queryKey: ['banners'] });
    },
  });
  const { values, errors, conflicts, isPending, isDirty, change } = form;
  const conflictText = useConflictTextOf(conflicts);
  const slides = parseSlides(values);
  const selectedIndex = slides.findIndex(({ id }) => id === selectedId);
  const selectedSlide = slides[selectedIndex];
  const setSlides = (slides: readonly Slide[]) => change(SLIDES_FIELD, JSON.stringify(slides));
  const changeSelectedSlide = (changedFields: Partial<Slide>) =>
    setSlides(
      slides.map((slide, index) => {
        const editedSlide = { ...slide, ...(slide.id === selectedId ? changedFields : {}) };
        return { ...editedSlide, name: formatSlideLabel(editedSlide.translations, index) };
      }),
    );
  const addSlide = () => {
    const id = Math.min(0, ...slides.map(({ id }) => id)) - 1;
    const name = formatSlideLabel('', slides.length);
    const slide = { id, name, image: '', background_image: '', background_color: '', translations: '{}' };
    setSlides([...slides, slide]);
    if (values.type === 'none') change('type', 'slider');
    setSelectedId(id);
  };
  return (
    <div className="editor">
      <div className="record-head">
        <h1 tabIndex={-1}>{t(`banners.places.${place}`)}</h1>
        <span className="grow" />
        {canManage && banner && (
          <Button icon="trash" tone="danger" label={t('banners.delete')} onClick={() => setIsDeleting(true)} />
        )}
      </div>
      <form className="editor" onSubmit={form.submit}>
        <FormProblem form={form} isShownAtField={isWithinFields(['type', 'scroll_delay', 'content', SLIDES_FIELD])} />
        <fieldset className="editor-part" disabled={!canManage}>
          <div className="form form-wide">
            <Field
              label={t('banners.type')}
              conflict={conflictText('type', (type) => t(`banners.types.${type as 'none'}`))}
              errors={errors.type}
            >
              {(controlProps) => (
                <Select
                  id={controlProps.id}
                  label={t('banners.type')}
                  value={values.type ?? null}
                  options={BannerType.map((type) => ({ value: type, label: t(`banners.types.${type}`) }))}
                  onChange={(type) => change('type', type ?? 'none')}
                />
              )}
            </Field>
            <Field
              label={t('banners.delay')}
              hint={t('banners.delayHint')}
              conflict={conflictText('scroll_delay')}
              errors={errors.scroll_delay}
            >
              {(controlProps) => (
                <input
                  {...controlProps}
                  className="input"
                  type="number"
                  value={values.scroll_delay ?? ''}
                  onChange={(event) => change('scroll_delay', event.target.value)}
                />
              )}
            </Field>
          </div>
          {(values.type === 'content' || values.content) && (
            <>
              <Field label={t('banners.content')} conflict={conflictText('content')} errors={errors.content}>
                {(controlProps) => (
                  <textarea
                    {...controlProps}
                    className="input"
                    rows={6}
                    value={values.content ?? ''}
                    onChange={(event) => change('content', event.target.value)}
                  />
                )}
              </Field>
              {/* The empty sandbox attribute prevents the HTML from running scripts and from reading this page. */}
              <iframe className="banner-content" title={t('banners.preview')} sandbox="" srcDoc={values.content} />
            </>
          )}
          <fieldset className="part">
            <legend>{t('banners.slides')}</legend>
            <SortableList
              label={t('banners.slides')}
              items={slides}
              isReadOnly={!canManage}
              selectedId={selectedId}
              onSelect={({ id }) => setSelectedId(id)}
              onMove={(fromIndex, toIndex) => setSlides(moveItem(slides, fromIndex, toIndex))}
              renderExtra={({ id, name }) => (
                <Button
                  variant="plain"
                  iconOnly
                  icon="times"
                  label={t('services.removeProvider', { name })}
                  onClick={() => setSlides(slides.filter((slide) => slide.id !== id))}
                />
              )}
            />
            {errors.informations && <small className="field-error">{errors.informations.join(' ')}</small>}
            <ConflictMark conflicts={conflicts} name={SLIDES_FIELD} />
            {canManage && <Button icon="plus" label={t('banners.addSlide')} onClick={addSlide} />}
          </fieldset>
          {selectedSlide && (
            <>
              <Preview slide={selectedSlide} sizes={sizes} />
              <SlideForm
                key={selectedSlide.id}
                slide={selectedSlide}
                sizes={sizes}
                errors={errorsWithin(errors, `${SLIDES_FIELD}.${selectedIndex}`)}
                onChange={changeSelectedSlide}
              />
            </>
          )}
        </fieldset>
        {canManage && (
          <div className="editor-save">
            <Button label={t('services.discard')} disabled={!isDirty} onClick={form.discard} />
            <Button variant="filled" type="submit" label={t('ui.save')} busy={isPending} disabled={!isDirty} />
          </div>
        )}
      </form>
      {isDeleting && banner && (
        <DeleteBannerDialog id={banner.id} name={t(`banners.places.${place}`)} onClose={() => setIsDeleting(false)} />
      )}
    </div>
  );
}

function DeleteBannerDialog({ id, name, onClose }: { id: number; name: string; onClose: () => void }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  return (
    <DeleteDialog
      name={name}
      texts={{
        title: t('banners.delete'),
        cancel: t('labels.keep'),
        confirm: t('banners.delete'),
        description: t('labels.noWayBack'),
      }}
      remove={(options) => unwrap(api.DELETE('/api/v1/admin/banners/{id}', writeInitWithPath({ id }, options)))}
      onClose={onClose}
      onDone={() => {
        void queries.invalidateQueries({ queryKey: ['banners'] });
        navigate('/banners');
      }}
    />
  );
}
