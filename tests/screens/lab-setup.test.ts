/** What a live lab sees on its first day, when nothing is set yet. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSignedIn } from '#testing/browser.ts';
import { testService } from '#testing/service.ts';

test('first day: live without mail, bank account and address → Today and Health name each with its settings', async () => {
  const manager = await openSignedIn(await testService({ ENVIRONMENT: 'live' }));
  const today = (await manager.open('/lab')).text;
  for (const words of [
    'Set mail',
    'Set bank account or processor',
    'Set name, address and tax id',
    'Check backup',
  ])
    assert.ok(today.includes(`<a href="/lab/health#set-up">${words}</a>`), words);
  const health = (await manager.open('/lab/health')).text;
  for (const name of ['SMTP_URL', 'BANK_DETAILS', 'LAB_NAME', 'LAB_ADDRESS', 'LAB_TAX_ID'])
    assert.ok(health.includes(`<code class="nowrap">${name}</code>`), name);
  assert.match(health, /Back up DATA_DIR while the service is stopped/);
});

test('first day: everything is set in live → Today asks for none of it', async () => {
  const service = await testService({
    ENVIRONMENT: 'live',
    SMTP_URL: 'smtp://127.0.0.1:2525',
    MAIL_FROM: 'lab@example.org',
    BANK_DETAILS: 'IBAN XY00 1',
    LAB_NAME: 'A lab',
    LAB_ADDRESS: '1 Road; Town',
  });
  const manager = await openSignedIn(service);
  const today = (await manager.open('/lab')).text;
  assert.doesNotMatch(today, />Set (?:mail|bank|name)/);
  assert.match(today, /<span class="chip good">Done<\/span> Set mail/);
});
