/**
 * Pages where a person approves a program: the code, its origin, and the organization and role it gets.
 * This folder: the page on which a person lets a program in. Not here: the rules of it (`domain/devices`).
 */
import { fail } from '#core/failures.ts';
import { roles } from '#core/permissions.ts';
import { labScope } from '#core/scope.ts';
import { lifetimes, parseUserCode } from '#features/people/devices/rules.ts';
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
import type { PageContent } from '#ui/layout.ts';
import type { PagesParts } from '#ui/parts.ts';
import { renderCodePage, renderDecidedPage, renderRequestPage } from './view.ts';
import type { Routes } from '#ui/routes.ts';

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
