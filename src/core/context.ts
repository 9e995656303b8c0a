import type { Blobs } from './blobs.ts';
import type { Keyring, MachineMethod } from './capability.ts';
import type { Clock } from './clock.ts';
import type { CursorSigner } from './filter/index.ts';
import type { Ids } from './ids.ts';
import type { DeliveryWords } from './outgoing.ts';
import type { Principal } from './principal.ts';
import type { Sealer } from './sealer.ts';
import type { LinkSigner } from './signed-link.ts';
import type { Database, Sql, Transaction } from './sql.ts';

export type Environment = 'sandbox' | 'live';

/** Limits of this installation. Each name ends in its unit; each limit has a default. */
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

/** Rows in `summary` of a result: all, or only those of the shapes that were published first. */
export const resultSummaryModes = ['all', 'published'] as const;
export type ResultSummaryMode = (typeof resultSummaryModes)[number];

/** The properties of this installation that a handler may read. */
export interface Site {
  readonly environment: Environment;
  /** Public address without a trailing slash, such as `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  readonly limits: Limits;
  /** `smtp`: sent through a server; `mailbox`: kept for a page of the sandbox; `none`: mail is not configured. */
  readonly mail: 'smtp' | 'mailbox' | 'none';
  /** `open`: anybody may sign up; `invited`: only people with an invitation may. */
  readonly signUp: 'open' | 'invited';
  /** Seconds of the simulated lab per second of real time; used only by a sandbox. */
  readonly sandboxSpeed: number;
  /** Whoever decided or analyzed last may not end the review. */
  readonly needsSecondPerson: boolean;
  /** Payment rails for machines that this environment supports. */
  readonly machineMethods: readonly MachineMethod[];
  /** The processor at which new hosted invoices are opened. */
  readonly processor: string;
  /** Whether the processor keeps quotes of its own beside ours. */
  readonly mirrorsQuotes: boolean;
  readonly letterhead: Letterhead;
  /** Whether the database is the embedded one, below the data directory. */
  readonly hasOwnDatabase: boolean;
  readonly resultSummary: ResultSummaryMode;
  /** Whether the data package of released results is made at once, and not only when somebody asks for it. */
  readonly makesPackagesAtRelease: boolean;
  /** Whether events are delivered to the addresses of webhooks. */
  readonly deliversWebhooks: boolean;
  /** The values that bodies of deliveries use. */
  readonly deliveryWords: DeliveryWords;
  /** Says why a webhook may never be sent to an address; null where it may. */
  readonly findReceiverProblem: (url: string) => string | null;
  /** Reads the sheets of an xlsx workbook; a text says why it cannot be read. */
  readonly readWorkbook: (file: {
    readonly name: string;
    readonly bytes: Uint8Array;
  }) => string | WorkbookSheet[];
  /** Returns the objection of the analysis engine to settings for this experiment type; null when it accepts them. */
  readonly findSettingsProblem: (
    experimentType: string,
    settings: Readonly<Record<string, unknown>>,
  ) => string | null;
}

export interface WorkbookSheet {
  readonly sheet: string;
  /** With their numbers in the sheet, from 1. */
  readonly rows: readonly { readonly line: number; readonly cells: readonly string[] }[];
}

/** Details of the operator that are printed on quotes and invoices. */
export interface Letterhead {
  readonly seller: {
    /** Null while the operator has not set it. */
    readonly name: string | null;
    readonly address_lines: readonly string[];
    readonly tax_id: string | null;
    readonly email: string | null;
    readonly bank_lines: readonly string[];
  };
  /** Paper size for organizations whose country does not determine it. */
  readonly paper: PaperSize;
}

/** The origin of a request, for limits and the audit trail. */
export interface Origin {
  readonly requestId: string;
  readonly address: string;
}

/** The origin of a request of a browser, for sessions too. */
export interface BrowserOrigin extends Origin {
  readonly userAgent: string;
  /** The `Cookie` header, unchanged. */
  readonly cookie: string;
}

/** The context of one piece of work: a request or a background job. */
export interface Work {
  readonly site: Site;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The caller of a request; a background job has none. */
  readonly principal?: Principal;
}

/** The feed of updates, in which an update gets its place after its commit. */
export interface Feed {
  /** Gives a place to every update that was committed before the call. */
  settle(): Promise<void>;
}

/** Documents made by the payment processor, where those are the official ones; null means that ours are official. */
export interface OutsideDocuments {
  /** The current address of an invoice's document. Throws `document_not_ready`. */
  getInvoiceAddress(invoiceId: string): Promise<string | null>;
  /** The same address with the bytes that it serves. Throws `document_not_ready`. */
  fetchInvoice(invoiceId: string): Promise<{ readonly address: string; readonly bytes: Uint8Array } | null>;
  /** The bytes of a quote's document. Throws `document_not_ready`. */
  getQuoteBytes(quoteId: string): Promise<Uint8Array | null>;
}

export interface DocumentFile {
  readonly fileName: string;
  /** A PDF. */
  readonly bytes: Uint8Array;
}

/** The documents behind signed links. */
export interface Documents {
  /**
   * Undefined when no document of that kind and id exists. Throws `document_not_ready`, and `overloaded` where it has to
   * wait too long or `signal` says that nobody waits for it.
   */
  find(kind: string, id: string, signal?: AbortSignal): Promise<DocumentFile | undefined>;
}

export interface PublicContext extends Work {
  readonly sql: Sql;
  readonly database: Pick<Database, 'isDiskFull'>;
  readonly rawFiles: { readonly blobs: Pick<Blobs, 'isDiskFull'> };
  readonly cursors: CursorSigner;
  readonly feed: Feed;
  readonly links: LinkSigner;
  readonly documents: Documents;
  readonly outsideDocuments: OutsideDocuments;
  readonly requestId: string;
  /** Makes a signal that is aborted when the client goes; undefined where that cannot be told. */
  readonly watchClient?: (() => AbortSignal) | undefined;
}

export interface ReadContext extends PublicContext {
  readonly principal: Principal;
  readonly keyring: Pick<Keyring, 'signStatement'>;
}

/** A read that the audit trail records each time, because staff read what belongs to a client. */
export interface AuditedReadContext extends ReadContext {
  /** Names the organization whose audit trail records the read: the owner of what is read. */
  setAuditOrganization(organizationId: string): void;
}

/** A write uses `tx` for everything it does, so all of it commits or none of it. */
export interface WriteContext extends Work {
  readonly principal: Principal;
  readonly tx: Transaction;
  readonly keyring: Keyring;
  /** Seals secrets of webhooks for the database. */
  readonly sealer: Sealer;
  readonly requestId: string;
  /**
   * Names the organization whose audit trail records the change, where staff act on an organization not their own.
   */
  setAuditOrganization(organizationId: string): void;
  /** Adds details to the audit row of the change, beside the operation and its subject. */
  addAuditDetails(details: Readonly<Record<string, unknown>>): void;
}

export type PaperSize = 'a4' | 'letter';

/** Until the operator sets a name. */
const UNNAMED = 'The lab';

export function getLabName({ name }: Pick<Letterhead['seller'], 'name'>): string {
  return name ?? UNNAMED;
}
