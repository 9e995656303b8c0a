import { join, resolve } from 'node:path';
import { openBlobDirectory } from '#adapters/blobs/directory-mark.ts';
import type { BlobDirectory } from '#core/blobs.ts';
import type { Settings } from '#settings/settings.ts';

export function formatRawFilePath({ dataDir }: Pick<Settings, 'dataDir'>): string {
  return join(resolve(dataDir), 'blobs');
}

/** The directory of raw files that the settings name. */
export function openRawFileDirectory(settings: Pick<Settings, 'dataDir'>): BlobDirectory {
  return openBlobDirectory(formatRawFilePath(settings));
}
