/**
 * The files of the seeded catalog, unchecked: the thread that simulates instruments does not load the schema for them.
 * This folder: the catalog that a new installation starts with. Not here: how it is stored (`features/targets`).
 */
import { readFileSync } from 'node:fs';
import { ROOT } from '#core/package-root.ts';

const GROUPS = ['tumor', 'checkpoint', 'interleukin', 'growth-factor', 'virus', 'model'] as const;

const FOLDER = new URL('src/sandbox/seed/catalog/', ROOT);

export interface CatalogFile {
  readonly file: string;
  readonly content: unknown;
}

export function readCatalog(): CatalogFile[] {
  return GROUPS.map((group) => {
    const file = `${group}.json`;
    return { file, content: JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) };
  });
}

/** Returns the UniProt accession of each target by its id or its name. */
export function readAccessions(key: 'id' | 'name' = 'id'): Map<string, string> {
  const accessions = new Map<string, string>();
  for (const { content } of readCatalog()) {
    for (const target of toList(content).map(toMembers)) {
      const { [key]: word, uniprot_id: accession } = target;
      if (typeof word === 'string' && typeof accession === 'string') accessions.set(word, accession);
    }
  }
  return accessions;
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function toMembers(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
