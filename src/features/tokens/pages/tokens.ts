/** Tokens in the portal: creating, restricting, listing with lineage, revoking. */
import { listMembers } from '../../organizations/contract.ts';
import {
  attenuateToken,
  AttenuateTokenRequest,
  AttenuationSpec,
  createToken,
  listTokens,
  revokeTokenById,
} from '../contract.ts';
import { defineAction, readBody, renderAction, renderDone } from '#ui/action.ts';
import { addPortalPage, type FormContext, type PortalContext } from '#ui/context.ts';
import { createFormsView, type FormsView } from '#ui/form.ts';
import { queryParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import type { PagesParts } from '#ui/parts.ts';
import { addPortalActions, type Remark } from '#ui/screen.ts';
import { canCall, type Session } from '#ui/session.ts';
import type { Routes } from '#ui/routes.ts';
import { formatCount } from '#core/words.ts';
import type { Output } from '#core/operation.ts';
import { actions, resources, ROLE_NAMES, rolePermissions, roles, type Role } from '#core/permissions.ts';
import { strict, Type } from '#core/schema.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderDay, renderTime, toSentenceCase } from '#ui/words.ts';
import { listRoleOptions, ROLE_MEANINGS } from '../../people/pages/organization-view.ts';
import { renderSettingsHead } from '../../people/pages/settings-head.ts';

const PATH = '/organization/tokens';
const PAGE_LENGTH = 50;

const create = defineAction(createToken, {
  path: `${PATH}/create`,
  page: PATH,
  button: 'Create the token',
  tone: 'primary',
  fields: {
    name: { label: 'Name', hint: 'What it is for, such as the pipeline that uses it.' },
    role: { label: 'Role', isPaired: true },
    expires_in: {
      label: 'Expires after',
      isPaired: true,
      options: [
        ['7d', '7 days'],
        ['30d', '30 days'],
        ['90d', '90 days'],
        ['1y', '1 year'],
      ],
    },
  },
  does: createOne,
});
const { token, name } = AttenuateTokenRequest.properties;
const Derivation = Type.Object({ token, name, ...AttenuationSpec.properties }, strict);
const derive = defineAction(
  { ...attenuateToken, body: Derivation },
  {
    path: `${PATH}/attenuate`,
    page: PATH,
    button: 'Derive the token',
    summary: 'Restrict a token',
    fields: {
      token: { label: 'Token to derive from', kind: 'password' },
      name: { label: 'Name of the new token' },
      read_only: { label: 'Only lists and reads' },
      non_destructive: { label: 'Deletes nothing' },
      allowed_actions: { label: 'Only these actions' },
      allowed_resources: { label: 'Only on these resources' },
      resource_ids: {
        label: 'Only these experiments',
        hint: 'Their codes or ids, with spaces or commas between them.',
        about: 'attenuation.resource_ids',
      },
      expires_at: { label: 'Expires on', kind: 'date', isPaired: true, about: 'attenuation.expires_at' },
      max_spend_cents: {
        label: 'Spends at most (USD)',
        isPaired: true,
        about: 'attenuation.max_spend_cents',
      },
    },
    does: deriveOne,
  },
);
const revoke = defineAction(revokeTokenById, {
  path: `${PATH}/revoke`,
  page: PATH,
  button: 'Revoke',
  tone: 'danger',
  hint: 'This token and all tokens made from it stop working at once.',
  summary: 'Revoke',
  done: 'The token is revoked.',
});

export function addTokenPages(routes: Routes, parts: PagesParts): void {
  addPortalPage(routes, parts, PATH, (context) => loadTokensPage(context));
  addPortalActions(routes, parts, [create, derive, revoke], loadTokensPage);
}

async function loadTokensPage(context: PortalContext, remark?: Remark): Promise<PageContent> {
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
  const notice = renderDone(context, [revoke]);
  const now = context.parts.work.clock.now();
  return renderTokensPage(createFormsView(context, remark), { listed, owners, notice, now });
}

/** Answers the e-mail addresses of the members by their ids, or of the person alone where members are not shown. */
async function loadOwners({ api, session }: PortalContext): Promise<ReadonlyMap<string, string>> {
  const own: [string, string] = [session.principal.userId, session.email];
  if (!canCall(session, listMembers)) return new Map([own]);
  const { items } = await api.call(listMembers, {});
  return new Map([own, ...items.map(({ user_id: id, email }): [string, string] => [id, email])]);
}

async function createOne({ api, form, session }: FormContext): Promise<PageContent> {
  const made = await api.call(createToken, { body: readBody(create, form) });
  return renderCreatedTokenPage(session, made);
}

/** What was left empty sets no limit. */
async function deriveOne({ api, form, session }: FormContext): Promise<PageContent> {
  const { token, name, ...typed } = readBody(derive, form);
  const limits = Object.entries({
    ...typed,
    resource_ids: splitWords(form.resource_ids),
    expires_at: isFilled(typed.expires_at) ? `${form.expires_at ?? ''}T00:00:00.000Z` : null,
  });
  const attenuation = Object.fromEntries(limits.filter(([, limit]) => isFilled(limit)));
  const made = await api.call(attenuateToken, { body: { token, name, attenuation } });
  return renderCreatedTokenPage(session, { name: form.name ?? '', token: made.token, expires_at: null });
}

function isFilled(limit: unknown): boolean {
  return Array.isArray(limit) ? limit.length > 0 : limit !== undefined && limit !== null && limit !== false;
}

function splitWords(text = ''): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

type Tokens = Output<typeof listTokens>;
type Token = Tokens['items'][number];

interface TokensParts {
  readonly listed: Tokens;
  /** The e-mail addresses of the members, by their ids. */
  readonly owners: ReadonlyMap<string, string>;
  readonly notice: Markup | null;
  readonly now: Date;
}

function renderTokensPage(forms: FormsView, parts: TokensParts): PageContent {
  const { listed } = parts;
  const { next } = listed;
  const body = markup`${renderSettingsHead(forms.session, 'tokens')}
${parts.notice}
<div class="sheets">
${canCall(forms.session, createToken) && renderCreateCard(forms)}
${canCall(forms.session, attenuateToken) && renderAttenuateCard(forms)}
<section class="card wide" aria-labelledby="tokens"><h2 id="tokens">${formatCount(listed.total, 'token')}</h2>
<ul class="rows tokens">${listed.items.map((token) => renderTokenRow(forms, token, parts))}</ul>
${next !== undefined && markup`<p><a href="${PATH}?cursor=${encodeURIComponent(next)}">Older tokens</a></p>`}</section>
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

function renderCreateCard(forms: FormsView): Markup {
  const grantable = listGrantableRoles(forms.session);
  const role = grantable.includes('member') ? 'member' : 'viewer';
  const form = renderAction(forms, create, {
    values: { role, expires_in: '90d' },
    fields: { role: { options: listRoleOptions(grantable) } },
    hint: grantable.map((each) => ROLE_MEANINGS[each]).join(' '),
  });
  return markup`<section class="card" aria-labelledby="create"><h2 id="create">Create a token</h2>${form}</section>`;
}

/** The actions and the resources of the rights that the person has can be chosen. */
function renderAttenuateCard(forms: FormsView): Markup {
  const own = [...forms.session.principal.permissions].map((permission) => permission.split(':'));
  const listOptions = (names: readonly string[], position: number) => ({
    options: names
      .filter((each) => own.some((permission) => permission[position] === each))
      .map((each) => [each, toSentenceCase(each)] as const),
  });
  const form = renderAction(forms, derive, {
    fields: { allowed_actions: listOptions(actions, 1), allowed_resources: listOptions(resources, 0) },
  });
  return markup`<section class="card" aria-labelledby="attenuate"><h2 id="attenuate">Derive a restricted token</h2>
<p class="hint">The new token has at most the rights of the token that you derive it from. What is left empty sets no limit.</p>${form}</section>`;
}

function renderTokenRow(forms: FormsView, token: Token, { listed, owners, now }: TokensParts): Markup {
  const parent = listed.items.find(({ id }) => id === token.parent_token_id);
  const isAlive = getTokenState(token, now) === 'active';
  const lineage =
    typeof token.parent_token_id === 'string' &&
    markup`${token.kind === 'attenuated' ? 'derived from' : 'made with'} ${parent === undefined ? markup`<code>${token.parent_token_id}</code>` : markup`<bdi>${parent.name}</bdi>`} · `;
  const revocation = isAlive && renderAction(forms, revoke, { params: { token_id: token.id } });
  return markup`<li${token.kind === 'attenuated' && markup` class="derived"`}><div><strong><bdi>${token.name}</bdi></strong> <span class="chip ${isAlive ? 'good' : 'idle'}">${getTokenState(token, now)}</span>
<p class="hint"><bdi>${owners.get(token.user_id ?? '') ?? token.user_id}</bdi> · ${nameRole(token.role)} · ${token.last_used_at === null ? 'not used yet' : markup`last used ${renderTime(token.last_used_at)}`}</p>
<p class="hint">${lineage}since ${renderDay(token.created_at)} · ${token.expires_at === null || token.expires_at === undefined ? 'no expiry' : markup`until ${renderDay(token.expires_at)}`} · <code>${token.id}</code></p>
${renderRestrictions(token)}</div>${revocation}</li>`;
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
  {
    name,
    token,
    expires_at: end,
  }: Pick<Output<typeof createToken>, 'name' | 'token'> & { expires_at: string | null },
): PageContent {
  const body = markup`${renderSettingsHead(session, 'tokens')}
<section class="card" aria-labelledby="made"><h2 id="made">The token <bdi>${name}</bdi></h2>
<p><strong>Copy it now: it is shown only once.</strong> We keep no copy, only its id.</p>
<p><code class="secret" id="secret">${token}</code></p>
<p><button type="button" data-copy="secret" hidden>Copy the token</button> <span class="hint" role="status" data-copied></span></p>
${end !== null && markup`<p class="hint">It works until ${renderDay(end)}.</p>`}
<p><a class="button" href="${PATH}">I have copied it</a></p></section>`;
  return { title: 'New token', body, section: 'organization', scripts: ['copy'] };
}
