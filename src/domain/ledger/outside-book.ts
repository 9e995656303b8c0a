/**
 * The port through which the books are held against the outside: a chain, a payment processor, or the book of one of
 * our own. Nothing here moves money.
 */

/** 10⁻¹⁸ of the currency: cents and the base units of every token are whole numbers of it. */
export type Exact = bigint;

const EXACT_PER_CENT = 10n ** 16n;
const DECIMALS = 18;

export type Direction = 'received' | 'sent_back';

/** What the outside did with money of ours. */
export interface Movement {
  /** The rail it belongs to; null where only the books can say. */
  readonly rail: string | null;
  readonly direction: Direction;
  /** What the books call it: the hash of a transaction, the id of a payment or a refund. */
  readonly reference: string;
  /** The address at the other end, in lower case; null where a reference stands for one movement alone. */
  readonly party: string | null;
  readonly amount: Exact;
  /** Lower case ISO 4217. */
  readonly currency: string;
  /** To the hour or better. */
  readonly at: Date;
  readonly state: 'settled' | 'under_way' | 'failed';
  /** Ours, as the outside kept them. */
  readonly invoiceId: string | null;
  readonly refundId: string | null;
}

/** One posting of money that arrived or was sent back. */
export interface BookEntry {
  readonly id: string;
  readonly rail: string;
  readonly direction: Direction;
  readonly invoiceId: string;
  /** Number of the invoice. */
  readonly document: string;
  readonly reference: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly postedAt: Date;
  /** Money that staff sent back without the rail, so that the outside may know nothing of it. */
  readonly isByHand: boolean;
  /** Of a payment on a chain, and of its refund: what the invoice asked for and who paid. */
  readonly transfer: {
    readonly network: string;
    readonly asset: string;
    readonly payTo: string;
    readonly payer: string;
  } | null;
}

export interface OutsideBook {
  /** Who is asked, for a person: `Stripe`. */
  readonly name: string;
  /** The rails of the ledger whose money it holds. */
  readonly rails: readonly string[];
  /** Whether this entry is about money of this very outside. */
  owns(entry: BookEntry): boolean;
  /** What stands there under the reference of an entry. Throws `OutsideUnreachableError`. */
  lookUp(entry: BookEntry): Promise<readonly Movement[]>;
  /** Page by page, every movement of our money since then, in any order. Throws `OutsideUnreachableError`. */
  movements(since: Date): AsyncIterable<readonly Movement[]>;
}

/** The outside did not answer, so nothing is known; the message may be shown. */
export class OutsideUnreachableError extends Error {
  override readonly name = 'OutsideUnreachableError';
}

export function exactOfCents(cents: number): Exact {
  return BigInt(cents) * EXACT_PER_CENT;
}

/** `unitsPerCent` is 10 to the power of a token's decimals less two. */
export function exactOfUnits(units: bigint, unitsPerCent: bigint): Exact {
  return (units * EXACT_PER_CENT) / unitsPerCent;
}

/** For machines: whole cents unless the outside moved a fraction of one. */
export function centsOfExact(amount: Exact): number {
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
