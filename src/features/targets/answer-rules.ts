/** Makes the target of an approved request. Pure. */
import type { Problem } from '#core/failures.ts';
import { findLineProblems } from './request-rules.ts';
import type { ApproveTargetRequest } from './answer-contract.ts';
import type { TargetRequestRow } from './request-store.ts';
import { EMPTY_ENTRY } from './entry.ts';
import { UNIPROT_ID } from './record.ts';
import type { NewTarget } from './store.ts';

const UNKNOWN_VENDOR = 'Custom';

export function findAnswerProblems({ target_id: targetId, target }: ApproveTargetRequest): Problem[] {
  if ((targetId === undefined) === (target === undefined))
    return [{ path: 'target', message: 'either target or target_id must be given, and not both' }];
  const problems = Object.entries(target ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' ? findLineProblems(`target.${name}`, value) : [],
  );
  const { uniprot_id: uniprotId } = target ?? {};
  if (uniprotId !== undefined && !UNIPROT_ID.test(uniprotId))
    problems.push({ path: 'target.uniprot_id', message: 'must be a UniProt accession such as P00533' });
  return problems;
}

/**
 * The lab's entries take precedence over the request. A new target belongs to the requesting organization unless it
 * is for everyone.
 */
export function buildCustomTarget(
  { organization_id: organizationId, name, product_id: productId, request }: TargetRequestRow,
  answer: NonNullable<ApproveTargetRequest['target']>,
  { id, created_at }: Pick<NewTarget, 'id' | 'created_at'>,
): NewTarget {
  const readAsked = (field: string): string | undefined => {
    const value = request[field];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const weightKda = request.molecular_weight;
  const entry = {
    ...EMPTY_ENTRY,
    name: answer.name ?? name,
    vendor_name: answer.vendor_name ?? readAsked('vendor') ?? UNKNOWN_VENDOR,
    catalog_number: answer.catalog_number ?? productId,
    uniprot_id: answer.uniprot_id ?? readAsked('uniprot_id') ?? null,
    organism: answer.organism ?? null,
    description: answer.description ?? null,
    purity: answer.purity ?? null,
    sequence: readAsked('sequence') ?? null,
    molecular_weight: typeof weightKda === 'number' ? `${weightKda} kDa` : null,
    control_kd_m: answer.control_kd_m ?? null,
    pricing: answer.pricing ?? null,
  };
  return {
    entry,
    id,
    created_at,
    owner_organization_id: answer.listed_for_everyone === true ? null : organizationId,
  };
}
