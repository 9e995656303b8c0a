import type { ReadContext } from '#core/context.ts';
import { getScope } from '#core/principal.ts';
import { labScope } from '#core/scope.ts';
import { findExperiment } from '../experiments/store.ts';
import { selectOrganizationsOfUser } from '../organizations/store.ts';
import { isExperimentAllowed } from '../tokens/attenuation.ts';
import { describeToken } from '../tokens/rules.ts';
import { selectTokenTerms } from '../tokens/spending-store.ts';

/** `GET /whoami`. */
export async function identifyCaller(_input: unknown, context: ReadContext) {
  const { principal, sql } = context;
  const all = await selectOrganizationsOfUser(labScope, sql, principal.userId);
  const memberships = principal.restrictions.isAttenuated
    ? all.filter(({ id }) => id === principal.organizationId)
    : all;
  const terms = await selectTokenTerms(getScope(principal), sql, principal.tokenPath);
  return {
    user_id: principal.userId,
    active_organization_id: principal.organizationId,
    organizations: memberships.map(({ id, name, role }) => ({
      id,
      name,
      role,
      active: id === principal.organizationId,
    })),
    permissions: [...principal.permissions].sort(),
    token_expires_at: principal.tokenExpiresAt,
    token: { ...describeToken(terms), resource_ids: await listAllowedExperiments(context) },
  };
}

/** The names of the last list that every other list also allows; null where no list limits the token. */
async function listAllowedExperiments({ principal, sql }: ReadContext): Promise<string[] | null> {
  const lists = principal.restrictions.experiments;
  const last = lists.at(-1);
  if (last === undefined) return null;
  if (lists.length === 1) return [...last];
  const experiments = await Promise.all(last.map((name) => findExperiment(getScope(principal), sql, name)));
  return last.filter((_name, index) => {
    const experiment = experiments[index];
    return experiment !== undefined && isExperimentAllowed(lists, experiment);
  });
}
