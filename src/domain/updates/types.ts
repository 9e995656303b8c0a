/** Types of updates in the feed. */
export const updateTypes = ['status_change', 'progress', 'error', 'quote', 'invoice', 'results'] as const;
export type UpdateType = (typeof updateTypes)[number];
