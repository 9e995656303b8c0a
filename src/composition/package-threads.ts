/**
 * Makes data packages on threads of their own, each with a bounded heap and a connection to the database, so that a
 * large package neither holds up the thread that serves requests nor takes its memory.
 */
import { findErrorCode } from '#core/records.ts';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { locateEntry } from '#core/package-root.ts';
import { createDirectoryBlobs } from '#adapters/blobs/directory.ts';
import type { DatabaseConnection } from '#adapters/postgres/connection.ts';
import type { Work } from '#core/context.ts';
import { getOrganizationId } from '#core/scope.ts';
import type { MadePackage } from '#features/results/package/store.ts';
import { FinalJobError } from '#features/jobs/rules.ts';
import type { Settings } from '#settings/settings.ts';
import type { PackageSite } from '#features/results/package/build-data-package.ts';
import type { PackageMaker, PackageOrder } from '#features/results/package/make-package.ts';
import { formatRawFilePath } from './raw-file-directory.ts';

export interface ThreadRequest {
  readonly connection: DatabaseConnection;
  readonly blobDirectory: string;
  readonly site: PackageSite;
  /** Null: what the lab sees. */
  readonly organizationId: string | null;
  readonly experimentId: string;
  readonly packageId: string;
}

export type ThreadAnswer =
  { readonly resultsDone: number } | { readonly made: MadePackage } | { readonly problem: string };

export interface PackageThreads extends PackageMaker {
  /** Ends the packages that are being made; their jobs begin anew with the next start. */
  close(): void;
}

/** Heap of one thread: two of them, the service and its database share 512 MiB. */
const HEAP_MB_MAX = 160;
const YOUNG_MB_MAX = 8;
/** The largest packages take minutes; what takes longer is stuck. */
const MAKING_MS_MAX = 60 * 60_000;
/** Loading its modules takes a thread longer than a small package, so it waits so long for another. */
const IDLE_MS = 30_000;

interface IdleThread {
  readonly thread: Worker;
  readonly timer: NodeJS.Timeout;
}

/** Threads without a package, of all services of this process; they do not keep it alive. */
const idle: IdleThread[] = [];

interface Parts {
  readonly settings: Pick<Settings, 'dataDir'>;
  readonly connection: DatabaseConnection;
  readonly work: Pick<Work, 'site'>;
  /** Another heap of each thread. */
  readonly heapMbMax?: number;
}

export function createPackageThreads({
  settings,
  connection,
  work,
  heapMbMax = HEAP_MB_MAX,
}: Parts): PackageThreads {
  const blobDirectory = formatPackagePath(settings);
  const working = new Set<Worker>();
  return {
    blobs: createDirectoryBlobs(blobDirectory),
    async make({ packageId, scope, experimentId, onProgress }) {
      const { baseUrl, environment, letterhead } = work.site;
      const site = { baseUrl, environment, letterhead };
      const organizationId = getOrganizationId(scope);
      const request = { connection, blobDirectory, site, organizationId, experimentId, packageId };
      const thread = takeThread(heapMbMax);
      working.add(thread);
      try {
        const made = await runOn(thread, request, onProgress);
        keepThread(thread);
        return made;
      } catch (error) {
        await thread.terminate();
        throw error;
      } finally {
        working.delete(thread);
      }
    },
    close() {
      for (const thread of working) void thread.terminate();
    },
  };
}

/** Beside the raw files, so that all processes that share those share the packages too. */
function formatPackagePath(settings: Pick<Settings, 'dataDir'>): string {
  return join(formatRawFilePath(settings), 'packages');
}

async function runOn(
  thread: Worker,
  request: ThreadRequest,
  onProgress: PackageOrder['onProgress'],
): Promise<MadePackage> {
  const { promise, resolve, reject } = Promise.withResolvers<MadePackage>();
  const timer = setTimeout(
    () => reject(new Error(`the data package took longer than ${MAKING_MS_MAX} ms`)),
    MAKING_MS_MAX,
  );
  thread.on('message', (answer: ThreadAnswer) => {
    if ('made' in answer) resolve(answer.made);
    else if ('problem' in answer) reject(new Error(answer.problem));
    else onProgress(answer.resultsDone);
  });
  thread.on('error', (error) =>
    reject(findErrorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY' ? new PackageTooLargeError() : error),
  );
  thread.on('exit', (code) => reject(new Error(`the thread of the data package ended with code ${code}`)));
  try {
    thread.postMessage(request);
    return await promise;
  } finally {
    clearTimeout(timer);
    removeListeners(thread);
  }
}

/** Another attempt would need as much again. */
class PackageTooLargeError extends FinalJobError {
  override readonly name = 'PackageTooLargeError';

  constructor() {
    super(
      `The data package needs more than the ${HEAP_MB_MAX} MB that its thread may use, so it is not made again by itself. Report this with the number of results, because a package of any size should fit.`,
    );
  }
}

/** The thread's own listeners to listeners stay: without them it hears nothing any more. */
function removeListeners(thread: Worker): void {
  for (const event of ['message', 'error', 'exit']) thread.removeAllListeners(event);
}

function takeThread(heapMbMax: number): Worker {
  const kept = idle.pop();
  if (kept === undefined)
    return new Worker(locateEntry(new URL('./package-thread.ts', import.meta.url)), {
      resourceLimits: { maxOldGenerationSizeMb: heapMbMax, maxYoungGenerationSizeMb: YOUNG_MB_MAX },
    });
  clearTimeout(kept.timer);
  removeListeners(kept.thread);
  kept.thread.ref();
  return kept.thread;
}

/** One thread waits for the next package; another that is free at the same time ends, with its memory. */
function keepThread(thread: Worker): void {
  if (idle.length > 0) {
    void thread.terminate();
    return;
  }
  const drop = (): void => {
    const index = idle.findIndex((kept) => kept.thread === thread);
    if (index >= 0) idle.splice(index, 1);
    clearTimeout(timer);
    void thread.terminate();
  };
  const timer = setTimeout(drop, IDLE_MS).unref();
  thread.on('error', drop);
  thread.on('exit', drop);
  thread.unref();
  idle.push({ thread, timer });
}
