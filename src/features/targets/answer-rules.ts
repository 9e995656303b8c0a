/** Makes the target of an approved request. Pure. */
import type { Problem } from '#core/failures.ts';
import { findLineProblems } from './request-rules.ts';
import type { ApproveTargetRequest } from './answer-contract.ts';
import type { TargetRequestRow } from './request-store.ts';
import { UNIPROT_ID } from './entry.ts';
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
  { id, createdAt }: Pick<NewTarget, 'id' | 'createdAt'>,
): NewTarget {
  const readAsked = (field: string): string | undefined => {
    const value = request[field];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const sequence = readAsked('sequence');
  const weightKda = request.molecular_weight;
  const target = {
    name: answer.name ?? name,
    vendorName: answer.vendor_name ?? readAsked('vendor') ?? UNKNOWN_VENDOR,
    catalogNumber: answer.catalog_number ?? productId,
    uniprotId: answer.uniprot_id ?? readAsked('uniprot_id') ?? null,
  };
  return {
    ...target,
    id,
    createdAt,
    ownerOrganizationId: answer.listed_for_everyone === true ? null : organizationId,
    geneNames: [],
    organism: answer.organism ?? null,
    family: null,
    conjugated: false,
    details: {
      ...(answer.description === undefined ? {} : { description: answer.description }),
      ...(answer.organism === undefined ? {} : { organism: answer.organism }),
      ...(answer.purity === undefined ? {} : { purity: answer.purity }),
      ...(sequence === undefined ? {} : { sequence, sequence_length: sequence.replaceAll(':', '').length }),
      ...(typeof weightKda === 'number' ? { molecular_weight: `${weightKda} kDa` } : {}),
    },
    pricing: answer.pricing ?? null,
    controlKdM: answer.control_kd_m ?? null,
    searchText: Object.values(target)
      .filter((text) => text !== null)
      .join(' '),
  };
}
