/** The clock, the ids and the log of a running system; apart from the service, because most commands need nothing else. */
import pino, { type Logger } from 'pino';
import { systemClock, type Clock } from '#core/clock.ts';
import type { BlobFiles } from '#adapters/blobs/directory.ts';
import type { Connect, Resolve } from '#adapters/http-out/network.ts';
import type { PdfRenderer } from '#adapters/pdf/renderer.ts';
import type { DatabaseOptions } from '#adapters/postgres/pool.ts';
import type { AnalysisPool } from '#analysis/pool/pool.ts';
import { createIds, type Ids } from '#core/ids.ts';
import type { MachineRail } from '#features/payments/machine-rail.ts';
import type { Settings } from '#settings/settings.ts';
import { createLogger } from '#transports/log.ts';

export interface Sources {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  /** Replaces the machine payment rails of the settings. */
  readonly rails?: readonly MachineRail[];
  /** Threads that outlast the service, such as those that the services of one process of tests share. */
  readonly threads?: Threads;
  /** Replaces the file system for raw files. */
  readonly blobFiles?: BlobFiles;
  /** Replaces the Internet for webhooks. */
  readonly receivers?: Receivers;
  /** How long a request waits for a connection and a statement for a lock, where it is not the usual time. */
  readonly databaseWaits?: Pick<DatabaseOptions, 'connectTimeoutMs' | 'lockTimeoutMs'>;
}

/** Names, sockets, time limit and certificate authorities of receivers. */
export interface Receivers {
  readonly resolve?: Resolve;
  readonly connect?: Connect;
  readonly timeoutMs?: number;
  readonly authorities?: readonly string[];
}

export interface Threads {
  readonly analyses: AnalysisPool;
  readonly documents: PdfRenderer;
}

export function createSystemSources(settings: Settings): Sources {
  // Logs go to standard error; standard output is for requested data.
  const log = createLogger(settings.logLevel, pino.destination({ fd: 2, sync: true }));
  return { clock: systemClock, ids: createIds(systemClock), log };
}
