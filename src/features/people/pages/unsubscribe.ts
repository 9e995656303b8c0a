/**
 * The links that stop mails. Programs that check mails follow every link, so that opening one only shows a button; a
 * POST stops the mails without signing in, as mail programs send it (RFC 8058).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '#core/failures.ts';
import { getEventKind } from '../../notifications/events.ts';
import {
  checkSubscription,
  DAILY,
  parseSubscription,
  UNSUBSCRIBE_PATH,
  type Subscription,
} from '../../notifications/unsubscribe.ts';
import { stopMail } from '../stop-mail.ts';
import { getPathParameter } from '#ui/http.ts';
import type { PageContent } from '#ui/layout.ts';
import { markup } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import { sendContent } from '#ui/send.ts';
import { getOrigin } from '#ui/session.ts';
import type { Routes } from '#ui/routes.ts';
import type { LinkSigner } from '#core/signed-link.ts';

const PATH = `${UNSUBSCRIBE_PATH}/:user/:place/:stops`;

declare module '#ui/parts.ts' {
  interface PagesParts {
    /** Checks the links that stop mails. */
    readonly unsubscribeLinks: LinkSigner;
  }
}

export function addUnsubscribePages(routes: Routes, parts: PagesParts): void {
  const show = (reply: FastifyReply, page: PageContent): FastifyReply =>
    sendContent(reply, { site: parts.work.site, visitor: null, isBare: true }, page);

  routes.get(PATH, (request, reply) => show(reply, renderQuestion(request.url, requireLink(parts, request))));

  // The signature is the permission, so the form needs no session; what it says in its body decides nothing.
  routes.post(PATH, async (request, reply) => {
    const subscription = requireLink(parts, request);
    await parts.database.runTransaction((tx) => stopMail(parts.work, tx, getOrigin(request), subscription));
    return show(reply, renderDone(subscription));
  });
}

function requireLink({ work, unsubscribeLinks }: PagesParts, request: FastifyRequest): Subscription {
  const subscription = parseSubscription({
    user: getPathParameter(request, 'user'),
    place: getPathParameter(request, 'place'),
    stops: getPathParameter(request, 'stops'),
  });
  if (subscription === undefined) throw fail('link_invalid');
  checkSubscription(unsubscribeLinks, subscription, request.query, work.clock.now());
  return subscription;
}

function describeMails({ stops }: Subscription): string {
  return stops === DAILY ? 'the daily mail' : `mails of “${getEventKind(stops).title}”`;
}

const CHOOSE = markup`<p class="hint"><a href="/account/notifications">Choose all your mails</a> after signing in.</p>`;

function renderQuestion(address: string, subscription: Subscription): PageContent {
  const body = markup`<article class="card door" aria-labelledby="stop"><h1 id="stop">Stop ${describeMails(subscription)}?</h1>
<p>You will get no more of them. Other mails stay as they are.</p>
<form method="post" action="${address}"><button class="primary">Stop them</button></form>
${CHOOSE}</article>`;
  return { title: 'Stop mails', body, width: 'narrow' };
}

function renderDone(subscription: Subscription): PageContent {
  const body = markup`<article class="card door" aria-labelledby="stopped"><h1 id="stopped">Stopped</h1>
<p role="status">You get no more ${subscription.stops === DAILY ? 'daily mail' : describeMails(subscription)}.</p>
${CHOOSE}</article>`;
  return { title: 'Mails stopped', body, width: 'narrow' };
}
