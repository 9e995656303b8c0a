import type { Keyring, MachineMethod } from './capability.ts';
import type { Clock } from './clock.ts';
import type { CursorSigner } from './filter/index.ts';
import type { Ids } from './ids.ts';
import type { PaperSize } from './paper.ts';
import type { Principal } from './principal.ts';
import type { LinkSigner } from './signed-link.ts';
import type { Sql, Transaction } from './sql.ts';

export type Environment = 'sandbox' | 'live';

/** Limits of this installation; each has a name, a unit and a default. */
export interface Limits {
  readonly sequencesPerExperiment: number;
  readonly residuesPerSequence: number;
  readonly bodyBytes: number;
}

export const defaultLimits: Limits = {
  sequencesPerExperiment: 5_000,
  residuesPerSequence: 4_000,
  bodyBytes: 16 * 1024 * 1024,
};

/** What every handler may know about the installation it runs in. */
export interface Site {
  readonly environment: Environment;
  /** Public address without a trailing slash, such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  readonly limits: Limits;
  /** `smtp` through a server, `mailbox` kept for a page of the sandbox, `none` where mail is not set up. */
  readonly mail: 'smtp' | 'mailbox' | 'none';
  /** Whether anybody may sign up, or only who was invited. */
  readonly signUp: 'open' | 'invited';
  /** Seconds of the simulated lab per second of ours; only a sandbox has one. */
  readonly sandboxSpeed: number;
  /** Experiment types this lab offers beyond the contract's five. */
  readonly offeredTypes: ReadonlySet<string>;
  /** The payment rails for machines that this environment serves. */
  readonly machineMethods: readonly MachineMethod[];
  /** The processor at which hosted invoices are opened now. */
  readonly processor: string;
  /** Whether that processor holds quotes of its own beside ours. */
  readonly mirrorsQuotes: boolean;
  readonly letterhead: Letterhead;
  /** What the analysis engine says against settings for experiments of this type; null when it takes them. */
  readonly refusedSetting: (
    experimentType: string,
    settings: Readonly<Record<string, unknown>>,
  ) => string | null;
}

/** What the operator prints on quotes and invoices. */
export interface Letterhead {
  readonly seller: {
    /** Null while the operator has not set it. */
    readonly name: string | null;
    readonly address_lines: readonly string[];
    readonly tax_id: string | null;
    readonly email: string | null;
    readonly bank_lines: readonly string[];
  };
  /** For organizations whose country does not decide it. */
  readonly paper: PaperSize;
}

/** What surrounds one piece of work, whoever started it. */
export interface Work {
  readonly site: Site;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Documents that the payment processor makes, where they are the documents; null says that ours are. */
export interface OutsideDocuments {
  /** Where the document of an invoice is at this moment. Throws `document_not_ready`. */
  invoiceAddress(invoiceId: string): Promise<string | null>;
  /** The document of a quote. Throws `document_not_ready`. */
  quoteBytes(quoteId: string): Promise<Uint8Array | null>;
}

export interface PublicContext extends Work {
  readonly sql: Sql;
  readonly cursors: CursorSigner;
  readonly links: LinkSigner;
  readonly outsideDocuments: OutsideDocuments;
  readonly requestId: string;
}

export interface ReadContext extends PublicContext {
  readonly principal: Principal;
}

/** Everything a write does goes through `tx`, and so commits together or not at all. */
export interface WriteContext extends Work {
  readonly principal: Principal;
  readonly tx: Transaction;
  readonly keyring: Keyring;
  readonly requestId: string;
  /** Whose trail tells of the change, where it is not the caller's own organization: for what staff does. */
  concern(organizationId: string): void;
  /** What the audit row of the change says beside the operation and its subject. */
  detail(details: Readonly<Record<string, unknown>>): void;
}
