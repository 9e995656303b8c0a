/** A partner adds a client: a user, a new organization if needed, and a first token. */
import type { WriteContext } from '#core/context.ts';
import { fail } from '#core/failures.ts';
import { authorizeGrant } from '#core/grants.ts';
import type { Input } from '#core/operation.ts';
import { getScope } from '#core/principal.ts';
import { createOrganizationScope } from '#core/scope.ts';
import {
  findUserByEmail,
  insertOrganization,
  insertUser,
  lockOrganizations,
  setMembership,
} from '../../organizations/store.ts';
import type { mintToken as operation, MintTokenRequest } from './contract.ts';
import { computeLifetimeMs, findMintProblems } from './rules.ts';
import { insertPartnerOrganization, isOwnClient } from './store.ts';
import { issueRootToken } from '../issue-root-token.ts';
import { chooseFreeSlug } from '../../organizations/free-slug.ts';

/** `POST /partners/mint-token`: adds a user, in a new organization or in one of the partner, and its first token. */
export async function mintToken(input: Input<typeof operation>, context: WriteContext) {
  const { tx, clock, ids, keyring } = context;
  const { org, user, role = 'member' } = input.body;
  const at = clock.now();
  refuseProblems(input.body, at);
  // Requests run one at a time, so that no user and no slug is made twice.
  await lockOrganizations(tx);
  const organizationId =
    org.type === 'new_org'
      ? await createPartnerOrganization(context, org)
      : await requireOwnClient(context, org);
  if ((await findUserByEmail(tx, user.email)) !== undefined) throw fail('user_already_exists');
  const grant = authorizeGrant(context.principal, 'client', { role, organizationId });
  const userId = ids.createUuid();
  const { email, name = null } = user;
  await insertUser(tx, { id: userId, email, name, created_at: at });
  await setMembership(createOrganizationScope(organizationId), tx, grant, { user_id: userId, at });
  const issued = await issueRootToken(context, tx, keyring, grant, {
    userId,
    name: `From ${context.principal.organizationSlug}`,
    at,
    lifetimeMs: computeLifetimeMs(input.body.expires_at, at),
    partner: { organizationId: context.principal.organizationId },
  });
  return {
    token: issued.value,
    token_id: issued.id,
    user_id: userId,
    organization_id: organizationId,
    expires_at: issued.expiresAt.toISOString(),
  };
}

function refuseProblems(request: MintTokenRequest, at: Date): void {
  const problems = findMintProblems(request, at);
  const [head] = problems;
  if (head !== undefined)
    throw fail('invalid_request', { reason: `${head.path}: ${head.message}.` }, { problems });
}

type Org<Kind extends string> = Extract<MintTokenRequest['org'], { type: Kind }>;

async function createPartnerOrganization(context: WriteContext, org: Org<'new_org'>): Promise<string> {
  const { tx, ids, clock, principal } = context;
  const id = ids.createUuid();
  const at = clock.now();
  const slug = await chooseFreeSlug(tx, org.name);
  await insertOrganization(tx, { id, name: org.name.trim(), slug, createdAt: at });
  const domain = org.domain?.toLowerCase() ?? null;
  await insertPartnerOrganization(getScope(principal), tx, { organization_id: id, domain, at });
  return id;
}

async function requireOwnClient(
  { tx, principal }: WriteContext,
  { organization_id: id }: Org<'existing_org'>,
): Promise<string> {
  if (!(await isOwnClient(getScope(principal), tx, id))) throw fail('organization_not_found');
  return id.toLowerCase();
}
