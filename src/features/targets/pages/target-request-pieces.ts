/** What several pages say about requests for targets. */
import { formatCount } from '#core/words.ts';
import type { Output } from '#core/operation.ts';
import type { ExpInfo } from '../../experiments/contract.ts';
import { createCustomTargetRequest, listCustomTargetRequests } from '../request-contract.ts';
import type { Caller } from '#ui/caller.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { canCall, type Session } from '#ui/session.ts';
import { renderChip } from '#ui/pieces.ts';

export const REQUESTS_PATH = '/target-requests';

export type RequestItem = Output<typeof listCustomTargetRequests>['items'][number];

export const REQUEST_STATES: readonly (readonly [
  status: RequestItem['status'],
  label: string,
  tone: string,
])[] = [
  ['pending_review', 'In review', 'moving'],
  ['approved', 'Approved', 'good'],
  ['rejected', 'Declined', 'attention'],
];

export function renderRequestChip(status: RequestItem['status']): Markup {
  const [, label = status, tone = 'idle'] = REQUEST_STATES.find(([known]) => known === status) ?? [];
  return renderChip(tone, label);
}

/** Renders the link to the form; null for people whose role cannot send it. */
export function renderRequestLink(session: Session, words: string, name = ''): Markup | null {
  if (!canCall(session, createCustomTargetRequest)) return null;
  return markup`<a href="${REQUESTS_PATH}/new${name !== '' && `?${new URLSearchParams({ name }).toString()}`}">${words}</a>`;
}

export function formatLeadTime(days: number): string {
  return days === 0 ? 'In the lab already' : `In the lab ${formatCount(days, 'day')} after it is ordered`;
}

/** The latest request of an experiment that has no target yet; null where there is none. */
export async function findRequestOfExperiment(
  { id, target_id: targetId, experiment_spec: spec }: ExpInfo,
  api: Caller,
  session: Session,
): Promise<RequestItem | null> {
  const isRequested = spec.requested_target !== null && spec.requested_target !== undefined;
  if (typeof targetId === 'string' || !isRequested || !canCall(session, listCustomTargetRequests))
    return null;
  const query = { filter: `eq(experiment_id,${id})`, sort: 'desc(created_at)', limit: 1 };
  const { items } = await api.call(listCustomTargetRequests, { query });
  return items[0] ?? null;
}
