/** The forms in which an answer comes, in words. */
import type { Operation } from '#core/operation.ts';
import { joinWords } from '#core/words.ts';
import { PARQUET_MEDIA } from '#features/results/contract.ts';

export const JSON_MEDIA = 'application/json';

const NAMES: Readonly<Record<string, string>> = {
  [JSON_MEDIA]: 'JSON',
  'text/csv': 'CSV',
  [PARQUET_MEDIA]: 'Parquet',
};

const PAYMENT_TERMS =
  'The terms are in the header `PAYMENT-REQUIRED` (x402-exact; for version 1 of x402 also in the body, as `x402Version` and `accepts`) or `WWW-Authenticate` (mpp-spt), the receipt is in `PAYMENT-RESPONSE` (`X-PAYMENT-RESPONSE` for version 1) or `Payment-Receipt`.';

/** The description for callers of REST, who choose a form by a header; empty where there is nothing to say. */
export function describeForRest({ description, media = [], paymentHeaders = [] }: Operation): string {
  const forms = media.map((type) => {
    const name = NAMES[type] ?? type;
    return type === JSON_MEDIA ? name : `${name} with \`Accept: ${type}\``;
  });
  const formSentence = forms.length > 1 ? `${joinWords(forms, 'or')}.` : undefined;
  const terms = paymentHeaders.includes('payment-signature') ? PAYMENT_TERMS : undefined;
  return [description, formSentence, terms].filter((part) => part !== undefined).join(' ');
}
