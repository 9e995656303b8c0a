/** Whether the data directory can be used, known before anything is started in it. */
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { messageOf, systemCode } from '#adapters/postgres/embedded/errors.ts';
import { CommandError } from './command-error.ts';

/** Makes the directory where it is missing, and proves by a file of no content that something can be kept in it. */
export function requireDataDirectory(dataDir: string): void {
  const directory = resolve(dataDir);
  const probe = join(directory, `.writable-${process.pid}`);
  try {
    makeDirectories(directory);
    writeFileSync(probe, '', { flag: 'wx', mode: 0o600 });
    rmSync(probe, { force: true });
  } catch (error) {
    throw new CommandError(`DATA_DIR ${directory} cannot be used: ${reasonOf(directory, error)}.`);
  }
}

/** The sentence for a file of the data directory that could not be written. */
export function explainFile(path: string, error: unknown): CommandError {
  return new CommandError(`DATA_DIR: ${path} cannot be written: ${reasonOf(path, error)}.`);
}

/** Step by step: on a file system that makes no directories, such as /proc, the recursive call never returns. */
function makeDirectories(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (directory !== dirname(directory)) makeDirectories(dirname(directory));
  try {
    mkdirSync(directory);
  } catch (error) {
    // Another process may have made it in between.
    if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

function reasonOf(directory: string, error: unknown): string {
  switch (systemCode(error)) {
    case 'EEXIST':
    case 'ENOTDIR': {
      const file = fileAbove(directory);
      if (file === directory) return 'it is a file; name a directory';
      return `${file} is a file; name a directory that is not below one`;
    }
    case 'EROFS':
      return 'its file system is read-only; mount it for writing or name another directory';
    case 'EISDIR':
      return 'it is a directory; remove it';
    case 'ENOENT':
      return 'no directory can be made there; name another';
    case 'EACCES':
    case 'EPERM':
      return 'this user may not write there; give the directory to the user that runs the service, or name another';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full; make room or name another directory';
    case 'ENAMETOOLONG':
      return 'the path is too long; name a shorter one';
    default:
      return `${messageOf(error)}; name another directory`;
  }
}

/** The nearest part of the path that is there and is no directory. */
function fileAbove(directory: string): string {
  for (let path = directory; path !== dirname(path); path = dirname(path)) {
    try {
      if (!statSync(path).isDirectory()) return path;
    } catch {
      // Not there, or below a file: the part above it is looked at next.
    }
  }
  return directory;
}
