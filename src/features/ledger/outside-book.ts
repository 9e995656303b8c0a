/**
 * The port through which the ledger is compared with an outside book: a chain, a payment processor, or the book of
 * our built-in processor. Nothing here moves money.
 */

/** 10⁻¹⁸ of the currency: cents and the base units of every token are whole numbers of it. */
export type Exact = bigint;

const EXACT_PER_CENT = 10n ** 16n;
const DECIMALS = 18;

export type Direction = 'received' | 'sent_back';

/** One transfer of our money as the outside book records it. */
export interface Movement {
  /** The rail of the transfer; null where only the ledger can tell. */
  readonly rail: string | null;
  readonly direction: Direction;
  /** The reference that the ledger uses: the hash of a transaction, the id of a payment or a refund. */
  readonly reference: string;
  /** The address at the other end, in lower case; null where the reference alone identifies the transfer. */
  readonly party: string | null;
  readonly amount: Exact;
  /** Lower case ISO 4217. */
  readonly currency: string;
  /** Accurate to the hour or better. */
  readonly at: Date;
  readonly state: 'settled' | 'under_way' | 'failed';
  /** Our invoice id as the outside kept it. */
  readonly invoice_id: string | null;
  readonly refund_id: string | null;
}

/** One posting of money that arrived or was sent back. */
export interface BookEntry {
  readonly id: string;
  readonly rail: string;
  readonly direction: Direction;
  readonly invoice_id: string;
  /** Number of the invoice. */
  readonly document: string;
  readonly reference: string;
  readonly amount_cents: number;
  readonly currency: string;
  readonly posted_at: Date;
  /** True for money that staff sent back by hand; the outside book may not contain it. */
  readonly is_by_hand: boolean;
  /** For a payment on a chain and its refund: the amount that the invoice asked for, and the payer. */
  readonly transfer: {
    readonly network: string;
    readonly asset: string;
    readonly payTo: string;
    readonly payer: string;
  } | null;
}

export interface OutsideBook {
  /** The name of the outside for people: `Stripe`. */
  readonly name: string;
  /** The rails of the ledger whose money this outside holds. */
  readonly rails: readonly string[];
  /** Whether this outside holds the money of the entry. */
  isOwnEntry(entry: BookEntry): boolean;
  /** Finds the movements under the reference of an entry. Throws `OutsideUnreachableError`. */
  lookUp(entry: BookEntry): Promise<readonly Movement[]>;
  /**
   * Yields every movement of our money since a time, page by page, in any order. Throws `OutsideUnreachableError`.
   */
  listMovements(since: Date): AsyncIterable<readonly Movement[]>;
}

/** The outside did not answer, so its state is unknown. The message may be shown to people. */
export class OutsideUnreachableError extends Error {
  override readonly name = 'OutsideUnreachableError';
}

export function toExact(cents: number): Exact {
  return BigInt(cents) * EXACT_PER_CENT;
}

/** `unitsPerCent` is 10 to the power of a token's decimals less two. */
export function toExactFromUnits(units: bigint, unitsPerCent: bigint): Exact {
  return (units * EXACT_PER_CENT) / unitsPerCent;
}

/** Cents for machines: a whole number unless the outside moved a fraction of a cent. */
export function toFractionalCents(amount: Exact): number {
  const whole = amount / EXACT_PER_CENT;
  return Number(whole) + Number(amount - whole * EXACT_PER_CENT) / Number(EXACT_PER_CENT);
}

/** `$1,060.00`, and as many decimals as the amount has. */
export function formatExact(amount: Exact): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(DECIMALS + 1, '0');
  const whole = digits.slice(0, -DECIMALS).replaceAll(/\B(?=(\d{3})+$)/g, ',');
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '').padEnd(2, '0');
  return `${amount < 0n ? '-' : ''}$${whole}.${fraction}`;
}
