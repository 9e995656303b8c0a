/** Why a client rejects a quote. */
export const rejectionReasons = ['price', 'scope', 'timeline', 'budget', 'other'] as const;
