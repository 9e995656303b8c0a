/** The state of the fake Stripe. It survives a kill, because every change is on disk before the answer. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

export interface FakeInvoice {
  readonly id: string;
  readonly customer: string;
  readonly created: number;
  readonly currency: string;
  metadata: Readonly<Record<string, string>>;
  number: string | null;
  readonly lines: { readonly description: string; readonly amount: number }[];
  status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';
  /** Replace the addresses that follow from the id. */
  pdf?: string;
  page?: string;
  amountPaid: number;
  paymentIntent: string | null;
  paidAt?: number;
}

export interface FakeQuote {
  readonly id: string;
  readonly customer: string;
  readonly created: number;
  readonly currency: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly lines: readonly { readonly description: string; readonly amount: number }[];
  readonly expiresAt: number;
  status: 'draft' | 'open' | 'accepted' | 'canceled';
  invoice: string | null;
}

export interface FakePaymentIntent {
  readonly id: string;
  readonly created: number;
  readonly amount: number;
  readonly currency: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly token: string | null;
  status: 'succeeded' | 'requires_payment_method' | 'requires_action' | 'processing' | 'canceled';
}

export interface FakeToken {
  readonly id: string;
  readonly currency: string;
  readonly maxAmount: number;
  readonly expiresAt: number;
  /** Outcome of a charge of this token. */
  readonly behavior: 'pays' | 'declines' | 'requires_action';
  deactivatedAt: number | null;
}

export interface FakeRefund {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly paymentIntent: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly created: number;
  status: 'succeeded' | 'pending' | 'failed';
}

export interface FakeEvent {
  readonly id: string;
  readonly type: string;
  readonly created: number;
  readonly object: unknown;
}

/** The first answer under an idempotency key, with its request. */
interface KeptAnswer {
  readonly request: string;
  readonly status: number;
  readonly body: unknown;
}

interface Books {
  readonly customers: Record<string, { id: string; name: string; metadata: Record<string, string> }>;
  readonly products: Record<string, { id: string; name: string; active: boolean }>;
  readonly quotes: Record<string, FakeQuote>;
  readonly invoices: Record<string, FakeInvoice>;
  readonly intents: Record<string, FakePaymentIntent>;
  readonly tokens: Record<string, FakeToken>;
  readonly refunds: Record<string, FakeRefund>;
  readonly answers: Record<string, KeptAnswer>;
  readonly events: FakeEvent[];
}

export class FakeState {
  readonly #path: string | null;
  books: Books;

  constructor(path: string | null) {
    this.#path = path;
    const kept: Books | undefined =
      path !== null && existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
    this.books = kept ?? {
      customers: {},
      products: {},
      quotes: {},
      invoices: {},
      intents: {},
      tokens: {},
      refunds: {},
      answers: {},
      events: [],
    };
  }

  save(): void {
    if (this.#path === null) return;
    const aside = `${this.#path}.${process.pid}`;
    writeFileSync(aside, JSON.stringify(this.books));
    renameSync(aside, this.#path);
  }

  createId(prefix: string): string {
    return `${prefix}_${randomBytes(12).toString('hex')}`;
  }

  /** Sums the cents that were charged and not refunded. */
  sumCollectedCents(): number {
    const charged = Object.values(this.books.intents)
      .filter(({ status }) => status === 'succeeded')
      .reduce((total, { amount }) => total + amount, 0);
    return Object.values(this.books.refunds).reduce((total, { amount }) => total - amount, charged);
  }
}
