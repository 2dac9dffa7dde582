import { describe, expect, it } from 'vitest';
import { type Slide, sentSlides, standsOf } from './calls';

const slide = (id: number, more: Partial<Slide> = {}): Slide => ({
  id,
  name: '',
  image: '',
  background_image: '',
  background_color: '',
  translations: '{}',
  ...more,
});

describe('slides', () => {
  it('are sent in their order, with pictures only where they changed', () => {
    const was = [slide(1, { image: '/a.png' }), slide(2, { image: '/b.png' })];
    const now = [slide(2, { image: '' }), slide(-1, { image: 'data:x' }), slide(1, { image: '/a.png' })];
    const sent = sentSlides(now, was);
    expect(sent.map(({ id, sorting }) => [id, sorting])).toEqual([
      [2, 1],
      [undefined, 2],
      [1, 3],
    ]);
    expect(sent.map(({ image }) => image)).toEqual([null, 'data:x', undefined]);
  });
});

describe('places', () => {
  it('without a banner are there as well, but for tasks', () => {
    const size = { width: 1, height: 1 };
    const places = (['sidebar', 'tasks_header'] as const).map((place) => ({
      place,
      image: size,
      background_image: size,
      is_hidden_when_empty: place === 'tasks_header',
    }));
    expect(standsOf({ data: [], places }).map(({ place }) => place)).toEqual(['sidebar']);
  });
});
