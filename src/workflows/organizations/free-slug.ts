import type { Transaction } from '#core/sql.ts';
import { takenSlugs } from '#domain/organizations/store.ts';
import { slugCandidates } from '#domain/partners/rules.ts';

/** The shortest free slug made from the name. The caller holds the lock on organizations. */
export async function freeSlug(tx: Transaction, name: string): Promise<string> {
  const candidates = slugCandidates(name);
  const taken = new Set(await takenSlugs(tx, candidates));
  const slug = candidates.find((candidate) => !taken.has(candidate));
  if (slug === undefined) throw new Error('no slug is free');
  return slug;
}
