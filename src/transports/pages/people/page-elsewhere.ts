/** A page that the current organization lacks and another organization of the reader has. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FailureCode } from '#core/failures.ts';
import { isUuid } from '#core/ids.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import { rolePermissions, type Permission } from '#core/permissions.ts';
import type { Sql } from '#core/sql.ts';
import { findExperiment } from '#features/experiments/store.ts';
import { findInvoice } from '#features/invoices/store.ts';
import { selectOrganizationsOfUser } from '#features/organizations/store.ts';
import { findQuote } from '#features/quotes/store.ts';
import { selectExperimentOfResult } from '#features/results/store.ts';
import { isReading, setPageHeaders } from '../http.ts';
import { renderFormToken, type Visitor } from '../layout.ts';
import { markup } from '../markup.ts';
import type { PagesParts } from '../parts.ts';
import { sendContent } from '../send.ts';
import { findSignedIn, type SignedIn } from '../session.ts';
import { renderNextField, toOwnPath } from './next.ts';

type Scope = ReturnType<typeof createOrganizationScope>;
type HasPage = (scope: Scope, sql: Sql, id: string) => Promise<boolean>;

interface Kind {
  readonly noun: string;
  readonly code: FailureCode;
  readonly permission: Permission;
  readonly has: HasPage;
}

/** What the first part of an address is about. Only what a member may read is found, so a result once it is released. */
const KINDS: Readonly<Record<string, Kind>> = {
  experiments: {
    noun: 'experiment',
    code: 'experiment_not_found',
    permission: 'experiment:read',
    has: async (scope, sql, id) => (await findExperiment(scope, sql, id)) !== undefined,
  },
  quotes: {
    noun: 'quote',
    code: 'quote_not_found',
    permission: 'quote:read',
    has: async (scope, sql, id) => (await findQuote(scope, sql, id))?.is_shown ?? false,
  },
  invoices: {
    noun: 'invoice',
    code: 'invoice_not_found',
    permission: 'invoice:read',
    has: async (scope, sql, id) => (await findInvoice(scope, sql, id)) !== undefined,
  },
  results: {
    noun: 'result',
    code: 'result_not_found',
    permission: 'result:read',
    has: async (scope, sql, id) =>
      isUuid(id) && (await selectExperimentOfResult(scope, sql, id)) !== undefined,
  },
};

/** A person of more organizations switches by hand. */
const ORGANIZATIONS_MAX = 20;

interface Elsewhere {
  readonly noun: string;
  readonly organization: { readonly id: string; readonly name: string };
  readonly visitor: Visitor;
}

/** Finds the other organization of the reader that has the page; undefined for a page that none of them has. */
export async function findElsewhere(
  parts: PagesParts,
  request: FastifyRequest,
  code: FailureCode,
): Promise<Elsewhere | undefined> {
  const [, part = '', id = ''] = /^\/([a-z]+)\/([\w-]+)(?=[/?]|$)/.exec(request.url) ?? [];
  const kind = Object.hasOwn(KINDS, part) ? KINDS[part] : undefined;
  if (kind?.code !== code || !isReading(request)) return undefined;
  const signedIn = await findSignedIn(parts, request);
  const organization = signedIn === null ? undefined : await findOwner(parts, signedIn, kind, id);
  if (signedIn === null || organization === undefined) return undefined;
  return { noun: kind.noun, organization, visitor: signedIn.visitor };
}

async function findOwner(
  { database: { read } }: PagesParts,
  { userId, principal }: SignedIn,
  { permission, has }: Kind,
  id: string,
): Promise<Elsewhere['organization'] | undefined> {
  const all = await selectOrganizationsOfUser(labScope, read, userId);
  const others = all.filter(
    ({ id: other, role }) => other !== principal?.organizationId && rolePermissions[role].has(permission),
  );
  for (const organization of others.slice(0, ORGANIZATIONS_MAX))
    if (await has(createOrganizationScope(organization.id), read, id)) return organization;
  return undefined;
}

export function sendElsewhere(
  parts: PagesParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { noun, organization, visitor }: Elsewhere,
): FastifyReply {
  const title = `This ${noun} is in another organization`;
  const body = markup`<article class="card error" aria-labelledby="elsewhere">
<p class="over">404</p>
<h1 id="elsewhere">${title}</h1>
<p class="lead">It belongs to <bdi>${organization.name}</bdi>, and you are now in <bdi>${visitor.organization}</bdi>.</p>
<form method="post" action="/organizations/enter">${renderFormToken(visitor)}<input type="hidden" name="organization_id" value="${organization.id}">${renderNextField(toOwnPath(request.url))}<button class="primary"><span>Switch to <bdi>${organization.name}</bdi></span></button></form>
<p><a href="/">Stay in <bdi>${visitor.organization}</bdi></a></p>
</article>`;
  setPageHeaders(reply);
  const frame = { site: parts.work.site, visitor };
  return sendContent(reply, frame, { title, body, width: 'narrow', status: 404 });
}
