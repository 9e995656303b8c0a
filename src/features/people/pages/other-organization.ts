/** The answer to a form that a page of another organization showed; nothing was done. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createCaller } from '#ui/caller.ts';
import { setPageHeaders } from '#ui/http.ts';
import { renderFormToken } from '#ui/layout.ts';
import { markup } from '#ui/markup.ts';
import type { PagesParts } from '#ui/parts.ts';
import { sendContent } from '#ui/send.ts';
import { requireSession } from '#ui/session.ts';
import { findFormPage, renderNextField } from '#ui/next.ts';
import { identifyCaller } from '../../tokens/contract.ts';

const TITLE = 'The form belongs to another organization';

/** Says for which organization the form was shown, and offers to switch to it while the person belongs to it. */
export async function sendOtherOrganization(
  parts: PagesParts,
  request: FastifyRequest,
  reply: FastifyReply,
  organizationId: string,
): Promise<FastifyReply> {
  const session = await requireSession(parts, request);
  const { visitor } = session;
  const { organizations } = await createCaller(parts, request, session).call(identifyCaller);
  const shown = organizations.find(({ id }) => id === organizationId);
  const now = markup`you are now in <bdi>${visitor.organization}</bdi>`;
  const offer =
    shown === undefined
      ? markup`<p class="lead">It was opened for an organization to which you no longer belong, and ${now}. Nothing was done.</p>
<p><a class="button" href="/">Go to your experiments</a></p>`
      : markup`<p class="lead">It was opened for <bdi>${shown.name}</bdi>, and ${now}. Nothing was done.</p>
<form method="post" action="/organizations/enter">${renderFormToken(visitor)}<input type="hidden" name="organization_id" value="${shown.id}">${renderNextField(findFormPage(request.url) ?? '')}<button class="primary"><span>Switch to <bdi>${shown.name}</bdi></span></button></form>
<p><a href="/">Stay in <bdi>${visitor.organization}</bdi></a></p>`;
  const body = markup`<article class="card error" aria-labelledby="error">
<p class="over">409</p>
<h1 id="error">${TITLE}</h1>
${offer}
<p class="hint">Request <code>${request.id}</code></p>
</article>`;
  setPageHeaders(reply);
  const frame = { site: parts.work.site, visitor };
  return sendContent(reply, frame, { title: TITLE, body, width: 'narrow', status: 409 });
}
