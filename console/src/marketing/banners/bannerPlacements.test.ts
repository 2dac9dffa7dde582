import { describe, expect, it } from 'vitest';
import { type Slide, toBannerPlacements, toSlideInputs } from './bannerPlacements';

const createSlide = (id: number, fields: Partial<Slide> = {}): Slide => ({
  id,
  name: '',
  image: '',
  background_image: '',
  background_color: '',
  translations: '{}',
  ...fields,
});

describe('toSlideInputs', () => {
  it('numbers the slides in their sequence, and sends only changed images', () => {
    const savedSlides = [createSlide(1, { image: '/a.png' }), createSlide(2, { image: '/b.png' })];
    const editedSlides = [
      createSlide(2, { image: '' }),
      createSlide(-1, { image: 'data:x' }),
      createSlide(1, { image: '/a.png' }),
    ];
    const inputs = toSlideInputs(editedSlides, savedSlides);
    expect(inputs.map(({ id, sorting }) => [id, sorting])).toEqual([
      [2, 1],
      [undefined, 2],
      [1, 3],
    ]);
    expect(inputs.map(({ image }) => image)).toEqual([null, 'data:x', undefined]);
  });
});

describe('toBannerPlacements', () => {
  it('includes placements without a banner, except placements that are hidden while empty', () => {
    const size = { width: 1, height: 1 };
    const places = (['sidebar', 'tasks_header'] as const).map((place) => ({
      place,
      image: size,
      background_image: size,
      is_hidden_when_empty: place === 'tasks_header',
    }));
    expect(toBannerPlacements({ data: [], places }).map(({ place }) => place)).toEqual(['sidebar']);
  });
});
