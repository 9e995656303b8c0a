/** Writes what a command downloaded: to a file that is never replaced by accident, or to standard output. */
import { writeFileSync } from 'node:fs';
import { CommandError } from './command-error.ts';
import { getTerminal, printNote } from './terminal.ts';

/** `-` is standard output. */
export function saveFile(file: string, bytes: Uint8Array, mayReplace: boolean): void {
  if (file === '-') {
    getTerminal().stdout.write(bytes);
    return;
  }
  try {
    writeFileSync(file, bytes, { flag: mayReplace ? 'w' : 'wx' });
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    if (isThere) throw new CommandError(`${file} exists already; --force replaces it.`);
    throw new CommandError(
      `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  printNote(`Saved ${file} (${bytes.length.toLocaleString('en-US')} bytes).`);
}
