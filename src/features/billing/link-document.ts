/** Documents as answers: the PDF itself, and a short-lived address of it that needs no token. */
import type { FastifyReply } from 'fastify';
import { addMs } from '#core/clock.ts';
import type { DocumentFile, ReadContext } from '#core/context.ts';
import { Answer } from '#core/operation.ts';

/** Path of documents: `/files/documents/{kind}/{id}`, behind a signed link. */
export const DOCUMENT_PATH = '/files/documents';

const LINK_LIFE_MS = 600_000;

const documentKinds = ['quotes', 'invoices', 'credit-notes'] as const;

type DocumentKind = (typeof documentKinds)[number];

type Linking = Pick<ReadContext, 'site' | 'links' | 'clock' | 'documents' | 'watchClient'>;

/** Redirects to the document. The answer has the document as well, for clients that do not follow redirects. */
export async function linkDocument(
  { site, links, clock, documents, watchClient }: Linking,
  kind: DocumentKind,
  id: string,
): Promise<Answer> {
  const document = await documents.find(kind, id, watchClient?.());
  if (document === undefined) throw new Error(`the document ${kind}/${id} was not found when it was linked`);
  const path = `${DOCUMENT_PATH}/${kind}/${encodeURIComponent(id)}`;
  const location = `${site.baseUrl}${links.sign(path, addMs(clock.now(), LINK_LIFE_MS))}`;
  return redirectToDocument(location, document);
}

export function redirectToDocument(location: string, { fileName, bytes }: DocumentFile): Answer {
  return new Answer(307, toBuffer(bytes), { location, ...formatDocumentHeaders(fileName) });
}

/** Other sites must not read a document, and a browser must not treat it as a page. */
function formatDocumentHeaders(fileName: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/pdf',
    'content-disposition': `inline; filename="${fileName}"`,
    'cache-control': 'private, no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex, nofollow',
  };
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function sendDocument(reply: FastifyReply, { fileName, bytes }: DocumentFile): FastifyReply {
  return reply
    .headers(formatDocumentHeaders(fileName))
    .header('cache-control', 'private, no-cache')
    .send(toBuffer(bytes));
}
