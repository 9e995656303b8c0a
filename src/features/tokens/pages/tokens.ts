/** Tokens in the portal: creating, restricting, listing with lineage, revoking. */
import { Failure } from '#core/failures.ts';
import { listMembers } from '../../organizations/contract.ts';
import { attenuateToken, createToken, listTokens, revokeTokenById } from '../contract.ts';
import { parseCents } from '#ui/amount.ts';
import { addPortalForm, addPortalPage, type FormContext, type PortalContext } from '#ui/context.ts';
import { getField, queryParameter, type Form } from '#ui/http.ts';
import { type PageContent, renderFormToken } from '#ui/layout.ts';
import type { PagesParts } from '#ui/parts.ts';
import { canCall, type Session } from '#ui/session.ts';
import type { Routes } from '#ui/routes.ts';
import { formatCount } from '#core/words.ts';
import type { Output } from '#core/operation.ts';
import { actions, resources, ROLE_NAMES, rolePermissions, roles, type Role } from '#core/permissions.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderDay, renderTime, toSentenceCase } from '#ui/words.ts';
import { renderProblem } from '../../people/pages/fields.ts';
import { renderRoleHint, renderRoleSelect } from '../../people/pages/organization-view.ts';
import { renderSettingsHead } from '../../people/pages/settings-head.ts';

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

type Tokens = Output<typeof listTokens>;
type Token = Tokens['items'][number];

interface TokenRemark {
  readonly createProblem?: string;
  readonly attenuateProblem?: string;
  readonly problem?: string;
}

interface TokensParts extends TokenRemark {
  readonly listed: Tokens;
  /** The e-mail addresses of the members, by their ids. */
  readonly owners: ReadonlyMap<string, string>;
  readonly done: string | undefined;
  readonly now: Date;
}

function renderTokensPage(session: Session, parts: TokensParts): PageContent {
  const { listed } = parts;
  const { next } = listed;
  const body = markup`${renderSettingsHead(session, 'tokens')}
${parts.done !== undefined && markup`<p class="notice" role="status">${parts.done}</p>`}
${parts.problem !== undefined && renderProblem(parts.problem)}
<div class="sheets">
${canCall(session, createToken) && renderCreateCard(session, parts.createProblem)}
${canCall(session, attenuateToken) && renderAttenuateCard(session, parts.attenuateProblem)}
<section class="card wide" aria-labelledby="tokens"><h2 id="tokens">${formatCount(listed.total, 'token')}</h2>
<ul class="rows tokens">${listed.items.map((token) => renderTokenRow(session, token, parts))}</ul>
${next !== undefined && markup`<p><a href="/organization/tokens?cursor=${encodeURIComponent(next)}">Older tokens</a></p>`}</section>
</div>`;
  return { title: 'Tokens', body, section: 'organization' };
}

/** Lists the roles that a token of this person may have: none with more rights than the person. */
function nameRole(role: string): string {
  const known = roles.find((each) => each === role);
  return known === undefined ? role : ROLE_NAMES[known];
}

function listGrantableRoles({ principal }: Session): readonly Role[] {
  return roles.filter((role) =>
    [...rolePermissions[role]].every((permission) => principal.permissions.has(permission)),
  );
}

const LIFETIMES = [
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['90d', '90 days'],
  ['1y', '1 year'],
] as const;

function renderCreateCard(session: Session, problem: string | undefined): Markup {
  const grantable = listGrantableRoles(session);
  const lifetimes = LIFETIMES.map(
    ([value, label]) =>
      markup`<option value="${value}"${value === '90d' && markup` selected`}>${label}</option>`,
  );
  return markup`<section class="card" aria-labelledby="create"><h2 id="create">Create a token</h2>
${problem !== undefined && renderProblem(problem)}
<form method="post" action="/organization/tokens/create" class="fields">${renderFormToken(session.visitor)}
<div class="field"><label for="token-name">Name</label><input id="token-name" type="text" name="name" required maxlength="200" autocomplete="off" aria-describedby="token-name-hint"><p class="hint" id="token-name-hint">What it is for, such as the pipeline that uses it.</p></div>
<div class="row"><div class="field"><label for="token-role">Role</label>${renderRoleSelect('token-role', grantable.includes('member') ? 'member' : 'viewer', grantable)}</div>
<div class="field"><label for="token-life">Expires after</label><select id="token-life" name="expires_in">${lifetimes}</select></div></div>
${renderRoleHint(grantable)}
<div><button class="primary">Create the token</button></div></form></section>`;
}

/** What the checkboxes of a form are named after; the action or the resource follows. */
const ACTION_FIELD = 'action:';
const RESOURCE_FIELD = 'resource:';

/** The actions and the resources of the rights that the person has. */
function listOwnRights({ principal }: Session) {
  const own = [...principal.permissions].map((permission) => permission.split(':'));
  return {
    actions: actions.filter((action) => own.some(([, name]) => name === action)),
    resources: resources.filter((resource) => own.some(([name]) => name === resource)),
  };
}

function renderPicker(legend: string, prefix: string, names: readonly string[]): Markup {
  const boxes = names.map(
    (name) =>
      markup`<label class="check"><input type="checkbox" name="${prefix}${name}" value="yes"> <span>${toSentenceCase(name)}</span></label>`,
  );
  return markup`<fieldset class="picker"><legend>${legend}</legend><div class="checks">${boxes}</div></fieldset>`;
}

