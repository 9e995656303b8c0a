/**
 * Pages where a person approves a program: the code, its origin, and the organization and role it gets.
 * This folder: the page on which a person lets a program in. Not here: the rules of it (`features/people/devices`).
 */
import { fail } from '#core/failures.ts';
import { roles, type Role } from '#core/permissions.ts';
import { labScope } from '#core/scope.ts';
import {
  lifetimes,
  parseUserCode,
  listRolesWithin,
  formatUserCode,
  type Lifetime,
} from '#features/people/devices/rules.ts';
import { selectOrganizationsOfUser } from '#features/organizations/store.ts';
import {
  decideDeviceLogin,
  findWaitingByCode,
  type Approval,
} from '#features/people/devices/device-login.ts';
import { createRateLimiter } from '../../rest/rate-limit.ts';
import { DEVICE_PAGE } from '../../rest/device-login.ts';
import { addPortalForm, addPortalPage, type FormContext } from '#ui/context.ts';
import { getField, queryParameter, type Form } from '#ui/http.ts';
import { type PageContent, renderFormToken, type Visitor } from '#ui/layout.ts';
import type { PagesParts } from '#ui/parts.ts';
import type { Routes } from '#ui/routes.ts';
import { formatCount } from '#core/words.ts';
import type { DeviceLogin } from '#features/people/devices/store.ts';
import { renderField, type LabField } from '#ui/form.ts';
import { markup } from '#ui/markup.ts';

/** Limit on codes that a person may try: a burst, then one every ten seconds. There are 20^8 codes. */
const TRIES = { perSecond: 0.1, burst: 10 };

export function addDevicePages(routes: Routes, parts: PagesParts): void {
  const tries = createRateLimiter(TRIES, parts.work.clock);

  addPortalPage(routes, parts, DEVICE_PAGE, async ({ request, session }) => {
    const typed = queryParameter(request, 'user_code');
    if (typed === '') return renderCodePage({});
    tries.take(session.principal.userId);
    const { database, work } = parts;
    const waiting = await findWaitingByCode(work, database.read, typed);
    if (waiting === undefined) return renderCodePage({ typed });
    const organizations = await selectOrganizationsOfUser(labScope, database.read, session.principal.userId);
    const active = session.principal.organizationId;
    return renderRequestPage({
      waiting,
      organizations,
      active,
      visitor: session.visitor,
      now: work.clock.now(),
    });
  });

  const decide = async (context: FormContext): Promise<PageContent> => {
    tries.take(context.session.principal.userId);
    return decideRequest(context);
  };
  // The organization is chosen in the form.
  addPortalForm(routes, parts, `${DEVICE_PAGE}/decision`, decide, { organization: 'any' });
}

async function decideRequest({ parts, request, session, form }: FormContext): Promise<PageContent> {
  const typed = getField(form, 'user_code');
  const userCode = parseUserCode(typed);
  const intent = getField(form, 'intent');
  if (userCode === undefined || (intent !== 'approve' && intent !== 'deny')) return renderCodePage({ typed });
  const approval = intent === 'approve' ? parseApproval(form) : null;
  const origin = { requestId: request.id, address: request.ip };
  const { database, work } = parts;
  const isDecided = await database.runTransaction((tx) =>
    decideDeviceLogin(work, tx, session.principal, { userCode, approval, origin }),
  );
  return isDecided ? renderDecidedPage(approval !== null) : renderCodePage({ typed });
}

/** Approval checks whether the person is a member and may hand on the role. */
function parseApproval(form: Form): Approval {
  const [organizationId = '', asked = ''] = getField(form, 'scope').split(':');
  const role = roles.find((known) => known === asked);
  const lifetime = lifetimes.find((known) => known === getField(form, 'lifetime'));
  if (role === undefined || lifetime === undefined)
    throw fail('invalid_request', { reason: 'choose an organization, a role and a lifetime.' });
  return { organizationId, role, lifetime };
}

const MINUTE_MS = 60_000;

