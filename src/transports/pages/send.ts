/** Renders and sends a page with its headers. */
import type { FastifyReply } from 'fastify';
import { allowOwnScript, sendPage } from './http.ts';
import { renderPage, type Frame, type PageContent } from './layout.ts';

export function sendContent(
  reply: FastifyReply,
  frame: Frame,
  page: PageContent,
  status: number | undefined = page.status,
): FastifyReply {
  if (page.scripts !== undefined) allowOwnScript(reply);
  return sendPage(reply, renderPage(frame, page), status);
}
