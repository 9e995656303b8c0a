/**
 * Parts that the server and the worker share.
 * This folder: what makes the parts of the service out of its settings. Not here: decisions of any kind.
 */
import type { Logger } from 'pino';
import { createDirectoryBlobs } from '#adapters/blobs/directory.ts';
import type { DatabaseConnection } from '#adapters/postgres/connection.ts';
import type { PostgresDatabase } from '#adapters/postgres/pool.ts';
import type { AssayName } from '#assays/registry.ts';
import { readCurves } from '#analysis/curves/packed-curves.ts';
import { findProblem } from '#analysis/failures/problem.ts';
import type { CutRequest } from '#analysis/cuts/types.ts';
import type { FileToInspect } from '#analysis/formats/inspect.ts';
import { AnalysisPool, analyzeInWorkers, type RunToAnalyze } from '#analysis/pool/pool.ts';
import type { PreviewRequest } from '#analysis/preview/types.ts';
import type { RotatingKeyring, SigningKey } from '#features/tokens/capability.ts';
import type { Feed } from '#core/context.ts';
import { locateEntry } from '#core/package-root.ts';
import { isMemorySmall, readMemoryBytes } from '#core/memory.ts';
import { WeightedRoom } from '#core/weighted-room.ts';
import type { Settings } from '#settings/settings.ts';
import type { WebhookPorts } from '#features/installation/outward-context.ts';
import type { DriveParts } from '#features/payments/drive-attempt.ts';
import type { PackageThreads } from './package-threads.ts';
import type { PaymentProcessors } from './payment-parts.ts';
import { formatRawFilePath } from './raw-file-directory.ts';
import type { Sources, Threads } from './system-sources.ts';
import { ENGINES } from '#assays/engines.ts';

export interface Parts extends DriveParts {
  readonly settings: Settings;
  readonly log: Logger;
  readonly database: PostgresDatabase;
  readonly connection: DatabaseConnection;
  readonly processors: PaymentProcessors;
  readonly keyring: RotatingKeyring;
  readonly keys: readonly SigningKey[];
  readonly rawFiles: ReturnType<typeof openRawFiles>['rawFiles'];
  readonly packages: PackageThreads;
  /** Has the worker look for due jobs now. */
  readonly wakeWorker: () => void;
  readonly threads: Threads | undefined;
  readonly webhooks: WebhookPorts;
  readonly feed: Feed;
}

/** Replicates whose numbers fit into memory beside everything else: the largest order in 512 MiB, two of them in 1 GiB. */
const REPLICATES_AT_ONCE = isMemorySmall(readMemoryBytes()) ? 5_000 : 10_000;
/** Analyses of so few need little memory and never wait for the large ones. */
const REPLICATES_OF_SMALL = 500;

/** The store of raw files, and the threads that read and analyze them. */
export const ANALYSIS_WORKER = locateEntry(new URL('../assays/worker.ts', import.meta.url));

export function openRawFiles(
  settings: Settings,
  { work, threads, blobFiles }: Pick<Parts, 'work' | 'threads'> & Pick<Sources, 'blobFiles'>,
) {
  const pool =
    threads?.analyses ?? new AnalysisPool({ size: settings.analysisWorkers, workerUrl: ANALYSIS_WORKER });
  const blobs = createDirectoryBlobs(formatRawFilePath(settings), {
    files: blobFiles,
    now: () => work.clock.readMonotonicMs(),
  });
  const room = new WeightedRoom({ capacity: REPLICATES_AT_ONCE, freeMax: REPLICATES_OF_SMALL });
  const analyses = {
    takeRoom: (replicates: number) => room.take(replicates),
    analyze: (run: RunToAnalyze<AssayName>) => analyzeInWorkers(ENGINES, run, pool),
    inspect: (file: FileToInspect) => pool.inspect(file),
    preview: (experimentType: string, request: PreviewRequest) => pool.preview(experimentType, request),
    cut: (experimentType: string, request: CutRequest) => pool.cut(experimentType, request),
    findProblem: findProblem,
    readCurves,
  };
  return {
    rawFiles: { blobs, ...analyses },
    close: async () => (threads === undefined ? pool.close() : undefined),
  };
}
