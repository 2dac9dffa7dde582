// Places and positions of special offers; the home page has positions of its own.
export const PLACES = ['home_page', 'dashboard', 'services', 'create_order', 'orders'] as const;
const USUAL = ['top', 'middle', 'bottom'] as const;
const HOME_PAGE = ['first', 'second', 'third', 'fourth'] as const;

export const positionsAt = (place: string | undefined) => (place === 'home_page' ? HOME_PAGE : USUAL);
