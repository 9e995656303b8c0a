/**
 * The account pages of a person: name, password, open sessions.
 * This folder: sign-in, account, organization, members and tokens. Not here: the rules of them (`domain/people`,
 * `domain/organizations`).
 */
import type { FastifyInstance } from 'fastify';
import { isUuid } from '#core/ids.ts';
import { passkeysOf } from '#domain/people/passkey-store.ts';
import { sessionsOf } from '#domain/people/session-store.ts';
import { hasPassword } from '#domain/people/store.ts';
import {
  changeName,
  changePassword,
  dropPasskey,
  endSessionsOf,
  type PasswordChange,
} from '#workflows/people/account.ts';
import { personalForm, personalPage, type PersonalContext, type PersonalFormContext } from '../context.ts';
import { field, queryParameter, sentenceFor, shortField } from '../http.ts';
import type { PageContent } from '../layout.ts';
import type { PagesParts } from '../parts.ts';
import { originOf, setCookies } from '../session.ts';
import { accountView } from './account-view.ts';

export function addAccountPages(app: FastifyInstance, parts: PagesParts): void {
  personalPage(app, parts, '/account', (context) => accountPage(context));
  personalForm(app, parts, '/account/name', rename);
  personalForm(app, parts, '/account/password', setPassword);
  personalForm(app, parts, '/account/passkeys/remove', removePasskey);
  personalForm(app, parts, '/account/sessions/end', endOne);
  personalForm(app, parts, '/account/sessions/end-all', endAll);
}

const NAME_LENGTH_MAX = 200;
const DONE: Readonly<Record<string, string>> = {
  name: 'Your name is saved.',
  password: 'The password is changed. Every other session has ended.',
  session: 'The session was ended.',
  passkey: 'The passkey is added.',
  'passkey-removed': 'The passkey is removed.',
};

async function accountPage(
  { parts, request, signedIn }: PersonalContext,
  passwordProblem?: string,
): Promise<PageContent> {
  const { read } = parts.database;
  const [isSet, passkeys, sessions] = await Promise.all([
    hasPassword(read, signedIn.userId),
    passkeysOf(read, signedIn.userId),
    sessionsOf(read, signedIn.userId, parts.work.clock.now()),
  ]);
  return accountView(signedIn, {
    hasPassword: isSet,
    sessions,
    passkeys,
    done: sentenceFor(DONE, queryParameter(request, 'done')),
    passwordProblem,
  });
}

async function rename({ parts, request, signedIn, form }: PersonalFormContext): Promise<string> {
  const { work, database } = parts;
  const name = shortField(form, 'name', NAME_LENGTH_MAX);
  await changeName(work, database, originOf(request), { ...signedIn, name });
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
  const outcome = await changePassword(work, database, people, originOf(request), change);
  if (outcome.kind === 'changed') return '/account?done=password';
  return { ...(await accountPage(context, problemOf(outcome))), status: 422 };
}

function problemOf(outcome: Exclude<PasswordChange, { kind: 'changed' }>): string {
  if (outcome.kind === 'wrong_current') return 'The current password is wrong.';
  if (outcome.kind === 'locked') return 'Too many wrong passwords; try again in a quarter of an hour.';
  return `The new password ${outcome.problem}.`;
}

async function removePasskey({ parts, request, signedIn, form }: PersonalFormContext): Promise<string> {
  const passkeyId = field(form, 'passkey_id');
  if (!isUuid(passkeyId)) return '/account';
  const isGone = await dropPasskey(parts.work, parts.database, originOf(request), { ...signedIn, passkeyId });
  return isGone ? '/account?done=passkey-removed' : '/account';
}

async function endOne(context: PersonalFormContext): Promise<string> {
  const { parts, request, signedIn, form } = context;
  const only = field(form, 'session_id');
  if (!isUuid(only)) return '/account';
  await parts.database.transaction((tx) =>
    endSessionsOf(parts.work, tx, originOf(request), { userId: signedIn.userId, only }),
  );
  return '/account?done=session';
}

async function endAll({ parts, request, reply, signedIn }: PersonalFormContext): Promise<string> {
  await parts.database.transaction((tx) =>
    endSessionsOf(parts.work, tx, originOf(request), { userId: signedIn.userId }),
  );
  setCookies(reply, parts.people.forgetSession());
  return '/sign-in';
}
