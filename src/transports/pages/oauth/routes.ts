/**
 * OAuth routes in front of the library: registration, authorization, consent, discovery.
 * This folder: the page on which a person consents to a program. Not here: the rules of it (`features/people/programs`).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '#core/failures.ts';
import { authorizeGrant } from '#core/grants.ts';
import { rolePermissions } from '#core/permissions.ts';
import { createOrganizationScope, labScope } from '#core/scope.ts';
import { selectNewestExperiments } from '#features/experiments/store.ts';
import {
  buildProgramLimits,
  canServeOAuth,
  completeRequest,
  MCP_PATH,
  WRITE_SCOPE,
  type ProgramChoice,
} from '#features/people/programs/rules.ts';
import { selectOrganizationsOfUser } from '#features/organizations/store.ts';
import type { SignInAnswer } from '#features/people/port.ts';
import { requireStorablePairs } from '../../storable-text.ts';
import { getField, redirectAfterForm, setPageHeaders, allowFormTarget, type Form } from '#ui/http.ts';
import type { PagesParts } from '#ui/parts.ts';
import { sendContent } from '#ui/send.ts';
import {
  admitForm,
  findSignedIn,
  getOrigin,
  requireOwnForm,
  requireSession,
  type Session,
} from '#ui/session.ts';
import {
  listRights,
  readChoice,
  type ConsentProblems,
  ORGANIZATION_FIELD,
  renderConsentPage,
  type ConsentOrganization,
} from './consent.ts';
import {
  nameProgram,
  readProgramRequest,
  renderProblem,
  type ProgramProblem,
  type ProgramRequest,
} from './program-request.ts';
import { addDiscovery, addRegistration } from './registration.ts';
import type { Routes } from '#ui/routes.ts';

const AUTHORIZE = '/auth/oauth2/authorize';
const CONSENT = '/oauth/consent';
const QUERY_LENGTH_MAX = 8_192;
const EXPERIMENTS_SHOWN = 20;

export function addOAuth(routes: Routes, parts: PagesParts): void {
  addDiscovery(routes, parts);
  addRegistration(routes, parts);
  addAuthorization(routes, parts);
  addConsent(routes, parts);
}

/** A person who is not signed in signs in first and returns here. */
function addAuthorization(routes: Routes, parts: PagesParts): void {
  routes.get(AUTHORIZE, { exposeHeadRoute: false }, async (request, reply) => {
    const { baseUrl } = parts.work.site;
    if (!canServeOAuth(baseUrl)) return reply.callNotFound();
    const url = new URL(request.url, baseUrl);
    if (url.search.length > QUERY_LENGTH_MAX)
      throw fail('invalid_request', { reason: 'the address is too long.' });
    const programRequest = await readProgramRequest(parts, url.searchParams);
    if ('problem' in programRequest) return showProblem(parts, request, reply, programRequest.problem);
    await requireSession(parts, request);
    const query = completeRequest(url.searchParams, baseUrl + MCP_PATH);
    const answer = await parts.people.ask(getOrigin(request), `/oauth2/authorize?${query.toString()}`);
    return follow(reply, answer);
  });
}

async function showProblem(
  parts: PagesParts,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: ProgramProblem,
): Promise<FastifyReply> {
  const visitor = (await findSignedIn(parts, request))?.visitor ?? null;
  setPageHeaders(reply);
  const frame = { site: parts.work.site, visitor };
  return sendContent(reply, frame, renderProblem(problem, request.id));
}

/** The library gives the next address in a header or in its body. */
function follow(
  reply: FastifyReply,
  { status, location, body, cookies, retryAfterSeconds }: SignInAnswer,
): FastifyReply {
  const next = location ?? (typeof body.url === 'string' ? body.url : undefined);
  if (next !== undefined && status < 400) {
    if (cookies.length > 0) reply.header('set-cookie', [...cookies]);
    return redirectAfterForm(reply, next);
  }
  if (status === 429) throw fail('rate_limited', { retry_after: retryAfterSeconds ?? 60 });
  const { error_description: description, message } = body;
  const reason = [description, message].find((text) => typeof text === 'string') ?? 'it was refused';
  throw fail('invalid_request', { reason: `the request of the program is not valid: ${reason}.` });
}

