/** Short-lived addresses of documents that need no token. */
import { addMs } from '#core/clock.ts';
import type { ReadContext } from '#core/context.ts';
import { Answer } from '#core/operation.ts';

/** Path of documents: `/files/documents/{kind}/{id}`, behind a signed link. */
export const DOCUMENT_PATH = '/files/documents';

const LINK_LIFE_MS = 600_000;

const documentKinds = ['quotes', 'invoices', 'credit-notes'] as const;

type DocumentKind = (typeof documentKinds)[number];

type Linking = Pick<ReadContext, 'site' | 'links' | 'clock'>;

export function linkDocument({ site, links, clock }: Linking, kind: DocumentKind, id: string): Answer {
  const path = `${DOCUMENT_PATH}/${kind}/${encodeURIComponent(id)}`;
  const location = `${site.baseUrl}${links.sign(path, addMs(clock.now(), LINK_LIFE_MS))}`;
  return new Answer(307, null, { location });
}
