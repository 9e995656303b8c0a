/** The built-in processor's name in our records of invoices. */
export const BUILTIN = 'builtin';
/** Stripe's name as processor and as rail. */
export const STRIPE = 'stripe';
/** The ledger rail of the built-in processor's payments. */
export const BUILTIN_RAIL = 'hosted';
/**
 * The ledger rail of bank transfers, which staff record by the bank's reference. Refunds over it are sent by hand.
 */
export const BANK_RAIL = 'bank';
