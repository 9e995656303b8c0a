import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Blobs } from '#core/blobs.ts';

const DIGEST = /^[0-9a-f]{64}$/;

/** Blobs as files below one directory; written aside, flushed, then renamed, so a crash leaves no half blob. */
export function directoryBlobs(root: string): Blobs {
  const pathOf = (sha256: string): string => {
    if (!DIGEST.test(sha256)) throw new Error('not a SHA-256 digest');
    return join(root, sha256.slice(0, 2), sha256);
  };

  return {
    async put(bytes) {
      const sha256 = digestOf(bytes);
      const path = pathOf(sha256);
      if (await exists(path)) return sha256;
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const aside = `${path}.${randomBytes(6).toString('hex')}`;
      const file = await open(aside, 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(aside, path);
      return sha256;
    },

    locate: (sha256) => Promise.resolve(pathOf(sha256)),
  };
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