function renderAttenuateCard(session: Session, problem: string | undefined): Markup {
  const own = listOwnRights(session);
  return markup`<section class="card" aria-labelledby="attenuate"><h2 id="attenuate">Derive a restricted token</h2>
<p class="hint">The new token has at most the rights of the token that you derive it from. What is left empty sets no limit.</p>
<details${problem !== undefined && markup` open`}><summary>Restrict a token</summary>
${problem !== undefined && renderProblem(problem)}
<form method="post" action="/organization/tokens/attenuate" class="fields">${renderFormToken(session.visitor)}
<div class="field"><label for="parent">Token to derive from</label><input id="parent" type="password" name="token" required maxlength="8192" autocomplete="off" spellcheck="false"></div>
<div class="field"><label for="child-name">Name of the new token</label><input id="child-name" type="text" name="name" required maxlength="200" autocomplete="off"></div>
<label class="check"><input type="checkbox" name="read_only" value="yes"> <span>Only lists and reads</span></label>
<label class="check"><input type="checkbox" name="non_destructive" value="yes"> <span>Deletes nothing</span></label>
${renderPicker('Only these actions', ACTION_FIELD, own.actions)}
${renderPicker('Only on these resources', RESOURCE_FIELD, own.resources)}
<div class="field"><label for="resource_ids">Only these experiments</label><input id="resource_ids" type="text" name="resource_ids" autocomplete="off" aria-describedby="resource_ids-hint"><p class="hint" id="resource_ids-hint">Their codes or ids, with spaces or commas between them.</p></div>
<div class="row"><div class="field"><label for="expires">Expires on</label><input id="expires" type="date" name="expires_at"></div>
<div class="field"><label for="spend">Spends at most (USD)</label><input id="spend" type="text" inputmode="decimal" name="max_spend" autocomplete="off"></div></div>
<div><button>Derive the token</button></div></form></details></section>`;
}

function renderTokenRow(session: Session, token: Token, { listed, owners, now }: TokensParts): Markup {
  const parent = listed.items.find(({ id }) => id === token.parent_token_id);
  const isAlive = getTokenState(token, now) === 'active';
  const lineage =
    typeof token.parent_token_id === 'string' &&
    markup`${token.kind === 'attenuated' ? 'derived from' : 'made with'} ${parent === undefined ? markup`<code>${token.parent_token_id}</code>` : markup`<bdi>${parent.name}</bdi>`} · `;
  const revoke =
    isAlive &&
    canCall(session, revokeTokenById) &&
    markup`<details><summary>Revoke</summary><form method="post" action="/organization/tokens/revoke">${renderFormToken(session.visitor)}<input type="hidden" name="token_id" value="${token.id}"><p class="hint">This token and all tokens made from it stop working at once.</p><button class="danger">Revoke</button></form></details>`;
  return markup`<li${token.kind === 'attenuated' && markup` class="derived"`}><div><strong><bdi>${token.name}</bdi></strong> <span class="chip ${isAlive ? 'good' : 'idle'}">${getTokenState(token, now)}</span>
<p class="hint"><bdi>${owners.get(token.user_id ?? '') ?? token.user_id}</bdi> · ${nameRole(token.role)} · ${token.last_used_at === null ? 'not used yet' : markup`last used ${renderTime(token.last_used_at)}`}</p>
<p class="hint">${lineage}since ${renderDay(token.created_at)} · ${token.expires_at === null || token.expires_at === undefined ? 'no expiry' : markup`until ${renderDay(token.expires_at)}`} · <code>${token.id}</code></p>
${renderRestrictions(token)}</div>${revoke}</li>`;
}

function getTokenState(token: Token, now: Date): 'active' | 'revoked' | 'expired' {
  if (token.revoked_at !== null && token.revoked_at !== undefined) return 'revoked';
  const isOver = typeof token.expires_at === 'string' && new Date(token.expires_at) <= now;
  return isOver ? 'expired' : 'active';
}

function formatLimit(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).filter(([, item]) => item !== null);
  return members.map(([key, item]) => `${key.replaceAll('_', ' ')} ${formatLimit(item)}`).join('; ');
}

function renderRestrictions({ attenuation_spec: spec }: Token): Markup | null {
  if (typeof spec !== 'object' || spec === null) return null;
  const parts = Object.entries(spec).filter(([, value]) => value !== null && value !== false);
  if (parts.length === 0) return null;
  return markup`<p class="hint">${parts.map(([key, value]) => markup`<span class="limit">${toSentenceCase(key)}${value !== true && markup`: ${formatLimit(value)}`}</span> `)}</p>`;
}

function renderCreatedTokenPage(
  session: Session,
  token: { readonly name: string; readonly value: string; readonly expiresAt: string | null },
): PageContent {
  const body = markup`${renderSettingsHead(session, 'tokens')}
<section class="card" aria-labelledby="made"><h2 id="made">The token <bdi>${token.name}</bdi></h2>
<p><strong>Copy it now: it is shown only once.</strong> We keep no copy, only its id.</p>
<p><code class="secret" id="secret">${token.value}</code></p>
<p><button type="button" data-copy="secret" hidden>Copy the token</button> <span class="hint" role="status" data-copied></span></p>
${token.expiresAt !== null && markup`<p class="hint">It works until ${renderDay(token.expiresAt)}.</p>`}
<p><a class="button" href="/organization/tokens">I have copied it</a></p></section>`;
  return { title: 'New token', body, section: 'organization', scripts: ['copy'] };
}
