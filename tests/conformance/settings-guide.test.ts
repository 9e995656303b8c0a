/** The guide for operators: it tells of every setting and of every limit of a body, and no setting that may hold a secret is shown. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { LARGE_BODY_BYTES, SMALL_BODY_BYTES } from '#core/operation.ts';
import { settingList } from '#settings/settings.ts';
import { UPLOAD_BYTES_MAX } from '#core/size.ts';
import { bindings } from '#transports/operations.ts';
import {
  FORM_BYTES_MAX,
  PUBLIC_FORM_BYTES_MAX,
  ORDER_FORM_BYTES_MAX,
  STRUCTURE_FORM_BYTES_MAX,
} from '#ui/http.ts';
import { IMPORT_FORM_BYTES_MAX as TARGETS_FORM_BYTES_MAX } from '#features/targets/pages/catalog/import.ts';
import { PLAN_FORM_BYTES_MAX } from '#features/runs/pages/planner/plan-state.ts';
import { IMPORT_FORM_BYTES_MAX as PRICES_FORM_BYTES_MAX } from '#features/pricing/pages/price-lists/import.ts';

const GUIDE = readFileSync(new URL('../../docs/guide/operating.md', import.meta.url), 'utf8');

test('settings: every variable that is read → a place in the guide for operators', () => {
  assert.ok(settingList.length > 40);
  const untold = settingList.filter(({ name }) => !GUIDE.includes(`\`${name}\``)).map(({ name }) => name);
  assert.deepEqual(untold, []);
});

test('settings: a whole number as default → told where the variable is', () => {
  const lines = GUIDE.split('\n');
  const untold = settingList.filter(({ name, fallback }) => {
    if (!/^\d{1,6}$/.test(fallback)) return false;
    const documenting = lines.filter((line) => line.includes(`\`${name}\``));
    return !documenting.some((line) => new RegExp(`(?<!\\d)${fallback}(?!\\d)`).test(line));
  });
  assert.deepEqual(
    untold.map(({ name, fallback }) => `${name} ${fallback}`),
    [],
  );
});

test('settings: a key, a token, a secret, or an address that may carry one → marked as secret', () => {
  const telling = /_(?:KEY|(?<!PER_)TOKEN|SECRET)$|^(?:DATABASE|SMTP|X402_RPC|X402_FACILITATOR)_URL$/;
  const marked = settingList.filter(({ isSecret }) => isSecret === true).map(({ name }) => name);
  const expected = settingList.filter(({ name }) => telling.test(name)).map(({ name }) => name);
  assert.deepEqual(marked.toSorted(), expected.toSorted());
  assert.ok(marked.includes('SMTP_URL') && marked.includes('OIDC_CLIENT_SECRET'));
});

const KIBIBYTE = 1_024;
const formatLimit = (bytes: number): string =>
  bytes >= KIBIBYTE ** 2 ? `${bytes / KIBIBYTE ** 2} MiB` : `${bytes / KIBIBYTE} KiB`;

/** The limit of the row of the guide that begins so. */
function readLimit(begin: string): string | undefined {
  const row = GUIDE.split('\n').find((line) => line.startsWith(`| ${begin}`));
  return row?.split('|')[2]?.trim().split(';')[0];
}

test('limits: each kind of body, as an upload, a request or a form → its limit in the guide', () => {
  const rows: readonly (readonly [begin: string, bytes: number])[] = [
    ['a raw file: `PUT`', UPLOAD_BYTES_MAX],
    ['any other request of the API', SMALL_BODY_BYTES],
    ['the form of a new experiment', ORDER_FORM_BYTES_MAX],
    ['the form of a target request', STRUCTURE_FORM_BYTES_MAX],
    ['the forms of plans of runs', PLAN_FORM_BYTES_MAX],
    ['the import of targets', TARGETS_FORM_BYTES_MAX],
    ['the import of prices', PRICES_FORM_BYTES_MAX],
    ['any other form of a person', FORM_BYTES_MAX],
    ['a form of anybody', PUBLIC_FORM_BYTES_MAX],
  ];
  for (const [begin, bytes] of rows) assert.equal(readLimit(begin), formatLimit(bytes), begin);
});

test('limits: an operation with a limit of its own → its noun in the guide has that limit', () => {
  const nouns: readonly (readonly [begin: string, ids: RegExp])[] = [
    ['a price list, and a mapping of wells', /price_list|^map_/],
    ['a quote by hand', /custom_quote$/],
  ];
  for (const { operation } of bindings) {
    const { id, bodyBytesMax: bytes } = operation;
    if (bytes === undefined || bytes === LARGE_BODY_BYTES) continue;
    const row = nouns.find(([, ids]) => ids.test(id));
    assert.equal(readLimit(row?.[0] ?? ''), formatLimit(bytes), id);
  }
});
