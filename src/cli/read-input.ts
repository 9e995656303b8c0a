/** Reads what a command takes from a file, or from standard input. */
import { readFileSync } from 'node:fs';
import { CommandError } from './command-error.ts';
import { readStandardInput } from './terminal.ts';

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
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES') return 'permission denied';
  if (code === 'EISDIR') return 'it is a directory';
  return error instanceof Error ? error.message : String(error);
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
