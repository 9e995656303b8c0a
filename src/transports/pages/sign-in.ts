/** Signing in by a one-time link, and signing out. Opening the link uses nothing up, so that mail scanners may look. */
import type { FastifyInstance } from 'fastify';
import { pathParameter, refuseForeignForm, seeOther, sendPage } from './http.ts';
import { renderPage, type PageContent } from './layout.ts';
import { markup, type Markup } from './markup.ts';
import type { PagesParts } from './parts.ts';
import { closeSession, openSession, requireOwnForm, setSessionCookie } from './session.ts';

const SECRET = /^[\w-]{20,100}$/;

export function addSignInPages(app: FastifyInstance, parts: PagesParts): void {
  const { work, database } = parts;
  const frame = { environment: work.site.environment, visitor: null };

  app.get('/sign-in/:secret', (request, reply) =>
    sendPage(reply, renderPage(frame, signInPage(pathParameter(request, 'secret')))),
  );

  app.post('/sign-in/:secret', async (request, reply) => {
    refuseForeignForm(request, work.site.baseUrl);
    const link = pathParameter(request, 'secret');
    const secret = SECRET.test(link)
      ? await database.transaction((tx) => openSession(parts, tx, link))
      : undefined;
    if (secret === undefined) return sendPage(reply, renderPage(frame, spentLinkPage), 410);
    setSessionCookie(parts, reply, secret);
    return seeOther(reply, '/');
  });

  app.post('/sign-out', async (request, reply) => {
    const { session } = await requireOwnForm(parts, request);
    await closeSession(parts, request, session);
    setSessionCookie(parts, reply, null);
    return seeOther(reply, '/');
  });
}

function signInPage(secret: string): PageContent {
  const body = markup`<article class="card paper stack" aria-labelledby="sign-in">
<h1 id="sign-in">Sign in to Assayer</h1>
<p>This link opens a session in this browser for 30 days. It works once.</p>
<form method="post" action="/sign-in/${encodeURIComponent(secret)}"><button class="primary large">Sign in</button></form>
</article>`;
  return { title: 'Sign in', body, width: 'narrow' };
}

const HOW_TO_GET_A_LINK: Markup = markup`<ul class="steps">
<li>On the machine that runs the service, <code>assayer start</code> prints a new link each time it starts.</li>
<li>Otherwise ask the administrator of your organization for one.</li>
</ul>`;

const spentLinkPage: PageContent = {
  title: 'Link no longer works',
  body: markup`<article class="card paper stack" aria-labelledby="spent">
<h1 id="spent">This sign-in link no longer works</h1>
<p>It has been used before, or it is older than a day. If you used it in this browser, <a href="/">you are signed in</a>.</p>
<h2>How to get a new one</h2>
${HOW_TO_GET_A_LINK}
</article>`,
  width: 'narrow',
};

export const signedOutPage: PageContent = {
  title: 'Sign in',
  body: markup`<article class="card paper stack" aria-labelledby="signed-out">
<h1 id="signed-out">Measure your proteins</h1>
<p class="lead">Send amino-acid sequences, see the price, accept the quote, and read back measured affinities with the curves behind them.</p>
<p class="note">You are signed out. Open your one-time sign-in link to continue.</p>
<h2>How to get a link</h2>
${HOW_TO_GET_A_LINK}
<p>A program signs in with a token instead: the <a href="/docs">API reference</a> shows every call.</p>
</article>`,
  width: 'narrow',
};
