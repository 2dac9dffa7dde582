// Types and calls of the auto-promotion that its page and its tables share.
import { api, type Schemas, unwrap } from '@/api/client';

export type Service = Schemas['PromotedService'];

export type Kind = Schemas['PromotedType'];
/** A level whose margin is edited. */
export type Level = { level: 'networks' | 'service-types'; id: number; name: string; margin: string | null };
export type Open = 'add' | 'sort' | 'sortTypes' | { sortOf: Kind } | Level | Service;

export const KEY = 'auto-promotion';
export const PATH = '/api/v1/admin/auto-promotions';

/** Changes promoted services; absent fields keep their value. */
export const put = (body: Schemas['PromotedServicesInput']) => unwrap(api.POST(`${PATH}/services`, { body }));

/** Changes the margin or the switch of a network or a service type. */
export const patch = (level: Level['level'], id: number, body: Schemas['PromotedLevelInput']) =>
  unwrap(api.PATCH(`${PATH}/${level}/{id}`, { params: { path: { id } }, body }));

export const levelOf = (
  level: Level['level'],
  { id, name, resale_margin_percent }: { id: number; name: string; resale_margin_percent?: string | null },
): Level => ({ level, id, name, margin: resale_margin_percent ?? null });
