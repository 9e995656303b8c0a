/** Tokens in the portal: creating, restricting, listing with lineage, revoking. */
import type { FastifyInstance } from 'fastify';
import { Failure } from '#core/failures.ts';
import { attenuateToken, createToken, listTokens, revokeTokenById } from '#domain/tokens/contract.ts';
import { parseCents } from '../amount.ts';
import { addPortalForm, addPortalPage, type FormContext, type PortalContext } from '../context.ts';
import { getField, queryParameter } from '../http.ts';
import type { PageContent } from '../layout.ts';
import type { PagesParts } from '../parts.ts';
import { renderCreatedTokenPage, renderTokensPage, type TokenRemark } from './tokens-view.ts';

const PAGE_LENGTH = 50;

export function addTokenPages(app: FastifyInstance, parts: PagesParts): void {
  addPortalPage(app, parts, '/organization/tokens', (context) => loadTokensPage(context));
  addPortalForm(app, parts, '/organization/tokens/create', create);
  addPortalForm(app, parts, '/organization/tokens/attenuate', attenuate);
  addPortalForm(app, parts, '/organization/tokens/revoke', revoke);
}

async function loadTokensPage(context: PortalContext, remark: TokenRemark = {}): Promise<PageContent> {
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
  return renderTokensPage(session, { listed, done, now: context.parts.work.clock.now(), ...remark });
}

async function answerRefusal(
  context: FormContext,
  error: unknown,
  remark: (message: string) => TokenRemark,
): Promise<PageContent> {
  if (!(error instanceof Failure) || error.status >= 500) throw error;
  return { ...(await loadTokensPage(context, remark(error.message))), status: error.status };
}

async function create(context: FormContext): Promise<PageContent> {
  const { api, form, session } = context;
  const body = {
    name: getField(form, 'name'),
    role: getField(form, 'role'),
    expires_in: getField(form, 'expires_in'),
  };
  try {
    const made = await api.call(createToken, { body });
    return renderCreatedTokenPage(session, {
      name: made.name,
      value: made.token,
      expiresAt: made.expires_at,
    });
  } catch (error) {
    return answerRefusal(context, error, (message) => ({ createProblem: message }));
  }
}

const LIST_FIELDS = ['allowed_actions', 'allowed_resources', 'resource_ids'] as const;

/** An empty field sets no limit. */
async function attenuate(context: FormContext): Promise<PageContent> {
  const { api, form, session } = context;
  const token = getField(form, 'token');
  const lists = LIST_FIELDS.map((name) => [name, splitWords(getField(form, name))] as const);
  const expires = getField(form, 'expires_at');
  const spend = getField(form, 'max_spend');
  const attenuation = {
    ...(form.read_only === 'yes' ? { read_only: true } : {}),
    ...(form.non_destructive === 'yes' ? { non_destructive: true } : {}),
    ...Object.fromEntries(lists.filter(([, words]) => words.length > 0)),
    ...(expires === '' ? {} : { expires_at: `${expires}T00:00:00.000Z` }),
    ...(spend === '' ? {} : { max_spend_cents: parseCents(spend) }),
  };
  try {
    const made = await api.call(attenuateToken, {
      body: { token, name: getField(form, 'name'), attenuation },
    });
    return renderCreatedTokenPage(session, {
      name: getField(form, 'name'),
      value: made.token,
      expiresAt: null,
    });
  } catch (error) {
    return answerRefusal(context, error, (message) => ({ attenuateProblem: message }));
  }
}

function splitWords(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

async function revoke(context: FormContext): Promise<string | PageContent> {
  const params = { token_id: getField(context.form, 'token_id') };
  try {
    await context.api.reply(revokeTokenById, { params, body: {} });
    return '/organization/tokens?done=revoked';
  } catch (error) {
    return answerRefusal(context, error, (message) => ({ problem: message }));
  }
}
