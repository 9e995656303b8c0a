/** Pairs postings with movements outside, and words the findings about those without a counterpart. */
import type { LedgerFinding } from './finding.ts';
import { toExact, formatExact, type BookEntry, type Direction, type Movement } from './outside-book.ts';

export interface Pair {
  readonly entry: BookEntry;
  readonly movement: Movement;
}

export interface Matched {
  readonly pairs: readonly Pair[];
  readonly entries: readonly BookEntry[];
  readonly movements: readonly Movement[];
}

/**
 * Pairs each posting with one movement of the same reference, direction and party. Pairs of equal amount come first,
 * so that only differing ones remain for each other. Postings and movements without a counterpart are left over.
 */
export function matchMovements(entries: readonly BookEntry[], movements: readonly Movement[]): Matched {
  const waiting = new Set(entries);
  const pairs: Pair[] = [];
  const matchPairs = (left: readonly Movement[], fits: (entry: BookEntry, movement: Movement) => boolean) =>
    left.filter((movement) => {
      const entry = [...waiting].find((each) => isSame(each, movement) && fits(each, movement));
      if (entry === undefined) return true;
      waiting.delete(entry);
      pairs.push({ entry, movement });
      return false;
    });
  const unequal = matchPairs(movements, (entry, { amount }) => toExact(entry.amount_cents) === amount);
  return { pairs, movements: matchPairs(unequal, () => true), entries: [...waiting] };
}

function isSame(entry: BookEntry, movement: Movement): boolean {
  return (
    entry.reference === movement.reference &&
    entry.direction === movement.direction &&
    (movement.rail === null || movement.rail === entry.rail) &&
    (movement.party === null || movement.party === (entry.transfer?.payer ?? movement.party))
  );
}

const WORDS: Readonly<Record<Direction, { readonly moved: string; readonly noun: string }>> = {
  received: { moved: 'arrived', noun: 'payment' },
  sent_back: { moved: 'went back', noun: 'refund' },
};

/** Says what is wrong with a pair; undefined when it matches or the money is still on its way. */
export function checkPair({ entry, movement }: Pair, outside: string): LedgerFinding | undefined {
  const { moved } = WORDS[entry.direction];
  const booked = formatExact(toExact(entry.amount_cents));
  const place = `at ${outside} ${entry.reference}`;
  if (movement.state === 'failed')
    return createMissingFinding(entry, `the books say that ${booked} ${moved}; ${place} has failed`);
  if (movement.amount !== toExact(entry.amount_cents) || movement.currency !== entry.currency)
    return {
      kind: 'amount_differs_outside',
      subject: entry.id,
      found: `${entry.document}: the books say that ${booked} ${entry.currency} ${moved}; ${place} is of ${formatExact(movement.amount)} ${movement.currency}`,
    };
  if (movement.invoice_id !== null && movement.invoice_id !== entry.invoice_id)
    return {
      kind: 'posted_for_another_invoice',
      subject: entry.id,
      found: `${entry.document}: ${place} is for the invoice ${movement.invoice_id}`,
    };
  return undefined;
}

export function createUnmatchedEntryFinding(entry: BookEntry, outside: string): LedgerFinding {
  const { moved, noun } = WORDS[entry.direction];
  const booked = formatExact(toExact(entry.amount_cents));
  return createMissingFinding(
    entry,
    `the books say that ${booked} ${moved}; ${outside} shows no such ${noun} under ${entry.reference}`,
  );
}

function createMissingFinding(entry: BookEntry, what: string): LedgerFinding {
  return {
    kind: entry.direction === 'received' ? 'posted_and_not_collected' : 'posted_and_not_sent_back',
    subject: entry.id,
    found: `${entry.document}: ${what}`,
  };
}

export function createUnmatchedMovementFinding(movement: Movement, outside: string): LedgerFinding {
  const { direction, amount, at, reference, party, invoice_id: invoiceId } = movement;
  const other = party === null ? '' : direction === 'received' ? ` from ${party}` : ` to ${party}`;
  const invoice = invoiceId === null ? '' : ` for the invoice ${invoiceId}`;
  return {
    kind: direction === 'received' ? 'collected_and_not_posted' : 'sent_back_and_not_posted',
    subject: reference,
    found: `money outside that is not in the books: ${formatExact(amount)} ${WORDS[direction].moved} at ${outside} on ${at.toISOString().slice(0, 10)}${other}${invoice}`,
  };
}
