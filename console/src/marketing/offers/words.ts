// Which positions an offer has at a place: the home page has its own.
import type { Schemas } from '@/api/client';

type Positions = readonly Schemas['OfferPosition'][];

const USUAL: Positions = ['top', 'middle', 'bottom'];
const HOME_PAGE: Positions = ['first', 'second', 'third', 'fourth'];

export const positionsAt = (place: string | undefined) => (place === 'home_page' ? HOME_PAGE : USUAL);
