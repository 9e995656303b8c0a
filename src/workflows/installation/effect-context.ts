/** What surrounds an operation whose effects reach outside: no transaction is open while it asks the outside. */
import type { Blobs } from '#core/blobs.ts';
import type { FileContents, FileToInspect } from '#analysis/formats/inspect.ts';
import type { SingleFlight } from '#core/single-flight.ts';
import type { Work } from '#core/context.ts';
import type { Principal } from '#core/principal.ts';
import type { Database, Transaction } from '#core/sql.ts';
import type { MachineRails } from '#domain/payments/machine-rail.ts';

/** What paying by machine needs beyond the database, whoever asks for it. */
export interface MachinePayments {
  readonly rails: MachineRails;
  readonly flights: SingleFlight;
}

/** Where raw files go, and who reads them away from the thread that serves requests. */
export interface RawFilePorts {
  readonly blobs: Blobs;
  readonly inspect: (file: FileToInspect) => Promise<FileContents>;
  /** The sentence of a failure that lies in the file or its size; null for every other one. */
  readonly problemOf: (error: unknown) => string | null;
}

export interface EffectContext extends Work {
  readonly principal: Principal;
  readonly database: Database;
  readonly payments: MachinePayments;
  readonly rawFiles: RawFilePorts;
  readonly requestId: string;
  /** Whose trail the audit row belongs in, when it is not the caller's. */
  concern(organizationId: string): void;
  /**
   * Writes the audit row of this request, in the transaction of its first lasting change: with the answer where that
   * transaction decides it, and as accepted where the effect is still to come.
   */
  audit(tx: Transaction, answer?: unknown): Promise<void>;
}
