import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeSetup } from './setup-rules.ts';

type Installation = Parameters<typeof describeSetup>[0];

const SELLER = {
  name: 'A lab',
  address_lines: ['1 Road'],
  tax_id: 'XY 1',
  email: null,
  bank_lines: ['IBAN XY00 1'],
};
const LIVE: Installation = {
  environment: 'live',
  mail: 'smtp',
  processor: 'builtin',
  mirrorsQuotes: false,
  letterhead: { seller: SELLER, paper: 'a4' },
  hasOwnDatabase: true,
};
const EMPTY = { name: null, address_lines: [], tax_id: null, email: null, bank_lines: [] };

const listStates = (site: Installation): string[] => describeSetup(site).map(({ state }) => state);

test('set-up: everything is set in live → only the backup, which nobody records, is to be checked', () => {
  assert.deepEqual(listStates(LIVE), ['set', 'set', 'set', 'check']);
});

test('set-up: live without any setting → mail, payment and seller are missing, each with its settings', () => {
  const items = describeSetup({ ...LIVE, mail: 'none', letterhead: { seller: EMPTY, paper: 'a4' } });
  assert.deepEqual(
    items.map(({ state, settings }) => [state, settings]),
    [
      ['missing', ['SMTP_URL', 'MAIL_FROM']],
      ['missing', ['BANK_DETAILS', 'STRIPE_SECRET_KEY']],
      ['missing', ['LAB_NAME', 'LAB_ADDRESS', 'LAB_TAX_ID']],
      ['check', []],
    ],
  );
});

test('set-up: Stripe collects, or the lab has no tax id → nothing is missing', () => {
  const noBank = { ...SELLER, bank_lines: [] };
  const stripe = { ...LIVE, mirrorsQuotes: true, letterhead: { seller: noBank, paper: 'a4' as const } };
  assert.deepEqual(listStates(stripe).slice(0, 3), ['set', 'set', 'set']);
  const untaxed = { ...LIVE, letterhead: { seller: { ...SELLER, tax_id: null }, paper: 'a4' as const } };
  assert.match(describeSetup(untaxed)[2]?.sentence ?? '', /no tax id; set LAB_TAX_ID if the lab has one/);
});

test('set-up: a sandbox without any setting → nothing is missing', () => {
  const sandbox = { ...LIVE, environment: 'sandbox' as const, mail: 'mailbox' as const };
  assert.deepEqual(listStates({ ...sandbox, letterhead: { seller: EMPTY, paper: 'a4' } }), [
    'set',
    'set',
    'set',
    'set',
  ]);
});

test('set-up: a database of its own or another → the backup names what has to be in it', () => {
  const getBackup = (hasOwnDatabase: boolean) =>
    describeSetup({ ...LIVE, hasOwnDatabase })[3]?.sentence ?? '';
  assert.match(getBackup(true), /DATA_DIR while the service is stopped/);
  assert.match(getBackup(false), /DATABASE_URL, and after it DATA_DIR\/blobs/);
});
