/** The thread that makes data packages, one after another. */
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { createZipStream } from '#adapters/archive/zip.ts';
import { createDirectoryBlobs } from '#adapters/blobs/directory.ts';
import { createDatabase } from '#adapters/postgres/pool.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import { lowerThreadPriority } from '#core/thread-priority.ts';
import type { MadePackage } from '#features/results/package/store.ts';
import { buildDataPackage } from '#features/results/package/build-data-package.ts';
import type { ThreadAnswer, ThreadRequest } from './package-threads.ts';

/** Time after which half an archive belongs to a dead service: longer than any takes. */
const LEFT_BEHIND_MS = 2 * 60 * 60_000;

lowerThreadPriority();

const send = (answer: ThreadAnswer): void => parentPort?.postMessage(answer);

parentPort?.on('message', (request: ThreadRequest) => {
  makePackage(request).then(
    (made) => send({ made }),
    (error: unknown) =>
      send({ problem: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});

async function makePackage({
  connection,
  blobDirectory,
  site,
  organizationId,
  experimentId,
  packageId,
}: ThreadRequest): Promise<MadePackage> {
  const database = createDatabase({ connection, max: 1, applicationName: 'assayer packages' });
  try {
    const rawFiles = createDirectoryBlobs(join(blobDirectory, '..'));
    const packages = createDirectoryBlobs(blobDirectory, { leftBehindMs: LEFT_BEHIND_MS });
    const scope = organizationId === null ? labScope : createOrganizationScope(organizationId);
    const { entries, releasedAt, onWritten } = await buildDataPackage(
      {
        site,
        sql: database.read,
        blobs: rawFiles,
        onProgress: (resultsDone) => send({ resultsDone }),
      },
      scope,
      experimentId,
    );
    const archive = createZipStream(entries, { modifiedAt: releasedAt, onWritten });
    const staged = await packages.stage(archive, packageId);
    await staged.keep();
    return { sha256: staged.sha256, sizeBytes: staged.sizeBytes };
  } finally {
    await database.close();
  }
}
