import { Answer } from '#core/operation.ts';

interface CsvFile {
  readonly name: string;
  readonly content: string;
  /** Number of rows without the header. */
  readonly count: number;
}

/** Answers the file itself to a client that prefers `text/csv` over JSON; otherwise its text within JSON. */
export function answerCsvFile(accept: string | undefined, { name, content, count }: CsvFile) {
  if (!isCsvPreferred(accept ?? '')) return { content, count };
  return new Answer(200, content, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${name}"`,
  });
}

function isCsvPreferred(accept: string): boolean {
  const mediaTypes = accept.split(',').map((part) => part.split(';')[0]?.trim());
  return mediaTypes.find((media) => media === 'text/csv' || media === 'application/json') === 'text/csv';
}
