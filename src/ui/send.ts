/** Renders and sends a page with its headers. */
import type { FastifyReply } from 'fastify';
import { allowOwnScript, sendPage } from './http.ts';
import { listScripts, renderPage, type Frame, type PageContent } from './layout.ts';

export function sendContent(
  reply: FastifyReply,
  frame: Frame,
  page: PageContent,
  status: number | undefined = page.status,
): FastifyReply {
  if (listScripts(page).length > 0) allowOwnScript(reply);
  return sendPage(reply, renderPage(frame, page), status);
}
