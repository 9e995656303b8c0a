/** What decides the bytes of a data package, as one digest: packages of one digest are the same file. */
import { createHash } from 'node:crypto';
import { createOrganizationScope, labScope, type Scope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import type { Audience, PackageSubject } from './store.ts';
import type { ExperimentRow } from '../../experiments/store.ts';
import { computeResultsDigest } from '../package-store.ts';
import { computePlansDigest } from '../../runs/store.ts';
import { findTargetJson } from '../../targets/store.ts';
import type { PackageSite } from './build-data-package.ts';

/** Grows with every change of what the service writes into a package, so that kept ones are made anew. */
const FORM = 2;

export interface PackageVersion extends PackageSubject {
  readonly results_total: number;
  /** Null without results. */
  readonly released_at: Date | null;
}

/** Whose view a reader has: a client's, or that of the lab. */
function getAudience({ kind }: Scope): Audience {
  return kind === 'organization' ? 'client' : 'lab';
}

/** The scope in which a package of this audience is made. */
export function getAudienceScope(audience: Audience, organizationId: string): Scope {
  return audience === 'lab' ? labScope : createOrganizationScope(organizationId);
}

/** Reads only the versions of what a package contains, which takes milliseconds for thousands of results. */
export async function computePackageVersion(
  sql: Sql,
  site: PackageSite,
  scope: Scope,
  experiment: ExperimentRow,
): Promise<PackageVersion> {
  const { id, target_id: targetId } = experiment;
  const { code, name, experiment_type, method, created_at, results_status, n_replicates } = experiment;
  const results = await computeResultsDigest(scope, sql, id);
  const target = targetId === null ? undefined : await findTargetJson(scope, sql, targetId, site.baseUrl);
  const plans = await computePlansDigest(scope, sql, id);
  const parts = [
    FORM,
    [site.baseUrl, site.environment, site.letterhead],
    [id, code, name, experiment_type, method, created_at, results_status, n_replicates],
    target ?? null,
    plans,
    results.digest,
  ];
  return {
    experiment_id: id,
    audience: getAudience(scope),
    version_key: createHash('sha256').update(JSON.stringify(parts)).digest('hex'),
    results_total: results.count,
    released_at: results.releasedAt,
  };
}
