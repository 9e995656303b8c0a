/** The cards for signing in. */
import type { FastifyReply } from 'fastify';
import type { PageContent } from '#ui/layout.ts';
import { markup } from '#ui/markup.ts';
import { addNext, renderNextField, toLanding } from '#ui/next.ts';
import { renderEmailField, renderNewPasswordField, renderProblem } from './fields.ts';

/** Sends a page to a person who is not signed in. */
export type ShowPage = (reply: FastifyReply, page: PageContent) => FastifyReply;

export interface SignInView {
  readonly provider: { readonly name: string } | null;
  /** The page to show after signing in; empty for the first page. */
  readonly next: string;
  /** True when anybody may sign up. */
  readonly isOpen: boolean;
  readonly email?: string;
  readonly problem?: string | undefined;
  readonly status?: number;
}

export function renderSignInPage(view: SignInView): PageContent {
  const { provider, next, email = '', problem } = view;
  const body = markup`<article class="card door" aria-labelledby="sign-in">
<h1 id="sign-in">Sign in</h1>
<p class="lead">Order assays, follow them, and read the results with the curves behind them.</p>
${problem !== undefined && renderProblem(problem)}
<form method="post" action="/sign-in" class="fields">
${renderNextField(next)}
${renderEmailField(email)}
<div class="field"><label for="password">Password</label><input id="password" type="password" name="password" maxlength="200" autocomplete="current-password"></div>
<button class="primary large">Sign in</button>
<p class="or"><span>or</span></p>
<div class="choices"><button class="large" formaction="/sign-in/mail">Send me a sign-in link</button>
${provider !== null && markup`<a class="button large" href="${addNext('/sign-in/provider', next)}">Continue with ${provider.name}</a>`}</div>
</form>
<div class="choices" data-passkey="sign-in" data-next="${toLanding(next)}" hidden><button type="button" class="large">Sign in with a passkey</button><p class="problem" role="alert"></p></div>
<p class="aside"><a href="${addNext('/password', next)}">Forgotten your password?</a>${view.isOpen && markup`<a href="${addNext('/sign-up', next)}">Create an account</a>`}</p>
</article>`;
  return {
    title: 'Sign in',
    body,
    width: 'narrow',
    scripts: ['passkeys'],
    ...(view.status === undefined ? {} : { status: view.status }),
  };
}

export function renderOpenLinkPage(secret: string): PageContent {
  const body = markup`<article class="card door" aria-labelledby="sign-in">
<h1 id="sign-in">Sign in to Assayer</h1>
<p>This link opens a session in this browser for 30 days. It works once.</p>
<form method="post" action="/sign-in/link/${encodeURIComponent(secret)}"><button class="primary large">Sign in</button></form>
</article>`;
  return { title: 'Sign in', body, width: 'narrow' };
}

/** Renders the page of a link that sets a password. */
export function renderNewPasswordPage(
  secret: string,
  email: string,
  problem: string | undefined,
): PageContent {
  const body = markup`<article class="card door" aria-labelledby="new"><h1 id="new">Set a password</h1>
<p>For <strong><bdi>${email}</bdi></strong>. It ends every open session of the account and opens one here.</p>
<form method="post" action="/password/${encodeURIComponent(secret)}" class="fields">
${renderNewPasswordField(problem, email)}
<button class="primary large">Set the password and sign in</button></form></article>`;
  return { title: 'Set a password', body, width: 'narrow', status: problem === undefined ? 200 : 422 };
}

/** The page of a link that was used or is too old; signing in by another way still ends at `next`. */
export function renderSpentLinkPage(next = ''): PageContent {
  const body = markup`<article class="card door" aria-labelledby="spent">
<h1 id="spent">This link no longer works</h1>
<p>It has been used before, or its time has passed. If you used it in this browser, <a href="${toLanding(next)}">you are signed in</a>.</p>
<p><a class="button" href="${addNext('/sign-in', next)}">Go to the sign-in page</a></p>
</article>`;
  return { title: 'Link no longer works', body, width: 'narrow', status: 410 };
}
