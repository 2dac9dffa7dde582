// The page of one banner placement: the type of the banner, its sorted slides, and a preview of the selected slide.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { api, type Schemas, unwrap } from '@/api/client';
import { BannerType } from '@/api/enums';
import { asProblem } from '@/api/problem';
import { createWriteOptionsWithPath, withIdempotencyKey } from '@/api/writeOptions';
import { ConflictNote, useConflictText } from '@/form/Conflict';
import { enumCodec, parseRows, quantityCodec, textOrNullCodec } from '@/form/codecs';
import { DeleteDialog } from '@/form/DeleteDialog';
import { FormProblem } from '@/form/FormProblem';
import { collectFieldErrors, collectInnerErrors, isWithinFields } from '@/form/problems';
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
  type BannerPlacement,
  fetchBanners,
  formatSlideLabel,
  type Slide,
  toBannerPlacements,
  toSlideInputs,
  toSlides,
  useBanners,
} from './bannerPlacements';
import { SlideForm } from './SlideForm';
import { SlidePreview } from './SlidePreview';

export default function BannerPage({ params }: { params: Record<string, string | undefined> }) {
  const { t } = useTranslation();
  const query = useBanners();
  const placement = query.data && toBannerPlacements(query.data).find(({ place }) => place === params.place);
  return (
    <div className="record">
      <nav>
        <Link href="/banners">{t('banners.title')}</Link>
      </nav>
      {query.error && <ProblemBar problem={asProblem(query.error)} onRetry={() => void query.refetch()} />}
      {query.data && !placement && <Notice icon="image" title={t('ui.notFound')} />}
      {placement && <BannerEditor key={placement.place} placement={placement} />}
    </div>
  );
}

const BANNER_FORM = defineForm<Schemas['BannerInput']>()({
  type: enumCodec(BannerType),
  scroll_delay: quantityCodec,
  content: textOrNullCodec,
});

/** How many seconds a new banner shows each slide. */
const DEFAULT_SCROLL_DELAY_SECS = 3;

/**
 * The form field with all slides as JSON. The API calls the slides `informations`, also in the keys of field errors such as
 * `informations.0.image`.
 */
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

