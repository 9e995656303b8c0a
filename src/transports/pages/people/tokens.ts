/** Tokens in the portal: creating, restricting, listing with lineage, revoking. */
import type { FastifyInstance } from 'fastify';
import { Failure } from '#core/failures.ts';
import { attenuateToken, createToken, listTokens, revokeTokenById } from '#domain/tokens/contract.ts';
import { portalForm, portalPage, type FormContext, type PortalContext } from '../context.ts';
import { field, queryParameter } from '../http.ts';
import type { PageContent } from '../layout.ts';
import type { PagesParts } from '../parts.ts';
import { createdTokenPage, tokensView, type TokenRemark } from './tokens-view.ts';

const PAGE_LENGTH = 50;

export function addTokenPages(app: FastifyInstance, parts: PagesParts): void {
  portalPage(app, parts, '/organization/tokens', (context) => tokensPage(context));
  portalForm(app, parts, '/organization/tokens/create', create);
  portalForm(app, parts, '/organization/tokens/attenuate', attenuate);
  portalForm(app, parts, '/organization/tokens/revoke', revoke);
}

async function tokensPage(context: PortalContext, remark: TokenRemark = {}): Promise<PageContent> {
  const { api, request, session } = context;
  const cursor = queryParameter(request, 'cursor');
  const { organizationId } = session.principal;
  const listed = await api.call(listTokens, {
    query: {
      limit: PAGE_LENGTH,
      sort: 'desc(created_at)',
      filter: `eq(organization_id,${organizationId})`,
      ...(cursor === '' ? {} : { cursor }),
    },
  });
  const done = queryParameter(request, 'done') === 'revoked' ? 'The token is revoked.' : undefined;
  return tokensView(session, { listed, done, now: context.parts.work.clock.now(), ...remark });
}

async function refusal(
  context: FormContext,
  error: unknown,
  remark: (message: string) => TokenRemark,
): Promise<PageContent> {
  if (!(error instanceof Failure) || error.status >= 500) throw error;
  return { ...(await tokensPage(context, remark(error.message))), status: error.status };
}

async function create(context: FormContext): Promise<PageContent> {
  const { api, form, session } = context;
  const body = {
    name: field(form, 'name'),
    role: field(form, 'role'),
    expires_in: field(form, 'expires_in'),
  };
  try {
    const made = await api.call(createToken, { body });
    return createdTokenPage(session, { name: made.name, value: made.token, expiresAt: made.expires_at });
  } catch (error) {
    return refusal(context, error, (message) => ({ createProblem: message }));
  }
}

const LIST_FIELDS = ['allowed_actions', 'allowed_resources', 'resource_ids'] as const;

/** An empty field sets no limit. */
async function attenuate(context: FormContext): Promise<PageContent> {
  const { api, form, session } = context;
  const token = field(form, 'token');
  const lists = LIST_FIELDS.map((name) => [name, wordsOf(field(form, name))] as const);
  const expires = field(form, 'expires_at');
  const spend = field(form, 'max_spend');
  const attenuation = {
    ...(form.read_only === 'yes' ? { read_only: true } : {}),
    ...(form.non_destructive === 'yes' ? { non_destructive: true } : {}),
    ...Object.fromEntries(lists.filter(([, words]) => words.length > 0)),
    ...(expires === '' ? {} : { expires_at: `${expires}T00:00:00.000Z` }),
    ...(spend === '' ? {} : { max_spend_cents: centsOf(spend) }),
  };
  try {
    const made = await api.call(attenuateToken, { body: { token, name: field(form, 'name'), attenuation } });
    return createdTokenPage(session, { name: field(form, 'name'), value: made.token, expiresAt: null });
  } catch (error) {
    return refusal(context, error, (message) => ({ attenuateProblem: message }));
  }
}

function wordsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

/** `12.50` in cents; a text that is no amount stays text, so that the operation names the problem. */
function centsOf(text: string): number | string {
  const match = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(text);
  return match === null ? text : Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
}

async function revoke(context: FormContext): Promise<string | PageContent> {
  const params = { token_id: field(context.form, 'token_id') };
  try {
    await context.api.reply(revokeTokenById, { params, body: {} });
    return '/organization/tokens?done=revoked';
  } catch (error) {
    return refusal(context, error, (message) => ({ problem: message }));
  }
}