function addConsent(routes: Routes, parts: PagesParts): void {
  routes.get(CONSENT, async (request, reply) => {
    const session = await requireSession(parts, request);
    const query = new URL(request.url, parts.work.site.baseUrl).searchParams;
    const organizationId = query.get(ORGANIZATION_FIELD) ?? session.principal.organizationId;
    query.delete(ORGANIZATION_FIELD);
    const programRequest = await readProgramRequest(parts, query);
    if ('problem' in programRequest) return showProblem(parts, request, reply, programRequest.problem);
    return showConsent(parts, reply, { session, query, asked: programRequest.asked, organizationId });
  });

  const onRequest = (request: FastifyRequest): Promise<void> => admitForm(parts, request);
  routes.post(CONSENT, { onRequest }, async (request, reply) => {
    const { form, session } = await requireOwnForm(parts, request);
    const text = getField(form, 'oauth_query');
    requireStorablePairs(text, 'oauth_query');
    const query = new URLSearchParams(text);
    const programRequest = await readProgramRequest(parts, query);
    if ('problem' in programRequest) return showProblem(parts, request, reply, programRequest.problem);
    const { asked } = programRequest;
    allowFormTarget(reply, getFormTarget(asked));
    const intent = getField(form, 'intent');
    if (intent === 'deny') {
      const denial = { accept: false, oauth_query: text };
      return follow(reply, await parts.people.ask(getOrigin(request), '/oauth2/consent', denial));
    }
    if (intent !== 'allow') throw fail('invalid_request', { reason: 'choose to allow or to deny.' });
    const organization = await findOrganization(parts, session, getField(form, 'organization_id'));
    const rights = listRights(query, organization.role);
    const bounds = { organizationId: organization.id, rights, now: parts.work.clock.now() };
    const read = await readChoice(parts.database.read, form, bounds);
    const page = { session, query, asked, organizationId: organization.id };
    if ('problems' in read) return showConsent(parts, reply, { ...page, form, problems: read.problems });
    return follow(reply, await allow(parts, request, { ...page, organization, choice: read.choice }));
  });
}

interface ConsentPage {
  readonly session: Session;
  readonly query: URLSearchParams;
  readonly asked: ProgramRequest;
  readonly organizationId: string;
  readonly form?: Form;
  readonly problems?: ConsentProblems;
}

async function showConsent(parts: PagesParts, reply: FastifyReply, page: ConsentPage): Promise<FastifyReply> {
  const { session, query, asked, organizationId } = page;
  const { visitor } = session;
  const { read } = parts.database;
  const all = await selectOrganizationsOfUser(labScope, read, session.userId);
  const organization = requireMembership(all, organizationId);
  const scope = createOrganizationScope(organization.id);
  const view = renderConsentPage({
    ...page,
    visitor,
    organization,
    others: all.filter(({ id }) => id !== organization.id),
    rights: listRights(query, organization.role),
    experiments: await selectNewestExperiments(scope, read, EXPERIMENTS_SHOWN),
  });
  setPageHeaders(reply);
  allowFormTarget(reply, getFormTarget(asked));
  return sendContent(reply, { site: parts.work.site, visitor }, view);
}

/** What the policy of the page names, so that the browser follows the redirect. It has no form for IPv6 hosts. */
function getFormTarget({ redirect, kind }: ProgramRequest): string {
  return kind === 'app' || redirect.hostname.startsWith('[') ? redirect.protocol : redirect.origin;
}

async function findOrganization(
  parts: PagesParts,
  session: Session,
  organizationId: string,
): Promise<ConsentOrganization> {
  const all = await selectOrganizationsOfUser(labScope, parts.database.read, session.userId);
  return requireMembership(all, organizationId);
}

function requireMembership(all: readonly ConsentOrganization[], organizationId: string): ConsentOrganization {
  const organization = all.find(({ id }) => id === organizationId.toLowerCase());
  if (organization === undefined) throw fail('organization_not_found');
  return organization;
}

async function allow(
  parts: PagesParts,
  request: FastifyRequest,
  page: ConsentPage & { readonly organization: ConsentOrganization; readonly choice: ProgramChoice },
): Promise<SignInAnswer> {
  const { session, query, asked, organization, choice } = page;
  const { principal, sessionId } = session;
  const scopes = (query.get('scope') ?? '').split(' ');
  const scope = (choice.right === 'read' ? scopes.filter((each) => each !== WRITE_SCOPE) : scopes).join(' ');
  const grant = authorizeGrant(principal, 'consent', {
    role: organization.role,
    organizationId: organization.id,
    held: rolePermissions[organization.role],
  });
  const program = {
    id: parts.work.ids.createUuid(),
    organizationId: organization.id,
    sessionId,
    name: nameProgram(asked.client),
    limits: buildProgramLimits(organization.id, choice),
    endsAt: getEarlier(session.endsAt, choice.endsAt),
  };
  const decision = { accept: true, oauth_query: query.toString(), scope };
  return parts.people.ask(getOrigin(request), '/oauth2/consent', decision, grant, { program });
}

function getEarlier(first: Date, second: Date | null): Date {
  return second === null || first < second ? first : second;
}
