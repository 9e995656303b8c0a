/**
 * Compares the ledger with every outside book that holds our money, in both directions: each posting must have a
 * movement, and each movement a posting. It only reads, while both sides keep changing.
 */
import { addMs, HOUR_MS, type Clock } from '#core/clock.ts';
import { labScope } from '#core/scope.ts';
import type { Database, Transaction } from '#core/sql.ts';
import { OutsideUnreachableError } from './outside-book.ts';
import type { BookEntry, Movement, OutsideBook } from './outside-book.ts';
import { toFractionalCents, toExact, formatExact } from './outside-book.ts';
import { matchMovements, type Matched } from './outside-rules.ts';
import {
  selectEntriesByReference,
  selectEntriesSince,
  selectFlightOfPayment,
  selectMoneyInFlight,
  selectRefundBehind,
} from './outside-store.ts';
import { ProcessorRefusedError, ProcessorUnclearError } from '../payments/processor.ts';
import { BookTally, type OutsideComparison } from './book-tally.ts';

const PAGE = 500;
const LOOK_UPS_AT_ONCE = 8;
/** Limit of postings remembered as found, because memory is limited; those beyond it are looked up once more. */
const REMEMBERED_MAX = 200_000;
const IN_FLIGHT_MAX = 1_000;
/** Every attempt is decided within 25 hours; an attempt that explains money for longer is an error. */
const IN_DOUBT_MS_MAX = 26 * HOUR_MS;

export interface ComparisonParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly books: readonly OutsideBook[];
}

export async function compareBooks(parts: ComparisonParts, since: Date): Promise<OutsideComparison> {
  const tally = new BookTally(since);
  const found = new Set<string>();
  for (const book of parts.books)
    await runUnlessUnreachable(tally, book, () => compareOutside(parts, book, { since, tally, found }));
  await compareEntries(parts, { since, tally, found });
  for (const flight of await selectMoneyInFlight(labScope, parts.database.read, IN_FLIGHT_MAX)) {
    const amount = formatExact(toExact(flight.amount_cents));
    const day = flight.since.slice(0, 16).replace('T', ' ');
    const flightName = flight.direction === 'received' ? 'an attempt to pay' : 'a refund of';
    tally.addInFlight(
      flight,
      `${flight.document}: ${flightName} ${amount} has been on its way since ${day} UTC`,
    );
  }
  return tally.getResult();
}

interface Round {
  readonly since: Date;
  readonly tally: BookTally;
  /** Ids of postings that were found outside. */
  readonly found: Set<string>;
}

/** Records that an outside did not answer; any other error is thrown. */
async function runUnlessUnreachable(
  tally: BookTally,
  book: OutsideBook,
  ask: () => Promise<void>,
): Promise<void> {
  try {
    await ask();
  } catch (error) {
    const isUnreachable =
      error instanceof OutsideUnreachableError ||
      error instanceof ProcessorUnclearError ||
      error instanceof ProcessorRefusedError;
    if (!isUnreachable) throw error;
    tally.addNotCompared(book, error.message);
  }
}

/** Checks every movement outside against the ledger. */
async function compareOutside(
  { database, clock }: ComparisonParts,
  book: OutsideBook,
  { since, tally, found }: Round,
): Promise<void> {
  for await (const page of book.listMovements(since)) {
    if (page.length === 0) continue;
    // Both questions read one snapshot of the ledger, so that a concurrent payment is either posted or in doubt.
    const judged = await database.runTransaction((tx) => matchPage(tx, book, page), {
      isolation: 'repeatable read',
      readOnly: true,
    });
    for (const pair of judged.pairs) {
      const isOlder = pair.entry.posted_at < since;
      if (!isOlder && found.size >= REMEMBERED_MAX) continue;
      if (isOlder) tally.addEntry(pair.entry, book);
      else if (found.has(pair.entry.id)) continue;
      else found.add(pair.entry.id);
      tally.addPair(pair, book);
    }
    for (const stray of judged.strays) {
      const isYoung = addMs(stray.movement.at, IN_DOUBT_MS_MAX) > clock.now();
      const { explainedBy, rail, movement } = stray;
      if (explainedBy !== null && (isYoung || movement.direction === 'sent_back'))
        tally.addInFlight(
          { id: explainedBy, rail, direction: movement.direction },
          `${formatExact(movement.amount)} at ${book.name} as ${movement.reference} is about to be posted`,
        );
      else tally.addStray(movement, rail, book);
    }
  }
}

