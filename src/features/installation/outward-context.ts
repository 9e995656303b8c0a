/** Context of operations that act outside this process: no transaction is open while they wait for the outside. */
import type { Blobs } from '#core/blobs.ts';
import type { Cut, CutRequest } from '#analysis/cuts/types.ts';
import type { FileContents, FileToInspect } from '#analysis/formats/inspect.ts';
import type { Preview, PreviewRequest } from '#analysis/preview/types.ts';
import type { SingleFlight } from '#core/single-flight.ts';
import type { Work } from '#core/context.ts';
import type { Outgoing } from '#core/outgoing.ts';
import type { Principal } from '#core/principal.ts';
import type { Sealer } from '#core/sealer.ts';
import type { Database, Transaction } from '#core/sql.ts';
import type { MachineRails } from '../payments/machine-rail.ts';

/** Parts for machine payments, besides the database. */
export interface MachinePayments {
  readonly rails: MachineRails;
  readonly flights: SingleFlight;
}

/** The store of raw files, and their reader outside the thread that serves requests. */
export interface RawFilePorts {
  readonly blobs: Blobs;
  readonly inspect: (file: FileToInspect) => Promise<FileContents>;
  readonly preview: (experimentType: string, request: PreviewRequest) => Promise<Preview>;
  readonly cut: (experimentType: string, request: CutRequest) => Promise<Cut>;
  /** The sentence of a failure caused by the file or its size; null for all others. */
  readonly findProblem: (error: unknown) => string | null;
}

/** Parts for webhooks: the way to their addresses, and what seals their secrets. */
export interface WebhookPorts {
  /** Prefix of the headers that name and sign a delivery. */
  readonly headerPrefix: string;
  readonly outgoing: Outgoing;
  readonly sealer: Sealer;
}

export interface OutwardContext extends Work {
  readonly principal: Principal;
  readonly database: Database;
  readonly payments: MachinePayments;
  readonly rawFiles: RawFilePorts;
  readonly webhooks: WebhookPorts;
  readonly requestId: string;
  /** Names the organization of the audit entry when it is not the caller's. */
  setAuditOrganization(organizationId: string): void;
  /**
   * Writes the audit entry of this request in the transaction of its first lasting change: with the answer where that
   * transaction decides it, otherwise as accepted.
   */
  audit(tx: Transaction, answer?: unknown): Promise<void>;
}
