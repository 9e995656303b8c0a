/** The built-in processor, as it stands in our records of invoices. */
export const BUILTIN = 'builtin';
/** Stripe, as processor and as rail. */
export const STRIPE = 'stripe';
/** The rail under which its payments stand in the ledger. */
export const BUILTIN_RAIL = 'hosted';
/** The rail of transfers that staff record by the reference of the bank; nothing sends money back over it by itself. */
export const BANK_RAIL = 'bank';
