import type { Transaction } from '#core/sql.ts';
import { selectTakenSlugs } from './store.ts';
import { listSlugCandidates } from '../tokens/partners/rules.ts';

/** Finds the shortest free slug made from the name. The caller holds the lock on organizations. */
export async function chooseFreeSlug(tx: Transaction, name: string): Promise<string> {
  const candidates = listSlugCandidates(name);
  const takenSlugs = new Set(await selectTakenSlugs(tx, candidates));
  const slug = candidates.find((candidate) => !takenSlugs.has(candidate));
  if (slug === undefined) throw new Error('no slug is free');
  return slug;
}
