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

/** Returns the UniProt accession of each target by its id. */
export function readAccessions(): Map<string, string> {
  const found = new Map<string, string>();
  for (const { content } of readCatalog()) {
    for (const { id, uniprot_id: accession } of toList(content).map(toMembers)) {
      if (typeof id === 'string' && typeof accession === 'string') found.set(id, accession);
    }
  }
  return found;
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function toMembers(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
