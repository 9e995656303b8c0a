import { getTurn, type Turn } from '#core/lifecycle.ts';
import type { ExpInfo } from './contract.ts';

/** Whose turn it is, from the record that a client reads; `waiting_on` says the same in words. */
export function getExperimentTurn({ status, costs }: Pick<ExpInfo, 'status' | 'costs'>): Turn {
  return getTurn(status, costs?.type === 'invoiced' ? costs.status : null);
}
