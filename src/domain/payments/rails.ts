/** The rail under which the built-in processor's payments stand in the ledger. */
export const BUILTIN_RAIL = 'hosted';
