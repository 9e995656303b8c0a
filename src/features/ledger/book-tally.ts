/** The result of comparing the ledger with outside books. */
import type { LedgerFinding } from './finding.ts';
import {
  toFractionalCents,
  toExact,
  formatExact,
  type BookEntry,
  type Direction,
  type Exact,
  type Movement,
  type OutsideBook,
} from './outside-book.ts';
import {
  createUnmatchedEntryFinding,
  createUnmatchedMovementFinding,
  checkPair,
  type Pair,
} from './outside-rules.ts';

const FINDINGS_MAX = 1_000;

/** Totals of one rail, one direction and one outside book. */
export interface ComparedRail {
  readonly rail: string;
  readonly direction: Direction;
  /** Null where no outside can be asked: the entries were made under other settings, or by hand. */
  readonly outside: string | null;
  /** Postings of the period, and earlier ones whose money moved within it. */
  readonly entries: number;
  readonly books_cents: number;
  /** Movements outside, including those that the ledger does not have. */
  readonly movements: number;
  /** Has a fraction where less than a cent was moved. */
  readonly outside_cents: number;
}

export interface InFlight {
  /** Id of the attempt, the refund, the invoice or the payment. */
  readonly subject: string;
  readonly rail: string;
  readonly direction: Direction;
  readonly found: string;
}

export interface NotCompared {
  readonly rail: string;
  readonly outside: string | null;
  readonly reason: string;
}

export interface OutsideComparison {
  readonly since: string;
  readonly rails: readonly ComparedRail[];
  /** Money that staff sent back without the rail; no outside book contains it. */
  readonly by_hand: { readonly entries: number; readonly books_cents: number };
  readonly in_flight: readonly InFlight[];
  readonly not_compared: readonly NotCompared[];
  readonly findings: readonly LedgerFinding[];
  /** Number of findings that are not listed. */
  readonly more_findings: number;
}

interface Sums {
  readonly rail: string;
  readonly direction: Direction;
  readonly outside: string | null;
  entries: number;
  booked: Exact;
  movements: number;
  moved: Exact;
}

const UNASKED = 'no chain or processor that holds it is configured here';

export class BookTally {
  readonly #since: Date;
  readonly #rails = new Map<string, Sums>();
  readonly #byHand = { entries: 0, cents: 0 };
  readonly #inFlight = new Map<string, InFlight>();
  readonly #notCompared = new Map<string, NotCompared>();
  readonly #unreachable = new Set<OutsideBook>();
  readonly #findings: LedgerFinding[] = [];
  #more = 0;

  constructor(since: Date) {
    this.#since = since;
  }

  /** Adds a posting of the period; its book is undefined when no outside holds the money. */
  addEntry(entry: BookEntry, book: OutsideBook | undefined): void {
    if (book === undefined && entry.is_by_hand) {
      this.#byHand.entries += 1;
      this.#byHand.cents += entry.amount_cents;
      return;
    }
    const bookName = book?.name ?? null;
    const sums = this.#getSums(entry.rail, entry.direction, bookName);
    sums.entries += 1;
    sums.booked += toExact(entry.amount_cents);
    if (book === undefined)
      this.#notCompared.set(entry.rail, { rail: entry.rail, outside: bookName, reason: UNASKED });
  }

  addPair(pair: Pair, book: OutsideBook): void {
    const { entry, movement } = pair;
    if (movement.state !== 'failed') this.#addMovement(movement, entry.rail, book);
    if (movement.state === 'under_way')
      this.addInFlight(
        { id: entry.id, rail: entry.rail, direction: entry.direction },
        `${entry.document}: ${formatExact(movement.amount)} at ${book.name} as ${entry.reference} is not final yet`,
      );
    const finding = checkPair(pair, book.name);
    if (finding !== undefined) this.#find(finding);
  }

  addMissing(entry: BookEntry, book: OutsideBook): void {
    this.#find(createUnmatchedEntryFinding(entry, book.name));
  }

  addStray(movement: Movement, rail: string, book: OutsideBook): void {
    this.#addMovement(movement, rail, book);
    this.#find(createUnmatchedMovementFinding(movement, book.name));
  }

  addInFlight(
    { id, rail, direction }: { readonly id: string; readonly rail: string; readonly direction: Direction },
    found: string,
  ): void {
    if (!this.#inFlight.has(id)) this.#inFlight.set(id, { subject: id, rail, direction, found });
  }

  addNotCompared(book: OutsideBook, reason: string): void {
    this.#unreachable.add(book);
    for (const rail of book.rails)
      this.#notCompared.set(`${rail} ${book.name}`, { rail, outside: book.name, reason });
  }

  isUnreachable(book: OutsideBook): boolean {
    return this.#unreachable.has(book);
  }

  getResult(): OutsideComparison {
    const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
    return {
      since: this.#since.toISOString(),
      rails: [...this.#rails]
        .sort(([a], [b]) => order(a, b))
        .map(([, { booked, moved, ...row }]) => ({
          ...row,
          books_cents: toFractionalCents(booked),
          outside_cents: toFractionalCents(moved),
        })),
      by_hand: { entries: this.#byHand.entries, books_cents: this.#byHand.cents },
      in_flight: [...this.#inFlight.values()],
      not_compared: [...this.#notCompared.values()],
      findings: this.#findings.sort((a, b) => order(a.kind, b.kind) || order(a.subject, b.subject)),
      more_findings: this.#more,
    };
  }

  #getSums(rail: string, direction: Direction, outside: string | null): Sums {
    const key = `${rail} ${direction} ${outside ?? ''}`;
    const known = this.#rails.get(key);
    if (known !== undefined) return known;
    const sums = { rail, direction, outside, entries: 0, booked: 0n, movements: 0, moved: 0n };
    this.#rails.set(key, sums);
    return sums;
  }

  #find(finding: LedgerFinding): void {
    if (this.#findings.length < FINDINGS_MAX) this.#findings.push(finding);
    else this.#more += 1;
  }

  #addMovement(movement: Movement, rail: string, book: OutsideBook): void {
    const sums = this.#getSums(rail, movement.direction, book.name);
    sums.movements += 1;
    sums.moved += movement.amount;
  }
}
