/** The file that tells one directory of raw files from another: it holds a random id and goes with every copy. */
import { findErrorCode } from '#core/records.ts';
import { randomBytes } from 'node:crypto';
import { access, link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobDirectory } from '#core/blobs.ts';
import { DIRECTORY_MODE, flush, getBlobPath } from './directory.ts';

const MARK_NAME = 'directory-id';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function openBlobDirectory(root: string): BlobDirectory {
  const path = join(root, MARK_NAME);

  /** A mark without an id, such as one that a power cut left empty, counts as missing. */
  async function readId(): Promise<string | null> {
    const text = await readFile(path, 'utf8').catch((error: unknown) => {
      if (isMissing(error)) return '';
      throw error;
    });
    const id = text.trim();
    return UUID.test(id) ? id : null;
  }

  return {
    root,
    readId,
    async ensureId(id) {
      await mkdir(root, { recursive: true, mode: DIRECTORY_MODE });
      const aside = join(root, `.${MARK_NAME}-${randomBytes(6).toString('hex')}`);
      try {
        await writeDurably(aside, `${id}\n`);
        await place(aside, path, readId);
        await flush(root);
      } finally {
        await rm(aside, { force: true });
      }
      const placed = await readId();
      if (placed === null) throw new Error(`${path} could not be written`);
      return placed;
    },
    has: (sha256) =>
      access(getBlobPath(root, sha256)).then(
        () => true,
        (error: unknown) => {
          if (isMissing(error)) return false;
          throw error;
        },
      ),
  };
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Unlike a rename a link never replaces the mark of another process that starts at the same time. */
async function place(aside: string, path: string, readId: () => Promise<string | null>): Promise<void> {
  const isLinked = await link(aside, path).then(
    () => true,
    () => false,
  );
  // There is a mark already, or a mark without an id, or the file system has no links.
  if (!isLinked && (await readId()) === null) await rename(aside, path);
}

function isMissing(error: unknown): boolean {
  const code = findErrorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