interface Stray {
  readonly movement: Movement;
  readonly rail: string;
  /** The request that explains the movement and has no known outcome yet; null without one. */
  readonly explainedBy: string | null;
}

async function matchPage(
  tx: Transaction,
  book: OutsideBook,
  page: readonly Movement[],
): Promise<Pick<Matched, 'pairs'> & { readonly strays: readonly Stray[] }> {
  const references = [...new Set(page.map(({ reference }) => reference))];
  const entries = await selectEntriesByReference(labScope, tx, book.rails, references);
  const { pairs, movements } = matchMovements(
    entries.filter((entry) => book.isOwnEntry(entry)),
    page,
  );
  const strays: Stray[] = [];
  for (const movement of movements) {
    // A failed movement moved no money, so it needs no posting.
    if (movement.state !== 'failed') strays.push(await explainMovement(tx, book, movement));
  }
  return { pairs, strays };
}

async function explainMovement(tx: Transaction, book: OutsideBook, movement: Movement): Promise<Stray> {
  const { direction, reference, party, invoice_id: invoiceId, refund_id: refundId } = movement;
  const [firstRail = ''] = book.rails;
  const cents = toFractionalCents(movement.amount);
  const amountCents = Number.isSafeInteger(cents) ? cents : null;
  const rails = movement.rail === null ? book.rails : [movement.rail];
  if (direction === 'sent_back') {
    const refund = await selectRefundBehind(labScope, tx, { rails, refundId, party, amountCents });
    const isExpected = refund !== undefined && (refund.status === 'pending' || party !== null);
    return {
      movement,
      rail: movement.rail ?? refund?.rail ?? firstRail,
      explainedBy: isExpected ? refund.id : null,
    };
  }
  const question = { rails, reference, party, invoiceId, amountCents };
  const flight = await selectFlightOfPayment(labScope, tx, question);
  const rail = movement.rail ?? firstRail;
  return { movement, rail, explainedBy: flight ?? null };
}

/** Checks every posting against the outside: those not seen there are looked up by their reference. */
async function compareEntries(parts: ComparisonParts, { since, tally, found }: Round): Promise<void> {
  let last: BookEntry | undefined;
  for (;;) {
    const page = await selectEntriesSince(labScope, parts.database.read, { since, after: last, limit: PAGE });
    const waiting: { readonly entry: BookEntry; readonly book: OutsideBook }[] = [];
    for (const entry of page) {
      const book = parts.books.find((each) => each.isOwnEntry(entry));
      tally.addEntry(entry, book);
      if (book !== undefined && !found.has(entry.id)) waiting.push({ entry, book });
    }
    for (let at = 0; at < waiting.length; at += LOOK_UPS_AT_ONCE)
      await Promise.all(
        waiting.slice(at, at + LOOK_UPS_AT_ONCE).map(async ({ entry, book }) => {
          if (tally.isUnreachable(book)) return;
          await runUnlessUnreachable(tally, book, () => compareEntry(parts.database, tally, entry, book));
        }),
      );
    last = page.at(-1);
    if (page.length < PAGE) return;
  }
}

async function compareEntry(
  database: Database,
  tally: BookTally,
  entry: BookEntry,
  book: OutsideBook,
): Promise<void> {
  const movements = await book.lookUp(entry);
  // All postings with this reference are matched together, so that one movement never proves two of them.
  const siblings = await selectEntriesByReference(labScope, database.read, [entry.rail], [entry.reference]);
  const { pairs } = matchMovements(siblings, movements);
  const pair = pairs.find((each) => each.entry.id === entry.id);
  if (pair === undefined) tally.addMissing(entry, book);
  else tally.addPair(pair, book);
}