function BannerEditor({ placement }: { placement: BannerPlacement }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { banner, place, sizes } = placement;
  const canManage = useHasPermission()('manage panel settings');
  const initialValues = useMemo(() => toBannerFormValues(banner), [banner]);
  const [selectedId, setSelectedId] = useState<number | null>(parseSlides(initialValues)[0]?.id ?? null);
  const [isDeleting, setIsDeleting] = useState(false);
  const form = useForm({
    spec: BANNER_FORM,
    initialValues,
    mergesNewInitialValues: true,
    reload: async () => {
      const currentPlacement = toBannerPlacements(await fetchBanners()).find((placement) => placement.place === place);
      return toBannerFormValues(currentPlacement?.banner ?? null);
    },
    send: ({ values, base }, idempotencyKey) => {
      const informations = toSlideInputs(parseSlides(values), parseSlides(base));
      const body = { ...BANNER_FORM.toBody(values, base), informations, ...(banner ? {} : { place }) };
      return unwrap(
        banner
          ? api.POST('/api/v1/admin/banners/{id}', { params: { path: { id: banner.id } }, body })
          : api.POST('/api/v1/admin/banners', { body, ...withIdempotencyKey(idempotencyKey) }),
      );
    },
    successMessage: t('ui.saved'),
    onProblem: ({ fields }) => {
      const invalidSlide = slides.find((_, index) => collectFieldErrors(fields, `${SLIDES_FIELD}.${index}`));
      if (invalidSlide) setSelectedId(invalidSlide.id);
    },
    onDone: ({ data }, { rebase }) => {
      const savedValues = toBannerFormValues(data);
      // The server has given an id to each new slide. The sequence did not change, so the selected slide still has the same index.
      setSelectedId(parseSlides(savedValues)[selectedIndex]?.id ?? null);
      rebase(savedValues);
      void queryClient.invalidateQueries({ queryKey: ['banners'] });
    },
  });
  const { values, errors, conflicts, isPending, isDirty, setValue } = form;
  const getConflictText = useConflictText(conflicts);
  const slides = parseSlides(values);
  const selectedIndex = slides.findIndex(({ id }) => id === selectedId);
  const selectedSlide = slides[selectedIndex];
  const setSlides = (slides: readonly Slide[]) => setValue(SLIDES_FIELD, JSON.stringify(slides));
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
    if (values.type === 'none') setValue('type', 'slider');
    setSelectedId(id);
  };
  return (
    <div className="editor">
      <div className="record-head">
        <h1 tabIndex={-1}>{t(`banners.placements.${place}`)}</h1>
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
              conflict={getConflictText('type', (type) => t(`banners.types.${type as 'none'}`))}
              errors={errors.type}
            >
              {(controlProps) => (
                <Select
                  id={controlProps.id}
                  label={t('banners.type')}
                  value={values.type ?? null}
                  options={BannerType.map((type) => ({ value: type, label: t(`banners.types.${type}`) }))}
                  onChange={(type) => setValue('type', type ?? 'none')}
                />
              )}
            </Field>
            <Field
              label={t('banners.scrollDelay')}
              hint={t('banners.scrollDelayHint')}
              conflict={getConflictText('scroll_delay')}
              errors={errors.scroll_delay}
            >
              {(controlProps) => (
                <input
                  {...controlProps}
                  className="input"
                  type="number"
                  value={values.scroll_delay ?? ''}
                  onChange={(event) => setValue('scroll_delay', event.target.value)}
                />
              )}
            </Field>
          </div>
          {(values.type === 'content' || values.content) && (
            <>
              <Field label={t('banners.content')} conflict={getConflictText('content')} errors={errors.content}>
                {(controlProps) => (
                  <textarea
                    {...controlProps}
                    className="input"
                    rows={6}
                    value={values.content ?? ''}
                    onChange={(event) => setValue('content', event.target.value)}
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
              renderAfterName={({ id, name }) => (
                <Button
                  variant="plain"
                  iconOnly
                  icon="times"
                  label={t('ui.removeNamed', { name })}
                  onClick={() => setSlides(slides.filter((slide) => slide.id !== id))}
                />
              )}
            />
            {errors.informations && <small className="field-error">{errors.informations.join(' ')}</small>}
            <ConflictNote conflicts={conflicts} name={SLIDES_FIELD} />
            {canManage && <Button icon="plus" label={t('banners.addSlide')} onClick={addSlide} />}
          </fieldset>
          {selectedSlide && (
            <>
              <SlidePreview slide={selectedSlide} sizes={sizes} />
              <SlideForm
                key={selectedSlide.id}
                slide={selectedSlide}
                sizes={sizes}
                errors={collectInnerErrors(errors, `${SLIDES_FIELD}.${selectedIndex}`)}
                onChange={changeSelectedSlide}
              />
            </>
          )}
        </fieldset>
        {canManage && (
          <div className="editor-save">
            <Button label={t('ui.discardChanges')} disabled={!isDirty} onClick={form.discardEdits} />
            <Button variant="filled" type="submit" label={t('ui.save')} busy={isPending} disabled={!isDirty} />
          </div>
        )}
      </form>
      {isDeleting && banner && (
        <DeleteBannerDialog
          id={banner.id}
          name={t(`banners.placements.${place}`)}
          onClose={() => setIsDeleting(false)}
        />
      )}
    </div>
  );
}

function DeleteBannerDialog({ id, name, onClose }: { id: number; name: string; onClose: () => void }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const queryClient = useQueryClient();
  return (
    <DeleteDialog
      name={name}
      texts={{
        title: t('banners.delete'),
        cancel: t('ui.keepIt'),
        confirm: t('banners.delete'),
        description: t('ui.cannotBeUndone'),
      }}
      deleteRecord={(options) =>
        unwrap(api.DELETE('/api/v1/admin/banners/{id}', createWriteOptionsWithPath({ id }, options)))
      }
      onClose={onClose}
      onDone={() => {
        void queryClient.invalidateQueries({ queryKey: ['banners'] });
        navigate('/banners');
      }}
    />
  );
}
