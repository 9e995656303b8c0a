/** What an entry of the feed can be about. */
export const updateTypes = ['status_change', 'progress', 'error', 'quote', 'invoice', 'results'] as const;
export type UpdateType = (typeof updateTypes)[number];
