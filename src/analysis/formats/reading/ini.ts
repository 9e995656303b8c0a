/**
 * Reads INI files as instruments write them: `[section]`, `key=value`, no comments. Keeps line numbers for error
 * messages.
 */
import type { FormatError } from '../../failures/errors.ts';
import { formatFound, parsePlainNumber } from './grid.ts';
import type { TextFile } from './text.ts';

interface Entry {
  value: string;
  line: number;
}

const ENTRIES_MAX = 100_000;

export class Ini {
  private readonly file: TextFile;
  private readonly sections: Map<string, Map<string, Entry>>;

  constructor(file: TextFile, sections: Map<string, Map<string, Entry>>) {
    this.file = file;
    this.sections = sections;
  }

  getText(section: string, key: string): string | null {
    return this.sections.get(section)?.get(key)?.value ?? null;
  }

  /** Returns the finite number at a key; otherwise throws an error that names its position. */
  readNumber(section: string, key: string): number {
    const value = parsePlainNumber(this.getText(section, key) ?? '');
    if (Number.isNaN(value)) throw this.createError(section, key, 'a number');
    return value;
  }

  createError(section: string, key: string, expected: string): FormatError {
    const entry = this.sections.get(section)?.get(key);
    const found = entry === undefined ? 'nothing' : formatFound(entry.value);
    return this.file.createError(
      { line: entry?.line ?? null },
      `[${section}] ${key} to be ${expected}`,
      found,
    );
  }
}

export function parseIni(file: TextFile): Ini {
  const sections = new Map<string, Map<string, Entry>>();
  let current: Map<string, Entry> | null = null;
  for (const line of file.readLines()) {
    const section = /^\[([^\]]+)\]\s*$/.exec(line.text);
    const equals = line.text.indexOf('=');
    if (section !== null) {
      current = sections.get(section[1]) ?? new Map<string, Entry>();
      sections.set(section[1], current);
    } else if (equals > 0 && current !== null) {
      if (line.number > ENTRIES_MAX)
        throw file.createError({ line: line.number }, `at most ${ENTRIES_MAX} lines`, 'more');
      current.set(line.text.slice(0, equals).trim(), {
        value: line.text.slice(equals + 1).trim(),
        line: line.number,
      });
    } else if (line.text.trim() !== '') {
      throw file.createError(
        { line: line.number, column: 1 },
        '[section] or key=value',
        formatFound(line.text),
      );
    }
  }
  return new Ini(file, sections);
}
