/** The programs that a person let act for them over OAuth: what each may do and has spent, and revoking it. */
import { isUuid } from '#core/ids.ts';
import { labScope } from '#core/scope.ts';
import { selectPrograms } from '../../tokens/program-store.ts';
import { revokeProgram } from '../programs/revoke-program.ts';
import {
  addPersonalForm,
  addPersonalPage,
  type PersonalContext,
  type PersonalFormContext,
} from '#ui/context.ts';
import { getField, queryParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import type { PagesParts } from '#ui/parts.ts';
import { getOrigin } from '#ui/session.ts';
import { renderProgramsPage } from './programs-view.ts';
import type { Routes } from '#ui/routes.ts';

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
