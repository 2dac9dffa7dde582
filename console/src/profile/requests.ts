// API requests for the user's own sessions.
import { api, type Schemas, unwrap } from '@/api/client';

export type OwnSession = Schemas['OwnSession'];

export const SESSIONS_QUERY_KEY = ['profile', 'sessions'];

export const fetchSessions = async (): Promise<readonly OwnSession[]> =>
  (await unwrap(api.GET('/api/v1/profile/sessions'))).data;

export const endSession = (id: number) =>
  unwrap(api.DELETE('/api/v1/profile/sessions/{id}', { params: { path: { id } } }));

export const endOtherSessions = () => unwrap(api.DELETE('/api/v1/profile/sessions'));
