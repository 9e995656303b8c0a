/** Files that commands read and write. A download never replaces a file by accident. */
import { findErrorCode, getErrorMessage } from '#core/records.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { CommandError } from './command-error.ts';
import { readStandardInput, getTerminal, printNote } from './terminal.ts';

/** `-` is standard input. */
export async function readTextFile(file: string): Promise<string> {
  try {
    return file === '-' ? await readStandardInput() : readFileSync(file, 'utf8');
  } catch (error) {
    const name = file === '-' ? 'Standard input' : file;
    throw new CommandError(`${name} cannot be read: ${explainReadError(error)}.`, 2);
  }
}

export function explainReadError(error: unknown): string {
  const code = findErrorCode(error);
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'permission denied';
  if (code === 'EISDIR') return 'it is a directory';
  return getErrorMessage(error);
}

/** `expected` is what to write, with an example, for the sentence about a file that is not JSON. */
export async function readJsonFile(file: string, expected: string): Promise<unknown> {
  const text = await readTextFile(file);
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(`${file === '-' ? 'Standard input' : file} is not JSON; write ${expected}.`, 2);
  }
}

/** `-` is standard output. */
export function saveFile(file: string, bytes: Uint8Array, mayReplace: boolean): void {
  if (file === '-') {
    getTerminal().stdout.write(bytes);
    return;
  }
  try {
    writeFileSync(file, bytes, { flag: mayReplace ? 'w' : 'wx' });
  } catch (error) {
    if (findErrorCode(error) === 'EEXIST')
      throw new CommandError(`${file} exists already; --force replaces it.`);
    throw new CommandError(`${file} cannot be written: ${getErrorMessage(error)}`);
  }
  printNote(`Saved ${file} (${bytes.length.toLocaleString('en-US')} bytes).`);
}
