/** Documents as files: the processor's where that is the official one, otherwise ours, drawn at this moment. */
import type { Documents, OutsideDocuments, Site } from '#core/context.ts';
import type { Sql } from '#core/sql.ts';
import type { RenderPdf } from '#documents/document.ts';
import { findDocument } from './billing-documents.ts';

interface DocumentParts {
  readonly site: Site;
  readonly sql: Sql;
  readonly renderPdf: RenderPdf;
  readonly outside: OutsideDocuments;
}

export function createDocuments({ site, sql, renderPdf, outside }: DocumentParts): Documents {
  return {
    async find(kind, id, signal) {
      const documentFile = await findDocument(site, sql, kind, id);
      if (documentFile === undefined) return undefined;
      const outsideBytes = kind === 'quotes' ? await outside.getQuoteBytes(id) : null;
      const { fileName, document, organizationId } = documentFile;
      return { fileName, bytes: outsideBytes ?? (await renderPdf(document, { organizationId, signal })) };
    },
  };
}
