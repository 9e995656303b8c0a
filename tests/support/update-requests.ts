/** The requests that read the feed of updates. */
import type { Records } from './requests.ts';

export function listUpdateReads({ released, updateId }: Records): Readonly<Record<string, string>> {
  return {
    list_updates: '/updates',
    get_update: `/updates/${updateId}`,
    // A stream that follows has no end.
    stream_updates: '/updates/stream?follow=false',
    list_partner_updates: '/partners/updates',
    list_all_updates: '/lab/updates',
    stream_all_updates: '/lab/updates/stream?follow=false',
    get_experiment_updates: `/experiments/${released.id}/updates`,
  };
}
