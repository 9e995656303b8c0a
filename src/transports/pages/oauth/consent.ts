import type { RedirectKind } from '#core/redirect-policy.ts';
import { type Role, rolePermissions } from '#core/permissions.ts';
import { type NamedExperiment, selectCodes } from '#features/experiments/store.ts';
import {
  type ProgramRight,
  programRights,
  WRITE_SCOPE,
  type ProgramChoice,
} from '#features/people/programs/rules.ts';
import { getField, type Form } from '#ui/http.ts';
import { renderFormToken, type PageContent, type Visitor } from '#ui/layout.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { nameProgram, type ProgramRequest } from './program-request.ts';
import { addMs, DAY_MS } from '#core/clock.ts';
import { createOrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { LIST_LENGTH_MAX } from '#features/tokens/attenuation.ts';
import { parseCents } from '#ui/amount.ts';

/** Names the organization in the address of the page; not part of the signed request. */
export const ORGANIZATION_FIELD = 'for_organization';

export interface ConsentOrganization {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

interface ConsentView {
  readonly asked: ProgramRequest;
  /** Signed by the library; it is sent back unchanged. */
  readonly query: URLSearchParams;
  readonly visitor: Visitor;
  readonly organization: ConsentOrganization;
  readonly others: readonly ConsentOrganization[];
  readonly rights: readonly ProgramRight[];
  readonly experiments: readonly NamedExperiment[];
  /** What was typed before, with its problems. */
  readonly form?: Form;
  readonly problems?: ConsentProblems;
}

export function renderConsentPage(view: ConsentView): PageContent {
  const { asked, query, visitor, organization, problems } = view;
  const isApp = asked.kind === 'app';
  const host = isApp ? `${asked.redirect.protocol}//` : asked.redirect.host;
  const body = markup`<article class="card paper stack" aria-labelledby="consent">
<p class="over">Give a program access to your account</p>
<h1 id="consent"><bdi>${nameProgram(asked.client)}</bdi> asks for access</h1>
<p>The program chose this name itself. Check the address that gets the access:</p>
<p class="device-code"><code class="host">${host}</code></p>
<p class="hint">${DESTINATIONS[asked.kind]}</p>
<dl class="facts"><div><dt>Organization</dt><dd><bdi>${organization.name}</bdi></dd></div>
<div><dt>You</dt><dd>${visitor.email}</dd></div>
<div><dt>Your role</dt><dd>${organization.role}</dd></div></dl>
${renderOtherOrganizations(view)}
${problems !== undefined && markup`<p class="note attention" role="alert">Nothing was given away yet: some choices need another look.</p>`}
<form method="post" action="/oauth/consent" class="fields">${renderFormToken(visitor)}<input type="hidden" name="oauth_query" value="${query.toString()}"><input type="hidden" name="organization_id" value="${organization.id}">
${renderRights(view)}
${view.rights.includes('order') && renderSpending(view)}
${renderExperiments(view)}
${renderLifetime(view)}
<div class="actions"><button class="primary" name="intent" value="allow">Allow</button><button class="danger" name="intent" value="deny">Deny</button></div>
<p class="hint">The access covers the tool protocol only. It ends when you sign out here, and at once when you revoke it under Account, Connected programs. The program never sees your password, cannot make tokens, and has none of the rights of the lab’s staff.</p></form>
</article>`;
  const title = 'Give a program access to your account';
  return { title, body, width: 'narrow', ...(problems === undefined ? {} : { status: 422 }) };
}

const DESTINATIONS: Readonly<Record<RedirectKind, string>> = {
  loopback: 'A program on the computer that this browser runs on. If you have not just started one, deny.',
  page: 'A web service that the operator of this lab has listed. If you do not use it, deny.',
  app: 'An app on this computer that the operator of this lab has listed. If you have not just used it, deny.',
};

function renderOtherOrganizations({ others, query }: ConsentView): Markup | false {
  if (others.length === 0) return false;
  const links = others.map(({ id, name }) => {
    const address = new URLSearchParams([...query, [ORGANIZATION_FIELD, id]]);
    return markup`<li><a href="/oauth/consent?${address.toString()}"><bdi>${name}</bdi></a></li>`;
  });
  return markup`<nav aria-label="Another organization"><p class="hint">Another organization:</p><ul class="inline-links">${links}</ul></nav>`;
}

interface Option {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** Radio buttons; the value that was sent before is chosen, else the default. */
function renderOptions(
  view: ConsentView,
  group: { readonly name: string; readonly legend: string; readonly fallback: string },
  options: readonly Option[],
  more: Markup | false = false,
  problem?: string,
): Markup {
  const chosen = view.form === undefined ? group.fallback : getField(view.form, group.name);
  const rows = options.map(({ value, label, hint }) => {
    const id = `${group.name}-${value}`;
    return markup`<label class="check" for="${id}"><input type="radio" id="${id}" name="${group.name}" value="${value}"${value === chosen && markup` checked`}> <span><strong>${label}</strong>${hint !== undefined && markup`<br><span class="hint">${hint}</span>`}</span></label>`;
  });
  return markup`<fieldset class="field"><legend class="label">${group.legend}</legend>${renderProblemText(problem)}${rows}${more}</fieldset>`;
}

function renderProblemText(problem: string | undefined): Markup | false {
  return problem !== undefined && markup`<p class="problem" role="alert">${problem}</p>`;
}

function renderRights(view: ConsentView): Markup {
  const words: Readonly<Record<ProgramRight, Omit<Option, 'value'>>> = {
    read: {
      label: 'Read only',
      hint: 'See experiments, sequences, results, quotes and invoices.',
    },
    prepare: {
      label: 'Prepare orders',
      hint: `Also what your role (${view.organization.role}) may prepare: create and submit experiments, get prices. It cannot accept a quote or pay.`,
    },
    order: {
      label: 'Order and spend',
      hint: 'Also accept quotes, which commits your organization to pay, and pay invoices, up to the amount below.',
    },
  };
  return renderOptions(
    view,
    {
      name: 'right',
      legend: 'What it may do',
      fallback: view.rights.includes('prepare') ? 'prepare' : 'read',
    },
    view.rights.map((value) => ({ value, ...words[value] })),
    false,
    view.problems?.right,
  );
}

function renderSpending({ form, problems }: ConsentView): Markup {
  const problem = problems?.spend;
  const typed = form === undefined ? '' : getField(form, 'max_spend');
  return markup`<div class="field spending${problem !== undefined && ' invalid'}"><label for="max_spend">Spends at most (US dollars)</label>
<input id="max_spend" type="text" inputmode="decimal" name="max_spend" value="${typed}" maxlength="20" autocomplete="off" aria-describedby="max_spend-hint">
<p class="hint" id="max_spend-hint">In total, with “Order and spend”. A quote or invoice beyond what is left is refused.</p>
${renderProblemText(problem)}
<label class="check"><input type="checkbox" name="no_limit" value="yes"${form?.no_limit === 'yes' && markup` checked`}> <span>No limit</span></label></div>`;
}

function renderExperiments(view: ConsentView): Markup {
  const rows = view.experiments.map(({ code, name }) => {
    const field = EXPERIMENT_FIELD + code;
    const isTicked = view.form !== undefined && Object.hasOwn(view.form, field);
    return markup`<label class="check"><input type="checkbox" name="${field}" value="yes"${isTicked && markup` checked`}> <span><code>${code}</code> <bdi>${name}</bdi></span></label>`;
  });
  const codes = view.form === undefined ? '' : getField(view.form, 'codes');
  const list = markup`<div class="chosen">${rows}
<div class="field"><label for="codes">${rows.length === 0 ? 'Their codes' : 'Others, by code'}</label><input id="codes" type="text" name="codes" value="${codes}" maxlength="2000" autocomplete="off"></div></div>`;
  return renderOptions(
    view,
    { name: 'experiments', legend: 'Which experiments', fallback: 'all' },
    [
      { value: 'all', label: 'All, and new ones' },
      { value: 'chosen', label: 'Only these', hint: 'It sees no others and cannot create new ones.' },
    ],
    list,
    view.problems?.experiments,
  );
}

function renderLifetime(view: ConsentView): Markup {
  return renderOptions(
    view,
    { name: 'lifetime', legend: 'Until when', fallback: SESSION_LIFETIME },
    [
      { value: '1d', label: 'For one day' },
      { value: '7d', label: 'For 7 days' },
      { value: SESSION_LIFETIME, label: 'Until I sign out', hint: 'A sign-in lasts 30 days at most.' },
    ],
    false,
    view.problems?.lifetime,
  );
}

/** Reads a person's decision about a program from the form of the consent page. */

const EXPERIMENT_FIELD = 'experiment:';
const lifetimesMs = { '1d': DAY_MS, '7d': 7 * DAY_MS } as const;
const SESSION_LIFETIME = 'session';

/** The rights that a program may get: no more than it asked for, and than the role has. */
export function listRights(query: URLSearchParams, role: Role): readonly ProgramRight[] {
  const mayWrite = [...rolePermissions[role]].some((permission) => !/:(?:list|read)$/.test(permission));
  const isAsked = (query.get('scope') ?? '').split(' ').includes(WRITE_SCOPE);
  return mayWrite && isAsked ? programRights : ['read'];
}

export interface ConsentProblems {
  readonly right?: string;
  readonly experiments?: string;
  readonly spend?: string;
  readonly lifetime?: string;
}

interface ConsentBounds {
  readonly organizationId: string;
  readonly rights: readonly ProgramRight[];
  readonly now: Date;
}

/** Returns the choice, or a problem for each field that needs another value. */
export async function readChoice(
  sql: Sql,
  form: Form,
  { organizationId, rights, now }: ConsentBounds,
): Promise<{ readonly choice: ProgramChoice } | { readonly problems: ConsentProblems }> {
  const right = rights.find((each) => each === getField(form, 'right'));
  const experiments = await readExperiments(sql, form, organizationId);
  const spend = right === 'order' ? readSpend(form) : null;
  const endsAt = readEnd(form, now);
  const problems = {
    ...(right === undefined ? { right: 'Choose what the program may do.' } : {}),
    ...(typeof experiments === 'string' ? { experiments } : {}),
    ...(typeof spend === 'string' ? { spend } : {}),
    ...(endsAt === undefined ? { lifetime: 'Choose until when the program may act.' } : {}),
  };
  if (
    right === undefined ||
    typeof experiments === 'string' ||
    typeof spend === 'string' ||
    endsAt === undefined
  )
    return { problems };
  return { choice: { right, experiments, maxSpendCents: spend, endsAt } };
}

async function readExperiments(
  sql: Sql,
  form: Form,
  organizationId: string,
): Promise<readonly string[] | null | string> {
  const choice = getField(form, 'experiments');
  if (choice === 'all') return null;
  if (choice !== 'chosen') return 'Choose all experiments, or some.';
  const ticked = Object.keys(form)
    .filter((name) => name.startsWith(EXPERIMENT_FIELD))
    .map((name) => name.slice(EXPERIMENT_FIELD.length));
  const typed = getField(form, 'codes')
    .split(/[\s,;]+/)
    .filter((code) => code !== '');
  const codes = [...new Set([...ticked, ...typed])];
  if (codes.length === 0) return 'Tick at least one experiment, or choose all.';
  if (codes.length > LIST_LENGTH_MAX) return `Choose at most ${LIST_LENGTH_MAX} experiments.`;
  const knownCodes = new Set(await selectCodes(createOrganizationScope(organizationId), sql, codes));
  const unknown = codes.filter((code) => !knownCodes.has(code));
  if (unknown.length > 0) return `The organization has no experiment ${unknown.join(', ').slice(0, 200)}.`;
  return codes;
}

/** Null for no limit. */
function readSpend(form: Form): number | null | string {
  const typed = getField(form, 'max_spend');
  const isUnlimited = form.no_limit === 'yes';
  if (typed === '')
    return isUnlimited ? null : 'Say how much it may spend in US dollars, or tick “no limit”.';
  if (isUnlimited) return 'Give an amount or tick “no limit”, not both.';
  const cents = parseCents(typed);
  return typeof cents === 'number' ? cents : 'Give an amount in US dollars, such as 500 or 499.50.';
}

/** Null for the end of the session. */
function readEnd(form: Form, now: Date): Date | null | undefined {
  const lifetime = getField(form, 'lifetime');
  if (lifetime === SESSION_LIFETIME) return null;
  const choice = Object.entries(lifetimesMs).find(([name]) => name === lifetime);
  return choice === undefined ? undefined : addMs(now, choice[1]);
}
