/** Tokens in the portal: creating, restricting, listing with lineage, revoking. */
import { Failure } from '#core/failures.ts';
import { listMembers } from '../../organizations/contract.ts';
import { attenuateToken, createToken, listTokens, revokeTokenById } from '../contract.ts';
import { parseCents } from '#ui/amount.ts';
import { addPortalForm, addPortalPage, type FormContext, type PortalContext } from '#ui/context.ts';
import { getField, queryParameter, type Form } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import type { PagesParts } from '#ui/parts.ts';
import { canCall } from '#ui/session.ts';
import {
  ACTION_FIELD,
  RESOURCE_FIELD,
  renderCreatedTokenPage,
  renderTokensPage,
  type TokenRemark,
} from './tokens-view.ts';
import type { Routes } from '#ui/routes.ts';

const PAGE_LENGTH = 50;

export function addTokenPages(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, '/organization/tokens', (context) => loadTokensPage(context));
  addPortalForm(routes, parts, '/organization/tokens/create', create);
  addPortalForm(routes, parts, '/organization/tokens/attenuate', attenuate);
  addPortalForm(routes, parts, '/organization/tokens/revoke', revoke);
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
  const owners = await loadOwners(context);
  const done = queryParameter(request, 'done') === 'revoked' ? 'The token is revoked.' : undefined;
  return renderTokensPage(session, { listed, owners, done, now: context.parts.work.clock.now(), ...remark });
}

/** Answers the e-mail addresses of the members by their ids, or of the person alone where members are not shown. */
async function loadOwners({ api, session }: PortalContext): Promise<ReadonlyMap<string, string>> {
  const own: [string, string] = [session.principal.userId, session.email];
  if (!canCall(session, listMembers)) return new Map([own]);
  const { items } = await api.call(listMembers, {});
  return new Map([own, ...items.map(({ user_id: id, email }): [string, string] => [id, email])]);
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
    const created = await api.call(createToken, { body });
    return renderCreatedTokenPage(session, {
      name: created.name,
      value: created.token,
      expiresAt: created.expires_at,
    });
  } catch (error) {
    return answerRefusal(context, error, (message) => ({ createProblem: message }));
  }
}

/** The names of the ticked boxes of a group. */
function listTicked(form: Form, prefix: string): string[] {
  return Object.entries(form)
    .filter(([name, value]) => name.startsWith(prefix) && value === 'yes')
    .map(([name]) => name.slice(prefix.length));
}

/** An empty field sets no limit. */
async function attenuate(context: FormContext): Promise<PageContent> {
  const { api, form, session } = context;
  const token = getField(form, 'token');
  const lists = Object.entries({
    allowed_actions: listTicked(form, ACTION_FIELD),
    allowed_resources: listTicked(form, RESOURCE_FIELD),
    resource_ids: splitWords(getField(form, 'resource_ids')),
  });
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
    const created = await api.call(attenuateToken, {
      body: { token, name: getField(form, 'name'), attenuation },
    });
    return renderCreatedTokenPage(session, {
      name: getField(form, 'name'),
      value: created.token,
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
