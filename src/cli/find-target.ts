/** Finds the target that a person names. */
import { isUuid } from '#core/ids.ts';
import type { TargetInfo } from '#features/targets/contract.ts';
import type { Static } from '#core/schema.ts';
import type { Api } from './api.ts';
import { CommandError, RefusedError } from './command-error.ts';
import { toPlainText } from './terminal.ts';

export type Target = Pick<
  Static<typeof TargetInfo>,
  'id' | 'name' | 'uniprot_id' | 'gene_names' | 'organism' | 'selfservice'
>;

const CANDIDATES_SHOWN = 8;

/**
 * Searches by id, name, gene name or UniProt accession. An ambiguous name is an error with the candidates, since an
 * order depends on it.
 */
export async function requireTarget(api: Api, nameOrId: string): Promise<Target> {
  if (isUuid(nameOrId)) return getTarget(api, nameOrId);
  const search = `/targets?search=${encodeURIComponent(nameOrId)}`;
  const listed = await api.list<Target>(search);
  const target = pickTarget(nameOrId, listed.items);
  if (target !== undefined) return target;
  // Conjugated forms share gene and accession with the plain protein, so only their names match.
  const all = await api.list<Target>(`${search}&show_conjugated=true`);
  const conjugated = pickTarget(nameOrId, all.items);
  if (conjugated !== undefined) return conjugated;
  throw new CommandError(explainNotFound(nameOrId, all.items));
}

async function getTarget(api: Api, id: string): Promise<Target> {
  try {
    return await api.get<Target>(`/targets/${id}`);
  } catch (error) {
    if (error instanceof RefusedError && error.refusal.code === 'target_not_found')
      throw new CommandError(`There is no target with the id ${id}; "assayer targets" lists the catalog.`);
    throw error;
  }
}

/**
 * The only candidate with exactly this name. A name takes precedence over a gene, and a gene's first name over its
 * synonyms.
 */
export function pickTarget(nameOrId: string, candidates: readonly Target[]): Target | undefined {
  const word = nameOrId.trim().toLowerCase();
  const is = (text: string | null | undefined): boolean => text?.toLowerCase() === word;
  const rules: readonly ((target: Target) => boolean)[] = [
    (target) => is(target.name),
    (target) => is(target.uniprot_id),
    (target) => is(target.gene_names[0]),
    (target) => target.gene_names.some(is),
  ];
  for (const rule of rules) {
    const matches = candidates.filter(rule);
    if (matches.length > 1)
      throw new CommandError(
        `"${toPlainText(nameOrId)}" names ${matches.length} targets; give the name or id of one:\n${formatTargets(matches)}`,
      );
    if (matches.length === 1) return matches[0];
  }
  return undefined;
}

function explainNotFound(nameOrId: string, near: readonly Target[]): string {
  const sentence = `No target is called "${toPlainText(nameOrId)}".`;
  if (near.length === 0) return `${sentence} "assayer targets" lists the catalog.`;
  return `${sentence} The catalog has:\n${formatTargets(near)}`;
}

function formatTargets(targets: readonly Target[]): string {
  const lines = targets.slice(0, CANDIDATES_SHOWN).map(({ id, name, uniprot_id: accession, organism }) => {
    const about = [accession, organism].filter((text) => typeof text === 'string' && text !== '').join(', ');
    return toPlainText(`  ${name}${about === '' ? '' : ` (${about})`}  ${id}`);
  });
  const more = targets.length - lines.length;
  return [...lines, ...(more > 0 ? [`  … and ${more} more`] : [])].join('\n');
}
