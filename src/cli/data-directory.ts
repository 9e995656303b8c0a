/** Reads settings, and checks that the data directory can be used before anything is started in it. */
import { findErrorCode, getErrorMessage } from '#core/records.ts';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isOutOfSpace } from '#core/out-of-space.ts';
import { SettingsError } from '#settings/setting.ts';
import { readSettings, type Settings } from '#settings/settings.ts';
import { CommandError } from './command-error.ts';
import { getTerminal } from './terminal.ts';

/** Makes the directory if it is missing, and writes an empty file to test that it is writable. */
export function requireDataDirectory(dataDir: string): void {
  const directory = resolve(dataDir);
  const probe = join(directory, `.writable-${process.pid}`);
  try {
    makeDirectories(directory);
    writeFileSync(probe, '', { flag: 'wx', mode: 0o600 });
    rmSync(probe, { force: true });
  } catch (error) {
    throw new CommandError(`DATA_DIR ${directory} cannot be used: ${explainError(directory, error)}.`);
  }
}

/** The error for a file of the data directory that could not be written. */
export function explainFile(path: string, error: unknown): CommandError {
  return new CommandError(`DATA_DIR: ${path} cannot be written: ${explainError(path, error)}.`);
}

/**
 * Makes one directory at a time: the recursive call never returns on file systems without directories to make, such
 * as /proc.
 */
function makeDirectories(directory: string): void {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return;
  if (directory !== dirname(directory)) makeDirectories(dirname(directory));
  try {
    mkdirSync(directory);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

function explainError(directory: string, error: unknown): string {
  if (isOutOfSpace(error))
    return 'its disk, or the quota of this user, is full; make room there or name another directory';
  switch (findErrorCode(error)) {
    case 'EEXIST':
    case 'ENOTDIR': {
      const file = findBlockingFile(directory);
      if (file === directory) return 'it is a file; name a directory';
      return `${file} is a file; name a directory that is not below one`;
    }
    case 'EROFS':
      return 'its file system is read-only; mount it for writing or name another directory';
    case 'EISDIR':
      return 'it is a directory; remove it';
    case 'ENOENT':
      return 'no directory can be created there; name another one';
    case 'EACCES':
    case 'EPERM':
      return 'this user may not write there; give the directory to the user that runs the service, or name another';
    case 'ENAMETOOLONG':
      return 'the path is too long; name a shorter one';
    default:
      return `${getErrorMessage(error)}; name another directory`;
  }
}

/** Finds the nearest part of the path that exists and is not a directory. */
function findBlockingFile(directory: string): string {
  for (let path = directory; path !== dirname(path); path = dirname(path)) {
    try {
      if (!statSync(path).isDirectory()) return path;
    } catch {
      // This part does not exist or is below a file: check the part above it next.
    }
  }
  return directory;
}

/** Reads the environment's settings, overridden by the flags of the command. */
export function readSettingsWith(overrides: Readonly<Record<string, string | undefined>>): Settings {
  const defined = Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined));
  try {
    return readSettings({ ...getTerminal().environment, ...defined });
  } catch (error) {
    if (error instanceof SettingsError) throw new CommandError(error.message, 2);
    throw error;
  }
}
