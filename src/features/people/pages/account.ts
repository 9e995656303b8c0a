/**
 * The account pages of a person: name, password, open sessions.
 * This folder: sign-in, account, organization, members and tokens. Not here: the rules of them (`domain/people`,
 * `domain/organizations`).
 */
import { isUuid } from '#core/ids.ts';
import { selectPasskeys } from '../passkey-store.ts';
import { selectSessions } from '../session-store.ts';
import { hasPassword } from '../store.ts';
import { changeName, changePassword, dropPasskey, closeSessions, type PasswordChange } from '../account.ts';
import {
  addPersonalForm,
  addPersonalPage,
  type PersonalContext,
  type PersonalFormContext,
} from '#ui/context.ts';
import { getField, queryParameter, findSentence, getNameField } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import type { PagesParts } from '#ui/parts.ts';
import { getOrigin, setCookies } from '#ui/session.ts';
import { renderAccountPage } from './account-view.ts';
import type { Routes } from '#ui/routes.ts';

export function addAccountPages(routes: Routes, parts: PagesParts): void {
  addPersonalPage(routes, parts, '/account', (context) => loadAccountPage(context));
  addPersonalForm(routes, parts, '/account/name', rename);
  addPersonalForm(routes, parts, '/account/password', setPassword);
  addPersonalForm(routes, parts, '/account/passkeys/remove', removePasskey);
  addPersonalForm(routes, parts, '/account/sessions/end', closeSession);
  addPersonalForm(routes, parts, '/account/sessions/end-all', closeAllSessions);
}

const NAME_LENGTH_MAX = 200;
const DONE: Readonly<Record<string, string>> = {
  name: 'Your name is saved.',
  password: 'The password is changed. Every other session has ended.',
  session: 'The session was ended.',
  passkey: 'The passkey is added.',
  'passkey-removed': 'The passkey is removed.',
};

async function loadAccountPage(
  { parts, request, signedIn }: PersonalContext,
  passwordProblem?: string,
): Promise<PageContent> {
  const { read } = parts.database;
  const [isSet, passkeys, sessions] = await Promise.all([
    hasPassword(read, signedIn.userId),
    selectPasskeys(read, signedIn.userId),
    selectSessions(read, signedIn.userId, parts.work.clock.now()),
  ]);
  return renderAccountPage(signedIn, {
    hasPassword: isSet,
    sessions,
    passkeys,
    done: findSentence(DONE, queryParameter(request, 'done')),
    passwordProblem,
  });
}

async function rename({ parts, request, signedIn, form }: PersonalFormContext): Promise<string> {
  const { work, database } = parts;
  const name = getNameField(form, 'name', NAME_LENGTH_MAX);
  await changeName(work, database, getOrigin(request), { ...signedIn, name });
  return '/account?done=name';
}

async function setPassword(context: PersonalFormContext): Promise<string | PageContent> {
  const { parts, request, signedIn, form } = context;
  const { work, database, people } = parts;
  const change = {
    ...signedIn,
    current: form.current_password ?? '',
    next: form.new_password ?? '',
  };
  const outcome = await changePassword(work, database, people, getOrigin(request), change);
  if (outcome.kind === 'changed') return '/account?done=password';
  return { ...(await loadAccountPage(context, describeProblem(outcome))), status: 422 };
}

function describeProblem(outcome: Exclude<PasswordChange, { kind: 'changed' }>): string {
  if (outcome.kind === 'wrong_current') return 'The current password is wrong.';
  if (outcome.kind === 'locked') return 'Too many wrong passwords; try again in a quarter of an hour.';
  return `The new password ${outcome.problem}.`;
}

async function removePasskey({ parts, request, signedIn, form }: PersonalFormContext): Promise<string> {
  const passkeyId = getField(form, 'passkey_id');
  if (!isUuid(passkeyId)) return '/account';
  const isGone = await dropPasskey(parts.work, parts.database, getOrigin(request), {
    ...signedIn,
    passkeyId,
  });
  return isGone ? '/account?done=passkey-removed' : '/account';
}

async function closeSession(context: PersonalFormContext): Promise<string> {
  const { parts, request, signedIn, form } = context;
  const only = getField(form, 'session_id');
  if (!isUuid(only)) return '/account';
  await parts.database.runTransaction((tx) =>
    closeSessions(parts.work, tx, getOrigin(request), { userId: signedIn.userId, only }),
  );
  return '/account?done=session';
}

async function closeAllSessions({ parts, request, reply, signedIn }: PersonalFormContext): Promise<string> {
  await parts.database.runTransaction((tx) =>
    closeSessions(parts.work, tx, getOrigin(request), { userId: signedIn.userId }),
  );
  setCookies(reply, parts.people.writeSessionEnd());
  return '/sign-in';
}
