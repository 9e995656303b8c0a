/** The programs that a person let act for them over OAuth: what each may do and has spent, and revoking it. */
import { isUuid } from '#core/ids.ts';
import { labScope } from '#core/scope.ts';
import { selectPrograms, type ProgramRow } from '../../tokens/program-store.ts';
import { revokeProgram } from '../programs/oauth-effects.ts';
import {
  addPersonalForm,
  addPersonalPage,
  type PersonalContext,
  type PersonalFormContext,
} from '#ui/context.ts';
import { getField, queryParameter } from '#ui/http.ts';
import { renderLabForm } from '#ui/form.ts';
import type { PageContent } from '#ui/layout.ts';
import type { PagesParts } from '#ui/parts.ts';
import { getOrigin, type SignedIn } from '#ui/session.ts';
import type { Routes } from '#ui/routes.ts';
import { formatUsd } from '#core/money.ts';
import { findProgramRight, type ProgramRight } from '../programs/rules.ts';
import { markup, type Markup } from '#ui/markup.ts';
import { renderTime } from '#ui/words.ts';

const PROGRAMS_SHOWN = 100;

export function addProgramPages(routes: Routes, parts: PagesParts): void {
  addPersonalPage(routes, parts, '/account/programs', loadProgramsPage);
  addPersonalForm(routes, parts, '/account/programs/revoke', revoke);
}

async function loadProgramsPage({ parts, request, signedIn }: PersonalContext): Promise<PageContent> {
  const now = parts.work.clock.now();
  const page = { userId: signedIn.userId, at: now, limit: PROGRAMS_SHOWN };
  const programs = await selectPrograms(labScope, parts.database.read, page);
  const isDone = queryParameter(request, 'done') === 'revoked';
  return renderProgramsPage(signedIn, { programs, now, isDone });
}

async function revoke({ parts, request, signedIn, form }: PersonalFormContext): Promise<string> {
  const programTokenId = getField(form, 'program_id');
  if (!isUuid(programTokenId)) return '/account/programs';
  const { userId, email } = signedIn;
  const isGone = await parts.database.runTransaction((tx) =>
    revokeProgram(parts.work, tx, getOrigin(request), { userId, email, programTokenId }),
  );
  return isGone ? '/account/programs?done=revoked' : '/account/programs';
}

interface ProgramsParts {
  readonly programs: readonly ProgramRow[];
  readonly now: Date;
  readonly isDone: boolean;
}

function renderProgramsPage(person: SignedIn, { programs, now, isDone }: ProgramsParts): PageContent {
  const active = programs.filter((program) => isActive(program, now));
  const endedPrograms = programs.filter((program) => !isActive(program, now));
  const body = markup`<div class="page-head"><h1>Connected programs</h1></div>
<div class="stack">${isDone && markup`<p class="notice" role="status">The program is disconnected. Its access ended at once.</p>`}
<section class="card" aria-labelledby="active"><h2 id="active">May act for you</h2>
<p class="hint">Programs that you let in over the tool protocol, in every organization of yours. Each ends when you sign out.</p>
${active.length === 0 ? markup`<p>No program is connected.</p>` : markup`<ul class="rows programs">${active.map((program) => renderProgram(person, program, true))}</ul>`}</section>
${endedPrograms.length > 0 && markup`<section class="card" aria-labelledby="ended"><h2 id="ended">Ended</h2><ul class="rows programs">${endedPrograms.map((program) => renderProgram(person, program, false))}</ul></section>`}
<p><a href="/account">Back to your account</a></p></div>`;
  return { title: 'Connected programs', body, section: 'account' };
}

function isActive({ revoked_at: revokedAt, ends_at: endsAt }: ProgramRow, now: Date): boolean {
  return revokedAt === null && new Date(endsAt) > now;
}

const RIGHTS: Readonly<Record<ProgramRight, string>> = {
  read: 'Read only',
  prepare: 'Prepare orders',
  order: 'Order and spend',
};

function renderProgram(person: SignedIn, program: ProgramRow, isAlive: boolean): Markup {
  const { limits, name } = program;
  const experiments = limits.resource_ids ?? null;
  const revoke =
    isAlive &&
    renderLabForm(
      { session: person, remark: undefined },
      {
        action: '/account/programs/revoke',
        hidden: { program_id: program.id },
        summary: markup`Revoke<span class="visually-hidden"> ${name}</span>`,
        hint: 'Its access ends at once.',
        button: markup`<span>Revoke <bdi>${name}</bdi></span>`,
        tone: 'danger',
      },
    );
  return markup`<li><div><strong><bdi>${name}</bdi></strong>
<dl class="facts"><div><dt>Organization</dt><dd><bdi>${program.organization_name}</bdi></dd></div>
<div><dt>May</dt><dd>${RIGHTS[findProgramRight(limits)]}</dd></div>
<div><dt>Experiments</dt><dd>${experiments === null ? 'all' : experiments.join(', ')}</dd></div>
<div><dt>Spent</dt><dd>${renderSpent(program, isAlive)}</dd></div>
<div><dt>Last used</dt><dd>${program.last_used_at === null ? 'never' : renderTime(program.last_used_at)}</dd></div>
<div><dt>Since</dt><dd>${renderTime(program.created_at)}</dd></div>
<div><dt>${isAlive ? 'Until' : 'Ended'}</dt><dd>${renderTime(program.revoked_at ?? program.ends_at)}</dd></div></dl></div>${revoke}</li>`;
}

function renderSpent(
  { limits, spent_cents: spent, max_spend_cents: limit }: ProgramRow,
  isAlive: boolean,
): string {
  if (findProgramRight(limits) !== 'order') return `${formatUsd(spent)}, may spend nothing`;
  if (limit === null) return `${formatUsd(spent)}, no limit`;
  const sum = `${formatUsd(spent)} of ${formatUsd(limit)}`;
  return isAlive ? `${sum}, ${formatUsd(limit - spent)} left` : sum;
}
