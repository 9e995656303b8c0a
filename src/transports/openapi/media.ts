/** The forms in which an answer comes, in words. */
import type { Operation } from '#core/operation.ts';
import { PARQUET_MEDIA } from '#domain/results/contract.ts';

export const JSON_MEDIA = 'application/json';

const NAMES: Readonly<Record<string, string>> = {
  [JSON_MEDIA]: 'JSON',
  'text/csv': 'CSV',
  [PARQUET_MEDIA]: 'Parquet',
};
const listForms = new Intl.ListFormat('en-US', { type: 'disjunction' });

/** The description for callers of REST, who choose a form by a header; empty where there is nothing to say. */
export function describeForRest({ description, media = [] }: Operation): string {
  const forms = media.map((type) => {
    const name = NAMES[type] ?? type;
    return type === JSON_MEDIA ? name : `${name} with \`Accept: ${type}\``;
  });
  const said = forms.length > 1 ? `${listForms.format(forms)}.` : undefined;
  return [description, said].filter((part) => part !== undefined).join(' ');
}