/** Without `typed` no code was entered yet; with it, nothing is pending under that code. */
function renderCodePage({ typed }: { readonly typed?: string }): PageContent {
  const refusal =
    typed !== undefined &&
    markup`<p class="note attention" role="alert">No program is waiting with the code <strong>${typed}</strong>. Codes work once, for ten minutes: compare it with the code that the program shows, or start again in the program.</p>`;
  const body = markup`<article class="card paper stack" aria-labelledby="device">
<h1 id="device">Give a program access</h1>
<p>Enter the code that the program shows, such as <code>assayer login</code>.</p>
${refusal}
<form method="get" action="/device" class="fields"><div class="field"><label for="user_code">Code</label>
<input class="code-entry" type="text" id="user_code" name="user_code" required maxlength="16" autocomplete="off" autocapitalize="characters" spellcheck="false" placeholder="XXXX-XXXX"></div>
<button class="primary large">Continue</button></form>
</article>`;
  return {
    title: 'Give a program access',
    body,
    width: 'narrow',
    ...(typed === undefined ? {} : { status: 404 }),
  };
}

interface RequestView {
  readonly waiting: DeviceLogin;
  readonly organizations: readonly { readonly id: string; readonly name: string; readonly role: Role }[];
  /** The person's current organization. */
  readonly active: string;
  readonly visitor: Visitor;
  readonly now: Date;
}

function renderRequestPage(view: RequestView): PageContent {
  const { waiting, visitor, now } = view;
  const code = formatUserCode(waiting.user_code);
  const minutes = Math.max(1, Math.ceil((Date.parse(waiting.expires_at) - now.getTime()) / MINUTE_MS));
  const body = markup`<article class="card paper stack" aria-labelledby="device">
<p class="over">Give a program access</p>
<h1 id="device"><bdi>${waiting.device_name}</bdi> asks to act for you</h1>
<p>It shows this code. If your program shows another code, or you have started none, deny.</p>
<p class="device-code"><code>${code}</code></p>
<dl class="facts"><div><dt>Device</dt><dd><bdi>${waiting.device_name}</bdi></dd></div>
<div><dt>Network address</dt><dd><code>${waiting.address}</code></dd></div>
<div><dt>Requested at</dt><dd>${formatTime(waiting.created_at)}</dd></div>
<div><dt>Expires in</dt><dd>${formatCount(minutes, 'minute')}</dd></div></dl>
<form method="post" action="/device/decision" class="fields">${renderFormToken(visitor)}<input type="hidden" name="user_code" value="${code}">
${[describeScope(view), LIFETIME].map((field) => renderField('device', field, undefined))}
<div class="actions"><button class="primary" name="intent" value="approve">Approve</button><button class="danger" name="intent" value="deny">Deny</button></div>
<p class="hint">The program gets a token of its own. It is listed among your tokens, and you can revoke it at any time.</p></form>
</article>`;
  return { title: 'Give a program access', body, width: 'narrow' };
}

const ROLE_WORDS: Readonly<Record<Role, string>> = {
  viewer: 'viewer: reads everything, changes nothing',
  member: 'member: orders experiments and accepts quotes',
  billing: 'billing: accepts quotes and pays',
  admin: 'admin: everything you may do',
};

/** Preselects the role of a member if it may be handed on, else that of a viewer. */
function describeScope({ organizations, active }: RequestView): LabField {
  const own = organizations.find(({ id }) => id === active)?.role ?? 'viewer';
  const usual = listRolesWithin(own).includes('member') ? 'member' : own;
  return {
    name: 'scope',
    label: 'Organization and role',
    value: `${active}:${usual}`,
    options: organizations.flatMap(({ id, name, role }) =>
      listRolesWithin(role).map((offered) => [`${id}:${offered}`, ROLE_WORDS[offered], name] as const),
    ),
  };
}

const LIFETIME_WORDS: Readonly<Record<Lifetime, string>> = {
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  '1y': '1 year',
};
const LIFETIME: LabField = {
  name: 'lifetime',
  label: 'Ends after',
  value: '30d',
  options: Object.entries(LIFETIME_WORDS),
};

function formatTime(instant: string): string {
  return `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function renderDecidedPage(isApproved: boolean): PageContent {
  const body = isApproved
    ? markup`<article class="card paper stack" aria-labelledby="device"><h1 id="device">Access granted</h1>
<p>Return to the program; it continues within some seconds. You may close this page.</p></article>`
    : markup`<article class="card paper stack" aria-labelledby="device"><h1 id="device">Access denied</h1>
<p>The program gets no token. If you did not start it, somebody may have sent you a link to get access: nothing has happened.</p></article>`;
  return { title: isApproved ? 'Access granted' : 'Refused', body, width: 'narrow' };
}
