/** The thumbnail of a result, and the headers of figures. */
import { getResultCurves } from '../contract.ts';
import { drawThumbnail } from '../figures/thumbnail.ts';
import { writeSvg } from '#documents/svg.ts';
import type { FastifyReply } from 'fastify';
import type { PortalContext } from '#ui/context.ts';
import { getPathParameter, queryParameter } from '#ui/http.ts';

const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";
const PICTURE_AGE_SECONDS = 300;

/** Headers of a figure: only this browser may cache it, and it may not run or load anything. */
export const PICTURE_HEADERS = {
  'content-type': 'image/svg+xml; charset=utf-8',
  'content-security-policy': PICTURE_POLICY,
  'cache-control': `private, max-age=${PICTURE_AGE_SECONDS}`,
} as const;

export async function sendResultThumbnail({ api, request, reply }: PortalContext): Promise<FastifyReply> {
  const curves = await api.call(getResultCurves, { params: { result_id: getPathParameter(request, 'id') } });
  const top = Number(queryParameter(request, 'top'));
  return reply.headers(PICTURE_HEADERS).send(writeSvg(drawThumbnail(curves, top > 0 ? top : 0)));
}
