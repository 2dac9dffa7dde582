// Types and API requests that the page of the auto-promotion and its tables share.
import { api, type Schemas, unwrap } from '@/api/client';

export type PromotedService = Schemas['AutoPromotionService'];
export type PromotedType = Schemas['AutoPromotionServiceType'];

/** The levels that have a margin and can be enabled. The values are segments of the API path. */
type PromotionLevel = 'networks' | 'service-types';

interface LevelMargin {
  level: PromotionLevel;
  id: number;
  name: string;
  resale_margin_fraction?: string | null;
}

/** The dialog that is open on the page, with its data. */
export type PromotionDialog =
  | { kind: 'addServices' | 'sortNetworks' | 'sortTypes' }
  | { kind: 'sortServices'; type: PromotedType }
  | { kind: 'levelMargin'; margin: LevelMargin }
  | { kind: 'serviceMargin'; promotedService: PromotedService };

export const AUTO_PROMOTION_QUERY_KEY = 'auto-promotion';
export const AUTO_PROMOTIONS_PATH = '/api/v1/admin/auto-promotions';

/** Changes promoted services. The server keeps the fields that the body omits. */
export const updatePromotedServices = (body: Schemas['AutoPromotionServicesInput']) =>
  unwrap(api.POST(`${AUTO_PROMOTIONS_PATH}/services`, { body }));

/** Changes the margin of a network or a service type, or enables or disables it. */
export const updateLevel = (level: PromotionLevel, id: number, body: Schemas['AutoPromotionLevelInput']) =>
  unwrap(api.PATCH(`${AUTO_PROMOTIONS_PATH}/${level}/{id}`, { params: { path: { id } }, body }));
